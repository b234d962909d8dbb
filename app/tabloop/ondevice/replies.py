"""Reads what a small model wrote: an answer or a call, as JSON that may be damaged.

Rule: what was meant is read where it is clear; else the reason can be told to the model.
"""

import re
from collections.abc import Sequence

from tabloop.agent.errors import ToolError
from tabloop.agent.messages import AssistantMessage, ToolCall
from tabloop.agent.tools import Tool
from tabloop.core.json_text import (
    Json,
    JsonObject,
    as_list,
    as_object,
    as_text,
    compact,
    parsed,
    read_json,
)

__all__ = ["AnswerText", "BadReply", "read_reply"]

MAX_HEAD = 200  # characters before the answer's text
_HEAD = re.compile(r'\s*(?:```\w*\s*)?\{\s*"answer"\s*:\s*"')
_TEXT = re.compile(r'(?:[^"\\]|\\(?:u[0-9a-fA-F]{4}|[^u]))*')
_HALF = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}$")  # the first half of a pair
_CONTROL = re.compile(r"[\x00-\x1f]")
_FENCE = "```"


class BadReply(Exception):
    """`reason` is for the model; `message` is what to take if it does no better."""

    def __init__(self, reason: str, message: AssistantMessage | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.message = message


class AnswerText:
    """The text of `{"answer": "..."}` while the JSON grows. `ended`: its closing quote is there."""

    def __init__(self) -> None:
        self.begun = self.ended = False
        self.text = ""
        self._rest = ""

    def feed(self, piece: str) -> str:
        """Return the text that is new with this piece of JSON."""
        if self.ended:
            return ""
        self._rest += piece
        if not self.begun:
            head = _HEAD.match(self._rest[:MAX_HEAD])
            if head is None:
                self.ended = len(self._rest) > MAX_HEAD
                return ""
            self.begun, self._rest = True, self._rest[head.end() :]
        found = _TEXT.match(self._rest)
        written = found[0] if found else ""
        self.ended = self._rest[len(written) :].startswith('"')
        if not self.ended and (half := _HALF.search(written)):
            written = written[: half.start()]
        self._rest = self._rest[len(written) :]
        escaped = _CONTROL.sub(lambda sign: f"\\u{ord(sign[0]):04x}", written)
        [new] = parsed(f'"{escaped}"') or ("",)
        self.text += as_text(new)
        return as_text(new)


def read_reply(
    whole: str, answer: AnswerText, tools: Sequence[Tool]
) -> tuple[AssistantMessage, str]:
    """Return the message with at most one call, and its finish reason.

    `answer` has read the same text.

    Raises:
        BadReply: Nothing in it can be used, or a call is wrong.
    """
    found = _object_in(whole)
    if found is None:
        if answer.begun:  # cut, or with something after its end
            return AssistantMessage(answer.text), "stop" if answer.ended else "length"
        if "{" not in whole and whole.strip():  # prose
            return AssistantMessage(whole.strip()), "stop"
        raise BadReply("It is no valid JSON.")
    text = as_text(found.get("answer")).strip()
    calls = [found] if "name" in found else as_list(found.get("calls"))
    if calls:
        return _with_call(as_object(calls[0]), text, tools), "tool_calls"
    if not text:
        raise BadReply('It has neither "answer" nor "calls".')
    return AssistantMessage(text), "stop"


def _object_in(whole: str) -> dict[str, Json] | None:
    _, _, fenced = whole.partition(_FENCE)
    for candidate in (whole, fenced.rpartition(_FENCE)[0], whole[: whole.rfind("}") + 1]):
        [found] = parsed(candidate[max(candidate.find("{"), 0) :]) or (None,)
        if isinstance(found, dict):
            return found
    return None


def _with_call(call: JsonObject, text: str, tools: Sequence[Tool]) -> AssistantMessage:
    name, arguments = as_text(call.get("name")), call.get("arguments", {})
    written = arguments if isinstance(arguments, str) else compact(arguments)
    message = AssistantMessage(text or None, (ToolCall("", name, written),))
    tool = next((item for item in tools if item.name == name), None)
    if tool is None:
        offered = ", ".join(item.name for item in tools) or "none"
        raise BadReply(f"There is no tool {name[:60]!r}. The tools are: {offered}.", message)
    try:
        tool.validate(as_object(read_json(written)))
    except ToolError as error:
        raise BadReply(f"The arguments of {name} are wrong: {error.reason}", message) from None
    except ValueError:
        raise BadReply(f"The arguments of {name} are no JSON object.", message) from None
    return message
