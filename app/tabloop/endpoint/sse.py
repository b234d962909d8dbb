"""Decodes server-sent events, without I/O: bytes in, events out.

Rule: the result does not depend on how the body is split into chunks, even within a character, and
an endless line does not fill the memory.
"""

import re
from dataclasses import dataclass

__all__ = ["MAX_EVENT", "EventTooLong", "SseDecoder", "SseEvent"]

MAX_EVENT = 1024 * 1024  # bytes of one event; a normal one has some hundred

_LINE_END = re.compile(rb"\r\n|\r|\n")  # none of them is ever a part of a UTF-8 sequence
_BOM = b"\xef\xbb\xbf"


class EventTooLong(ValueError):
    """One event is larger than `MAX_EVENT`, so the body is no reply."""


@dataclass(frozen=True, slots=True)
class SseEvent:
    """One event; `name` is "message" if the stream gave none.

    `damaged`: something before its end is no text, or looks like a part of an event and is none.
    """

    data: str
    name: str = "message"
    damaged: bool = False


class SseDecoder:
    """Decodes one stream. Fields other than `data` and `event` are ignored."""

    def __init__(self, max_event: int = MAX_EVENT) -> None:
        self._max_event = max_event
        self._line: list[bytes] = []  # pieces of the line that has not ended yet
        self._data: list[bytes] = []
        self._name = b""
        self._size = 0  # bytes held in total
        self._first_line = True
        self._after_cr = False
        self._damaged = False

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """Return the events that this chunk completes. Raises `EventTooLong`."""
        if not chunk:
            return []
        if self._after_cr and chunk.startswith(b"\n"):
            chunk = chunk[1:]  # the second character of a line end
            if not chunk:
                self._after_cr = False
                return []
        self._after_cr = chunk.endswith(b"\r")
        *lines, rest = _LINE_END.split(chunk)
        events: list[SseEvent] = []
        for end in lines:
            self._hold(end)
            line, self._line = b"".join(self._line), []
            if event := self._take(line):
                events.append(event)
        self._hold(rest)
        return events

    def close(self) -> list[SseEvent]:
        """Return the last event: many servers leave out the blank line after it."""
        line, self._line = b"".join(self._line), []
        events = [self._take(line), self._take(b"")] if line else [self._take(b"")]
        return [event for event in events if event]

    def _hold(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > self._max_event:
            raise EventTooLong(f"more than {self._max_event} bytes in one event")
        if piece:
            self._line.append(piece)

    def _take(self, line: bytes) -> SseEvent | None:
        """Read one line; a blank one ends the event."""
        if self._first_line:
            line, self._first_line = line.removeprefix(_BOM), False
        if not line:
            return self._end()
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            self._data.append(value)
        elif field == b"event":
            self._name = value
        else:
            self._size -= len(line)  # a comment, sent to keep the connection open
            self._damaged |= bool(field) and (b"{" in line or not _is_text(line))
        return None

    def _end(self) -> SseEvent | None:
        data, name = self._data, self._name
        damaged, self._damaged = self._damaged, False
        self._data, self._name, self._size = [], b"", 0
        if not data and not damaged:
            return None
        raw = b"\n".join(data)
        text = raw.decode("utf-8", "replace")
        damaged |= "\ufffd" in text and not _is_text(raw)
        return SseEvent(text, name.decode("utf-8", "replace") or "message", damaged)


def _is_text(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True
