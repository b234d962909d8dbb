"""Lets a person end the looking up. Rule: the run goes on to an answer, but with no more tools."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tabloop.agent.errors import ToolError
from tabloop.agent.middleware import Middleware, RunContext
from tabloop.agent.ports import ModelRequest
from tabloop.agent.stop import Stop, Stopped
from tabloop.agent.tools import Tool

__all__ = ["AnswerNow"]


class AnswerNow(Middleware):
    """After `press`, lookups end, and the next hop is offered no tools, so that the model answers.

    What costs, changes something or asks a person runs to its end.
    """

    def __init__(self) -> None:
        self._lookups = Stop()

    def press(self) -> None:
        """Ask for the answer. Idempotent."""
        self._lookups.press()

    async def on_start(self, run: RunContext) -> None:
        """Begin anew: an earlier run's press counts no more."""
        self._lookups = Stop()

    async def on_config(self, run: RunContext, request: ModelRequest) -> ModelRequest | None:
        """Take the tools out of the request, or let them end when the answer is asked for."""
        if self._lookups.pressed:
            return replace(request, tools=())
        return replace(request, tools=tuple(map(self._ending, request.tools)))

    def _ending(self, tool: Tool) -> Tool:
        if not tool.concurrent:
            return tool

        async def look_up(arguments: Mapping[str, Any]) -> object:
            return await tool.run(arguments)

        async def run(arguments: Mapping[str, Any]) -> object:
            try:
                return await self._lookups.race(look_up(arguments))
            except Stopped:
                reason = "The person wants the answer now, from what is known."
                raise ToolError("interrupted", reason) from None

        return replace(tool, run=run)
