"""From what a model wrote to calls that may run. Nothing runs with arguments that are not valid."""

import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from app.agent.errors import ToolError
from app.agent.messages import AssistantMessage, Message, ToolCall
from app.agent.results import ToolResult, failure
from app.agent.tools import Tool

__all__ = ["ReadCall", "read_call", "tidy"]


@dataclass(frozen=True, slots=True)
class ReadCall:
    """A call that may run (`arguments` set), or one that is answered at once (`refusal` set)."""

    call: ToolCall
    tool: Tool | None = None
    arguments: Mapping[str, Any] | None = None
    refusal: ToolResult | None = None


def tidy(
    message: AssistantMessage, history: Iterable[Message], tools: Sequence[Tool]
) -> AssistantMessage:
    """Return the turn with calls that can be answered.

    Calls without a name are dropped; an id that is missing or was used before is replaced by one
    of ours (nine letters and digits, which every endpoint takes); a name that a model has
    prefixed ("functions.search") becomes the tool's.
    """
    used = {
        call.id
        for earlier in history
        if isinstance(earlier, AssistantMessage)
        for call in earlier.tool_calls
    }
    fresh = (f"call{number:05d}" for number in itertools.count(1))
    calls: list[ToolCall] = []
    for call in message.tool_calls:
        if not call.name.strip():
            continue
        name = _known_name(call.name.strip(), tools)
        call_id = call.id if call.id and call.id not in used else next(_unused(fresh, used))
        used.add(call_id)
        calls.append(replace(call, id=call_id, name=name))
    return replace(message, tool_calls=tuple(calls))


def read_call(call: ToolCall, tools: Sequence[Tool], *, cut: bool) -> ReadCall:
    """Find the tool and validate the arguments.

    `cut` says that the endpoint ended the reply for length: then arguments that are not whole
    are no mistake of the model, and the result says so.
    """
    tool = next((item for item in tools if item.name == call.name), None)
    raw = _decode(call.arguments, cut=cut)
    if cut and raw is None:
        reason = "The reply was cut before the arguments ended. Send it again, in smaller parts."
        return ReadCall(call, tool, refusal=failure("max_tokens", reason))
    if tool is None:
        names = ", ".join(item.name for item in tools) or "none"
        reason = f"There is no tool {call.name[:60]} on offer now. On offer: {names}."
        return ReadCall(call, refusal=failure("unknown_tool", reason))
    if raw is None:
        reason = "The arguments are not a JSON object."
        return ReadCall(call, tool, refusal=failure("invalid_arguments", reason))
    try:
        return ReadCall(call, tool, arguments=tool.validate(raw))
    except ToolError as error:
        return ReadCall(call, tool, refusal=failure(error.code, error.reason))


def _unused(candidates: Iterable[str], used: set[str]) -> Iterator[str]:
    return (candidate for candidate in candidates if candidate not in used)


def _known_name(name: str, tools: Sequence[Tool]) -> str:
    known = {item.name for item in tools}
    bare = re.split(r"[.:/]", name)[-1]
    return bare if name not in known and bare in known else name


def _decode(text: str, *, cut: bool) -> dict[str, Any] | None:
    """Return the arguments as an object, or None. Some models send none at all, or encode twice."""
    if text.strip() in ("", "null"):
        return None if cut else {}
    try:
        value = json.loads(text)
        if isinstance(value, str):
            value = json.loads(value)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None
