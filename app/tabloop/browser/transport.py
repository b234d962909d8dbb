# pyright: standard
"""HTTP by fetch. Rule: whatever ends the wait, a Stop or a timeout, aborts the request."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Literal
from urllib.parse import urlsplit

from tabloop.browser.web import JsException, js_object, window
from tabloop.core.addresses import is_loopback
from tabloop.core.http import HttpRequest, HttpResponse, TransportError, host_of

__all__ = ["BrowserTransport"]

MAX_BODY = 8 * 1024 * 1024  # bytes; a body without end must not fill the tab's memory
MAX_STREAM = 64 * 1024 * 1024  # some servers wrap each word of a long answer into 300 bytes


class BrowserTransport:
    """Sends without cookies and without a referrer: the page is a stranger to every endpoint."""

    async def send(self, request: HttpRequest) -> HttpResponse:
        """Return the whole response, cut at `MAX_BODY`. Raises `TransportError`."""
        try:
            async with asyncio.timeout(request.timeout), _opened(request) as response:
                body = b"".join([piece async for piece in _pieces(response.body, MAX_BODY)])
                return HttpResponse(response.status, _headers(response), body)
        except TimeoutError:
            raise TransportError("timeout", host_of(request.url)) from None

    @asynccontextmanager
    async def stream(self, request: HttpRequest) -> AsyncIterator["_Stream"]:
        """Open a response; leaving the block aborts what has not come yet."""
        async with _opened(request, timeout=request.timeout) as response:
            yield _Stream(response, request.url)


class _Stream:
    """A response whose body is still coming."""

    def __init__(self, response: Any, url: str) -> None:
        self.status: int = response.status
        self.cost = 0
        self.headers: Mapping[str, str] = _headers(response)
        self._body = response.body
        self._url = url

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the body as it arrives, as far as `MAX_STREAM`. Raises `TransportError`."""
        try:
            async for piece in _pieces(self._body, MAX_STREAM):
                yield piece
        except JsException:
            raise TransportError(_kind(self._url), host_of(self._url)) from None


async def _pieces(body: Any, most: int) -> AsyncIterator[bytes]:
    """Yield a body; what is longer ends there, and leaving the block aborts the rest."""
    if not body:  # JavaScript's null
        return
    reader = body.getReader()
    while most > 0 and not (part := await reader.read()).done:
        piece = part.value.to_bytes()[:most]
        most -= len(piece)
        yield piece


@asynccontextmanager
async def _opened(request: HttpRequest, timeout: float | None = None) -> AsyncIterator[Any]:  # noqa: ASYNC109  # of the head alone
    controller = window.AbortController.new()
    sendable = _sendable(request, controller.signal)
    try:
        async with asyncio.timeout(timeout):
            response = await window.fetch(sendable)
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


def _sendable(request: HttpRequest, signal: Any) -> Any:
    """Return JavaScript's request; to make it is what fails for an address or a header of none.

    `fetch` would say the same of it as of a host that does not answer.
    """
    options = {
        "method": request.method,
        "headers": dict(request.headers),
        "signal": signal,
        "credentials": "omit",
        "referrerPolicy": "no-referrer",
        "redirect": "follow" if request.follows else "error",
    }
    if request.body is not None:
        options["body"] = request.body
    try:
        return window.Request.new(request.url, js_object(options))
    except JsException:
        raise TransportError("invalid", host_of(request.url)) from None


def _headers(response: Any) -> Mapping[str, str]:
    headers = window.Object.fromEntries(response.headers).to_py()
    return {name.lower(): value for name, value in headers.items()}


def _kind(url: str) -> Literal["offline", "unreachable"]:
    needs_network = not is_loopback(urlsplit(url).hostname or "")
    return "offline" if needs_network and not window.navigator.onLine else "unreachable"
