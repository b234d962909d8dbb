"""A person's Stop: noticed at every await of a run, and nothing starts after it."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

__all__ = ["CANCEL_TIMEOUT", "Stop", "Stopped", "being_cancelled", "cancel_and_wait", "result_of"]

_T = TypeVar("_T")

# A task that ignores its cancellation must not hold the page: after this many seconds we go on.
CANCEL_TIMEOUT = 1.0


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

    async def race(self, coroutine: Coroutine[Any, Any, _T]) -> _T:
        """Await, unless the button is pressed first: then cancel the work and raise `Stopped`.

        Cancelling the caller cancels the work as well.
        """
        if self.pressed:
            coroutine.close()
            raise Stopped
        work = asyncio.ensure_future(coroutine)
        pressed = asyncio.ensure_future(self.wait())
        try:
            await asyncio.wait({work, pressed}, return_when=asyncio.FIRST_COMPLETED)
            if not self.pressed:
                return result_of(work)
        finally:
            pressed.cancel()
            await cancel_and_wait(work)
        raise Stopped


async def cancel_and_wait(work: asyncio.Future[Any]) -> None:
    """Cancel and wait until it is over, but not for ever; its result or error is dropped."""
    work.add_done_callback(lambda _: work.cancelled() or work.exception())  # marks it as seen
    if not work.done():
        work.cancel()
        await asyncio.wait({work}, timeout=CANCEL_TIMEOUT)


def result_of(work: asyncio.Future[_T]) -> _T:
    """Return the result of finished work, or raise its error.

    Work that was cancelled from inside (a future that it awaited was cancelled) makes an error: as
    a `CancelledError` it would end the caller, whom nobody cancelled, without a word.
    """
    if work.cancelled():
        raise RuntimeError("something that was awaited was cancelled from inside")
    return work.result()


def being_cancelled() -> bool:
    """Whether somebody cancelled this very task, and not just a future that it awaited."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
