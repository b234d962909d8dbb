# pyright: standard
"""The files that lie beside the page. Rule: one that does not come is named, with the reason."""

from typing import Any

from tabloop.browser.web import JsException, document, js_import, js_object, window
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
        response = await window.fetch(_address(file), js_object({"cache": "no-cache"}))
        if not response.ok:
            raise FileError(file, f"HTTP {response.status}")
        return await response.text()
    except JsException as error:
        raise FileError(file, str(error)) from None


async def page_module(file: str) -> Any:
    """Import a JavaScript module that lies beside the page."""
    try:
        [module] = await js_import(_address(file))
    except JsException as error:
        raise FileError(file, str(error)) from None
    return module


def _address(file: str) -> str:
    return window.URL.new(f"./{file}", document.baseURI).href
