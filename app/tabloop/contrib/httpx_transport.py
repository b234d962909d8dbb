"""The HTTP transport for CPython, by httpx (`pip install tabloop[http]`): pooled and streaming.

Rule: it fails with the same errors as the page's transport.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from types import TracebackType

import httpx

from tabloop.core.http import HttpRequest, TransportError, TransportErrorKind, host_of

__all__ = ["HttpxTransport"]


class HttpxTransport:
    """Sends by an `httpx.AsyncClient`, which is closed at the end of an `async with`.

    Without a `client` it makes one that has no timeout of its own: `HttpRequest.timeout` counts.
    """

    def __init__(self, client: httpx.AsyncClient | None = None) -> None:
        self.client = client or httpx.AsyncClient(timeout=None)

    async def __aenter__(self) -> "HttpxTransport":
        """Return the transport itself."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the client and its connections."""
        await self.client.aclose()

    @asynccontextmanager
    async def stream(self, request: HttpRequest) -> AsyncGenerator["_Response", None]:
        """Open a response; the end of the block closes it. Raises `TransportError`."""
        host, began = host_of(request.url), False
        try:
            built = self.client.build_request(
                request.method, request.url, headers=dict(request.headers), content=request.body
            )
            async with asyncio.timeout(request.timeout):
                response = await self.client.send(
                    built, stream=True, follow_redirects=request.follow_redirects
                )
            began = True
            try:
                if response.is_redirect:
                    raise TransportError("redirected", host, response.headers["location"])
                yield _Response(response, host)
            finally:
                await response.aclose()
        except TimeoutError:
            if began:  # of the block, not of this request
                raise
            raise TransportError("timeout", host) from None
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            if began:
                raise
            raise TransportError(_kind(error), host, str(error)) from error


class _Response:
    """A response whose body is not read yet. It was not paid for (`cost` is 0)."""

    def __init__(self, response: httpx.Response, host: str) -> None:
        self.status = response.status_code
        self.headers: Mapping[str, str] = dict(response.headers)
        self.cost = 0
        self._response = response
        self._host = host

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the body as it arrives. Raises `TransportError`."""
        try:
            async for piece in self._response.aiter_bytes():
                yield piece
        except httpx.HTTPError as error:
            raise TransportError("cut_off", self._host, str(error)) from error


def _kind(error: Exception) -> TransportErrorKind:
    match error:
        case httpx.TooManyRedirects():
            return "redirected"
        case httpx.UnsupportedProtocol() | httpx.LocalProtocolError():
            return "invalid"
        case httpx.HTTPError():
            return "unreachable"
        case _:  # a URL or a header that httpx refuses
            return "invalid"
