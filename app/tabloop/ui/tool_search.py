"""Search mode of a page without Bundestakt's record: a `ChatModel` that calls a search tool.

Rule: it understands nothing. It searches the words of one question, lists what was found, and says
so. Which tool it may call, and with which argument, is part of the tool's presentation.
"""

from collections.abc import AsyncIterator, Sequence

from tabloop.agent.messages import AssistantMessage, ToolCall, ToolMessage, UserMessage
from tabloop.agent.ports import ModelReply, ModelRequest
from tabloop.core.json_text import JsonObject, as_list, as_object, as_text, compact, parsed
from tabloop.ui.export_text import label, link
from tabloop.ui.strings import Strings

__all__ = ["ToolSearch"]

MAX_QUESTION = 300  # characters


class ToolSearch:
    """Answers with the hits of each tool that is offered for it; without one it says so."""

    def __init__(self, strings: Strings) -> None:
        self._strings = strings

    async def reply(self, request: ModelRequest) -> AsyncIterator[ModelReply]:
        """Yield calls, or the answer when their results are there. Never raises."""
        past = request.messages
        last = max((n for n, m in enumerate(past) if isinstance(m, UserMessage)), default=0)
        question = (past[last].content or "").strip()[:MAX_QUESTION] if past else ""
        results = [message for message in past[last:] if isinstance(message, ToolMessage)]
        calls = tuple(
            ToolCall("", tool.name, compact({tool.presentation.search_argument: question}))
            for tool in request.tools
            if tool.presentation.search_argument and tool.concurrent
        )
        if results:
            read = [as_object((parsed(one.content) or ("",))[0]) for one in results]
            yield ModelReply(AssistantMessage(self._answer(question, read)))
        elif calls and question:
            yield ModelReply(AssistantMessage(None, calls), "tool_calls")
        else:
            yield ModelReply(AssistantMessage(self._strings("searching.nothing")))

    def _answer(self, question: str, results: Sequence[JsonObject]) -> str:
        strings = self._strings
        failed = [as_text(one.get("reason")) for one in results if one.get("status") != "ok"]
        hits = [as_object(hit) for one in results for hit in as_list(one.get("hits"))]
        asked = label(question.rstrip("?!. "))
        if failed and not hits:
            first = strings("searching.failed", reason=label(failed[0]))
        elif hits:
            first = strings("searching.found", question=asked)
        else:
            first = strings("searching.notFound", question=asked)
        return "\n".join([first, "", *map(_line, hits), "", strings("searching.onlyWords")])


def _line(hit: JsonObject) -> str:
    names = dict.fromkeys(filter(None, (as_text(hit.get("title")), as_text(hit.get("section")))))
    url = as_text(hit.get("url"))
    found = link(": ".join(names) or url, url)
    excerpt = label(as_text(hit.get("excerpt")))
    return f"- {found}: {excerpt}" if excerpt else f"- {found}"
