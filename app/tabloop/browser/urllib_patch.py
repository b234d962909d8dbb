"""Makes `urllib.request` work for tools with `patch_urllib=True`.

Rule: pyodide-http is not loaded at the start, but with the first call that needs it.
"""

import importlib

from tabloop.agent.middleware import CallContext, Middleware, RunContext
from tabloop.browser.late_modules import late_modules

__all__ = ["UrllibPatch"]


class UrllibPatch(Middleware):
    """Loads pyodide-http before the first call of such a tool.

    A patched request is synchronous: the tab is blocked until the response arrives. Use it only
    for existing code; new tools should use the transport.
    """

    def __init__(self) -> None:
        self._patched = False

    async def on_before_tool_call(self, run: RunContext, call: CallContext) -> None:
        """Load and apply the patch once. Raises `ImportError` if the file does not load."""
        if self._patched or not call.tool.patch_urllib:
            return
        await late_modules()
        importlib.import_module("pyodide_http").patch_urllib()
        self._patched = True
