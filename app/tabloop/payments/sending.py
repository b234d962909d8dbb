"""Opens responses whose beginning can be read twice: to examine it, and by the caller.

Rule: an `Opener` closes each response that it opened.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass

from tabloop.core.http import MAX_BODY, HttpRequest, Streaming, Transport, read_body

__all__ = ["OpenResponse", "Opener"]

MAX_REFUSAL = 64 * 1024  # bytes


@dataclass(slots=True)
class OpenResponse:
    """A response whose body is still arriving. `cost`: see `HttpResponse`; set after a payment."""

    inner: Streaming
    request: HttpRequest
    cost: int = 0
    _peeked: bytes = b""
    _rest: AsyncIterator[bytes] | None = None

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self.inner.status

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers, names in lower case."""
        return self.inner.headers

    async def peek(self, max_bytes: int = MAX_REFUSAL) -> bytes:
        """Return the beginning of the body, about `max_bytes`; `chunks` yields it again.

        Raises `TransportError`.
        """
        if self._rest is None:
            self._rest = aiter(self.inner.chunks())
            self._peeked = await read_body(self._rest, self.request, max_bytes=max_bytes)
        return self._peeked

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the whole body. Raises `TransportError`."""
        if self._peeked:
            yield self._peeked
        async for piece in self._rest or self.inner.chunks():
            yield piece


@dataclass(slots=True)
class Opener:
    """Sends requests one after the other; the last response stays open until `close`."""

    transport: Transport
    _open: AsyncExitStack | None = None

    async def open(self, request: HttpRequest) -> OpenResponse:
        """Close the previous response, and open a new one. Raises `TransportError`."""
        await self.close()
        stack = AsyncExitStack()
        self._open = stack
        response = await stack.enter_async_context(self.transport.stream(request))
        opened = OpenResponse(response, request)
        if request.buffered:
            await opened.peek(MAX_BODY)
        return opened

    async def close(self) -> None:
        """Close the open response. Idempotent."""
        stack, self._open = self._open, None
        if stack is not None:
            await stack.aclose()
