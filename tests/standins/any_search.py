"""Search mode as a model at an address. Rule: it searches what the page offers tools for."""

from collections.abc import AsyncIterator
from dataclasses import replace

from tabloop.agent.messages import AssistantMessage, UserMessage
from tabloop.agent.ports import ModelRequest, ReplyPart
from tabloop.searching.model import SearchModel
from tabloop.searching.words import language_of
from tabloop.tools.site.words import SEARCH
from tabloop.ui.strings import load_strings
from tabloop.ui.tool_search import ToolSearch

__all__ = ["AnySearch"]


class AnySearch:
    """Searches the pages of a site if a page offers `search_site`, else Bundestakt's record."""

    def __init__(self) -> None:
        self._record = SearchModel()

    async def reply(self, request: ModelRequest) -> AsyncIterator[ReplyPart]:
        """Yield one reply. Never raises."""
        # a request has no presentations, which say what search mode may call
        tools = [
            replace(tool, presentation=SEARCH)
            for tool in request.tools
            if tool.name == "search_site"
        ]
        turns = [one for one in request.messages if isinstance(one, AssistantMessage)]
        # a tool that failed is not offered again
        called = any(call.name == "search_site" for turn in turns for call in turn.tool_calls)
        model = self._record
        if tools or called:
            asked = [one.content or "" for one in request.messages if isinstance(one, UserMessage)]
            model = ToolSearch(load_strings(language_of(asked[::-1])))
            request = replace(request, tools=tuple(tools))
        async for part in model.reply(request):
            yield part
