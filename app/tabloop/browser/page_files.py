# pyright: standard
"""The files that lie beside the page. Rule: one that does not come is named, with the reason."""

from typing import Any

from tabloop.browser.bridge import bridge, fault_of
from tabloop.browser.web import JsException, document, window
from tabloop.core.errors import AgentError

__all__ = ["FileError", "page_module", "page_text"]


class FileError(AgentError):
    """A file of the page did not come."""

    def __init__(self, file: str, reason: str) -> None:
        super().__init__("file_missing", detail=reason, facts={"file": file})
        self.file = file
        self.reason = reason


async def page_text(file: str) -> str:
    """Read a file as it is now: the site's owner changes settings without a rebuild."""
    try:
        return str(await bridge.readText(_address(file)))
    except JsException as error:
        raise FileError(file, fault_of(error).detail) from None


async def page_module(file: str) -> Any:
    """Import a JavaScript module that lies beside the page."""
    try:
        return await bridge.importModule(_address(file))
    except JsException as error:
        raise FileError(file, fault_of(error).detail) from None


def _address(file: str) -> str:
    return window.URL.new(f"./{file}", document.baseURI).href
