"""Types for app/js/shell.js, the script that runs before Python.

Rule: every function that Python calls of `window.tabloop` is declared here; test_scripts.py
compares the names.
"""

from typing import Any, Protocol, cast

from tabloop.browser.web import PageObject, window

__all__ = ["Question", "Shell", "shell"]


class Question(Protocol):
    """A question that was sent: its text, its element, and whether it replaces the newest one."""

    text: str
    article: Any
    replaces: bool


class Shell(Protocol):
    """The functions in `window.tabloop`; app/js/shell.js has longer comments."""

    def bootFailed(self, broken: Any) -> None:
        """Show that a file failed to load; an object with `file`, `status` and `message`."""
        ...

    def fail(self, sentence: str, remedy: str = "") -> None:
        """Show why the start failed."""
        ...

    def ready(self) -> None:
        """Show that Python has started."""
        ...

    def setBusy(self, on: bool) -> None:
        """Show the button Stop (`on`) or Send."""
        ...

    def refuse(self, why: str) -> None:
        """Block sending and show `why`; a blank `why` allows it again."""
        ...

    def maySend(self) -> bool:
        """Return whether sending is allowed; if not, the page shows the reason."""
        ...

    def setWaiting(self, on: bool) -> None:
        """Set whether a card waits for the person."""
        ...

    def focusField(self) -> None:
        """Move the focus to the message box without scrolling."""
        ...

    async def confirmDiscard(self, title: str = "", text: str = "") -> bool:
        """Return whether the person agrees to discard the answer. The promise never rejects."""
        ...

    def take(self) -> Question | None:
        """Remove and return the oldest question that has no answer yet."""
        ...

    def edit(self, text: str) -> None:
        """Put the newest question into the message box; the next text sent replaces it."""
        ...

    def filled(self) -> None:
        """Hide the welcome text: the log holds a conversation again."""
        ...

    def putBack(self, text: str) -> None:
        """Put a text into the message box, before another one that stands there."""
        ...

    def question(self, text: str) -> Any:
        """Return a new article with a question."""
        ...

    def draft(self) -> str:
        """Return what is typed in the message box."""
        ...

    def keep(self, text: str) -> bool:
        """Store the conversation for a reload of this tab (blank: remove it); whether it worked."""
        ...

    def kept(self) -> str:
        """Return the stored conversation, blank if there is none."""
        ...

    def isFramed(self) -> bool:
        """Return whether a page of another origin has this one in a frame."""
        ...

    async def settingsFile(self) -> str:
        """Return the text of pyscript.toml, blank if it did not come. Never rejects."""
        ...

    async def spoken(self) -> str:
        """Return the page's language as JSON: `base` is "en" or "de", `own` the owner's strings."""
        ...

    def asksForCheck(self) -> bool:
        """Return whether the address has `?check`."""
        ...

    def notes(self) -> Any:
        """Return sentences for the site's owner about what only the page sees."""
        ...

    def cleared(self) -> None:
        """Show the empty conversation of a new chat."""
        ...


shell = cast("Shell", PageObject(lambda: window.tabloop))
