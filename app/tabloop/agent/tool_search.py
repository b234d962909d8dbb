"""Tools that are found when needed, where an endpoint takes fewer than there are.

Rule: a model can reach every tool, and no request has more definitions than the endpoint takes.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field

from tabloop.agent.definitions import fitting
from tabloop.agent.errors import SetupError
from tabloop.agent.messages import AssistantMessage
from tabloop.agent.middleware import CallContext, Middleware, RunContext
from tabloop.agent.output import FINAL_TOOL
from tabloop.agent.ports import ModelRequest, ToolLimits
from tabloop.agent.results import ToolResult
from tabloop.agent.tools import Tool, tool

__all__ = ["SEARCH_TOOL", "ToolSearch", "tool_search"]

SEARCH_TOOL = "search_tools"
MAX_FOUND = 5
_WORD = re.compile(r"[^\W_]{2,}")


class ToolSearch(Middleware):
    """Offers `search_tools`, then what was found or called, then the first of the other tools."""

    def __init__(self, tools: Sequence[Tool], limits: ToolLimits) -> None:
        self._tools = {item.name: item for item in tools}
        self._limits = limits
        self.tool = self._make_tool()

    async def on_config(self, run: RunContext, request: ModelRequest) -> ModelRequest:
        """Take out what does not fit; see `Middleware.on_config`."""
        offered = {item.name: item for item in request.tools}
        called = (
            call.name
            for message in reversed(run.messages)
            if isinstance(message, AssistantMessage)
            for call in message.tool_calls
        )
        wanted = (SEARCH_TOOL, FINAL_TOOL, *self._found(run), *called, *offered)
        best = [offered[name] for name in dict.fromkeys(wanted) if name in offered]
        chosen = {item.name for item in fitting(best, self._limits)}
        return replace(request, tools=tuple(item for item in request.tools if item.name in chosen))

    async def on_after_tool_call(
        self, run: RunContext, call: CallContext, result: ToolResult
    ) -> None:
        """Offer what a search has found; see `Middleware.on_after_tool_call`."""
        if call.tool.name == SEARCH_TOOL and result.status == "ok":
            found = [item.name for item in self._search(call.arguments["query"])]
            self._found(run)[:0] = found

    def _found(self, run: RunContext) -> list[str]:
        return run.data(self, list[str])

    def _search(self, query: str) -> list[Tool]:
        words = set(_WORD.findall(query.casefold()))
        scores = {name: len(words & _words(item)) for name, item in self._tools.items()}
        best = sorted(self._tools.values(), key=lambda item: -scores[item.name])
        return [item for item in best if scores[item.name]][:MAX_FOUND]

    def _make_tool(self) -> Tool:
        @tool
        async def search_tools(
            query: Annotated[str, Field(description="Words of what the tool should do.")],
        ) -> Mapping[str, Any]:
            """Find further tools. Those that are found can be called in the next turn."""
            found = {item.name: item.description for item in self._search(query)}
            return {"found": found} if found else {"found": {}, "names": sorted(self._tools)}

        return search_tools


def tool_search(tools: Sequence[Tool], limits: ToolLimits) -> tuple[ToolSearch, ...]:
    """Return the search for these tools; none if the endpoint takes all of them.

    Raises:
        SetupError: One of them is so large that it could never be offered.
    """
    if len(fitting(tools, limits)) == len(tools):
        return ()
    search = ToolSearch(tools, limits)
    always = [search.tool, *(item for item in tools if item.name == FINAL_TOOL)]
    for item in tools:
        if item not in fitting([*always, item], limits):
            most = f"the endpoint takes {limits.count} tools of {limits.size} bytes"
            raise SetupError(f"the tool {item.name} does not fit beside {SEARCH_TOOL}: {most}")
    return (search,)


def _words(item: Tool) -> set[str]:
    parameters = " ".join(item.parameters.get("properties", {}))
    return set(_WORD.findall(f"{item.name} {item.description} {parameters}".casefold()))
