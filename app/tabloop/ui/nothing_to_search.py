"""Search mode of a page that has nothing to search. Rule: it says so, and calls no tool."""

from collections.abc import AsyncIterator

from tabloop.agent.messages import AssistantMessage
from tabloop.agent.ports import ModelReply, ModelRequest
from tabloop.ui.strings import Strings

__all__ = ["NothingToSearch"]


class NothingToSearch:
    """A `ChatModel` whose every answer is the same sentence."""

    def __init__(self, strings: Strings) -> None:
        self._sentence = strings("searching.nothing")

    async def reply(self, request: ModelRequest) -> AsyncIterator[ModelReply]:
        """Yield the answer. Never raises."""
        del request
        yield ModelReply(AssistantMessage(self._sentence), "stop")
