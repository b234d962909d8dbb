"""Types for app/js/bridge.js, the page's JavaScript functions that may fail.

Rule: Python awaits only promises of this module, because each is rejected with an error that
Pyodide can raise. With other errors of some browsers the `await` would never end.
"""

import importlib
from functools import cache
from typing import Any, Protocol, cast

from tabloop.browser.web import JsException, PageObject
from tabloop.core.data import script_expression

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
        """Abort the request in any state."""
        ...


class Bridge(Protocol):
    """The exports of app/js/bridge.js, which has longer comments. Promises raise `JsException`."""

    def request(self, url: str, options: Any) -> BrowserRequest:
        """Prepare a request. Raises `JsException` for one that the browser would never send."""
        ...

    async def readText(self, url: str) -> str:
        """Return a file's text, not from the browser's cache. Raises `JsException`."""
        ...

    async def importModule(self, url: str) -> Any:
        """Return the imported JavaScript module. Raises `JsException`."""
        ...

    async def call(self, module: Any, name: str, *arguments: object) -> Any:
        """Return what the module's function `name` resolves to. Raises `JsException`."""
        ...

    def recall(self, name: str) -> Any:
        """Return a text from the browser's storage; null if there is none."""
        ...

    def remember(self, name: str, text: str) -> bool:
        """Store a text; return whether the browser allowed it."""
        ...

    def forget(self, name: str) -> bool:
        """Remove a stored text; return whether the browser allowed it."""
        ...

    async def copyText(self, text: str) -> bool:
        """Copy a text to the clipboard; return whether the browser allowed it."""
        ...

    async def copyRich(self, text: str, html: str) -> bool:
        """Copy a text, with HTML for programs that take it; return whether it was allowed."""
        ...


class BridgeFault(Protocol):
    """The fields of a JavaScript `BridgeError`."""

    kind: str
    host: str
    detail: str


@cache
def _loaded() -> object:
    try:
        return importlib.import_module("tabloop_bridge")
    except ModuleNotFoundError:  # a page that took the wheel: no boot.js has registered it
        code = importlib.import_module("pyodide.code")
        return code.run_js(script_expression("js/bridge.js"))


bridge = cast("Bridge", PageObject(_loaded))


def fault_of(error: Exception) -> BridgeFault:
    """Return the `JsException` of the bridge as an object with typed fields."""
    assert isinstance(error, JsException)
    return cast("BridgeFault", error)
