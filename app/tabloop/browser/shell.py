# pyright: standard
"""The page's script that runs before Python, with types (app/js/shell.js).

Rule: all that Python calls of `window.tabloop` is declared here (test_scripts.py compares it).
"""

from typing import Any, Protocol, cast

from tabloop.browser.web import window

__all__ = ["Question", "Shell", "shell"]


class Question(Protocol):
    """A question that waits for Python: its text, and its element in the log."""

    text: str
    article: Any


class Shell(Protocol):
    """What app/js/shell.js assigns to `window.tabloop`; its own comments say more."""

    def bootFailed(self, broken: Any) -> None:
        """End the start because of a file: an object with `file`, `status` and `message`."""
        ...

    def fail(self, sentence: str, remedy: str = "") -> None:
        """End the start, and show why."""
        ...

    def ready(self) -> None:
        """Say that Python has taken over."""
        ...

    def setBusy(self, on: bool) -> None: ...
    def refuse(self, why: str) -> None: ...
    def maySend(self) -> bool: ...
    def setWaiting(self, on: bool) -> None: ...
    def focusField(self) -> None: ...

    async def confirmDiscard(self, title: str = "", text: str = "") -> bool:
        """Ask the person. The promise is never rejected."""
        ...

    def take(self) -> Question | None:
        """Return the oldest question that waits."""
        ...


shell = cast("Shell", getattr(window, "tabloop", None))  # other pages than ours have none
