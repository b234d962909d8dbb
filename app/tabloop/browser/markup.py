# pyright: standard
"""Markup into the page. Rule: only what the builder made goes in, so all else was escaped."""

from typing import Any

from tabloop.ui.html import Html

__all__ = ["add_html", "replace_by_html", "set_html"]


def set_html(element: Any, html: Html) -> None:
    """Put this into the element, instead of what is in it."""
    element.innerHTML = html.markup


def add_html(element: Any, html: Html) -> None:
    """Put this at the end of the element."""
    element.insertAdjacentHTML("beforeend", html.markup)


def replace_by_html(element: Any, html: Html) -> Any:
    """Put one element in another's place and return the new one."""
    element.insertAdjacentHTML("afterend", html.markup)
    new = element.nextElementSibling
    element.remove()
    return new
