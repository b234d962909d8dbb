"""Reads a run from its recording. Rule: it needs nothing but the events."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tabloop.agent.events import (
    ApprovalDecided,
    ApprovalRequested,
    ModelWaiting,
    ReasoningMessageContent,
    RunFinished,
    RunStarted,
    Status,
    StepFinished,
    StepStarted,
    TextMessageContent,
    ToolCallArgs,
    ToolCallResult,
    ToolCallStart,
    ToolWithdrawn,
)
from tabloop.agent.presentation import PLAIN
from tabloop.agent.recording import Moment
from tabloop.core.pricing import NO_COST, Cost
from tabloop.endpoint.request import write_request
from tabloop.ui.run import Row, Run
from tabloop.ui.run_words import RunWords
from tabloop.ui.strings import Strings

__all__ = ["read_run"]

# a call with one of these results did not leave the page
NOT_RUN: tuple[Status, ...] = (
    *("user_declined", "budget_exhausted", "repeated_call", "max_tokens", "unknown_tool"),
    "invalid_arguments",
)
PAGE, MODEL = 0, 1  # lanes


def read_run(
    strings: Strings, moments: Sequence[Moment], *, model: str = "", searching: bool = False
) -> Run:
    """Return the run that a recording shows.

    `model` is the model's name. `searching`: search mode answered, so that nothing was sent to a
    model.
    """
    reader = _Reader(RunWords(strings), moments, model, searching=searching)
    for moment in moments:
        reader.read(moment)
    rows = tuple(reader.rows)
    sent = sum(map(len, reader.bodies))
    end, cost = (moments[-1].at, moments[-1].cost) if moments else (0.0, NO_COST)
    calls = sum(row.inward and row.lane > MODEL for row in rows)
    summary = reader.words.summary(
        requests=reader.number, calls=calls, end=end, sent=sent, cost=cost
    )
    return Run(tuple(reader.lanes), rows, tuple(reader.bodies), summary)


@dataclass(slots=True)
class _Call:
    """A call of a tool; `lane` is set when it leaves the page, `asked` when a person is asked."""

    start: ToolCallStart
    arguments: str = ""
    lane: int = PAGE
    left: float = 0.0
    asked: float = 0.0


@dataclass(slots=True)
class _Hop:
    """A request without its reply."""

    at: float
    size: int = 0  # bytes of the reply so far
    calls: list[_Call] = field(default_factory=list["_Call"])


class _Reader:
    def __init__(
        self, words: RunWords, moments: Sequence[Moment], model: str, *, searching: bool
    ) -> None:
        events = [moment.event for moment in moments]
        results = [event for event in events if isinstance(event, ToolCallResult)]
        self.words = words
        self.rows: list[Row] = []
        self.bodies: list[bytes] = []
        self.lanes = [words.page, words.model(model, searching=searching)]
        self.number = 0
        self._model = model
        self._sends = not searching
        self._results = {result.tool_call_id: result for result in results}
        self._asked = {e.tool_call_id for e in events if isinstance(e, ApprovalRequested)}
        self._calls: dict[str, _Call] = {}
        self._paid: Mapping[str, bool] = {}  # by name of tool
        self._hop: _Hop | None = None
        self._attributed = NO_COST

    def read(self, moment: Moment) -> None:  # noqa: PLR0912 -- one case for each event
        at, event = moment.at, moment.event
        match event:
            case RunStarted():
                if self.rows:
                    self._note(at, self.words.go_on)
            case StepStarted():
                self._request(at, event)
            case ModelWaiting():
                if self.rows[-1].text != (text := self.words.pause):
                    self._note(at, text)
            case TextMessageContent() | ReasoningMessageContent():
                if self._hop:
                    self._hop.size += len(event.delta.encode("utf-8", "replace"))
            case ToolCallStart():
                self._calls[event.tool_call_id] = call = _Call(event)
                if self._hop:
                    self._hop.calls.append(call)
            case ToolCallArgs():
                self._call(event.tool_call_id).arguments += event.delta
            case StepFinished():
                self._reply(moment, event)
            case ApprovalRequested():
                call = self._call(event.tool_call_id)
                call.asked = at
                self._note(at, self.words.about_call("asked", call.start, call.arguments))
            case ApprovalDecided():
                self._decided(at, event)
            case ToolCallResult():
                self._result(moment, event)
            case ToolWithdrawn():
                self._note(at, self.words.withdrawn(event, self._calls_named(event.name)))
            case RunFinished():
                self._end(moment, event)
            case _:  # says nothing about bytes, time or cost
                pass

    def _request(self, at: float, event: StepStarted) -> None:
        self._hop = _Hop(at)
        self.number += 1
        size = None
        if request := event.request:
            self._paid = {tool.name: tool.paid for tool in request.tools}
            if self._sends:
                self.bodies.append(write_request(request, model=self._model))
                size = len(self.bodies[-1])
        count = len(request.messages) if request else 0
        self.rows.append(Row(at, self.words.request(self.number, count), MODEL, size=size))

    def _reply(self, moment: Moment, event: StepFinished) -> None:
        hop, self._hop = self._hop or _Hop(moment.at), None
        size = hop.size + sum(len(call.arguments.encode("utf-8", "replace")) for call in hop.calls)
        usage = event.usage
        row = Row(
            moment.at,
            self.words.reply(len(hop.calls)),
            MODEL,
            inward=True,
            size=size if self._sends else None,
            took=moment.at - hop.at,
            tokens=usage.prompt_tokens + usage.completion_tokens if usage else None,
            cost=self._new_cost(moment),
        )
        self.rows.append(row)
        for call in hop.calls:
            if call.start.tool_call_id not in self._asked:
                self._leave(moment.at, call)

    def _leave(self, at: float, call: _Call) -> None:
        result = self._results.get(call.start.tool_call_id)
        if call.lane or (result and result.status in NOT_RUN):
            return
        name = self.words.service(call.start)
        if name not in self.lanes:
            self.lanes.append(name)
        call.lane, call.left = self.lanes.index(name), at
        size = len(call.arguments.encode("utf-8", "replace"))
        text = self.words.call(call.start, call.arguments)
        self.rows.append(Row(at, text, call.lane, size=size))

    def _decided(self, at: float, event: ApprovalDecided) -> None:
        call = self._call(event.tool_call_id)
        kind = "agreed" if event.approved else "declined"
        text = self.words.about_call(kind, call.start, call.arguments)
        self._note(at, text, took=at - call.asked)
        if event.approved:
            self._leave(at, call)

    def _result(self, moment: Moment, event: ToolCallResult) -> None:
        call = self._call(event.tool_call_id, event.name)
        failed = event.status != "ok"
        text = self.words.result(call.start, call.arguments, event)
        if not call.lane:
            text = self.words.about_call("skipped", call.start, call.arguments, text)
            self._note(moment.at, text, failed=True)
            return
        paid = self._paid.get(event.name, False)
        row = Row(
            moment.at,
            text,
            call.lane,
            inward=True,
            failed=failed,
            size=len(event.content.encode("utf-8", "replace")),
            took=moment.at - call.left,
            cost=self._new_cost(moment) if paid else NO_COST,
        )
        self.rows.append(row)

    def _end(self, moment: Moment, event: RunFinished) -> None:
        failed = event.outcome not in ("stop", "stopped")
        if hop := self._hop:
            took = moment.at - hop.at
            text = self.words.no_reply
            self.rows.append(Row(moment.at, text, MODEL, inward=True, failed=True, took=took))
        self._hop = None
        for text in self.words.notes(event):
            self._note(moment.at, text)
        self._note(moment.at, self.words.end(event), failed=failed, cost=self._new_cost(moment))

    def _new_cost(self, moment: Moment) -> Cost:
        """Return what was paid since the last row with a cost."""
        before, self._attributed = self._attributed, moment.cost
        charged = max(0, moment.cost.charged - before.charged)
        uncertain = max(0, moment.cost.uncertain - before.uncertain)
        return Cost(charged, uncertain, max(0, moment.cost.payments - before.payments))

    def _note(
        self,
        at: float,
        text: str,
        *,
        failed: bool = False,
        took: float | None = None,
        cost: Cost = NO_COST,
    ) -> None:
        self.rows.append(Row(at, text, failed=failed, took=took, cost=cost))

    def _call(self, call_id: str, name: str = "") -> _Call:
        """Return a call; one that nobody has announced is made up."""
        return self._calls.setdefault(call_id, _Call(ToolCallStart(call_id, name, PLAIN)))

    def _calls_named(self, name: str) -> ToolCallStart | None:
        return next((c.start for c in self._calls.values() if c.start.name == name), None)
