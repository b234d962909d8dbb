"""One way to send for whole responses and for streams: status and headers first, the body later.

Rule: whoever opens a response closes it, whatever happens between.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass
from typing import Protocol

from tabloop.core.http import HttpRequest, HttpResponse, Streaming, Transport

__all__ = ["Opener", "Seen", "StreamOpener", "StreamSeen", "WholeOpener", "WholeSeen"]

MOST_ERROR_BYTES = 64 * 1024


class Seen(Protocol):
    """A response of which the head is there. `cost` as in `HttpResponse`, set by who paid."""

    cost: int

    @property
    def status(self) -> int: ...
    @property
    def headers(self) -> Mapping[str, str]: ...

    async def body(self) -> bytes:
        """Read what a refusal says, at most 64 KB of it. Raises `TransportError`."""
        ...


class Opener(Protocol):
    """Sends a request; the one before it is closed first."""

    async def open(self, request: HttpRequest) -> Seen:
        """Raises `TransportError`."""
        ...


@dataclass(slots=True)
class WholeSeen:
    """A whole response."""

    response: HttpResponse
    cost: int = 0

    @property
    def status(self) -> int:
        return self.response.status

    @property
    def headers(self) -> Mapping[str, str]:
        return self.response.headers

    async def body(self) -> bytes:
        return self.response.body


@dataclass(slots=True)
class WholeOpener:
    """Sends through `Transport.send`."""

    transport: Transport

    async def open(self, request: HttpRequest) -> WholeSeen:
        return WholeSeen(await self.transport.send(request))


@dataclass(slots=True)
class _Read(Streaming):
    """A stream of which a part was read already: that part once more, then the rest."""

    status: int
    headers: Mapping[str, str]
    start: bytes
    rest: AsyncIterator[bytes]

    async def chunks(self) -> AsyncIterator[bytes]:
        yield self.start
        async for chunk in self.rest:
            yield chunk


@dataclass(slots=True)
class StreamSeen:
    """A response whose body is still coming."""

    streaming: Streaming
    cost: int = 0

    @property
    def status(self) -> int:
        return self.streaming.status

    @property
    def headers(self) -> Mapping[str, str]:
        return self.streaming.headers

    async def body(self) -> bytes:
        read, chunks = b"", aiter(self.streaming.chunks())
        async for chunk in chunks:
            read += chunk
            if len(read) > MOST_ERROR_BYTES:
                break
        # it may turn out not to be ours to read
        self.streaming = _Read(self.status, self.headers, read, chunks)
        return read


@dataclass(slots=True)
class StreamOpener:
    """Sends through `Transport.stream`; the last response stays open until `close`."""

    transport: Transport
    _open: AsyncExitStack | None = None

    async def open(self, request: HttpRequest) -> StreamSeen:
        await self.close()
        stack = AsyncExitStack()
        self._open = stack
        opened: AbstractAsyncContextManager[Streaming] = self.transport.stream(request)
        return StreamSeen(await stack.enter_async_context(opened))

    async def close(self) -> None:
        """Close what is open. Twice is once."""
        stack, self._open = self._open, None
        if stack is not None:
            await stack.aclose()
