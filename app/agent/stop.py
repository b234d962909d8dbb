"""A person's Stop: noticed at every await of a run, and nothing starts after it."""

import asyncio
import contextlib
from collections.abc import Awaitable, Coroutine
from typing import TypeVar

__all__ = ["Stop", "Stopped"]

T = TypeVar("T")

# A task that ignores its cancellation must not hold the page: after this many seconds we go on.
STUBBORN_AFTER = 1.0


class Stopped(Exception):
    """Raised at the await that a Stop interrupted."""


class Stop:
    """The button's other end: the page presses, the loop races every await against it."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    @property
    def pressed(self) -> bool:
        """Whether somebody pressed."""
        return self._event.is_set()

    def press(self) -> None:
        """Stop the run. A second press does nothing."""
        self._event.set()

    async def wait(self) -> None:
        """Return once somebody pressed."""
        await self._event.wait()

    async def race(self, awaitable: Awaitable[T]) -> T:
        """Await, unless the button is pressed first: then cancel the work and raise `Stopped`.

        Cancelling the caller cancels the work as well.
        """
        if self.pressed:
            if isinstance(awaitable, Coroutine):
                awaitable.close()
            raise Stopped
        work = asyncio.ensure_future(_awaited(awaitable))
        pressed = asyncio.ensure_future(self.wait())
        try:
            await asyncio.wait({work, pressed}, return_when=asyncio.FIRST_COMPLETED)
            if not self.pressed:
                return work.result()
        finally:
            pressed.cancel()
            await cancelled(work)
        raise Stopped


async def _awaited(awaitable: Awaitable[T]) -> T:
    return await awaitable


async def cancelled(work: asyncio.Future[T]) -> None:
    """Cancel and wait until it is over, but not for ever; its result or error is dropped."""
    if work.done():
        if not work.cancelled():
            work.exception()  # marks it as seen
        return
    work.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.wait({work}, timeout=STUBBORN_AFTER)
