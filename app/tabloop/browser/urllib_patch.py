# pyright: standard
"""Makes `urllib.request` work for tools with `patch_urllib=True`.

Rule: pyodide-http is not loaded at the start, but with the first call that needs it.
"""

import importlib
import sys
from pathlib import Path

from tabloop.agent.middleware import CallContext, Middleware, RunContext
from tabloop.browser.web import document, window
from tabloop.core.http import HttpRequest, Transport, send

__all__ = ["UrllibPatch"]

ARCHIVE = "lazy.zip"
PLACE = Path("/lib", ARCHIVE)


class UrllibPatch(Middleware):
    """Loads pyodide-http before the first call of such a tool.

    A patched request is synchronous: the tab is blocked until the response arrives. Use it only
    for existing code; new tools should use the transport.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._patched = False

    async def on_before_tool_call(self, run: RunContext, call: CallContext) -> None:
        """Load and apply the patch once. Raises `TransportError` if the file does not load."""
        if self._patched or not call.tool.patch_urllib:
            return
        address = window.URL.new(f"./{ARCHIVE}", document.baseURI).href
        archive = await send(self._transport, HttpRequest(address))
        if not self._patched:  # a parallel call may have been faster
            _patch(archive.body)
        self._patched = True


def _patch(archive: bytes) -> None:
    PLACE.write_bytes(archive)
    sys.path.append(str(PLACE))
    importlib.invalidate_caches()
    importlib.import_module("pyodide_http").patch_urllib()
