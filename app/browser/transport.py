# pyright: standard
"""HTTP by fetch. Rule: whatever ends the wait, a Stop or a timeout, aborts the request."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Literal
from urllib.parse import urlsplit

from app.agent.transport import HttpRequest, HttpResponse, TransportError, host_of
from app.browser.web import JsException, js_object, window

__all__ = ["BrowserTransport"]

LOOPBACK = ("localhost", "127.0.0.1", "::1")


class BrowserTransport:
    """Sends without cookies and without a referrer: the page is a stranger to every endpoint."""

    async def send(self, request: HttpRequest) -> HttpResponse:
        """Return the whole response. Raises `TransportError`."""
        try:
            async with asyncio.timeout(request.timeout), _opened(request) as response:
                buffer = await response.arrayBuffer()
                return HttpResponse(response.status, _headers(response), buffer.to_bytes())
        except TimeoutError:
            raise TransportError("timeout", host_of(request.url)) from None

    @asynccontextmanager
    async def stream(self, request: HttpRequest) -> AsyncIterator["_Stream"]:
        """Open a response; leaving the block aborts what has not come yet."""
        async with _opened(request, timeout=request.timeout) as response:
            yield _Stream(response)


class _Stream:
    """A response whose body is still coming."""

    def __init__(self, response: Any) -> None:
        self.status: int = response.status
        self.headers: Mapping[str, str] = _headers(response)
        self._body = response.body

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the body as it arrives."""
        if not self._body:  # JavaScript's null
            return
        reader = self._body.getReader()
        while not (part := await reader.read()).done:
            yield part.value.to_bytes()


@asynccontextmanager
async def _opened(request: HttpRequest, timeout: float | None = None) -> AsyncIterator[Any]:  # noqa: ASYNC109  # of the head alone
    controller = window.AbortController.new()
    options = {
        "method": request.method,
        "headers": dict(request.headers),
        "signal": controller.signal,
        "credentials": "omit",
        "referrerPolicy": "no-referrer",
    }
    if request.body is not None:
        options["body"] = request.body
    try:
        async with asyncio.timeout(timeout):
            response = await window.fetch(request.url, js_object(options))
        yield response
    except JsException:
        # the browser says no more than "Failed to fetch"; an abort of ours never comes here
        raise TransportError(_kind(request.url), host_of(request.url)) from None
    except TimeoutError:
        if timeout is None:
            raise
        raise TransportError("timeout", host_of(request.url)) from None
    finally:
        controller.abort()


def _headers(response: Any) -> Mapping[str, str]:
    headers = window.Object.fromEntries(response.headers).to_py()
    return {name.lower(): value for name, value in headers.items()}


def _kind(url: str) -> Literal["offline", "unreachable"]:
    needs_network = urlsplit(url).hostname not in LOOPBACK
    return "offline" if needs_network and not window.navigator.onLine else "unreachable"
