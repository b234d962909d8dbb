"""A fault that belongs to no answer, as HTML. Rule: it says that nothing said so far is lost."""

from tabloop.ui.html import Html, fragment, h
from tabloop.ui.strings import Strings

__all__ = ["notice_html"]


def notice_html(strings: Strings, error: BaseException) -> Html:
    """Return the sentence and the fault's own words."""
    words = f"{type(error).__name__}: {error}"
    return fragment(h("p", {}, strings("problem.bug")), h("p", {}, words[:300]))
