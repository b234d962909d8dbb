# The modules of PyScript and Pyodide exist only in a page, and their objects have no types:
# pyright: standard, reportMissingImports=false, reportAttributeAccessIssue=false
"""The browser's objects. Rule: only this module imports `js` and `pyodide`, which have no types."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import js
import pyodide.ffi

__all__ = [
    "JsException",
    "PageObject",
    "create_once_callable",
    "create_proxy",
    "document",
    "js_array",
    "js_object",
    "window",
]


class PageObject:
    """An object of the page, which `find` returns at each use.

    A module that holds the object itself cannot be in the snapshot that the build makes.
    """

    __slots__ = ("_find",)

    def __init__(self, find: Callable[[], Any]) -> None:
        self._find = find

    def __getattr__(self, name: str) -> Any:
        """Return the object's property. Raises `AttributeError` if it has none."""
        return getattr(self._find(), name)


window: Any = js
document: Any = PageObject(lambda: js.document)

JsException: type[Exception] = pyodide.ffi.JsException
create_proxy: Callable[..., Any] = pyodide.ffi.create_proxy
create_once_callable: Callable[..., Any] = pyodide.ffi.create_once_callable


def js_object(fields: Mapping[str, object]) -> Any:
    """Return a JavaScript object with these properties (a dict alone would become a `Map`)."""
    return pyodide.ffi.to_js(fields, dict_converter=js.Object.fromEntries)


def js_array(items: Sequence[str | bytes]) -> Any:
    """Return a JavaScript array; `bytes` become typed arrays."""
    return pyodide.ffi.to_js(items)
