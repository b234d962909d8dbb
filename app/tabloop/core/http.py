"""The one seam for HTTP: tools, models and payments send through it, `browser` fetches.

Rule: `Transport.stream` is the only primitive; a whole response is a stream that was read.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol, TypeAlias
from urllib.parse import urlsplit

from tabloop.core.errors import AgentError
from tabloop.core.pricing import Price

__all__ = [
    "MAX_BODY",
    "HttpRequest",
    "HttpResponse",
    "Streaming",
    "Transport",
    "TransportError",
    "TransportErrorKind",
    "host_of",
    "read_body",
    "send",
]

MAX_BODY = 8 * 1024 * 1024  # bytes; a body without end must not fill the tab's memory

TransportErrorKind: TypeAlias = Literal["unreachable", "timeout", "offline", "cut_off", "invalid"]


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One request. `timeout` counts seconds until the head is there; `send` allows as many again
    for the body.

    `confirmed_price` is what a person agreed to pay for it, on those terms and no others; without
    it only the limits of the page count.
    Without `follow_redirects` a redirect is no response: for what is meant for this one address.
    `send` sets `buffered`: a response counts as an answer only when its whole body is there.
    """

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes | None = None
    timeout: float = 60.0
    confirmed_price: Price | None = None
    follow_redirects: bool = True
    buffered: bool = False


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """A whole response, whatever its status. Header names are in lower case; CORS may hide some.

    `cost` is the most that was charged for it, in millionths of USDC; 0 where no payment was sent.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    cost: int = 0


class Streaming(Protocol):
    """A response whose body is still coming."""

    @property
    def status(self) -> int:
        """The HTTP status."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers, names in lower case; CORS may hide some."""
        ...

    @property
    def cost(self) -> int:
        """As in `HttpResponse`."""
        ...

    def chunks(self) -> AsyncIterator[bytes]:
        """Yield the body as it arrives."""
        ...


class TransportError(AgentError):
    """No whole response. A browser does not tell a dead host from a refused origin (CORS).

    "cut_off": a response began, and its body broke off. "invalid": the browser does not even try,
    because the address or a header is none.
    """

    def __init__(self, kind: TransportErrorKind, host: str, detail: str = "") -> None:
        super().__init__(kind, host=host, detail=detail)
        self.kind: TransportErrorKind = kind


class Transport(Protocol):
    """Sends requests. Cancelling the awaiting task aborts the request."""

    def stream(self, request: HttpRequest) -> AbstractAsyncContextManager[Streaming]:
        """Open a response and read its body piece by piece; leaving the block aborts the rest.

        Raises `TransportError`; an HTTP error status is no error.
        """
        ...


async def send(transport: Transport, request: HttpRequest) -> HttpResponse:
    """Return the whole response, cut at `MAX_BODY`. Raises `TransportError`."""
    async with transport.stream(replace(request, buffered=True)) as response:
        body = await read_body(response.chunks(), request, max_bytes=MAX_BODY)
        return HttpResponse(response.status, response.headers, body[:MAX_BODY], response.cost)


async def read_body(chunks: AsyncIterator[bytes], request: HttpRequest, *, max_bytes: int) -> bytes:
    """Read pieces of a body until there are `most` bytes or more. Raises `TransportError`."""
    pieces, size = list[bytes](), 0
    try:
        async with asyncio.timeout(request.timeout):
            async for piece in chunks:
                pieces.append(piece)
                size += len(piece)
                if size >= max_bytes:
                    break
    except TimeoutError:
        raise TransportError("timeout", host_of(request.url)) from None
    return b"".join(pieces)


def host_of(url: str) -> str:
    """Return host and port of an address, for sentences that name an endpoint."""
    return urlsplit(url).netloc or url
