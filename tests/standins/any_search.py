"""Search mode as a model at an address. Rule: it searches what the page offers tools for."""

from collections.abc import AsyncIterator
from dataclasses import replace

from tabloop.agent.messages import AssistantMessage, UserMessage
from tabloop.agent.ports import ChatModel, ModelRequest, ReplyPart
from tabloop.agent.presentation import Presentation, readable
from tabloop.agent.tools import Tool
from tabloop.searching.model import SearchModel
from tabloop.searching.words import language_of
from tabloop.tools.site.words import SEARCH
from tabloop.ui.strings import load_strings
from tabloop.ui.tool_by_title import ToolByTitle
from tabloop.ui.tool_search import ToolSearch

__all__ = ["AnySearch"]


class AnySearch:
    """Searches the pages of a site if a page offers `search_site`, else Bundestakt's record.

    A question that begins with the name of a tool calls that tool.
    """

    def __init__(self) -> None:
        self._record = SearchModel()

    async def reply(self, request: ModelRequest) -> AsyncIterator[ReplyPart]:
        """Yield one reply. Never raises."""
        # a request has no presentations, which say what search mode may call
        tools = tuple(
            replace(tool, presentation=SEARCH) if tool.name == "search_site" else tool
            for tool in request.tools
        )
        turns = [one for one in request.messages if isinstance(one, AssistantMessage)]
        # a tool that failed is not offered again
        names = [call.name for turn in turns for call in turn.tool_calls]
        asked = [one.content or "" for one in request.messages if isinstance(one, UserMessage)]
        tools = tuple(_titled(tool, asked[-1] if asked else "") for tool in tools)
        strings = load_strings(language_of(asked[::-1]))
        model: ChatModel = self._record
        if "search_site" in (*names, *(tool.name for tool in tools)):
            model = ToolSearch(strings)
        async for part in ToolByTitle(strings, model).reply(replace(request, tools=tools)):
            yield part


def _titled(tool: Tool, question: str) -> Tool:
    """Return the tool with the title that the question names, if its name has these words.

    A request has no titles, but "Weather" is most likely the title of `get_weather`.
    """
    title, colon, _ = question.partition(":")
    words, named = title.casefold().split(), readable(tool.name).casefold().split()
    if not colon or not words or words != named[1:]:
        return tool
    return replace(tool, presentation=Presentation(title=title.strip()))
