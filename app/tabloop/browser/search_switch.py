"""The button "Try without paying". Rule: the page says which mode answers before it answers."""

from collections.abc import Callable
from typing import Any

from tabloop.agent.ports import ChatModel
from tabloop.browser.clock import now
from tabloop.browser.page import Page
from tabloop.ui.strings import Strings

__all__ = ["SearchSwitch"]


class SearchSwitch:
    """While `on`, search mode answers the next messages. It is not remembered for another tab.

    `set_unused` tells the panel "Model endpoint" whether its endpoint is unused.
    """

    def __init__(self, page: Page, strings: Strings, set_unused: Callable[[bool], None]) -> None:
        self._page = page
        self._set_unused = set_unused
        self._strings = strings
        self.on = False
        self._off_texts = [
            page.element(name).textContent for name in ("searching", "searching-note")
        ]
        page.listen(page.element("searching"), "click", self._pressed)

    def turn(self, on: bool) -> None:
        """Switch search mode on or off; the page shows the mode and how to leave it."""
        self.on = on
        button, note = self._page.element("searching"), self._page.element("searching-note")
        button.setAttribute("aria-pressed", "true" if on else "false")
        on_texts = [self._strings("searching.back"), self._strings("searching.on")]
        button.textContent, note.textContent = on_texts if on else self._off_texts
        self._set_unused(on)

    def model(self, *, record: bool) -> ChatModel:
        """Return what answers in search mode: for Bundestakt's `record`, or for other tools."""
        # loaded only when used
        if record:
            from tabloop.searching.model import SearchModel  # noqa: PLC0415 -- see above

            return SearchModel(now)
        from tabloop.ui.tool_search import ToolSearch  # noqa: PLC0415 -- see above

        return ToolSearch(self._strings)

    def _pressed(self, _event: Any) -> None:
        self.turn(not self.on)
        self._page.status(self._strings("status.readySearching" if self.on else "status.ready"))
