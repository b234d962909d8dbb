"""The HTTP transport by `fetch`. Rule: Stop, a timeout or an error aborts the request."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

from tabloop.browser.bridge import BrowserRequest, bridge, fault_of
from tabloop.browser.web import JsException, js_object, window
from tabloop.core.addresses import is_loopback
from tabloop.core.http import HttpRequest, TransportError, host_of

__all__ = ["BrowserTransport"]

MAX_STREAM = 64 * 1024 * 1024  # bytes; some servers send 300 bytes for each word of an answer


class BrowserTransport:
    """Sends without cookies and without a referrer, so that no endpoint can identify the page."""

    @asynccontextmanager
    async def stream(self, request: HttpRequest) -> AsyncGenerator["_Response", None]:
        """Open a response; the end of the block aborts the rest. Raises `TransportError`."""
        try:
            sent = bridge.request(request.url, _options(request))
        except JsException as error:
            raise _transport_error(error, request.url) from None
        try:
            async with asyncio.timeout(request.timeout):
                head = await sent.head()
            yield _Response(sent, head, request.url)
        except JsException as error:
            raise _transport_error(error, request.url) from None
        except TimeoutError:
            raise TransportError("timeout", host_of(request.url)) from None
        finally:
            sent.abort()


class _Response:
    """A response whose body is not read yet. It was not paid for (`cost` is 0)."""

    def __init__(self, request: BrowserRequest, head: Any, url: str) -> None:
        self.status: int = head.status
        self.headers: Mapping[str, str] = dict(head.headers.to_py())
        self.cost = 0
        self._request = request
        self._url = url

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the body as it arrives, at most `MAX_STREAM` bytes. Raises `TransportError`."""
        left = MAX_STREAM
        try:
            while left > 0 and (part := await self._request.read()):  # JavaScript's null is falsy
                piece = part.to_bytes()[:left]
                left -= len(piece)
                yield piece
        except JsException as error:
            raise _transport_error(error, self._url) from None


def _options(request: HttpRequest) -> Any:
    options: dict[str, object] = {
        "method": request.method,
        "headers": dict(request.headers),
        "credentials": "omit",
        "referrerPolicy": "no-referrer",
        "redirect": "follow" if request.follow_redirects else "manual",
    }
    if request.same_origin:
        options |= {"mode": "same-origin", "redirect": "error"}
    if request.body is not None:
        options["body"] = request.body
    return js_object(options)


def _transport_error(error: Exception, url: str) -> TransportError:
    """Return the error for a failed request; browsers do not say why there is no response."""
    fault = fault_of(error)
    match fault.kind:
        case "invalid" | "cut_off" | "redirected" as kind:
            return TransportError(kind, host_of(url), fault.detail)
        case _:
            needs_network = not is_loopback(urlsplit(url).hostname or "")
            kind = "offline" if needs_network and not window.navigator.onLine else "unreachable"
            return TransportError(kind, host_of(url), fault.detail)
