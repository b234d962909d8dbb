"""Which messages of the status line a screen reader speaks.

Rule: at most three in a run, so that they can be listened to: its begin, the first that waits for
the person, and its end. All of them can be read.
"""

from tabloop.ui.status import StatusKind

__all__ = ["Announcer"]

BEFORE_THE_END = 2


class Announcer:
    """Counts the messages of a run (`in_run`). Outside a run every message is spoken."""

    def __init__(self) -> None:
        self.in_run = False
        self._spoken = 0

    def run(self, on: bool) -> None:
        """A run has begun (`on`) or ended."""
        self.in_run = on
        self._spoken = 0

    def speaks(self, kind: StatusKind) -> bool:
        """Return whether the next message is spoken."""
        if not self.in_run or kind in ("ok", "problem"):  # in a run, these kinds are its end
            return True
        begins, waits = not self._spoken, kind == "waiting"
        spoken = (begins or waits) and self._spoken < BEFORE_THE_END
        self._spoken += spoken
        return spoken
