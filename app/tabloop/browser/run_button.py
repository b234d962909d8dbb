"""The button "How this answer came about". Rule: what draws is loaded at the first press."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tabloop.browser.answer_view import AnswerView
from tabloop.browser.late_modules import late_modules
from tabloop.browser.page import Page
from tabloop.ui.strings import Strings

if TYPE_CHECKING:
    from tabloop.ui.run import Run

__all__ = ["RunButton", "run_of"]


class RunButton:
    """`answer_with` returns the answer that a button belongs to."""

    def __init__(
        self, page: Page, strings: Strings, answer_with: Callable[[Any], AnswerView]
    ) -> None:
        self._page = page
        self._strings = strings
        self._answer_with = answer_with
        page.on_action({"run": self._pressed})

    def _pressed(self, button: Any) -> None:
        answer = self._answer_with(button)
        answer.run_open = not answer.run_open
        button.setAttribute("aria-expanded", "true" if answer.run_open else "false")
        answer.show_run()
        if answer.run_open:
            self._page.start(self._draw(answer))

    async def _draw(self, answer: AnswerView) -> None:
        await late_modules()
        from tabloop.ui.run_panel import run_html  # noqa: PLC0415 -- loaded when needed

        answer.show_run(
            run_html(self._strings, run_of(self._strings, answer), number=answer.number)
        )


def run_of(strings: Strings, answer: AnswerView) -> "Run":
    """Return the run of an answer; `late_modules` are there already."""
    from tabloop.ui.run_reader import read_run  # noqa: PLC0415 -- loaded when needed

    return read_run(strings, answer.recording.moments, model=answer.model, searching=answer.in_page)
