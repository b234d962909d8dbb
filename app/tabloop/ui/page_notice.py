"""The HTML of an error that belongs to no answer. Rule: it says that the conversation is kept."""

from tabloop.ui.html import Html, fragment, h
from tabloop.ui.strings import Strings

__all__ = ["notice_html"]


def notice_html(strings: Strings, error: BaseException) -> Html:
    """Return the page's sentence, and at most 300 characters of the error's message."""
    words = f"{type(error).__name__}: {error}"
    return fragment(h("p", {}, strings("problem.bug")), h("p", {}, words[:300]))
