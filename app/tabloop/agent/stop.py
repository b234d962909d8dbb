"""Stops a run. Rule: a stop is noticed at every await of a run, and nothing starts after it."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from typing import Any, TypeAlias, TypeVar

__all__ = [
    "CANCEL_TIMEOUT",
    "Put",
    "Stop",
    "Stopped",
    "being_cancelled",
    "cancel_and_wait",
    "result_of",
    "run_concurrently",
]

_T = TypeVar("_T")
Put: TypeAlias = Callable[[_T], None]

# Seconds to wait for a cancelled task: one that ignores its cancellation must not block the page.
CANCEL_TIMEOUT = 1.0


class Stopped(Exception):
    """Raised at the await that a stop interrupted."""


class Stop:
    """The state of the Stop button: the page presses it, and the loop checks it at every await."""

    def __init__(self) -> None:
        self._pressed = False
        self._listeners: set[Callable[[], object]] = set()  # called when it is pressed

    @property
    def pressed(self) -> bool:
        """Whether the button was pressed."""
        return self._pressed

    def press(self) -> None:
        """Stop the run. Idempotent."""
        if not self._pressed:
            self._pressed = True
            for listener in tuple(self._listeners):
                listener()

    async def wait(self) -> None:
        """Wait until the button is pressed."""
        await self._pressed_or(None)

    async def race(self, coroutine: Coroutine[Any, Any, _T]) -> _T:
        """Await the coroutine, unless the button is pressed first.

        Cancelling the caller cancels the coroutine too.

        Returns:
            The coroutine's result.

        Raises:
            Stopped: The button was pressed; the coroutine was cancelled.
        """
        if self.pressed:
            coroutine.close()
            raise Stopped
        work = asyncio.ensure_future(coroutine)
        try:
            await self._pressed_or(work)
            if not self.pressed:
                return result_of(work)
        finally:
            await cancel_and_wait(work)
        raise Stopped

    async def stream(
        self, work: Callable[[Put[_T]], Coroutine[Any, Any, None]]
    ) -> AsyncGenerator[_T, None]:
        """Run `work(put)` in one task of its own, until it ends or the button is pressed.

        Work that ignores its cancellation is waited for at most `CANCEL_TIMEOUT`; what it puts
        later is dropped.

        Yields:
            What it puts, but not `None`.

        Raises:
            Stopped: The button was pressed. An exception of the work is raised as well.
        """
        items: asyncio.Queue[_T | None] = asyncio.Queue()
        task = asyncio.ensure_future(work(items.put_nowait))
        task.add_done_callback(lambda _: items.put_nowait(None))
        ending: list[asyncio.Future[None]] = []  # at most one; a task, since it takes its time

        def end() -> None:
            ending.append(asyncio.ensure_future(self._end(task, items)))

        self._listeners.add(end)
        if self.pressed:
            end()
        try:
            while (item := await items.get()) is not None:
                yield item
        finally:
            self._listeners.discard(end)
            for one in ending:
                one.cancel()
            await cancel_and_wait(task)
        if self.pressed:
            raise Stopped
        result_of(task)

    async def _end(self, task: asyncio.Future[None], items: asyncio.Queue[_T | None]) -> None:
        await cancel_and_wait(task)
        items.put_nowait(None)

    async def _pressed_or(self, work: asyncio.Future[Any] | None) -> None:
        """Wait until the button is pressed or the work is done."""
        over = asyncio.get_running_loop().create_future()

        def end(_: object = None) -> None:
            if not over.done():
                over.set_result(None)

        self._listeners.add(end)
        if work is not None:
            work.add_done_callback(end)
        try:
            if not self.pressed:
                await over
        finally:
            self._listeners.discard(end)


async def cancel_and_wait(work: asyncio.Future[Any]) -> None:
    """Cancel, and wait for the end at most `CANCEL_TIMEOUT`; result or exception are dropped."""
    if not work.done():
        work.cancel()
        await asyncio.wait({work}, timeout=CANCEL_TIMEOUT)
    # read its exception, or asyncio would report it as lost
    if work.done():
        _read_exception(work)
    else:
        work.add_done_callback(_read_exception)


def _read_exception(work: asyncio.Future[Any]) -> None:
    if not work.cancelled():
        work.exception()


def result_of(work: asyncio.Future[_T]) -> _T:
    """Return the result of finished work, or raise its exception.

    Raises:
        RuntimeError: Something that the work awaited was cancelled. A `CancelledError` would look
            as if the caller itself had been cancelled.
    """
    if work.cancelled():
        raise RuntimeError("something that was awaited was cancelled from inside")
    return work.result()


async def run_concurrently(*jobs: Coroutine[Any, Any, None]) -> None:
    """Run the jobs concurrently; the first exception cancels the others."""
    if len(jobs) == 1:  # a task costs more than most jobs
        return await jobs[0]
    tasks = [asyncio.ensure_future(job) for job in jobs]
    try:  # not `gather`: when cancelled, it waits for a job that ignores its cancellation
        await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        for task in tasks:
            if task.done():
                result_of(task)
    finally:
        await asyncio.gather(*(cancel_and_wait(task) for task in tasks))


def being_cancelled() -> bool:
    """Whether the current task itself was cancelled, and not only a future that it awaited."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
