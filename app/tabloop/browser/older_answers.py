"""Paints answers of an earlier visit. Rule: in short tasks, and what is in sight stays there."""

from collections.abc import Callable, Sequence

from tabloop.browser.answer_view import AnswerView
from tabloop.browser.frames import Frames
from tabloop.browser.web import window

__all__ = ["OlderAnswers"]

SLICE = 40.0  # milliseconds, after which painting pauses until another frame


class OlderAnswers:
    """The answers that are still to be painted; `report` gets the errors."""

    def __init__(self, frames: Frames, report: Callable[[BaseException], None]) -> None:
        self._frames = frames
        self._report = report
        self._unpainted: list[AnswerView] = []

    def paint(self, answers: Sequence[AnswerView]) -> None:
        """Paint answers, which are in the order of the page, from the last one upwards."""
        self._unpainted = list(answers)
        for answer in answers:
            answer.latest = False
        self._frames.schedule(self._paint_some)

    def _paint_some(self) -> None:
        if not self._unpainted:
            return
        lowest = self._unpainted[-1].article
        bottom = lowest.getBoundingClientRect().bottom
        until = window.performance.now() + SLICE
        while self._unpainted and window.performance.now() < until:
            try:
                self._unpainted.pop().paint()
            except Exception as error:  # the other answers are still painted
                self._report(error)
        if bottom < window.innerHeight:  # not every browser holds what is below in its place
            window.scrollBy(0, lowest.getBoundingClientRect().bottom - bottom)
        self._frames.schedule(self._paint_some)
