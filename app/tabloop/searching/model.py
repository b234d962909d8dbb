"""Search mode: a `ChatModel` without a language model: it reads days and words and calls tools.

Rule: its only input is the messages; it keeps nothing between two replies.
"""

from collections.abc import AsyncIterator, Callable
from datetime import datetime

from tabloop.agent.messages import AssistantMessage, ToolCall, UserMessage
from tabloop.agent.ports import ModelReply, ModelRequest, TextDelta
from tabloop.searching.reading import Question
from tabloop.searching.results import Lookups
from tabloop.searching.search import Search

__all__ = ["SearchModel"]


class SearchModel:
    """The model of search mode. `now` gives the visitor's local time, for relative days."""

    def __init__(self, now: Callable[[], datetime] = lambda: datetime.now().astimezone()) -> None:
        self._now = now

    async def reply(self, request: ModelRequest) -> AsyncIterator[TextDelta | ModelReply]:
        """Yield one reply: calls of offered tools, or the answer. Never raises."""
        past = request.messages
        asked = [n for n, message in enumerate(past) if isinstance(message, UserMessage)]
        texts = [past[n].content or "" for n in reversed(asked)]
        lookups = Lookups(past[max(asked, default=0) :], {tool.name for tool in request.tools})
        answer = Search(Question(texts or [""], self._now().date()), lookups).answer()
        calls = tuple(ToolCall("", *call) for call in lookups.missing)  # the loop makes the ids
        message = AssistantMessage(None, calls) if calls else AssistantMessage(answer)
        yield ModelReply(message, "tool_calls" if calls else "stop")
