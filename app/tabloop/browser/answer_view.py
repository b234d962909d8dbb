"""One answer in the conversation. Rule: only parts that changed are written to the page."""

from collections.abc import Callable
from functools import partial
from typing import Any

from tabloop.agent.displays import Chart
from tabloop.agent.recording import Recording
from tabloop.browser.markdown import Markdown
from tabloop.browser.markup import add_html, set_html
from tabloop.browser.step_list import StepList
from tabloop.browser.web import document
from tabloop.core.money import to_usdc
from tabloop.core.pricing import Cost, CostMeter
from tabloop.ui.actions import actions_html, cost_text
from tabloop.ui.announced import Announced
from tabloop.ui.answer_name import answer_name
from tabloop.ui.answer_state import AnswerState
from tabloop.ui.charts import charts_html
from tabloop.ui.endpoint import SEARCH
from tabloop.ui.html import MOST_CHARACTERS, Html, fragment
from tabloop.ui.offer import offer_html, offered
from tabloop.ui.pictures import caption, has_only_pictures, outcome_html
from tabloop.ui.problems import Problem, problem_html, problem_of
from tabloop.ui.sources import sources_html
from tabloop.ui.steps import reasoning_html
from tabloop.ui.strings import Strings

__all__ = ["AnswerView"]


class AnswerView:
    """The article of one answer, and the state that it shows.

    `number` is the answer's number in the page, `announced` what a question can cost, `device` the
    browser's own model as an offer shows it.
    """

    def __init__(
        self,
        strings: Strings,
        markdown: Markdown,
        question: str,
        *,
        number: int,
        announced: Announced,
        device: Callable[[], Html | None],
    ) -> None:
        self._strings = strings
        self._markdown = markdown
        self._question = question
        self.number = number
        self._announced = announced
        self._device = device
        self.article: Any = document.getElementById(
            "assistant-article"
        ).content.firstElementChild.cloneNode(True)
        self.article.id = f"answer-{number}"
        self.article.setAttribute("aria-label", answer_name(strings, question))
        self._parts = {
            part.dataset.part: part for part in self.article.querySelectorAll("[data-part]")
        }
        self.meters: list[CostMeter] = []  # one for each run of this answer
        self.earlier_meters: list[CostMeter] = []  # of answers that this one replaces
        self.may_cost = ""  # the most in USDC that another try can cost
        self.kept_problem = ""  # of an answer that was kept over a reload
        self.begin(model="", searching=False)

    def begin(self, *, model: str, searching: bool, on_device: bool = False, by: str = "") -> None:
        """Reset to an empty answer of this model, for a first run or a retry."""
        self.state = AnswerState()
        self.latest = True  # whether its buttons are enabled
        self.kept_problem = ""
        self.earlier_meters = self.all_meters
        self.meters = []
        self.recording = Recording(lambda: self.cost(self.meters))
        self.run_open = False  # whether the drawing of the run is shown
        self.searching = searching or model == SEARCH
        self.in_page = searching  # nothing is sent to a model
        self.model, self.on_device, self.by = model, on_device, by
        self._text = ""  # as painted
        self._written: dict[str, Html] = {}
        self._steps = StepList(self._strings, self._parts["steps"])
        self._pictures = 0
        self._charts = 0  # number of results whose charts are painted
        self._plain = False
        for part in self._parts.values():
            part.replaceChildren()
        self.show_run()
        self._parts["label"].hidden = not self.label
        self._parts["label"].textContent = self.label
        self._parts["label"].className = "on-device" if on_device else "searching"

    @property
    def label(self) -> str:
        """What stands above an answer that is from no endpoint."""
        if self.searching:
            return self._strings("answer.searching")
        return self._strings("device.label") if self.on_device else ""

    @property
    def problem(self) -> Problem | None:
        """The problem that the answer shows, `None` while it runs or if there is none."""
        if self.state.ended is None:
            return None
        if self.kept_problem:
            return Problem(self.kept_problem, actions=("try-again",), kind="quiet")
        has_text = bool(self.state.text.strip()) or has_only_pictures(self.state)
        return problem_of(
            self._strings,
            self.state.ended,
            has_text=has_text,
            hops=self._announced.steps,
            model=self.model,
            uncertain=to_usdc(most) if (most := self.cost(self.meters).uncertain) else "",
        )

    @property
    def all_meters(self) -> list[CostMeter]:
        """The meters of this answer and of those that it replaces."""
        return self.earlier_meters + self.meters

    @property
    def cost_text(self) -> str:
        """What the answer has cost, blank if nothing was asked."""
        earlier = self.cost(self.earlier_meters)
        return cost_text(self._strings, self.cost(self.meters), earlier)

    def cost(self, meters: list[CostMeter], *, left: bool = False) -> Cost:
        """Return the sum of some of its meters."""
        return sum((meter.cost(left=left) for meter in meters), Cost())

    def chart(self, index: int) -> Chart:
        """Return the chart with this index in the whole answer."""
        return [chart for group in self.state.charts for chart in group][index]

    @property
    def left_out(self) -> int:
        """How many characters at the end of the text are not shown."""
        return max(0, len(self.state.text) - MOST_CHARACTERS)

    @property
    def charts_element(self) -> Any:
        """The element with the charts below the text, `None` if there are none."""
        return self._parts["charts"] if self._charts else None

    def put_card(self, card: Any) -> None:
        """Show a card (an element) in place of any earlier one."""
        self._parts["card"].replaceChildren(card)

    def show_all(self, index: int) -> None:
        """Show the full result of the step with this index at the next paint."""
        self._steps.show_all(self.state.steps[index].call_id)

    def show_run(self, html: Html | None = None) -> None:
        """Show or hide the drawing of the run, as `run_open` says; `html` is a new one."""
        part = self._parts["run"]
        part.hidden = not self.run_open
        if html:
            set_html(part, html)

    def paint(self) -> bool:
        """Write what changed. A part that fails takes no other with it, and is tried again later.

        Returns:
            Whether text was added to text that was already painted.
        """
        before, failed = self._text, list[Exception]()
        self.article.dataset.phase = self.state.phase
        ending = (self._paint_charts, self._paint_end, self._paint_problem, self._paint_actions)
        open_or_ended = (self._paint_open,) if self.state.ended is None else ending
        steps = partial(self._steps.paint, self.state.steps)
        for write in (steps, self._paint_pictures, self._paint_text, *open_or_ended):
            try:
                write()
            except Exception as error:
                failed.append(error)
        if failed:
            raise failed[0]
        return bool(before) and self._text != before

    def plain_html(self) -> str:
        """Return the shown text as HTML for another program."""
        return self._markdown.plain_html(self._parts["text"])

    def _paint_text(self) -> None:
        if self.state.text != self._text:
            self._plain = not self._markdown.render_into(self._parts["text"], self.state)
            self._text = self.state.text

    def _paint_open(self) -> None:
        self._write("problem", fragment())
        self._write("actions", fragment())
        self.run_open = False
        self.show_run()

    def _paint_end(self) -> None:
        state = self.state
        # the label describes an answer, so it is hidden if there is none
        self._parts["label"].hidden = not (self.label and (state.steps or state.text.strip()))
        self._write("sources", sources_html(self._strings, state.sources, state.text, self.number))
        self._write("reasoning", reasoning_html(self._strings, state.reasoning))
        if has_only_pictures(state):
            self._parts["text"].textContent = caption(self._strings)

    def _paint_problem(self) -> None:
        error = offered(self.state.ended) if self.latest and self.state.ended else None
        if error:
            html = offer_html(self._strings, error, self._announced, self._device())
        else:
            html = problem_html(self._strings, self.problem, past=not self.latest)
        self._write("problem", html)

    def _paint_actions(self) -> None:
        # a problem may have a button of the same name
        offered = self.problem.actions if self.problem else ()
        html = actions_html(
            self._strings,
            text=bool(self.state.text.strip()),
            by=self.by if self.state.text.strip() and not self.searching else "",
            again=self.latest and "try-again" not in offered,
            cost=self.cost_text,
            may_cost=self.may_cost if self.latest else "",
            too_long=self._plain,
            left_out=self.left_out,
            run=self.run_open if self.recording.moments else None,
        )
        self._write("actions", html)

    def _write(self, part: str, html: Html) -> None:
        if self._written.get(part, fragment()) != html:
            set_html(self._parts[part], html)
            self._written[part] = html

    def _paint_pictures(self) -> None:
        """Add new pictures; a painted one is not written again, because it would flicker."""
        for outcome in self.state.picture_outcomes[self._pictures :]:
            add_html(self._parts["pictures"], outcome_html(self._strings, outcome))
            self._pictures += 1

    def _paint_charts(self) -> None:
        """Add new charts; only after the text is complete, so that growing text moves none."""
        groups = self.state.charts
        if new := groups[self._charts :]:
            first = sum(map(len, groups[: self._charts]))
            html = charts_html(
                self._strings, new, number=self.number, first=first, question=self._question
            )
            add_html(self._parts["charts"], html)
        self._charts = len(groups)
