"""Search mode's way to any free tool: a question that begins with the tool's title calls it.

Rule: it understands nothing else. "Weather: Berlin" calls the tool with the title "Weather"; what
is not of that form is for the other model.
"""

import json
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, cast

from tabloop.agent.messages import AssistantMessage, ToolCall, ToolMessage, UserMessage
from tabloop.agent.ports import ChatModel, ModelReply, ModelRequest, ReplyPart
from tabloop.agent.tools import Tool
from tabloop.core.json_text import Json, JsonObject, as_object, as_text, compact, parsed
from tabloop.ui.export_text import label
from tabloop.ui.strings import Strings
from tabloop.ui.tool_words import tool_title

__all__ = ["ToolByTitle"]

MAX_VALUE = 1000  # characters of one field of a result


class ToolByTitle:
    """Calls the tool whose title, and maybe a colon and arguments, are the whole question."""

    def __init__(self, strings: Strings, otherwise: ChatModel) -> None:
        self._strings = strings
        self._otherwise = otherwise

    async def reply(self, request: ModelRequest) -> AsyncIterator[ReplyPart]:
        """Yield a call, a sentence that asks for arguments, or the result as a list."""
        past = request.messages
        last = max((n for n, m in enumerate(past) if isinstance(m, UserMessage)), default=0)
        title, _, rest = ((past[last].content or "") if past else "").partition(":")
        title = title.strip()
        if results := [one for one in past[last:] if isinstance(one, ToolMessage)]:
            if isinstance(asked := past[last + 1], AssistantMessage) and asked.content == title:
                yield ModelReply(AssistantMessage(self._shown(title, results[-1].content)))
                return
        elif tool := self._named(request.tools, title):
            yield self._called(tool, title, rest.strip())
            return
        async for part in self._otherwise.reply(request):
            yield part

    def _named(self, tools: Sequence[Tool], title: str) -> Tool | None:
        wanted = title.casefold()
        for tool in tools:
            names = (tool_title(self._strings, tool.name, tool.presentation), tool.name)
            if tool.concurrent and wanted in map(str.casefold, names):
                return tool
        return None

    def _called(self, tool: Tool, title: str, written: str) -> ModelReply:
        arguments = _arguments(tool.parameters, written)
        needed = cast("Sequence[str]", tool.parameters.get("required", ()))
        if missing := [name for name in needed if name not in arguments]:
            return ModelReply(AssistantMessage(self._asked(tool, title, missing)))
        # the title beside the call says at the next hop that this model made it
        call = ToolCall("", tool.name, compact(arguments))
        return ModelReply(AssistantMessage(title, (call,)), "tool_calls")

    def _asked(self, tool: Tool, title: str, missing: Sequence[str]) -> str:
        fields = as_object(cast("Json", tool.parameters.get("properties")))
        lines = [_row(name, as_object(fields.get(name)).get("description", "")) for name in missing]
        example = f"{title}: " + ", ".join(f"{name}=…" for name in missing)
        first = self._strings("searching.needs", title=label(title))
        return "\n".join([first, "", *lines, "", self._strings("searching.write"), "", example])

    def _shown(self, title: str, content: str) -> str:
        result = as_object((parsed(content) or (None,))[0])
        if result.get("status") != "ok":
            return f"{label(title)}: {label(as_text(result.get('reason')) or content)}"
        lines = [_row(name, value) for name, value in result.items() if name != "status"]
        return "\n".join([f"{label(title)}:", "", *lines, "", self._strings("searching.byTitle")])


def _row(name: str, value: object) -> str:
    if not isinstance(value, dict | list):
        text = value if isinstance(value, str) else compact(value)
        return f"- {label(name)}: {label(_shortened(text))}"
    text = _shortened(json.dumps(value, ensure_ascii=False, indent=1))
    ticks = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, ticks + 1)
    return f"- {label(name)}:\n\n{fence}json\n{text}\n{fence}\n"


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_VALUE else f"{text[:MAX_VALUE]}…"


def _arguments(parameters: Mapping[str, Any], written: str) -> JsonObject:
    """Return the arguments of "city=Berlin, days=3"; without a name it is the first parameter."""
    fields = as_object(cast("Json", parameters.get("properties")))
    if not written or not fields:
        return {}
    pairs = [piece.partition("=") for piece in written.split(",")]
    if not all(name.strip() in fields and sign for name, sign, _ in pairs):
        pairs = [(next(iter(fields)), "=", written)]
    return {name.strip(): _value(fields[name.strip()], text.strip()) for name, _, text in pairs}


def _value(schema: Json, text: str) -> Json:
    kind = as_object(schema).get("type")
    read = parsed(text) if kind not in (None, "string") else None
    return read[0] if read else text
