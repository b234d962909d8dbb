"""The sentences about a run. Rule: what a tool does is said by the tool's own presentation."""

from typing import Literal

from tabloop.agent.events import RunFinished, ToolCallResult, ToolCallStart, ToolWithdrawn
from tabloop.core.json_text import read_json
from tabloop.core.pricing import Cost
from tabloop.ui.answer_state import STATE_OF_STATUS, ToolStep
from tabloop.ui.money import amount, usdc
from tabloop.ui.step_words import step_failure
from tabloop.ui.strings import Strings
from tabloop.ui.tool_words import step_summary, step_title, tool_title

__all__ = ["RunWords", "facts", "seconds"]


class RunWords:
    """Words for the rows and lanes of one run."""

    def __init__(self, strings: Strings) -> None:
        self._strings = strings
        self.page = strings("run.page")
        self.go_on = strings("run.goOn")
        self.pause = strings("run.pause")
        self.no_reply = strings("run.noReply")

    def model(self, name: str, *, searching: bool) -> str:
        """Return the name of the model's lane."""
        return self._strings("run.searching") if searching else name or self._strings("run.model")

    def service(self, call: ToolCallStart) -> str:
        """Return the name of the lane of what answers a call."""
        named = self._strings.text(call.presentation.service)
        return named or _capital(tool_title(self._strings, call.name, call.presentation))

    def request(self, number: int, messages: int) -> str:
        """Return the text of a request with so many messages (0: not known)."""
        if not messages:
            return self._strings("run.requestOnly", number=number)
        return self._strings("run.request", number=number, n=messages)

    def reply(self, calls: int) -> str:
        """Return the text of a reply with so many calls."""
        return self._strings("run.asks", n=calls) if calls else self._strings("run.answer")

    def call(self, call: ToolCallStart, arguments: str) -> str:
        """Return what a call looks up."""
        return _capital(step_title(self._strings, _step(call, arguments)))

    def about_call(
        self,
        kind: Literal["asked", "agreed", "declined", "skipped"],
        call: ToolCallStart,
        arguments: str,
        why: str = "",
    ) -> str:
        """Return what happened to a call in the page, and `why`."""
        text = self._strings(f"run.{kind}", what=step_title(self._strings, _step(call, arguments)))
        return f"{text} ({why})" if why else text

    def result(self, call: ToolCallStart, arguments: str, event: ToolCallResult) -> str:
        """Return what a call gave, or why it gave nothing."""
        step = _step(call, arguments, event)
        if event.status != "ok":
            return step_failure(self._strings, step)
        try:
            value = read_json(event.content)
        except ValueError:
            value = None
        return step_summary(self._strings, step, value) or self._strings("run.result")

    def withdrawn(self, event: ToolWithdrawn, call: ToolCallStart | None) -> str:
        """Return that a tool is not offered again."""
        title = event.name
        if call:
            title = tool_title(self._strings, call.name, call.presentation)
        return self._strings("run.withdrawn", what=title)

    def end(self, event: RunFinished) -> str:
        """Return how the run ended."""
        return self._strings(f"run.end_{event.outcome}")

    def notes(self, event: RunFinished) -> tuple[str, ...]:
        """Return how the last request differs from what was planned."""
        shortened = "shortened" in event.notes
        return (self._strings("problem.shortened"),) if shortened else ()

    def summary(self, *, requests: int, calls: int, end: float, sent: int, cost: Cost) -> str:
        """Return the run in one line."""
        parts = [self._strings("run.requests", n=requests), self._strings("run.calls", n=calls)]
        parts.append(seconds(self._strings, end))
        if sent:
            parts.append(self._strings("run.sent", n=sent))
        return " · ".join((*parts, *_cost(self._strings, cost)))


def facts(
    strings: Strings, *, size: int | None, took: float | None, tokens: int | None, cost: Cost
) -> str:
    """Return the numbers of a row in one line."""
    parts = [strings("step.size", n=size)] if size is not None else []
    if took is not None:
        parts.append(seconds(strings, took))
    if tokens is not None:
        parts.append(strings("run.tokens", n=tokens))
    return " · ".join((*parts, *_cost(strings, cost)))


def seconds(strings: Strings, value: float) -> str:
    """Return a duration with its unit."""
    written = f"{value:.1f}".replace(".", strings("format.decimal"))
    return strings("run.seconds", time=written)


def _cost(strings: Strings, cost: Cost) -> list[str]:
    parts = [usdc(strings, cost.charged)] if cost.charged else []
    if cost.uncertain:
        parts.append(strings("cost.uncertain", amount=amount(strings, cost.uncertain)))
    return parts


def _step(call: ToolCallStart, arguments: str, event: ToolCallResult | None = None) -> ToolStep:
    step = ToolStep(call.tool_call_id, call.name, call.presentation, raw_arguments=arguments)
    if event is None:
        return step
    return ToolStep(
        call.tool_call_id,
        call.name,
        call.presentation,
        STATE_OF_STATUS.get(event.status, "failed"),
        arguments,
        event.arguments,
        event.content,
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
