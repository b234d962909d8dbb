"""Shows the model's Markdown by app/js/markdown.js, the only code that turns it into HTML.

Rule: every function that Python calls there is declared here; test_scripts.py compares the names.
"""

from typing import Any, Protocol

from tabloop.browser.web import js_array, js_object
from tabloop.ui.answer_state import AnswerState
from tabloop.ui.html import MOST_CHARACTERS
from tabloop.ui.links import links_in
from tabloop.ui.strings import Strings

__all__ = ["Markdown", "MarkdownModule"]


class MarkdownModule(Protocol):
    """The exports of app/js/markdown.js."""

    def renderInto(self, target: Any, text: str, labels: Any, links: Any) -> bool:
        """Show `text` in `target`; return whether it is formatted.

        `labels`: `table`, `code`, `copy`. `links`: the addresses in results of tools.
        """
        ...

    def plainHtml(self, target: Any) -> str:
        """Return the HTML of what is shown in `target`, without buttons and labels."""
        ...


class Markdown:
    """The JavaScript module, with the page's accessible names for tables and code."""

    def __init__(self, strings: Strings, module: MarkdownModule) -> None:
        names = {"table": "table", "code": "code", "copy": "copyCode"}
        labels = {name: strings(f"answer.{key}") for name, key in names.items()}
        self._labels = js_object(labels)
        self._module = module

    def render_into(self, element: Any, state: AnswerState) -> bool:
        """Show the text in an element; return whether it is formatted (plain text if too long)."""
        links = js_array(links_in(state.steps))
        text = state.text[:MOST_CHARACTERS]
        return self._module.renderInto(element, text, self._labels, links)

    def plain_html(self, element: Any) -> str:
        """Return the HTML of what `render_into` has shown, for another program."""
        return self._module.plainHtml(element)
