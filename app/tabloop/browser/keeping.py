"""The checkbox "Survive a reload". Rule: off at first, and nothing is lost if storing fails."""

from collections.abc import Callable

from tabloop.browser.page import Page
from tabloop.browser.shell import shell
from tabloop.browser.web import document, window
from tabloop.ui.strings import Strings

__all__ = ["Keeping"]


class Keeping:
    """Stores the conversation in this tab while the box is ticked.

    `now` returns the conversation as text. `restore` shows such a text again and returns whether
    it could be read.
    """

    def __init__(
        self,
        page: Page,
        strings: Strings,
        *,
        now: Callable[[], str],
        restore: Callable[[str], bool],
    ) -> None:
        self._page = page
        self._strings = strings
        self._now = now
        self._box = page.element("keep")
        self._note = page.element("privacy")
        self._note_off = self._note.textContent
        page.listen(self._box, "change", lambda _event: self.save())
        page.listen(window, "pagehide", lambda _event: self.save())
        page.listen(document, "visibilitychange", lambda _event: document.hidden and self.save())
        if text := shell.kept():
            readable = restore(text)
            page.status(strings("keep.restored" if readable else "keep.unreadable"))
            self._box.checked = True
            self.save()

    def save(self) -> None:
        """Store the conversation if the person wants it, else remove it."""
        wanted = bool(self._box.checked)
        if not shell.keep(self._now() if wanted else "") and wanted:
            self._box.checked = wanted = False
            self._page.status(self._strings("keep.refused"), "problem")
        self._note.textContent = self._strings("keep.privacy") if wanted else self._note_off
