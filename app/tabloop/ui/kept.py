"""A conversation as text that survives a reload of its tab.

Rule: a run never goes on by itself after a reload, and no card is armed again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import TypeAdapter, ValidationError

from tabloop.agent.conversation import Exchange
from tabloop.agent.displays import Chart, Picture
from tabloop.agent.events import RunFinished
from tabloop.agent.presentation import PLAIN, Presentation
from tabloop.agent.tools import Source
from tabloop.core.pricing import Cost
from tabloop.ui.answer_state import AnswerState, StepState, ToolStep, charts_of

__all__ = ["Kept", "KeptAnswer", "KeptStep", "as_text", "from_text", "kept_steps", "restored"]


@dataclass(frozen=True, slots=True)
class KeptStep:
    """One call. `picture` and `charts` are what the page showed for it."""

    call_id: str
    name: str
    state: StepState
    raw_arguments: str
    arguments: dict[str, Any] | None
    result: str | None
    aside: str
    charts: tuple[Chart, ...] = ()
    picture: Picture | None = None


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """A question and its answer. `problem` is the sentence about a failure, blank for none.

    `ended`: the answer was complete. `cost` and `earlier` are those of the answer and of its
    earlier tries.
    """

    question: str
    text: str
    ended: bool
    searching: bool
    model: str
    problem: str
    cost: Cost
    earlier: Cost
    steps: tuple[KeptStep, ...]
    sources: tuple[Source, ...]
    on_device: bool = False
    by: str = ""


@dataclass(frozen=True, slots=True)
class Kept:
    """What the page shows, what the model is told of it, and what is typed but not sent."""

    answers: tuple[KeptAnswer, ...]
    exchanges: tuple[Exchange, ...]
    question: str
    answered: bool
    draft: str


def as_text(kept: Kept) -> str:
    """Return it as JSON."""
    return TypeAdapter(Kept).dump_json(kept).decode()


def from_text(text: str) -> Kept | None:
    """Read it back; `None` if it is damaged or from another version of the page."""
    try:
        kept = TypeAdapter(Kept).validate_json(text, strict=True)
    except ValidationError:
        return None
    costs = [cost for one in kept.answers for cost in (one.cost, one.earlier)]
    below_zero = any(min(c.charged, c.uncertain, c.payments) < 0 for c in costs)
    return None if below_zero else kept  # the sums that are shown never go down


def kept_steps(state: AnswerState) -> tuple[KeptStep, ...]:
    """Return the steps without what cannot be stored."""
    return tuple(
        KeptStep(
            step.call_id,
            step.name,
            "interrupted" if step.state == "running" else step.state,
            step.raw_arguments,
            dict(step.arguments) if step.arguments is not None else None,
            step.result,
            step.aside,
            charts_of(step.display),
            _kept_picture(step.display),
        )
        for step in state.steps
    )


def _kept_picture(display: object) -> Picture | None:
    """Return the picture, without its content: a tab's storage holds two of them at most."""
    if isinstance(display, Picture) and display.url.startswith("data:"):
        return replace(display, url="")
    return display if isinstance(display, Picture) else None


def restored(kept: KeptAnswer, presentations: Mapping[str, Presentation]) -> AnswerState:
    """Return the state that shows the answer as before; `presentations` are by tool name."""
    steps = tuple(
        ToolStep(
            step.call_id,
            step.name,
            presentations.get(step.name, PLAIN),
            step.state,
            step.raw_arguments,
            step.arguments,
            step.result,
            step.picture or step.charts or None,
            step.aside,
        )
        for step in kept.steps
    )
    ended = RunFinished("stop" if kept.ended else "stopped", text=kept.text)
    return AnswerState("done", steps=steps, text=kept.text, sources=kept.sources, ended=ended)
