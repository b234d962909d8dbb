# pyright: standard
"""The conversation on the page. Rule: its end is followed only while the reader is near it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args

from tabloop.browser.answer_view import AnswerView
from tabloop.browser.files import copy
from tabloop.browser.frames import Frames
from tabloop.browser.markdown import Markdown
from tabloop.browser.page import Page
from tabloop.browser.web import document, window
from tabloop.ui.answer_state import AnswerState
from tabloop.ui.chart_table import chart_csv
from tabloop.ui.export import ExportedAnswer
from tabloop.ui.problems import Action
from tabloop.ui.strings import Strings

__all__ = ["ConversationView", "ExchangeView"]

NEAR = 140  # pixels from the end
BELOW_THE_BAR = 76  # pixels
ABOVE_THE_COMPOSER = 160  # pixels
SHORT = 200  # pixels
COPIED_FOR = 2.0  # seconds


@dataclass(frozen=True, slots=True)
class ExchangeView:
    """A question as asked, and the view of its answer."""

    question: str
    answer: AnswerView


class ConversationView:
    """The log. `on_action` is told which button of the newest answer was pressed."""

    def __init__(self, page: Page, strings: Strings, markdown: Markdown, *, hops: int) -> None:
        self._page = page
        self._strings = strings
        self._markdown = markdown
        self._hops = hops
        self._log = page.element("log")
        self._frames = Frames(page.report)
        self.exchanges: list[ExchangeView] = []
        self.on_action: Callable[[Action], None] = lambda action: None
        page.on_action(
            {
                "copy": self._copy_answer,
                "show-all": self._show_all,
                "chart-table": _open_table,
                "chart-csv": self._copy_csv,
                **dict.fromkeys(get_args(Action), self._act),
            }
        )

    def answer_to(self, question: str, article: Any) -> AnswerView:
        """Add the answer to a question whose article stands in the log already."""
        if self.exchanges:
            before = self.exchanges[-1].answer
            before.latest = False
            self._frames.schedule(before.paint)
        number = len(self.exchanges) + 1
        answer = AnswerView(self._strings, self._markdown, number=number, hops=self._hops)
        article.after(answer.article)
        self.exchanges.append(ExchangeView(question, answer))
        return answer

    def show(self, answer: AnswerView, state: AnswerState) -> None:
        """Show a state at the next frame; states between frames are skipped."""
        answer.state = state
        self._frames.schedule(self._paint_newest)

    def put_card(self, card: Any) -> None:
        """Show a card in the newest answer; who reads elsewhere is left there."""
        if not self.exchanges:
            return
        self.settle()  # the step that it belongs to stands above it
        answer = self.exchanges[-1].answer
        root = document.documentElement
        follow = root.scrollHeight - window.innerHeight - window.scrollY < NEAR
        answer.put_card(card)
        if follow:
            top = card.getBoundingClientRect().top + window.scrollY - BELOW_THE_BAR
            window.scrollTo(0, min(root.scrollHeight - window.innerHeight, top))

    def look_at_text(self) -> None:
        """Bring the place into view where more will be written: charts stand below it."""
        if (charts := self.exchanges[-1].answer.charts_below) is not None:
            top = charts.getBoundingClientRect().top + window.scrollY
            window.scrollTo(0, min(window.scrollY, top - window.innerHeight / 2))

    def settle(self) -> None:
        """Show the last state now: what follows may rely on its being there."""
        self._frames.flush()

    def clear(self) -> None:
        """Empty the log and greet again."""
        self.exchanges.clear()
        self._log.replaceChildren()
        self._page.element("welcome").hidden = False
        window.scrollTo(0, 0)

    def exported(self) -> list[ExportedAnswer]:
        """Return what the page shows."""
        return [
            ExportedAnswer(
                exchange.question,
                exchange.answer.state,
                searching=exchange.answer.searching,
                problem=problem.sentence if (problem := exchange.answer.problem) else "",
            )
            for exchange in self.exchanges
        ]

    def _paint_newest(self) -> None:
        if not self.exchanges:
            return
        answer = self.exchanges[-1].answer
        root = document.documentElement
        follow = root.scrollHeight - window.innerHeight - window.scrollY < NEAR
        grew = answer.paint()
        if not follow:
            return
        end = root.scrollHeight - window.innerHeight
        if grew and (charts := answer.charts_below) is not None:  # it is the text that grew
            last_line = charts.getBoundingClientRect().top + window.scrollY
            end = max(window.scrollY, min(end, last_line + ABOVE_THE_COMPOSER - window.innerHeight))
        if not grew:  # what comes whole is read from its beginning; nothing scrolls back
            end = max(window.scrollY, min(end, self._beginning(answer)))
        window.scrollTo(0, end)

    def _beginning(self, answer: AnswerView) -> float:
        """Where to scroll so that the question, if it is short, and its answer stand on top."""
        question = answer.article.previousElementSibling
        first = question if question.offsetHeight < SHORT else answer.article
        return first.getBoundingClientRect().top + window.scrollY - BELOW_THE_BAR

    def _answer_with(self, button: Any) -> AnswerView:
        number = int(button.closest("article").id.removeprefix("answer-"))
        return self.exchanges[number - 1].answer

    def _act(self, button: Any) -> None:
        if self._answer_with(button).latest:
            self.on_action(button.dataset.action)

    def _show_all(self, button: Any) -> None:
        answer, item = self._answer_with(button), button.closest("li")
        answer.show_all(list(item.parentElement.children).index(item))
        self._frames.schedule(answer.paint)

    def _copy_answer(self, button: Any) -> None:
        self._page.start(self._copy(self._answer_with(button).state.text, button))

    def _copy_csv(self, button: Any) -> None:
        chart = self._answer_with(button).chart(int(button.dataset.value))
        self._page.start(self._copy(chart_csv(self._strings, chart), button))

    async def _copy(self, text: str, button: Any) -> None:
        if not await copy(text):
            self._page.status(self._strings("status.notCopied"), "problem")
            return
        self._page.status(self._strings("status.copied"))
        copied = self._strings("answer.copied")
        if button.textContent == copied:  # pressed twice: the first press gives the name back
            return
        name, button.textContent = button.textContent, copied
        await asyncio.sleep(COPIED_FOR)
        button.textContent = name


def _open_table(button: Any) -> None:
    """Show the numbers of a chart, or hide them again."""
    table = document.getElementById(button.getAttribute("aria-controls"))
    table.hidden = not table.hidden
    button.setAttribute("aria-expanded", "false" if table.hidden else "true")
