"""A fault that belongs to no answer, as HTML. Rule: it says that nothing said so far is lost."""

from html import escape

from tabloop.ui.strings import Strings

__all__ = ["notice_html"]


def notice_html(strings: Strings, error: BaseException) -> str:
    """Return the sentence and the fault's own words."""
    words = f"{type(error).__name__}: {error}"
    return f"<p>{escape(strings('problem.bug'))}</p><p>{escape(words[:300])}</p>"
