"""Parses the calls that a model wrote. Rule: no tool runs with invalid arguments."""

import itertools
import json
import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from tabloop.agent.errors import ToolError
from tabloop.agent.messages import AssistantMessage, ToolCall
from tabloop.agent.results import ToolResult, error_result
from tabloop.agent.tools import Tool
from tabloop.core.json_text import read_json

__all__ = [
    "MAX_ARGUMENTS",
    "ParsedCall",
    "RefusedCall",
    "ValidCall",
    "canonical_key",
    "normalize_calls",
    "parse_call",
    "refuse_damaged",
    "validated",
]

_log = logging.getLogger(__name__)

# more than any sensible reply needs; what is longer costs memory, and each later hop sends it again
MAX_ARGUMENTS = 32_768  # characters
MAX_NAME = 128  # characters
MAX_CALLS = 128  # in one reply


@dataclass(frozen=True, slots=True)
class ValidCall:
    """A call that may run: the tool exists, and the arguments are valid for it."""

    call: ToolCall
    tool: Tool
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RefusedCall:
    """A call that does not run; `refusal` is its result, `tool` the tool if it exists."""

    call: ToolCall
    tool: Tool | None
    refusal: ToolResult


ParsedCall: TypeAlias = ValidCall | RefusedCall


def normalize_calls(
    message: AssistantMessage, used: set[str], tools: Sequence[Tool]
) -> AssistantMessage:
    """Return the message with calls that can be answered; their ids are added to `used`.

    Calls without a name are dropped. An id that is missing or was used before is replaced by a
    new one of nine letters and digits, which every endpoint accepts. A tool's name loses a prefix
    that some models add ("functions.search"). What exceeds our limits is cut.

    Returns:
        The same message, with unique ids and known names where possible.
    """
    fresh = (f"call{number:05d}" for number in itertools.count(1))
    calls: list[ToolCall] = []
    for call in message.tool_calls[:MAX_CALLS]:
        if not call.name.strip():
            continue
        name = _known_name(call.name.strip()[:MAX_NAME], tools)
        arguments = call.arguments[: MAX_ARGUMENTS + 1]  # the one too many makes it refused
        call_id = call.id if call.id and call.id not in used else next(_unused(fresh, used))
        used.add(call_id)
        calls.append(replace(call, id=call_id, name=name, arguments=arguments))
    return replace(message, tool_calls=tuple(calls))


def refuse_damaged(call: ToolCall, tools: Sequence[Tool]) -> RefusedCall:
    """Refuse a call of a reply of which a part was lost: nobody knows what the model asked for."""
    reason = "A part of the reply was lost on the way, so the call was not run. Send it again."
    return RefusedCall(call, _named(call.name, tools), error_result("invalid_arguments", reason))


def parse_call(call: ToolCall, tools: Sequence[Tool], *, truncated: bool) -> ParsedCall:
    """Find the tool and validate the arguments.

    `truncated` says that the endpoint ended the reply because of its length. Then incomplete
    arguments are not the model's mistake, and the result tells it so.

    Returns:
        The valid call, or the refused one with the result that the model reads.
    """
    tool = _named(call.name, tools)
    if len(call.arguments) > MAX_ARGUMENTS:
        reason = f"The arguments are longer than {MAX_ARGUMENTS} characters."
        return RefusedCall(call, tool, error_result("invalid_arguments", reason))
    raw = _decode(call.arguments, truncated=truncated)
    if truncated and raw is None:
        reason = "The reply was cut before the arguments ended. Send it again, in smaller parts."
        return RefusedCall(call, tool, error_result("max_tokens", reason))
    if tool is None:
        names = ", ".join(item.name for item in tools) or "none"
        reason = f"There is no tool {call.name[:60]} on offer now. On offer: {names}."
        return RefusedCall(call, None, error_result("unknown_tool", reason))
    if raw is None:
        reason = "The arguments are not a JSON object."
        return RefusedCall(call, tool, error_result("invalid_arguments", reason))
    try:
        return ValidCall(call, tool, validated(tool, raw))
    except ToolError as error:
        return RefusedCall(call, tool, error_result(error.code, error.reason))


def validated(tool: Tool, raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the arguments as JSON with defaults filled in.

    Raises:
        ToolError: They are invalid, or the tool's validator failed with an error of its own.
    """
    try:
        return tool.validate(raw)
    except ToolError:
        raise
    except Exception:
        _log.exception("the validator of the tool %s failed", tool.name)
        reason = "The arguments could not be checked. Send other ones."
        raise ToolError("invalid_arguments", reason) from None


def canonical_key(name: str, arguments: Mapping[str, Any]) -> str:
    """Return a text that is the same for the same tool and arguments, in whatever order."""
    return f"{name} {json.dumps(arguments, sort_keys=True)}"


def _unused(candidates: Iterable[str], used: set[str]) -> Iterator[str]:
    return (candidate for candidate in candidates if candidate not in used)


def _known_name(name: str, tools: Sequence[Tool]) -> str:
    known = {item.name for item in tools}
    bare = re.split(r"[.:/]", name)[-1]
    return bare if name not in known and bare in known else name


def _decode(text: str, *, truncated: bool) -> dict[str, Any] | None:
    """Return the arguments, None if invalid. Some models send no text, or JSON inside a string."""
    if text.strip() in ("", "null"):
        return None if truncated else {}
    try:
        value = read_json(text)
        if isinstance(value, str):
            value = read_json(value)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _named(name: str, tools: Sequence[Tool]) -> Tool | None:
    return next((item for item in tools if item.name == name), None)
