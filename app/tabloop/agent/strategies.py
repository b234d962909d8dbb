"""Strategies: whether a run may continue. Rule: they are called after each hop, and only decide."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from inspect import iscoroutinefunction
from typing import TypeAlias

from tabloop.agent.errors import SetupError
from tabloop.agent.messages import Message

__all__ = [
    "LoopState",
    "Strategy",
    "check_strategy",
    "combine_strategies",
    "default_strategy",
    "max_iterations",
    "until_finish_reason",
]


@dataclass(frozen=True, slots=True)
class LoopState:
    """What a strategy decides by.

    `iteration_count`: hops done. `tool_call_count`: calls of the model in this run, including
    skipped and failed ones. `last_turn_tool_call_count`: those of the last hop.
    """

    iteration_count: int
    finish_reason: str
    messages: tuple[Message, ...]
    tool_call_count: int
    last_turn_tool_call_count: int


Strategy: TypeAlias = Callable[[LoopState], bool]


def check_strategy(strategy: Strategy) -> Strategy:
    """Return the strategy. Raises `SetupError` if it is async or no function."""
    if not callable(strategy):
        raise SetupError(f"{strategy!r} is no strategy: give a function of a LoopState")
    call = getattr(strategy, "__call__", None)  # noqa: B004 -- of an object with an async one
    if iscoroutinefunction(strategy) or iscoroutinefunction(call):
        raise SetupError("a strategy must be a plain function: an async one never ends a run")
    return strategy


def max_iterations(limit: int) -> Strategy:
    """Allow `limit` hops. The first always happens, so 0 means the same as 1."""
    return lambda state: state.iteration_count < limit


def until_finish_reason(reasons: Collection[str]) -> Strategy:
    """Continue until the reply ends for one of these reasons; without any, always continue."""
    stops = frozenset(reasons)
    return lambda state: state.finish_reason not in stops


def combine_strategies(strategies: Sequence[Strategy]) -> Strategy:
    """Continue only while all strategies agree; an empty list always agrees."""
    members = tuple(check_strategy(strategy) for strategy in strategies)
    return lambda state: all(strategy(state) for strategy in members)


def default_strategy(max_hops: int = 4) -> Strategy:
    """Allow `max_hops`, and end after a truncated reply: the next would be truncated too."""
    return combine_strategies([max_iterations(max_hops), until_finish_reason(["length"])])
