"""When a run may go on, and what a strategy is asked with."""

import pytest
from tabloop.agent.events import RunFinished
from tabloop.agent.messages import ToolCall
from tabloop.agent.strategies import (
    LoopState,
    combine_strategies,
    default_strategy,
    max_iterations,
    until_finish_reason,
)
from tabloop.agent.tools import tool
from tabloop.contrib.scripted import ScriptedModel

from tests.unit.fakes import calling, calls, play, says


@tool()
async def look(n: int = 0) -> int:
    """Look."""
    return n


def after(hops: int, finish_reason: str = "tool_calls") -> LoopState:
    return LoopState(hops, finish_reason, (), 0, 0)


@pytest.mark.parametrize(("limit", "hops"), [(0, 0), (1, 0), (4, 3)])
def test_max_iterations_allows_so_many_hops(limit: int, hops: int) -> None:
    strategy = max_iterations(limit)
    assert [strategy(after(done)) for done in range(1, 6)] == [done <= hops for done in range(1, 6)]


def test_until_finish_reason_goes_on_until_one_of_them() -> None:
    strategy = until_finish_reason(["length", "stop"])
    assert [strategy(after(1, reason)) for reason in ("tool_calls", "length", "stop")] == [
        True,
        False,
        False,
    ]
    assert until_finish_reason([])(after(99, "stop"))


def test_combined_strategies_must_all_agree_and_none_means_yes() -> None:
    assert combine_strategies([])(after(99))
    both = combine_strategies([max_iterations(3), until_finish_reason(["length"])])
    assert both(after(2))
    assert not both(after(3))
    assert not both(after(1, "length"))


def test_the_default_is_four_hops_and_no_cut_reply() -> None:
    strategy = default_strategy()
    assert strategy(after(3))
    assert not strategy(after(4))
    assert not strategy(after(1, "length"))
    assert default_strategy(2)(after(1))
    assert not default_strategy(2)(after(2))


async def test_a_strategy_is_asked_after_every_hop_with_where_the_run_stands() -> None:
    states: list[LoopState] = []

    def note(state: LoopState) -> bool:
        states.append(state)
        return True

    two = calling(ToolCall("a", "look", '{"n": 1}'), ToolCall("b", "nope"))
    await play(ScriptedModel(two, calls("look", "c", n=2), says("Done.")), [look], strategy=note)
    assert [
        (
            state.iteration_count,
            state.finish_reason,
            state.tool_call_count,
            state.last_turn_tool_call_count,
            len(state.messages),
        )
        for state in states
    ] == [
        (1, "tool_calls", 2, 2, 4),
        (2, "tool_calls", 3, 1, 6),
        (3, "stop", 3, 0, 7),
    ]


async def test_a_strategy_that_fails_ends_the_run_with_its_error() -> None:
    def fail(state: LoopState) -> bool:
        raise ZeroDivisionError

    events = await play(ScriptedModel(says("Hi.")), strategy=fail)
    ended = events[-1]
    assert isinstance(ended, RunFinished)
    assert isinstance(ended.error, ZeroDivisionError)
