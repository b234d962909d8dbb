"""Search mode: a `ChatModel` that reads days and words, calls tools, and lists what they found.

Rule: it works from the messages alone, so each turn answers anew and leaves out no call.
"""

from collections.abc import AsyncIterator, Callable, Collection, Sequence
from datetime import date, datetime

from app.agent.messages import AssistantMessage, Message, ToolCall, UserMessage
from app.agent.ports import ModelReply, ModelRequest, TextDelta
from app.searching.lookups import Lookups
from app.searching.reading import read
from app.searching.search import Search

__all__ = ["SearchModel", "next_turn"]


class SearchModel:
    """Searches. `now` gives the visitor's own time, against which days are read."""

    def __init__(self, now: Callable[[], datetime] = lambda: datetime.now().astimezone()) -> None:
        self._now = now

    async def reply(self, request: ModelRequest) -> AsyncIterator[TextDelta | ModelReply]:
        """Yield the turn at once; never raises."""
        offered = {tool.name for tool in request.tools}
        message = next_turn(request.messages, offered, self._now().date())
        yield ModelReply(message, "tool_calls" if message.tool_calls else "stop")


def next_turn(
    messages: Sequence[Message], offered: Collection[str], today: date
) -> AssistantMessage:
    """Return calls of `offered` tools, or the answer where the last question needs no more."""
    places = [n for n, message in enumerate(messages) if isinstance(message, UserMessage)]
    texts = [m.content for m in reversed(messages) if isinstance(m, UserMessage)] or [""]
    lookups = Lookups(messages[places[-1] :] if places else (), offered)
    answer = Search(read(texts, today), lookups).answer()
    ids = (f"srch{len(messages) % 1000:03d}{number % 100:02d}" for number in range(100))
    calls = tuple(ToolCall(name, *call) for name, call in zip(ids, lookups.missing, strict=False))
    return AssistantMessage(None, calls) if calls else AssistantMessage(answer)
