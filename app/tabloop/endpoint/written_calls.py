"""Calls that a model wrote into its text, because its server did not read them.

Rule: such text is never shown as an answer. It is a call if it can be read whole and names a tool
that was offered; else the reply failed.
"""

import re
from collections.abc import Collection
from dataclasses import replace

from tabloop.agent.messages import ToolCall
from tabloop.agent.ports import ModelReply, TextDelta
from tabloop.core.json_text import Json, as_list, as_object, as_text, compact, parsed

__all__ = ["WithheldCalls", "read_written_calls"]

MARKS = ("<tool_call>", "[TOOL_CALLS]", "<|python_tag|>", "<function=", "<|tool_call|>")
_BEGIN = re.compile(r"(?:^|\n)[ \t]*(?=" + "|".join(map(re.escape, MARKS)) + ")")
_END = re.compile(r"</tool_call>|</function>|<\|eom_id\|>|<\|eot_id\|>|<\|/?tool_call\|>")
_NAMED = re.compile(r"<function=([\w.-]{1,64})>(.*)|([\w.-]{1,64})(?:\[ARGS\])?(\{.*)", re.DOTALL)


class WithheldCalls:
    """Holds streamed text back as long as it may be a call."""

    def __init__(self) -> None:
        self._held: list[str] = []
        self._begin = ""  # of the text, without white space before it
        self._plain = self._call = False

    def feed(self, delta: TextDelta) -> TextDelta | None:
        """Return what can be shown."""
        if self._plain:
            return delta
        self._held.append(delta.text)
        if self._call:
            return None
        self._begin = (self._begin + delta.text).lstrip()
        self._call = self._begin.startswith(MARKS)
        if self._call or any(mark.startswith(self._begin) for mark in MARKS):
            return None
        self._plain = True
        return replace(delta, text="".join(self._held))

    def rest(self) -> TextDelta | None:
        """Return what was held back, once it is known that it is no call."""
        return TextDelta("".join(self._held)) if self._held and not self._plain else None


def read_written_calls(reply: ModelReply, offered: Collection[str]) -> ModelReply | None:
    """Return the reply with the calls that its text contains.

    Returns:
        The same reply if there are none; `None` if its text is a call that cannot be read.
    """
    text = reply.message.content or ""
    begin = _BEGIN.search(text)
    if begin is None or reply.message.tool_calls or not offered:
        return reply
    calls = _calls(text[begin.end() :])
    before = text[: begin.start()].strip()
    if not calls or not {call.name for call in calls} <= set(offered):
        return reply if before else None
    message = replace(reply.message, content=before or None, tool_calls=tuple(calls))
    return replace(reply, message=message, finish_reason="tool_calls")


def _calls(text: str) -> list[ToolCall]:
    """Return the calls; none if one of them cannot be read."""
    for mark in MARKS[:3]:
        text = text.replace(mark, "\n", 1) if mark != MARKS[0] else text.replace(mark, "\n")
    written = [part.strip() for part in _END.split(text) if part.strip()]
    found = [call for part in written for call in _read(part)]
    return [call for call in found if call] if all(found) else []


def _read(part: str) -> list[ToolCall | None]:
    if named := _NAMED.fullmatch(part):
        return [_call(named[1] or named[3], parsed(named[2] or named[4]))]
    document = parsed(part)
    listed = as_list(document[0]) if document else []
    if not listed:
        return [None]
    objects = [as_object(item) for item in listed]
    return [
        _call(as_text(item.get("name")), (item.get("arguments", item.get("parameters", {})),))
        for item in objects
    ]


def _call(name: str, arguments: tuple[Json] | None) -> ToolCall | None:
    value = arguments[0] if arguments else None
    if isinstance(value, str):
        inner = parsed(value)
        value = inner[0] if inner else None
    return ToolCall("", name, compact(value)) if isinstance(value, dict) else None
