"""The button "Undo" after a new chat. Rule: it stays while it has the focus."""

import asyncio
from collections.abc import Callable

from tabloop.browser.page import Page
from tabloop.browser.web import document

__all__ = ["Undo"]

OFFERED_FOR = 10.0  # seconds


class Undo:
    """Offers for ten seconds to take back the last clearing of the conversation."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._line = page.element("undo")
        self._button = page.element("undo-clear")
        self._take_back: Callable[[], None] | None = None
        page.listen(self._button, "click", lambda _event: self._pressed())

    def offer(self, take_back: Callable[[], None]) -> None:
        """Show the button; `take_back` is called if it is pressed in time."""
        self._take_back = take_back
        self._line.hidden = False
        self._page.start(self._end_later(take_back))

    def withdraw(self) -> None:
        """Hide the button: there is something new."""
        self._take_back = None
        self._line.hidden = True

    async def _end_later(self, take_back: Callable[[], None]) -> None:
        await asyncio.sleep(OFFERED_FOR)
        if self._take_back is not take_back:
            return
        if self._line.contains(document.activeElement):
            self._page.start(self._end_later(take_back))
        else:
            self.withdraw()

    def _pressed(self) -> None:
        take_back = self._take_back
        self.withdraw()
        self._page.focus_composer()
        if take_back:
            take_back()
