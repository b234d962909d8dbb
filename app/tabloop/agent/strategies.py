"""When a run may go on. A strategy is asked after every hop and only says yes or no."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tabloop.agent.messages import Message

__all__ = [
    "LoopState",
    "Strategy",
    "combine_strategies",
    "default_strategy",
    "max_iterations",
    "until_finish_reason",
]


@dataclass(frozen=True, slots=True)
class LoopState:
    """What a strategy may look at.

    `iteration_count`: hops done. `tool_call_count`: calls the model emitted in this run, skipped
    and failed ones included. `last_turn_tool_call_count`: those of the hop just done.
    """

    iteration_count: int
    finish_reason: str
    messages: tuple[Message, ...]
    tool_call_count: int
    last_turn_tool_call_count: int


Strategy: TypeAlias = Callable[[LoopState], bool]


def max_iterations(limit: int) -> Strategy:
    """Allow `limit` hops. The first always happens, so 0 means the same as 1."""
    return lambda state: state.iteration_count < limit


def until_finish_reason(reasons: Collection[str]) -> Strategy:
    """Go on until the model stops for one of these reasons; none given: never stop by itself."""
    stops = frozenset(reasons)
    return lambda state: state.finish_reason not in stops


def combine_strategies(strategies: Sequence[Strategy]) -> Strategy:
    """Go on only while all agree; an empty list always agrees."""
    members = tuple(strategies)
    return lambda state: all(strategy(state) for strategy in members)


def default_strategy(max_hops: int = 4) -> Strategy:
    """Allow `max_hops`, and end with a reply that the endpoint cut: more would be cut again."""
    return combine_strategies([max_iterations(max_hops), until_finish_reason(["length"])])
