"""What the page would show of a run: its answer while a tool runs, and at the end."""

from collections.abc import Sequence

from tabloop.agent.events import ToolCallResult
from tabloop.agent.ports import Approver
from tabloop.agent.tools import Tool
from tabloop.ui.answer_state import AnswerState, reduce

from tests.unit.fakes import ScriptedModel, play

__all__ = ["shown_of"]


async def shown_of(
    model: ScriptedModel, tools: Sequence[Tool], approver: Approver | None = None
) -> tuple[AnswerState, AnswerState]:
    """Play a run; return the state just before the first result, and the last one."""
    state, running = AnswerState(), None
    for event in await play(model, tools, approver=approver):
        if running is None and isinstance(event, ToolCallResult):
            running = state
        state = reduce(state, event)
    assert running is not None, "the model called no tool"
    return running, state
