"""The conversation on the page. Rule: it scrolls along only if the reader is near its end."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args

from tabloop.browser.answer_view import AnswerView
from tabloop.browser.copy_buttons import CopyButtons
from tabloop.browser.frames import Frames
from tabloop.browser.markdown import Markdown
from tabloop.browser.markup import set_html
from tabloop.browser.older_answers import OlderAnswers
from tabloop.browser.page import Page
from tabloop.browser.run_button import RunButton
from tabloop.browser.shell import shell
from tabloop.browser.web import document, js_object, window
from tabloop.ui.actions import edit_button
from tabloop.ui.announced import Announced
from tabloop.ui.answer_state import AnswerState
from tabloop.ui.export import ExportedAnswer
from tabloop.ui.html import Html, fragment
from tabloop.ui.problems import Action
from tabloop.ui.strings import Strings

__all__ = ["ConversationView", "ExchangeView"]

# distances and heights in pixels
NEAR_END = 140
BELOW_THE_BAR = 76
ABOVE_THE_COMPOSER = 160
SHORT_QUESTION = 200


@dataclass(frozen=True, slots=True)
class ExchangeView:
    """A question with its article, and the view of its answer."""

    question: str
    article: Any
    answer: AnswerView


class ConversationView:
    """The log with all answers. `on_action` is called for a button of the newest answer."""

    def __init__(
        self,
        page: Page,
        strings: Strings,
        markdown: Markdown,
        *,
        announced: Announced,
        device: Callable[[], Html | None],
    ) -> None:
        self._page = page
        self._strings = strings
        self._markdown = markdown
        self._announced = announced
        self._device = device
        self._log = page.element("log")
        self._frames = Frames(page.report)
        self._older = OlderAnswers(self._frames, page.report)
        self.exchanges: list[ExchangeView] = []
        self.on_action: Callable[[Action], None] = lambda action: None
        CopyButtons(page, strings, self._answer_with)
        RunButton(page, strings, self._answer_with)
        page.on_action(
            {
                "edit": lambda _button: self._edit(),
                "show-all": self._show_all,
                "chart-table": _open_table,
                **dict.fromkeys(get_args(Action), self._act),
            }
        )

    def answer_to(self, question: str, article: Any) -> AnswerView:
        """Add an empty answer below a question, whose article is in the log already."""
        if self.exchanges:
            self._set_newest(self.exchanges[-1], newest=False)
        answer = self._add(question, article)
        self._set_newest(self.exchanges[-1], newest=True)
        return answer

    def _add(self, question: str, article: Any) -> AnswerView:
        answer = AnswerView(
            self._strings,
            self._markdown,
            question,
            number=len(self.exchanges) + 1,
            announced=self._announced,
            device=self._device,
        )
        article.after(answer.article)
        self.exchanges.append(ExchangeView(question, article, answer))
        return answer

    def remove_newest(self) -> ExchangeView | None:
        """Remove and return the newest question with its answer, `None` if there is none."""
        if not self.exchanges:
            return None
        removed = self.exchanges.pop()
        removed.article.remove()
        removed.answer.article.remove()
        if self.exchanges:
            self._set_newest(self.exchanges[-1], newest=True)
        return removed

    def show(self, answer: AnswerView, state: AnswerState) -> None:
        """Show a state of the newest answer at the next frame; only the last one is painted."""
        answer.state = state
        self._frames.schedule(self._paint_newest)

    def put_card(self, card: Any) -> None:
        """Show a card in the newest answer; scroll to it if the reader is near the end.

        Also on a low window, where the status line, which says that it waits, may be out of sight.
        """
        if not self.exchanges:
            return
        self.flush()  # paints the step that the card belongs to
        answer = self.exchanges[-1].answer
        root = document.documentElement
        follow = root.scrollHeight - window.innerHeight - window.scrollY < NEAR_END
        composer = window.getComputedStyle(self._page.element("composer"))
        follow = follow or composer.position != "sticky"
        answer.put_card(card)
        if follow:
            top = card.getBoundingClientRect().top + window.scrollY - BELOW_THE_BAR
            window.scrollTo(0, min(root.scrollHeight - window.innerHeight, top))

    def scroll_to_text(self) -> None:
        """Scroll to the end of the newest answer's text, where a continued run adds more."""
        if (charts := self.exchanges[-1].answer.charts_element) is not None:
            top = charts.getBoundingClientRect().top + window.scrollY
            window.scrollTo(0, min(window.scrollY, top - window.innerHeight / 2))

    def flush(self) -> None:
        """Paint the last state now instead of at the next frame."""
        self._frames.flush()

    def clear(self) -> list[ExchangeView]:
        """Empty the log and show the welcome text; return what was there, for `put_back`."""
        removed, self.exchanges = self.exchanges, []
        self._log.replaceChildren()
        shell.cleared()
        window.scrollTo(0, 0)
        return removed

    def put_back(self, exchanges: list[ExchangeView]) -> None:
        """Show again what `clear` has removed."""
        self.exchanges = exchanges
        for exchange in exchanges:
            self._log.append(exchange.article, exchange.answer.article)
        shell.filled()
        window.scrollTo(0, document.documentElement.scrollHeight)

    def add_kept(self, question: str) -> AnswerView:
        """Add a question of an earlier visit, and its empty answer, for `paint_kept`."""
        article = shell.question(question)
        shell.filled()
        if self.exchanges:
            self.exchanges[-1].answer.article.after(article)
        else:  # a question that was asked while the page started stays last
            self._log.prepend(article)
        return self._add(question, article)

    def paint_kept(self) -> None:
        """Paint what `add_kept` has added: the newest answer now, the others frame by frame."""
        if not self.exchanges:
            return
        *older, newest = self.exchanges
        self._set_newest(newest, newest=True)
        window.scrollTo(0, document.documentElement.scrollHeight)
        self.show(newest.answer, newest.answer.state)
        self.flush()
        self._older.paint([exchange.answer for exchange in older])

    def exported(self, run: Callable[[AnswerView], str]) -> list[ExportedAnswer]:
        """Return all questions and answers as the page shows them; `run` writes an answer's run."""
        return [
            ExportedAnswer(
                exchange.question,
                exchange.answer.state,
                label=exchange.answer.label,
                problem=problem.sentence if (problem := exchange.answer.problem) else "",
                cost=exchange.answer.cost_text,
                run=run(exchange.answer) if exchange.answer.recording.moments else "",
            )
            for exchange in self.exchanges
        ]

    def _paint_newest(self) -> None:
        if not self.exchanges:
            return
        answer = self.exchanges[-1].answer
        root = document.documentElement
        follow = root.scrollHeight - window.innerHeight - window.scrollY < NEAR_END
        grew = answer.paint()
        if not follow:
            return
        end = root.scrollHeight - window.innerHeight
        if grew and (charts := answer.charts_element) is not None:  # the text ends above the charts
            last_line = charts.getBoundingClientRect().top + window.scrollY
            end = max(window.scrollY, min(end, last_line + ABOVE_THE_COMPOSER - window.innerHeight))
        if not grew:  # what appears at once is read from its top; never scroll up
            end = max(window.scrollY, min(end, self._top_of(answer)))
        window.scrollTo(0, end)
        for choice in list(answer.article.querySelectorAll(".offer button"))[:1]:
            choice.scrollIntoView(js_object({"block": "nearest"}))

    def _top_of(self, answer: AnswerView) -> float:
        """Return the scroll position with the answer, or its short question, at the top."""
        question = answer.article.previousElementSibling
        first = question if question.offsetHeight < SHORT_QUESTION else answer.article
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

    def _set_newest(self, exchange: ExchangeView, *, newest: bool) -> None:
        """Only the newest question can be edited, and only its answer can be tried again."""
        answer = exchange.answer
        if newest != answer.latest:
            answer.latest = newest
            self._frames.schedule(answer.paint)
        actions = exchange.article.querySelector("[data-part]")
        set_html(actions, edit_button(self._strings) if newest else fragment())

    def _edit(self) -> None:
        shell.edit(self.exchanges[-1].question)


def _open_table(button: Any) -> None:
    """Show the numbers of a chart, or hide them again."""
    table = document.getElementById(button.getAttribute("aria-controls"))
    table.hidden = not table.hidden
    button.setAttribute("aria-expanded", "false" if table.hidden else "true")
