# pyright: standard
"""Model text into an element, by the one module that turns it into HTML (app/js/markdown.js).

Rule: what Python calls of that module is declared here, and test_scripts.py compares the names.
"""

from typing import Any, Protocol

from tabloop.browser.web import js_object
from tabloop.ui.strings import Strings

__all__ = ["Markdown", "MarkdownModule"]


class MarkdownModule(Protocol):
    """What app/js/markdown.js exports."""

    def renderInto(self, target: Any, text: str, labels: Any) -> bool:
        """Show `text` in an element; `labels` has `table` and `code`. Whether it is formatted."""
        ...


class Markdown:
    """The JavaScript module with the page's words for what it makes."""

    def __init__(self, strings: Strings, module: MarkdownModule) -> None:
        labels = {"table": strings("answer.table"), "code": strings("answer.code")}
        self._labels = js_object(labels)
        self._module = module

    def render_into(self, element: Any, text: str) -> bool:
        """Show `text`; return whether it could be formatted."""
        return self._module.renderInto(element, text, self._labels)
