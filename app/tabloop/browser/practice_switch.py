# pyright: standard
"""The button "Try without paying". Rule: who answers is said before, and on every answer."""

from typing import Any

from tabloop.browser.page import Page
from tabloop.browser.web import document, window
from tabloop.ui.strings import Strings

__all__ = ["PracticeSwitch"]


class PracticeSwitch:
    """On: the practice model answers the next messages. Not remembered: a new tab starts honest."""

    def __init__(self, page: Page, strings: Strings) -> None:
        self._page = page
        self._strings = strings
        self.on = False
        self._off_texts = [page.element(name).textContent for name in ("practice", "practice-note")]
        page.listen(page.element("practice"), "click", self._pressed)

    def turn(self, on: bool) -> None:
        """Switch, and show it: also how to get back, and that the endpoint is not in use."""
        self.on = on
        button, note = self._page.element("practice"), self._page.element("practice-note")
        button.setAttribute("aria-pressed", "true" if on else "false")
        on_texts = [self._strings("practice.back"), self._strings("practice.on")]
        button.textContent, note.textContent = on_texts if on else self._off_texts
        self._page.element("endpoint").disabled = on
        self._page.element("endpoint-unused").hidden = not on
        document.dispatchEvent(window.Event.new("tabloop:practice"))

    def _pressed(self, _event: Any) -> None:
        self.turn(not self.on)
        self._page.status(self._strings("status.readyPractice" if self.on else "status.ready"))
