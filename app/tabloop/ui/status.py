"""The text of the status line. Rule: short, because a screen reader reads each change aloud."""

from typing import Literal, assert_never

from tabloop.ui.answer_state import AnswerState
from tabloop.ui.offer import is_choice
from tabloop.ui.strings import Strings
from tabloop.ui.tool_words import step_status

__all__ = ["StatusKind", "status_kind", "status_line"]

StatusKind = Literal["ok", "running", "waiting", "problem"]


def status_line(strings: Strings, state: AnswerState, hops: int, *, searching: bool = False) -> str:
    """Return the line for an answer; `hops` is the limit of requests per question.

    `searching`: search mode answers, in which nobody thinks.
    """
    hop = min(state.hop, hops)
    thinking = "status.searching" if searching else "status.thinking"
    writing = "status.searching" if searching else "status.writing"
    match state.phase:
        case "thinking" if state.pause:
            return strings("status.pause", n=state.pause)
        case "thinking":
            return strings(thinking, hop=hop, hops=hops)
        case "writing":
            return strings(writing, hop=hop, hops=hops)
        case "looking_up":
            # without a step all results have arrived, and the next hop has not begun
            step = state.running_step
            return step_status(strings, step) if step else strings(thinking, hop=hop, hops=hops)
        case "waiting":
            return strings("status.waitingForYou")
        case "done":
            return _end_status(strings, state, hops)
        case _:
            assert_never(state.phase)


def _end_status(strings: Strings, state: AnswerState, hops: int) -> str:
    outcome = state.ended.outcome if state.ended else "stop"
    if outcome == "stopped":
        return strings("status.stopped")
    if outcome == "max_iterations":
        return strings("status.limit", hops=hops)
    if _is_problem(state):
        return strings("status.offer" if is_choice(state.ended) else "status.problem")
    if state.pictures:
        return strings("status.answeredPictures", n=len(state.pictures))
    if not state.sources:
        return strings("status.answered")
    return strings("status.answeredSources", n=len(state.sources))


def status_kind(state: AnswerState) -> StatusKind:
    """Return the kind of the mark beside the line; it agrees with the line's text."""
    if state.phase != "done":
        return "waiting" if state.phase == "waiting" else "running"
    stopped = state.ended is not None and state.ended.outcome == "stopped"
    calm = stopped or is_choice(state.ended)
    return "problem" if _is_problem(state) and not calm else "ok"


def _is_problem(state: AnswerState) -> bool:
    outcome = state.ended.outcome if state.ended else "stop"
    return outcome != "stop" or not (state.text.strip() or state.pictures)
