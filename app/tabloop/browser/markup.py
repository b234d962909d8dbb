"""Writes markup to the page. Rule: only `Html` values, in which all text is escaped."""

from typing import Any

from tabloop.browser.web import document
from tabloop.ui.html import Html

__all__ = ["add_html", "replace_by_html", "replace_step", "set_html"]


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


def replace_step(item: Any, html: Html) -> None:
    """Replace a list item with details; it keeps the focus and stays open if it was."""
    was_open = item.querySelector("details").open
    had_focus = item.contains(document.activeElement)
    new = replace_by_html(item, html)
    new.querySelector("details").open = was_open
    if had_focus:
        new.querySelector("summary").focus()
