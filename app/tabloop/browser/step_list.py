"""The steps of one answer on the page. Rule: only steps that changed are written."""

from collections.abc import Sequence
from typing import Any

from tabloop.browser.markup import add_html, replace_step, set_html
from tabloop.ui.answer_state import ToolStep
from tabloop.ui.steps import step_html, steps_frame
from tabloop.ui.strings import Strings

__all__ = ["StepList"]


class StepList:
    """The list in `part`, an empty element."""

    def __init__(self, strings: Strings, part: Any) -> None:
        self._strings = strings
        self._part = part
        self._painted: list[tuple[ToolStep, bool]] = []  # and whether in full
        self._shown_whole: set[str] = set()

    def show_all(self, call_id: str) -> None:
        """Show the texts of this call in full at the next paint."""
        self._shown_whole.add(call_id)

    def paint(self, steps: Sequence[ToolStep]) -> None:
        """Write the steps that changed."""
        if not steps:
            return
        if not self._part.childElementCount:
            set_html(self._part, steps_frame(self._strings))
        items = self._part.querySelector("ol")
        for index, step in enumerate(steps):
            current = (step, step.call_id in self._shown_whole)
            if index < len(self._painted) and current == self._painted[index]:
                continue
            html = step_html(self._strings, step, whole=current[1])
            if index == len(self._painted):
                add_html(items, html)
                self._painted.append(current)
            else:
                replace_step(items.children[index], html)
                self._painted[index] = current
