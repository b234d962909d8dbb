"""The state of one answer on the page. Rule: a state never changes; each event gives a new one."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, assert_never, cast

from tabloop.agent.displays import Chart, NoPicture, Picture
from tabloop.agent.events import (
    ApprovalDecided,
    ApprovalRequested,
    Event,
    ModelWaiting,
    ReasoningMessageContent,
    RunFinished,
    RunStarted,
    Status,
    StepFinished,
    StepStarted,
    SubagentEvent,
    TextMessageContent,
    TextMessageEnd,
    TextMessageStart,
    ToolCallArgs,
    ToolCallEnd,
    ToolCallProgress,
    ToolCallResult,
    ToolCallStart,
    ToolWithdrawn,
)
from tabloop.agent.presentation import PLAIN, Presentation
from tabloop.agent.tools import Source

__all__ = ["AnswerPhase", "AnswerState", "StepState", "ToolStep", "charts_of", "reduce"]

StepState = Literal["running", "ok", "failed", "declined", "skipped", "interrupted"]
AnswerPhase = Literal["thinking", "writing", "looking_up", "waiting", "done"]

STATE_OF_STATUS: Mapping[Status, StepState] = {
    "ok": "ok",
    "user_declined": "declined",
    "interrupted": "interrupted",
    "budget_exhausted": "skipped",
    "repeated_call": "skipped",
    "max_tokens": "skipped",
}


@dataclass(frozen=True, slots=True)
class ToolStep:
    """One tool call with its result; `presentation` comes from the tool.

    `raw_arguments` is the JSON that the model wrote, `arguments` what the tool really gets (`None`
    until that is known). `result` is the JSON text that the model reads. `aside` is the text that
    the model wrote before the call. `waiting`: the call waits for the person's decision.
    """

    call_id: str
    name: str
    presentation: Presentation = PLAIN
    state: StepState = "running"
    raw_arguments: str = ""
    arguments: Mapping[str, Any] | None = None
    result: str | None = None
    display: object = None
    aside: str = ""
    waiting: bool = False
    progress: str = ""  # how far the tool is, in its own words


@dataclass(frozen=True, slots=True)
class AnswerState:
    """One answer. `text` is the model's Markdown, `reasoning` what it thought before.

    `ended` is `None` while the run goes on.
    """

    phase: AnswerPhase = "thinking"
    hop: int = 1
    steps: tuple[ToolStep, ...] = ()
    text: str = ""
    reasoning: str = ""
    message_id: str = ""
    sources: tuple[Source, ...] = ()
    ended: RunFinished | None = None
    pause: int = 0  # seconds until the endpoint is asked again, 0 if it asked for no pause

    @property
    def running_step(self) -> ToolStep | None:
        """The oldest step that still runs, `None` if there is none."""
        return next((step for step in self.steps if step.state == "running"), None)

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """The pictures that tools made, in the order of the calls."""
        return tuple(step.display for step in self.steps if isinstance(step.display, Picture))

    @property
    def picture_outcomes(self) -> tuple[Picture | NoPicture, ...]:
        """A picture or the reason for its failure, for each confirmed one, in order of calls."""
        displays = (step.display for step in self.steps)
        return tuple(shown for shown in displays if isinstance(shown, Picture | NoPicture))

    @property
    def charts(self) -> tuple[tuple[Chart, ...], ...]:
        """The charts of the results, one group for each result; equal charts appear once."""
        known: list[Chart] = []
        groups: list[tuple[Chart, ...]] = []
        for step in self.steps:
            if new := tuple(chart for chart in charts_of(step.display) if chart not in known):
                groups.append(new)
                known += new
        return tuple(groups)


def charts_of(display: object) -> tuple[Chart, ...]:
    """Return the charts in a tool's `display`, without those that have no labels or no series."""
    given = cast("tuple[object, ...]", display if isinstance(display, tuple) else (display,))
    return tuple(item for item in given if isinstance(item, Chart) and item.labels and item.series)


def reduce(state: AnswerState, event: Event) -> AnswerState:  # noqa: PLR0911, PLR0912  # one per event
    """Return the state after one event."""
    match event:
        case RunStarted():
            # a run that continues an answer ("Go on") keeps the steps of the run before
            return replace(state, phase="thinking", hop=1, ended=None)
        case StepStarted():
            reasoning = f"{state.reasoning}\n\n" if state.reasoning else ""
            return replace(state, phase="thinking", hop=event.hop, pause=0, reasoning=reasoning)
        case TextMessageStart():
            return replace(state, phase="writing", message_id=event.message_id, text="", pause=0)
        case TextMessageContent():
            return replace(state, phase="writing", text=state.text + event.delta)
        case ReasoningMessageContent():
            return replace(state, reasoning=state.reasoning + event.delta)
        case ModelWaiting():
            return replace(state, pause=event.seconds)
        case TextMessageEnd() | StepFinished() | SubagentEvent() | ToolWithdrawn():
            return state
        case ToolCallStart():
            aside = state.text.strip()
            step = ToolStep(event.tool_call_id, event.name, event.presentation, aside=aside)
            # text before a call is not the answer: it is shown with the step
            return replace(state, phase="looking_up", steps=(*state.steps, step), text="")
        case ToolCallArgs():
            return _with_step(state, event.tool_call_id, raw_arguments=event.delta)
        case ToolCallEnd():
            return state
        case ApprovalRequested():
            changed = _with_step(state, event.tool_call_id, arguments=event.arguments, waiting=True)
            return replace(changed, phase="waiting")
        case ApprovalDecided():
            changed = _with_step(
                state, event.tool_call_id, arguments=event.arguments, waiting=False
            )
            # a declined call does not run
            return replace(changed, phase="looking_up" if event.approved else "thinking")
        case ToolCallProgress():
            return _with_step(state, event.tool_call_id, progress=event.text)
        case ToolCallResult():
            return _with_result(state, event)
        case RunFinished():
            return _finished(state, event)
        case _:
            assert_never(event)


def _with_step(state: AnswerState, call_id: str, /, **changes: Any) -> AnswerState:
    steps = list(state.steps)
    for index in reversed(range(len(steps))):
        if steps[index].call_id == call_id:
            if "raw_arguments" in changes:
                changes["raw_arguments"] = steps[index].raw_arguments + changes["raw_arguments"]
            steps[index] = replace(steps[index], **changes)
            break
    return replace(state, steps=tuple(steps))


def _with_result(state: AnswerState, event: ToolCallResult) -> AnswerState:
    changed = _with_step(
        state,
        event.tool_call_id,
        state=STATE_OF_STATUS.get(event.status, "failed"),
        arguments=event.arguments,
        result=event.content,
        display=event.display,
        waiting=False,
    )
    if event.status != "ok":
        return changed
    by_id = {step.call_id: step.presentation for step in changed.steps}
    presentation = by_id.get(event.tool_call_id, PLAIN)
    known = {source.url for source in changed.sources}
    new = tuple(
        replace(source, attribution=source.attribution or presentation.attribution)
        for source in dict.fromkeys(event.sources)
        if source.url not in known and source.url.startswith(("https://", "http://"))
    )
    return replace(changed, sources=changed.sources + new)


def _finished(state: AnswerState, event: RunFinished) -> AnswerState:
    steps = tuple(
        replace(step, state="interrupted", waiting=False) if step.state == "running" else step
        for step in state.steps
    )
    # text that was already streamed stays readable if the run failed
    text = event.text if event.text.strip() else state.text
    return replace(state, phase="done", steps=steps, text=text, ended=event)
