# pyright: standard
"""The button "Try without paying". Rule: who answers is said before, and on every answer."""

from typing import Any

from app.browser.page import Page
from app.views.strings import Strings

__all__ = ["PracticeSwitch"]


class PracticeSwitch:
    """On: the practice model answers the next messages. Not remembered: a new tab starts honest."""

    def __init__(self, page: Page, strings: Strings) -> None:
        self._page = page
        self._strings = strings
        self.on = False
        page.listen(page.at("practice"), "click", self._pressed)

    def turn(self, on: bool) -> None:
        """Switch, and show it."""
        self.on = on
        self._page.at("practice").setAttribute("aria-pressed", "true" if on else "false")

    def _pressed(self, _event: Any) -> None:
        self.turn(not self.on)
        self._page.status(self._strings("status.readyPractice" if self.on else "status.ready"))
