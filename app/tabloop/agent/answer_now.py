"""Lets a person end the looking up. Rule: the run goes on to an answer, but with no more tools."""

from dataclasses import replace

from tabloop.agent.middleware import Middleware, RunContext
from tabloop.agent.ports import ModelRequest

__all__ = ["AnswerNow"]


class AnswerNow(Middleware):
    """After `press`, the next hop of this run is offered no tools, so that the model answers."""

    def __init__(self) -> None:
        self._pressed = False

    def press(self) -> None:
        """Ask for the answer. Idempotent."""
        self._pressed = True

    async def on_start(self, run: RunContext) -> None:
        """Begin anew: an earlier run's press counts no more."""
        self._pressed = False

    async def on_config(self, run: RunContext, request: ModelRequest) -> ModelRequest | None:
        """Take the tools out of the request."""
        return replace(request, tools=()) if self._pressed else None
