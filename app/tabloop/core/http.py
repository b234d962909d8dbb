"""The one seam for HTTP: tools, models and payments send through it, `browser` fetches."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias
from urllib.parse import urlsplit

from tabloop.core.errors import AgentError
from tabloop.core.pricing import Price

__all__ = [
    "HttpRequest",
    "HttpResponse",
    "Streaming",
    "Transport",
    "TransportError",
    "TransportFault",
    "host_of",
]

TransportFault: TypeAlias = Literal["unreachable", "timeout", "offline", "cut_off", "invalid"]


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One request. `timeout` counts seconds until the whole body is there (a stream: its head).

    `confirmed_price` is what a person agreed to pay for it, on those terms and no others; without
    it only the limits of the page count.
    Without `follows` a redirect is no response: for what is meant for this one address.
    """

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes | None = None
    timeout: float = 60.0
    confirmed_price: Price | None = None
    follows: bool = True


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

    status: int
    headers: Mapping[str, str]

    def chunks(self) -> AsyncIterator[bytes]:
        """Yield the body as it arrives."""
        ...


class TransportError(AgentError):
    """No whole response. A browser does not tell a dead host from a refused origin (CORS).

    "cut_off": a response began, and its body broke off. "invalid": the browser does not even try,
    because the address or a header is none.
    """

    def __init__(self, kind: TransportFault, host: str, detail: str = "") -> None:
        super().__init__(kind, host=host, detail=detail)
        self.kind: TransportFault = kind


class Transport(Protocol):
    """Sends requests. Cancelling the awaiting task aborts the request."""

    async def send(self, request: HttpRequest) -> HttpResponse:
        """Return the whole response. Raises `TransportError`; an HTTP error status is no error."""
        ...

    def stream(self, request: HttpRequest) -> AbstractAsyncContextManager[Streaming]:
        """Open a response and read its body piece by piece. Raises `TransportError`."""
        ...


def host_of(url: str) -> str:
    """Return host and port of an address, for sentences that name an endpoint."""
    return urlsplit(url).netloc or url
