"""Reads any response of a chat endpoint, tolerating deviations from the format.

Rule: the body decides whether it is a stream, not its content type or the request; whole and
streamed replies give the same result; what cannot be read becomes a `ModelError`.
"""

import re
from collections.abc import Iterator, Mapping

from tabloop.agent.errors import ModelError
from tabloop.agent.messages import AssistantMessage, ToolCall
from tabloop.agent.ports import ModelReply, ReasoningDelta, ReplyNote, TextDelta
from tabloop.core.json_text import Json, JsonObject, as_object, as_text, parsed
from tabloop.endpoint.echo import Echo, call_fields, message_fields
from tabloop.endpoint.errors import error_in_body, error_of_status, quotation
from tabloop.endpoint.reasoning import split_reasoning
from tabloop.endpoint.reply_parts import (
    arguments_text,
    content_text,
    finish_reason_of,
    first_choice,
    function_of,
    is_finished,
    listed_calls,
    reason_of,
    reasoning_text,
    usage_of,
)
from tabloop.endpoint.sse import EventTooLong, SseDecoder, SseEvent
from tabloop.endpoint.stream import StreamedReply, joined

__all__ = ["MAX_BODY", "ReplyReader", "read_reply"]

# no two adjacent `\s*`: on a body of white space that would take quadratic time
_STREAM = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:(?:data|event|id|retry)\s*)?:")
MAX_BODY = 8 * 1024 * 1024  # bytes of a whole reply; a stream is read event by event
DETECTION_BYTES = 16  # bytes, after white space, that are enough to recognise a stream


class ReplyReader:
    """Reads one response. `reasoning_opened`: see `StreamedReply`."""

    def __init__(
        self,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
        *,
        host: str = "",
        reasoning_opened: bool = False,
    ) -> None:
        self._status = status
        self._headers = headers or {}
        self._host = host
        self._opened = reasoning_opened
        self._body: list[bytes] = []
        self._size = 0  # bytes that came before it was clear that they are events
        self._undecided = 200 <= status < 300
        self._events: SseDecoder | None = None
        self._reply = StreamedReply(host=host, reasoning_opened=reasoning_opened)

    @property
    def begun(self) -> bool:
        """Whether a part of a streamed reply has arrived."""
        return self._reply.read_any

    @property
    def answered(self) -> bool:
        """Whether a streamed reply has ended; only its usage may follow."""
        return self._reply.answered

    @property
    def done(self) -> bool:
        """Whether nothing more has to be read: the reply is complete, or longer than `MAX_BODY`."""
        return self._reply.done or (self._events is None and self._size >= MAX_BODY)

    @property
    def opens_with_reasoning(self) -> bool:
        """Whether the text began with reasoning that no tag had opened."""
        return self._reply.opens_with_reasoning

    def feed(self, chunk: bytes) -> TextDelta | None:
        """Return the text in this chunk. Raises `ModelError` for an event that is too long."""
        if self._events is None:
            chunk = chunk[: MAX_BODY - self._size]
            self._size += len(chunk)
            if not self._undecided:
                self._body.append(chunk)
                return None
            chunk = b"".join((*self._body, chunk)).lstrip()  # short until it is decided
            self._body = [chunk]
            if len(chunk) < DETECTION_BYTES:
                return None
            self._undecided = False
            if not _STREAM.match(chunk):
                return None
            self._events = SseDecoder()
        return self._take(self._events, chunk)

    def with_reasoning(self, delta: TextDelta | None) -> Iterator[ReasoningDelta | TextDelta]:
        """Yield a stream's reasoning since the last call of this method, then the text."""
        if reasoning := self._reply.take_reasoning():
            yield ReasoningDelta(reasoning)
        if delta:
            yield delta

    def flush(self) -> TextDelta | None:
        """Return the last text, once the body has ended."""
        if self._undecided and _STREAM.match(b"".join(self._body)):
            self._events = SseDecoder()  # a stream that is too short to hold any reply
        if self._events is None:
            return None
        deltas = [self._reply.feed(event) for event in self._events.close()]
        deltas.append(self._reply.flush())
        return joined([delta for delta in deltas if delta])

    def close(self) -> ModelReply:
        """Return the reply; call `flush` before. Raises `ModelError`."""
        if self._events is not None:
            return self._reply.close()
        body = b"".join(self._body)
        return _whole(body, self._status, self._headers, self._host, opened=self._opened)

    def _take(self, decoder: SseDecoder, chunk: bytes) -> TextDelta | None:
        try:
            events = decoder.feed(chunk)
        except EventTooLong as error:
            raise ModelError("not_json", host=self._host, detail=str(error)) from None
        deltas = [self._reply.feed(event) for event in events]
        return joined([delta for delta in deltas if delta])


def read_reply(
    body: bytes, status: int = 200, headers: Mapping[str, str] | None = None, *, host: str = ""
) -> ModelReply:
    """Read a whole response. Raises `ModelError`.

    Returns:
        The reply. Ids are unchanged, "" if missing; arguments are JSON text as the model wrote it,
        "{}" if it wrote none. If the endpoint announced calls and sent none, there is neither text
        nor a call, and `finish_reason` is "tool_calls".
    """
    reader = ReplyReader(status, headers, host=host)
    reader.feed(body)
    reader.flush()
    return reader.close()


def _whole(
    body: bytes, status: int, headers: Mapping[str, str], host: str, *, opened: bool
) -> ModelReply:
    document = parsed(body)
    if not 200 <= status < 300:
        raise error_of_status(status, document or _first_event(body), body, headers, host=host)
    if document is None:
        raise ModelError("not_json", host=host, status=status, detail=quotation(body))
    if error := error_in_body(document[0], host=host, status=status):
        raise error
    choice = first_choice(document[0])
    message = as_object(choice.get("message")) or as_object(choice.get("delta"))
    if not message and not as_text(choice.get("text")):
        raise ModelError("no_reply", host=host, status=status)
    reason = finish_reason_of(choice)
    if reason == "error":
        raise ModelError("error_body", host=host, status=status)
    listed = listed_calls(message)
    named = [item for item in listed if as_text(function_of(item).get("name")).strip()]
    calls = tuple(map(_call, named))
    finished = is_finished(reason, calls=bool(listed))
    text, reasoning = _split_text(message, choice, opened=opened, finished=finished)
    reason = reason_of(reason, text=text, listed=bool(listed), calls=bool(calls))
    echo = Echo(message_fields(message), list(map(call_fields, named))) if calls else None
    answer = AssistantMessage(text or None, calls, echo.text(host) if echo else "")
    return ModelReply(answer, reason, usage_of(document[0]), _notes(body), reasoning)


def _notes(body: bytes) -> tuple[ReplyNote, ...]:
    """Return "damaged" for text that is not valid; JSON in another encoding has zero bytes."""
    try:
        body.decode()
    except UnicodeDecodeError:
        return () if b"\0" in body[:4] else ("damaged",)
    return ()


def _first_event(body: bytes) -> tuple[Json] | None:
    """Return the first JSON in a stream: some servers send even an error as an event."""
    if not _STREAM.match(body):
        return None
    decoder = SseDecoder()
    try:
        events: list[SseEvent] = decoder.feed(body) + decoder.close()
    except EventTooLong:
        return None
    return next((found for event in events if (found := parsed(event.data))), None)


def _split_text(
    message: JsonObject, choice: JsonObject, *, opened: bool, finished: bool
) -> tuple[str, str]:
    """Return the text for the person, and the reasoning."""
    candidates = (
        content_text(message.get("content")),
        as_text(message.get("refusal")),
        as_text(choice.get("text")),
    )
    beside, inside = reasoning_text(message), ""
    for raw in filter(None, candidates):
        text, inside = split_reasoning(raw, opened=opened, finished=finished)
        if text:
            return text, beside or inside
    return "", beside or inside


def _call(item: JsonObject) -> ToolCall:
    function = function_of(item)
    arguments = arguments_text(function.get("arguments"))
    return ToolCall(
        id=as_text(item.get("id")),
        name=as_text(function.get("name")),
        arguments=arguments if arguments.strip() else "{}",
    )
