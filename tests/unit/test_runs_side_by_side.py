"""Two runs at the same time, with one agent: what one run does never counts for the other."""

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tabloop.agent.budgets import paid_call_budget, tool_call_budget
from tabloop.agent.events import ToolCallResult
from tabloop.agent.loop import Agent
from tabloop.agent.messages import Message, ToolCall, UserMessage
from tabloop.agent.ports import ModelReply
from tabloop.agent.stop import Stop
from tabloop.agent.strategies import max_iterations
from tabloop.agent.tools import tool
from tabloop.contrib.cache import tool_cache
from tabloop.contrib.scripted import ScriptedModel

from tests.unit.fakes import Answers, calling, says, statuses


@tool(paid=True, needs_approval=True)
async def pay(n: int = 0) -> int:
    """Pay."""
    await asyncio.sleep(1)
    return n


@tool
async def look(n: int = 0) -> int:
    """Look."""
    await asyncio.sleep(1)
    return n


def call(name: str, n: int, call_id: str = "same") -> ModelReply:
    return calling(ToolCall(call_id, name, f'{{"n": {n}}}'))


async def answers(agent: Agent, stop: Stop | None = None) -> list[str]:
    history: list[Message] = [UserMessage("go")]
    async for _ in agent.run(history, stop):
        pass
    return [status for _, status in statuses(history)]


def agents(*scripts: list[ModelReply], middleware: list[Any]) -> list[Agent]:
    return [
        Agent(ScriptedModel(*steps), [look, pay], approver=Answers(), middleware=middleware)
        for steps in scripts
    ]


async def test_a_budget_of_one_paid_call_is_one_for_each_run() -> None:
    script = [call("pay", 1), call("pay", 2, "b"), says("Done.")]
    both = agents(script, script, middleware=[paid_call_budget(1)])
    results = await asyncio.gather(*(answers(agent) for agent in both))
    assert results == [["ok", "budget_exhausted"]] * 2


async def test_a_budget_of_calls_is_for_each_run() -> None:
    script = [call("look", 1), call("look", 2, "b"), says("Done.")]
    both = agents(script, script, middleware=[tool_call_budget(max=2)])
    results = await asyncio.gather(*(answers(agent) for agent in both))
    assert results == [["ok", "ok"]] * 2


async def test_a_shared_cache_confuses_no_calls_with_the_same_id() -> None:
    scripts = [[call("look", n), says("Done.")] for n in (1, 2, 1)]
    cache = tool_cache()
    results = await asyncio.gather(*map(answers, agents(*scripts, middleware=[cache])))
    assert results == [["ok"]] * 3
    [later] = agents([call("look", 2), says("Done.")], middleware=[cache])
    assert await answers(later) == ["ok"]


async def test_a_stopped_run_leaves_a_call_of_another_run_to_itself() -> None:
    script = [call("look", 1), says("Done.")]
    first, second = agents(script, script, middleware=[tool_cache()])
    stop = Stop()
    asyncio.get_running_loop().call_later(0.5, stop.press)
    results = await asyncio.gather(answers(first, stop), answers(second))
    assert results == [["interrupted"], ["ok"]]


@given(
    plans=st.lists(
        st.tuples(
            st.lists(st.tuples(st.sampled_from(["look", "pay"]), st.integers(0, 2)), max_size=4),
            # never at the moment at which a tool ends, where either may come first
            st.none() | st.integers(0, 39).map(lambda tenths: tenths / 10 + 0.05),
        ),
        min_size=2,
        max_size=3,
    ),
    limit=st.integers(1, 2),
)
async def test_every_run_ends_as_it_would_alone(
    plans: list[tuple[list[tuple[str, int]], float | None]], limit: int
) -> None:
    def prepared(
        plan: tuple[list[tuple[str, int]], float | None], middleware: list[Any]
    ) -> tuple[Agent, Stop]:
        steps = [call(name, n, f"c{index}") for index, (name, n) in enumerate(plan[0])]
        model, stop = ScriptedModel(*steps, says("Done.")), Stop()
        if plan[1] is not None:
            asyncio.get_running_loop().call_later(plan[1], stop.press)
        everything = max_iterations(9)
        tools = [look, pay]
        return Agent(
            model, tools, approver=Answers(), strategy=everything, middleware=middleware
        ), stop

    shared: list[Any] = [tool_call_budget(max=3), paid_call_budget(limit)]
    together = await asyncio.gather(*(answers(*prepared(plan, shared)) for plan in plans))
    alone = [await answers(*prepared(plan, list(shared))) for plan in plans]
    assert together == alone


@pytest.mark.parametrize("seconds", [4.0, 0.5])
async def test_a_tool_that_ignores_cancellation_delays_stop_for_a_second_at_most(
    seconds: float,
) -> None:
    @tool(read_only=False)
    async def cling() -> str:
        """Ignore the cancellation."""
        try:
            await asyncio.sleep(100)
        except asyncio.CancelledError:
            await asyncio.sleep(seconds)
        return "late"

    stop, history = Stop(), list[Message]([UserMessage("go")])
    loop = asyncio.get_running_loop()
    loop.call_later(1, stop.press)
    model = ScriptedModel(calling(ToolCall("a", "cling"), ToolCall("b", "cling")))
    events = [event async for event in Agent(model, [cling]).run(history, stop)]
    assert loop.time() == pytest.approx(1 + min(seconds, 1.0))
    before = list(history)
    await asyncio.sleep(9)
    told = [(e.tool_call_id, e.status) for e in events if isinstance(e, ToolCallResult)]
    assert history == before
    assert (
        sorted(told)
        == statuses(history)
        == [
            ("a", "ok" if seconds < 1 else "interrupted"),
            ("b", "interrupted"),
        ]
    )
