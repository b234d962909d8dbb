"""The checkbox "Survive a reload". Rule: off at first, and nothing is lost if storing fails."""

import asyncio
from collections.abc import Awaitable, Callable

from tabloop.browser.page import Page
from tabloop.browser.shell import shell
from tabloop.browser.web import document, window
from tabloop.ui.strings import Strings

__all__ = ["Keeping"]


class Keeping:
    """Stores the conversation, which `now` returns as text, in this tab while the box is ticked."""

    def __init__(self, page: Page, strings: Strings, *, now: Callable[[], str]) -> None:
        self._page = page
        self._strings = strings
        self._now = now
        self._box = page.element("keep")
        self._note = page.element("privacy")
        self._note_off = self._note.textContent

    async def open(self, restore: Callable[[str], Awaitable[bool]]) -> None:
        """Show the stored conversation, if there is one, and listen.

        `restore` shows such a text and returns whether it could be read. A tab that is left before
        it returns keeps what was stored.
        """
        if text := shell.kept():
            await asyncio.sleep(0)  # the start has been busy in this task
            readable = await restore(text)
            self._page.status(self._strings("keep.restored" if readable else "keep.unreadable"))
            self._box.checked = True
            self.save()
        listen = self._page.listen
        listen(self._box, "change", lambda _event: self.save())
        listen(window, "pagehide", lambda _event: self.save())
        listen(document, "visibilitychange", lambda _event: document.hidden and self.save())

    def save(self) -> None:
        """Store the conversation if the person wants it, else remove it."""
        wanted = bool(self._box.checked)
        if not shell.keep(self._now() if wanted else "") and wanted:
            self._box.checked = wanted = False
            self._page.status(self._strings("keep.refused"), "problem")
        self._note.textContent = self._strings("keep.privacy") if wanted else self._note_off
