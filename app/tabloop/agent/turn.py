"""One turn of the model: its text as it comes, then its calls, read but not run."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace

from tabloop.agent.calls import ParsedCall, parse_call, refuse_damaged, tidy
from tabloop.agent.errors import ModelError
from tabloop.agent.events import (
    Event,
    TextMessageContent,
    TextMessageEnd,
    TextMessageStart,
    ToolCallArgs,
    ToolCallEnd,
    ToolCallStart,
)
from tabloop.agent.messages import AssistantMessage, Message
from tabloop.agent.ports import ChatModel, ModelReply, ModelRequest, TextDelta
from tabloop.agent.presentation import PLAIN
from tabloop.agent.stop import Stop, Stopped
from tabloop.agent.tools import Tool

__all__ = ["Turn", "take_turn"]


@dataclass(frozen=True, slots=True)
class Turn:
    """What the model did with one request; `reply.message` has calls that can be answered."""

    reply: ModelReply
    calls: tuple[ParsedCall, ...]

    @property
    def text(self) -> str:
        """The turn's text, empty where it is blank."""
        content = self.reply.message.content or ""
        return content if content.strip() else ""


async def take_turn(
    model: ChatModel, request: ModelRequest, history: list[Message], message_id: str, stop: Stop
) -> AsyncGenerator[Event | Turn, None]:
    """Ask the model; yield its text as it comes, then its calls, then the `Turn`.

    `history` is what ids must be unique in. Raises `Stopped`, and `ModelError` when the model
    gives no whole reply; text that was begun is ended first.
    """
    begun, held = False, ""  # held: blank so far, as turns of calls often begin
    reply: ModelReply | None = None
    try:
        async with aclosing(_parts(model, request, stop)) as parts:
            async for part in parts:
                if isinstance(part, ModelReply):
                    reply = part
                    continue
                if part.anew and begun:  # an empty beginning takes back what was shown
                    yield TextMessageEnd(message_id)
                    message_id, held = f"{message_id}+", ""
                    yield TextMessageStart(message_id)
                held += part.text
                if not held or not (begun or held.strip()):
                    continue
                if not begun:
                    begun = True
                    yield TextMessageStart(message_id)
                yield TextMessageContent(message_id, held)
                held = ""
    except Exception:
        if begun:
            yield TextMessageEnd(message_id)
        raise
    if begun:
        yield TextMessageEnd(message_id)
    if reply is None:
        raise ModelError("cut_off", detail="the model ended without a reply")
    message = tidy(reply.message, history, request.tools)
    turn = Turn(replace(reply, message=message), _read_calls(reply, message, request.tools))
    if turn.text and not begun:
        yield TextMessageStart(message_id)
        yield TextMessageContent(message_id, turn.text)
        yield TextMessageEnd(message_id)
    for read in turn.calls:
        presentation = read.tool.presentation if read.tool else PLAIN
        yield ToolCallStart(read.call.id, read.call.name, presentation)
        yield ToolCallArgs(read.call.id, read.call.arguments)
        yield ToolCallEnd(read.call.id)
    yield turn


def _read_calls(
    reply: ModelReply, message: AssistantMessage, tools: Sequence[Tool]
) -> tuple[ParsedCall, ...]:
    if "damaged" in reply.notes:
        return tuple(refuse_damaged(call, tools) for call in message.tool_calls)
    truncated = reply.finish_reason == "length"
    return tuple(parse_call(call, tools, truncated=truncated) for call in message.tool_calls)


async def _parts(
    model: ChatModel, request: ModelRequest, stop: Stop
) -> AsyncGenerator[TextDelta | ModelReply, None]:
    """Pass on the model's parts, each awaited against Stop, and end its request in any case."""
    parts = aiter(model.reply(request))
    try:
        while True:
            try:
                part = await stop.race(_next(parts, stop))
            except StopAsyncIteration:
                return
            yield part
    finally:
        if isinstance(parts, AsyncGenerator):
            with suppress(RuntimeError):  # one that ignored its cancellation is still running
                await parts.aclose()


async def _next(parts: AsyncIterator[TextDelta | ModelReply], stop: Stop) -> TextDelta | ModelReply:
    if stop.pressed:  # in the moment before this task began: send nothing any more
        raise Stopped
    return await anext(parts)
