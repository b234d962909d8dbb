# pyright: standard
"""Model text into an element, by the one module that turns it into HTML (app/js/markdown.js)."""

from typing import Any

from tabloop.browser.web import js_object
from tabloop.ui.strings import Strings

__all__ = ["Markdown"]


class Markdown:
    """The JavaScript module with the page's words for what it makes."""

    def __init__(self, strings: Strings, module: Any) -> None:
        labels = {"table": strings("answer.table"), "code": strings("answer.code")}
        self._labels = js_object(labels)
        self._module = module

    def render_into(self, element: Any, text: str) -> bool:
        """Show `text`; return whether it could be formatted."""
        return bool(self._module.renderInto(element, text, self._labels))
