"""One reply of the model: its text as it arrives, then its calls. Rule: no tool runs here."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from tabloop.agent.calls import ParsedCall, normalize_calls, parse_call, refuse_damaged
from tabloop.agent.errors import ModelError
from tabloop.agent.events import (
    Event,
    ModelWaiting,
    Outcome,
    ReasoningMessageContent,
    RunFinished,
    TextMessageContent,
    TextMessageEnd,
    TextMessageStart,
    ToolCallArgs,
    ToolCallEnd,
    ToolCallStart,
)
from tabloop.agent.messages import AssistantMessage
from tabloop.agent.ports import (
    ChatModel,
    ModelReply,
    ModelRequest,
    ReasoningDelta,
    ReplyPart,
    TextDelta,
    Waiting,
)
from tabloop.agent.presentation import PLAIN
from tabloop.agent.stop import Stop, Stopped
from tabloop.agent.tools import Tool

__all__ = ["Turn", "take_turn"]


@dataclass(frozen=True, slots=True)
class Turn:
    """The reply to one request; all calls of `reply.message` can be answered."""

    reply: ModelReply
    calls: tuple[ParsedCall, ...]

    @property
    def text(self) -> str:
        """The reply's text, empty if it is blank."""
        content = self.reply.message.content or ""
        return content if content.strip() else ""

    def finished(self, *, may_continue: bool) -> RunFinished:
        """Return the end of a run whose last turn this is."""
        reason, notes = self.reply.finish_reason, self.reply.notes
        outcome: Outcome
        if reason == "length" or (reason == "content_filter" and not self.calls):
            outcome = reason
        elif not self.calls:
            outcome = "stop"
        else:
            outcome = "halted" if may_continue else "max_iterations"
        text = "" if self.calls else self.text
        return RunFinished(outcome, text=text, finish_reason=reason, notes=notes)


async def take_turn(
    model: ChatModel,
    request: ModelRequest,
    used_ids: Callable[[], set[str]],
    message_id: str,
    stop: Stop,
) -> AsyncGenerator[Event | Turn, None]:
    """Send one request. Calls get ids that are not among `used_ids`, a new set of each call.

    Yields:
        Text and reasoning as they arrive, then the calls, then the `Turn`.

    Raises:
        ModelError: There is no whole reply. As with `Stopped`, text that was begun is ended first.
    """
    text = _TextMessage(message_id)
    reply: ModelReply | None = None
    try:
        async with aclosing(_parts(model, request, stop)) as parts:
            async for part in parts:
                if isinstance(part, ModelReply):
                    reply = part
                for event in text.events(part):
                    yield event
    except Exception:
        for event in text.end():
            yield event
        raise
    for event in text.end():
        yield event
    if reply is None:
        raise ModelError("cut_off", detail="the model ended without a reply")
    used = used_ids() if reply.message.tool_calls else set[str]()
    message = normalize_calls(reply.message, used, request.tools)
    turn = Turn(replace(reply, message=message), _read_calls(reply, message, request.tools))
    if not text.begun:
        text = _TextMessage(message_id)  # without the blank text that was held back
        for event in (*text.events(TextDelta(turn.text)), *text.end()):
            yield event
    for read in turn.calls:
        presentation = read.tool.presentation if read.tool else PLAIN
        yield ToolCallStart(read.call.id, read.call.name, presentation)
        yield ToolCallArgs(read.call.id, read.call.arguments)
        yield ToolCallEnd(read.call.id)
    yield turn


class _TextMessage:
    """The events of a reply's parts. Blank text is held back, since it often precedes calls."""

    def __init__(self, message_id: str) -> None:
        self.begun = False
        self._id = message_id
        self._held = ""

    def events(self, part: ReplyPart) -> Iterator[Event]:
        match part:
            case Waiting(seconds):
                yield ModelWaiting(seconds)
            case ReasoningDelta(reasoning) | ModelReply(reasoning=reasoning):
                if reasoning:
                    yield ReasoningMessageContent(self._id, reasoning)
            case TextDelta(text, replaces):
                if replaces and self.begun:  # an empty message replaces the text that was shown
                    yield from self.end()
                    self._id, self._held = f"{self._id}+", ""
                    yield TextMessageStart(self._id)
                self._held += text
                if self._held and (self.begun or self._held.strip()):
                    if not self.begun:
                        self.begun = True
                        yield TextMessageStart(self._id)
                    yield TextMessageContent(self._id, self._held)
                    self._held = ""

    def end(self) -> Iterator[Event]:
        if self.begun:
            yield TextMessageEnd(self._id)


def _read_calls(
    reply: ModelReply, message: AssistantMessage, tools: Sequence[Tool]
) -> tuple[ParsedCall, ...]:
    if "damaged" in reply.notes:
        return tuple(refuse_damaged(call, tools) for call in message.tool_calls)
    truncated = reply.finish_reason == "length"
    return tuple(parse_call(call, tools, truncated=truncated) for call in message.tool_calls)


async def _parts(
    model: ChatModel, request: ModelRequest, stop: Stop
) -> AsyncGenerator[ReplyPart, None]:
    """Yield the model's parts until a stop; the request is closed in any case.

    One task takes all parts, so that `asyncio.timeout` and context variables work in the model.

    Raises:
        Stopped: The button was pressed. The model's exception is raised as well.
    """

    async def take(put: Callable[[ReplyPart], None]) -> None:
        if stop.pressed:  # just before this task started: send nothing
            raise Stopped
        parts = aiter(model.reply(request))
        try:
            async for part in parts:
                put(part)
                await asyncio.sleep(0)  # a model that never waits must not block a stop
        finally:
            if isinstance(parts, AsyncGenerator):
                await parts.aclose()

    async with aclosing(stop.stream(take)) as taken:
        async for part in taken:
            if stop.pressed:
                raise Stopped
            yield part
