"""Schedules painting. Rule: at most once per frame, and in at most a quarter of the time."""

from collections.abc import Callable

from tabloop.browser.web import create_proxy, document, window

__all__ = ["Frames"]

IDLE_RATIO = 3  # after a paint, wait three times as long as it took
FRAME = 16.0  # milliseconds


class Frames:
    """Collects paint functions until the next frame; `report` gets the errors that they raise."""

    def __init__(self, report: Callable[[BaseException], None]) -> None:
        self._report = report
        self._scheduled: dict[Callable[[], object], None] = {}
        self._requested = False
        self._free_at = 0.0
        self._proxy = create_proxy(self._paint)

    def schedule(self, paint: Callable[[], object]) -> None:
        """Call `paint` once, at the next frame or later."""
        self._scheduled[paint] = None
        if self._requested:
            return
        self._requested = True
        rest = self._free_at - window.performance.now()
        if document.hidden or rest > FRAME:  # a hidden tab gets no frames
            window.setTimeout(self._proxy, max(rest, 0))
        else:
            window.requestAnimationFrame(self._proxy)

    def flush(self) -> None:
        """Call all scheduled functions now; the requested frame then has nothing to do."""
        self._run()

    def _paint(self, *_time: float) -> None:
        self._requested = False
        self._run()

    def _run(self) -> None:
        scheduled, self._scheduled = self._scheduled, {}
        begun = window.performance.now()
        for paint in scheduled:
            try:
                paint()
            except Exception as error:  # the other functions are still called
                self._report(error)
        ended = window.performance.now()
        self._free_at = ended + IDLE_RATIO * (ended - begun)
