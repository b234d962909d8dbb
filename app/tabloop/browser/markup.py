"""Writes markup to the page. Rule: only `Html` values, in which all text is escaped."""

from typing import Any

from tabloop.ui.html import Html

__all__ = ["add_html", "replace_by_html", "set_html"]


def set_html(element: Any, html: Html) -> None:
    """Replace the element's content."""
    element.innerHTML = html.markup


def add_html(element: Any, html: Html) -> None:
    """Add the markup at the end of the element's content."""
    element.insertAdjacentHTML("beforeend", html.markup)


def replace_by_html(element: Any, html: Html) -> Any:
    """Replace an element by another one; return the new element."""
    element.insertAdjacentHTML("afterend", html.markup)
    new = element.nextElementSibling
    element.remove()
    return new
