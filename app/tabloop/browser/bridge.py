# pyright: standard
"""The page's own JavaScript for what may fail, with types (app/js/bridge.js).

Rule: Python awaits promises of this module only, because each of them fails with an error that
Python can see. An engine's own error may be none for Pyodide, and then the await never ends.
"""

import importlib
from typing import Any, Protocol, cast

from tabloop.browser.web import JsException

__all__ = ["Bridge", "BridgeFault", "BrowserRequest", "bridge", "fault_of"]


class BrowserRequest(Protocol):
    """One HTTP request."""

    async def head(self) -> Any:
        """Return an object with `status` and pairs in `headers`. Raises `JsException`."""
        ...

    async def read(self) -> Any:
        """Return the next bytes (a `Uint8Array`), or null at the end. Raises `JsException`."""
        ...

    def abort(self) -> None:
        """End it, whatever it is doing."""
        ...


class Bridge(Protocol):
    """What app/js/bridge.js exports; its own comments say more."""

    def request(self, url: str, options: Any) -> BrowserRequest:
        """Prepare a request. Raises `JsException` for one that the browser would never send."""
        ...

    async def readText(self, url: str) -> str: ...
    async def importModule(self, url: str) -> Any: ...
    async def call(self, module: Any, name: str, *arguments: object) -> Any: ...
    def recall(self, name: str) -> Any: ...
    def remember(self, name: str, text: str) -> bool: ...
    def forget(self, name: str) -> bool: ...
    async def copyText(self, text: str) -> bool: ...


class BridgeFault(Protocol):
    """The fields of a JavaScript `BridgeError`: all of them text."""

    kind: str
    host: str
    detail: str


bridge = cast("Bridge", importlib.import_module("tabloop_bridge"))


def fault_of(error: Exception) -> BridgeFault:
    """Return the fields of what a promise of the bridge was rejected with."""
    assert isinstance(error, JsException)
    return cast("BridgeFault", error)
