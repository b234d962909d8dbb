"""The buttons below a question and below an answer.

Rule: only the newest question is edited and asked again, because the ones after it build on it.
"""

from tabloop.ui.html import Attributes, Html, fragment, h
from tabloop.ui.strings import Strings

__all__ = ["actions_html", "edit_button"]


def actions_html(strings: Strings, *, text: bool, again: bool, too_long: bool) -> Html:
    """Return the buttons of an answer that is complete.

    `text`: there is text to copy. `again`: it can be tried again. `too_long`: it is not formatted.
    """
    return fragment(
        _button("copy", strings("answer.copy")) if text else None,
        _button("try-again", strings("problem.tryAgain")) if again else None,
        h("span", {"class": "note"}, strings("answer.tooLong")) if too_long else None,
    )


def edit_button(strings: Strings) -> Html:
    """Return the button of the newest question."""
    return _button("edit", strings("answer.edit"))


def _button(action: str, name: str) -> Html:
    attributes: Attributes = {"type": "button", "class": "quiet", "data-action": action}
    return h("button", attributes, name)
