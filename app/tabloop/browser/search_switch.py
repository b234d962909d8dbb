# pyright: standard
"""The button "Try without paying". Rule: who answers is said before, and on every answer."""

from collections.abc import Callable
from typing import Any

from tabloop.browser.page import Page
from tabloop.ui.strings import Strings

__all__ = ["SearchSwitch"]


class SearchSwitch:
    """On: search mode answers the next messages. Not remembered: a new tab starts honest.

    `set_aside` tells the endpoint's panel whether its endpoint is not in use.
    """

    def __init__(self, page: Page, strings: Strings, set_aside: Callable[[bool], None]) -> None:
        self._page = page
        self._set_aside = set_aside
        self._strings = strings
        self.on = False
        self._off_texts = [
            page.element(name).textContent for name in ("searching", "searching-note")
        ]
        page.listen(page.element("searching"), "click", self._pressed)

    def turn(self, on: bool) -> None:
        """Switch, and show it: also how to get back, and that the endpoint is not in use."""
        self.on = on
        button, note = self._page.element("searching"), self._page.element("searching-note")
        button.setAttribute("aria-pressed", "true" if on else "false")
        on_texts = [self._strings("searching.back"), self._strings("searching.on")]
        button.textContent, note.textContent = on_texts if on else self._off_texts
        self._set_aside(on)

    def _pressed(self, _event: Any) -> None:
        self.turn(not self.on)
        self._page.status(self._strings("status.readySearching" if self.on else "status.ready"))
