"""An event loop whose time is virtual. Rule: nothing here looks at the machine's clock.

A loop that would sleep jumps to its next timer, so a test of a minute takes no time and measures
exactly; one that would wait for ever fails at once.
"""

import asyncio
import selectors

__all__ = ["VirtualTimeLoop"]


class JumpingSelector(selectors.SelectSelector):
    """Never sleeps: moves the clock to the next timer."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Return what is ready now. Raises `AssertionError` where no timer is left to jump to."""
        assert timeout is not None, "everybody waits, and nothing will ever happen"
        self.now += timeout
        return super().select(0)


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """A loop without sockets or threads that begins at second 0."""

    def __init__(self) -> None:
        self.selector = JumpingSelector()
        super().__init__(self.selector)

    def time(self) -> float:
        """Return the virtual seconds since the loop was made."""
        return self.selector.now
