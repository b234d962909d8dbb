"""The HTTP port: tools, models and payments send through it, and `browser` implements it.

Rule: `Transport.stream` is the only primitive; `send` reads the whole stream.
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

MAX_BODY = 8 * 1024 * 1024  # bytes; an endless body must not fill the tab's memory

TransportErrorKind: TypeAlias = Literal[
    "unreachable", "timeout", "offline", "cut_off", "invalid", "redirected"
]


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One request. `timeout`: seconds until the headers arrive, and in `send` as many for the body.

    `confirmed_price` is the price, with its terms, that a person agreed to pay for this request;
    without it only the page's limits apply.
    Without `follow_redirects` a redirect is an error, so that a secret goes to this address only.
    With `same_origin` the browser refuses addresses of other origins, and does not follow redirects
    either.
    `send` sets `buffered`: then a paid request counts as answered only with its whole body.
    """

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes | None = None
    timeout: float = 60.0
    confirmed_price: Price | None = None
    follow_redirects: bool = True
    same_origin: bool = False
    buffered: bool = False


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """A whole response of any status. Header names are in lower case; CORS may hide some.

    `cost` is the most that it can have cost, in millionths of USDC; 0 if no payment was sent.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    cost: int = 0


class Streaming(Protocol):
    """A response whose body is still arriving."""

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
        """See `HttpResponse`."""
        ...

    def chunks(self) -> AsyncIterator[bytes]:
        """Yield the body as it arrives."""
        ...


class TransportError(AgentError):
    """No whole response. A browser does not tell a dead host from a refused origin (CORS).

    "cut_off": the connection ended before the body did. "invalid": the browser sends nothing,
    because the address or a header is malformed. "redirected": `detail` is where to, blank if
    unknown.
    """

    def __init__(self, kind: TransportErrorKind, host: str, detail: str = "") -> None:
        super().__init__(kind, host=host, detail=detail)
        self.kind: TransportErrorKind = kind


class Transport(Protocol):
    """Sends requests. Cancelling the awaiting task aborts the request."""

    def stream(self, request: HttpRequest) -> AbstractAsyncContextManager[Streaming]:
        """Open a response, whose body is read in pieces; leaving the block aborts the request.

        Raises `TransportError`, but not for an HTTP error status.
        """
        ...


async def send(transport: Transport, request: HttpRequest) -> HttpResponse:
    """Return the whole response, truncated at `MAX_BODY`. Raises `TransportError`."""
    async with transport.stream(replace(request, buffered=True)) as response:
        body = await read_body(response.chunks(), request, max_bytes=MAX_BODY)
        return HttpResponse(response.status, response.headers, body[:MAX_BODY], response.cost)


async def read_body(chunks: AsyncIterator[bytes], request: HttpRequest, *, max_bytes: int) -> bytes:
    """Read pieces of a body until there are `max_bytes` or more. Raises `TransportError`."""
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
    """Return host and port of a URL, or all of a malformed one, for messages that name it."""
    try:
        return urlsplit(url).netloc or url
    except ValueError:
        return url
