"""The seconds beside the status line. Rule: a screen reader is not told of each second."""

import asyncio
import math

from tabloop.browser.page import Page
from tabloop.browser.web import document, window
from tabloop.ui.strings import Strings

__all__ = ["Elapsed"]

FROM = 5  # seconds, before which nobody wonders


class Elapsed:
    """Counts how long the status line has been the same."""

    def __init__(self, page: Page, strings: Strings) -> None:
        self._page = page
        self._strings = strings
        self._mark = document.createElement("span")
        self._mark.setAttribute("aria-hidden", "true")
        self._running: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Count until `stop`."""
        self.stop()
        self._running = self._page.start(self._count())

    def stop(self) -> None:
        """End the counting."""
        if self._running:
            self._running.cancel()
        self._running = None
        self._mark.remove()
        self._page.element("hurry").hidden = True

    async def _count(self) -> None:
        last, since, begun = "", _now(), _now()
        while True:
            line = self._page.status_text
            if line != last:
                last, since = line, _now()
            self._show(math.floor(_now() - since))
            waiting = document.documentElement.hasAttribute("data-waiting")
            self._page.element("hurry").hidden = waiting or _now() - begun < FROM
            await asyncio.sleep(1)

    def _show(self, seconds: int) -> None:
        if seconds >= FROM and not document.documentElement.hasAttribute("data-waiting"):
            text = self._strings("status.seconds", n=seconds)
        else:
            text = ""
        self._mark.textContent = f" {text}"
        if text:
            self._page.element("status").append(self._mark)
        else:
            self._mark.remove()


def _now() -> float:
    """Seconds; a timer of a hidden tab is late, so its ticks are not counted."""
    return float(window.performance.now()) / 1000
