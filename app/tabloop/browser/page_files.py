"""Loads files of the page and of its build. Rule: an error names the file and the reason."""

from typing import Any

from tabloop.browser.bridge import bridge, fault_of
from tabloop.browser.web import JsException, document, window
from tabloop.core.errors import AgentError

__all__ = ["FileError", "page_module", "page_text"]


class FileError(AgentError):
    """A file of the page could not be loaded."""

    def __init__(self, file: str, reason: str) -> None:
        super().__init__("file_missing", detail=reason, facts={"file": file})
        self.file = file
        self.reason = reason


async def page_text(file: str) -> str:
    """Return the current text of a file beside the page. Raises `FileError`."""
    try:
        return str(await bridge.readText(window.URL.new(f"./{file}", document.baseURI).href))
    except JsException as error:
        raise FileError(file, fault_of(error).detail) from None


async def page_module(file: str) -> Any:
    """Return a JavaScript module of this build. Raises `FileError`."""
    try:
        return await bridge.importModule(f"./{file}")
    except JsException as error:
        raise FileError(file, fault_of(error).detail) from None
