"""One turn of the model: its text as it comes, then its calls, read but not run."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from app.agent.calls import ReadCall, read_call, tidy
from app.agent.errors import ModelError
from app.agent.events import (
    Event,
    TextMessageContent,
    TextMessageEnd,
    TextMessageStart,
    ToolCallArgs,
    ToolCallEnd,
    ToolCallStart,
)
from app.agent.messages import Message
from app.agent.ports import ChatModel, ModelReply, ModelRequest, TextDelta
from app.agent.stop import Stop

__all__ = ["Turn", "take_turn"]


@dataclass(frozen=True, slots=True)
class Turn:
    """What the model did with one request; `reply.message` has calls that can be answered."""

    reply: ModelReply
    calls: tuple[ReadCall, ...]

    @property
    def text(self) -> str:
        """The turn's text, empty where it is blank."""
        content = self.reply.message.content or ""
        return content if content.strip() else ""


async def take_turn(
    model: ChatModel, request: ModelRequest, history: list[Message], message_id: str, stop: Stop
) -> AsyncGenerator[Event | Turn, None]:
    """Ask the model; yield its events, then the `Turn`.

    `history` is what ids must be unique in. Raises `Stopped`, and `ModelError` when the model
    gives no whole reply.
    """
    streamed = False
    reply: ModelReply | None = None
    async with aclosing(_parts(model, request, stop)) as parts:
        async for part in parts:
            if isinstance(part, ModelReply):
                reply = part
            elif part.text:
                if not streamed:
                    yield TextMessageStart(message_id)
                streamed = True
                yield TextMessageContent(message_id, part.text)
    if streamed:
        yield TextMessageEnd(message_id)
    if reply is None:
        raise ModelError("cut_off", detail="the model ended without a reply")
    message = tidy(reply.message, history, request.tools)
    cut = reply.finish_reason == "length"
    turn = Turn(
        ModelReply(message, reply.finish_reason, reply.usage),
        tuple(read_call(call, request.tools, cut=cut) for call in message.tool_calls),
    )
    if turn.text and not streamed:
        yield TextMessageStart(message_id)
        yield TextMessageContent(message_id, turn.text)
        yield TextMessageEnd(message_id)
    for read in turn.calls:
        yield ToolCallStart(read.call.id, read.call.name, read.tool.source if read.tool else "")
        yield ToolCallArgs(read.call.id, read.call.arguments)
        yield ToolCallEnd(read.call.id)
    yield turn


async def _parts(
    model: ChatModel, request: ModelRequest, stop: Stop
) -> AsyncGenerator[TextDelta | ModelReply, None]:
    """Pass on the model's parts, each awaited against Stop."""
    parts = aiter(model.reply(request))
    while True:
        try:
            part = await stop.race(anext(parts))
        except StopAsyncIteration:
            return
        yield part
