# pyright: standard
"""When to paint. Rule: at most once per frame, and never so often that painting eats the tab."""

from collections.abc import Callable

from tabloop.browser.web import create_proxy, document, window

__all__ = ["Frames"]

REST = 3  # painting may take a quarter of the time: it rests three times as long as it took
FRAME = 16.0  # milliseconds


class Frames:
    """Collects wishes to paint until the next frame; `report` is told what could not be painted."""

    def __init__(self, report: Callable[[BaseException], None]) -> None:
        self._report = report
        self._wanted: dict[Callable[[], object], None] = {}
        self._waiting = False
        self._free_at = 0.0
        self._proxy = create_proxy(self._paint)

    def schedule(self, paint: Callable[[], object]) -> None:
        """Call `paint` once, at the next good moment."""
        self._wanted[paint] = None
        if self._waiting:
            return
        self._waiting = True
        rest = self._free_at - window.performance.now()
        if document.hidden or rest > FRAME:  # a hidden tab has no frames
            window.setTimeout(self._proxy, max(rest, 0))
        else:
            window.requestAnimationFrame(self._proxy)

    def flush(self) -> None:
        """Paint what is wanted now; the frame that was asked for finds nothing to do."""
        self._run()

    def _paint(self, *_time: float) -> None:
        self._waiting = False
        self._run()

    def _run(self) -> None:
        wanted, self._wanted = self._wanted, {}
        begun = window.performance.now()
        for paint in wanted:
            try:
                paint()
            except Exception as error:  # the others are painted all the same
                self._report(error)
        ended = window.performance.now()
        self._free_at = ended + REST * (ended - begun)
