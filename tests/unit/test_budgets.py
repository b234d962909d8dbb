"""Limits on calls: a call over the limit is answered, counts, and asks nobody for approval."""

import pytest
from tabloop.agent.budgets import paid_call_budget, tool_call_budget
from tabloop.agent.events import ApprovalRequested, Event
from tabloop.agent.messages import Message, ToolCall, UserMessage
from tabloop.agent.middleware import Middleware
from tabloop.agent.ports import ModelReply
from tabloop.agent.tools import tool
from tabloop.contrib.cache import tool_cache
from tabloop.contrib.scripted import ScriptedModel

from tests.unit.fakes import Answers, calling, play, result_of, says, statuses


@tool()
async def look(n: int = 0) -> int:
    """Look."""
    return n


@tool(paid=True, needs_approval=True)
async def pay(n: int = 0) -> int:
    """Pay."""
    return n


def looks(*numbers: int, name: str = "look") -> ModelReply:
    return calling(*(ToolCall(f"c{n}", name, f'{{"n": {n}}}') for n in numbers))


async def answers(
    *turns: ModelReply, middleware: list[Middleware], history: list[Message] | None = None
) -> tuple[list[str], list[Event]]:
    history = history if history is not None else [UserMessage("go")]
    model = ScriptedModel(*turns, says("Done."))
    events = await play(
        model, [look, pay], messages=history, middleware=middleware, approver=Answers()
    )
    return [status for _, status in statuses(history)], events


async def test_calls_beyond_the_budget_of_a_run_are_answered_and_withdraw_the_tool() -> None:
    history: list[Message] = [UserMessage("go")]
    read, _ = await answers(
        looks(1, 2), looks(3, 4), middleware=[tool_call_budget(max=3)], history=history
    )
    assert read == ["ok", "ok", "ok", "budget_exhausted"]
    assert result_of(history[-2])["reason"] == "At most 3 calls in one run."


async def test_calls_beyond_the_budget_of_a_turn_may_come_again_in_the_next() -> None:
    read, _ = await answers(looks(1, 2, 3), looks(3), middleware=[tool_call_budget(max_per_turn=2)])
    assert read == ["ok", "ok", "budget_exhausted", "ok"]


async def test_skipped_and_refused_calls_count_and_a_used_budget_leaves_no_tool() -> None:
    budget = tool_call_budget(max=4, max_per_turn=1)
    wrong = calling(ToolCall("w", "look", '{"n": "many"}'))
    model = ScriptedModel(looks(1, 2, 3), wrong, says("Done."))
    history: list[Message] = [UserMessage("go")]
    await play(model, [look, pay], messages=history, middleware=[budget])
    assert [status for _, status in statuses(history)] == [
        *("ok", "budget_exhausted", "budget_exhausted"),
        "invalid_arguments",
    ]
    assert model.offered == [["look", "pay"], ["look", "pay"], []]


async def test_every_run_has_its_own_allowance() -> None:
    budgets: list[Middleware] = [tool_call_budget(max=1), paid_call_budget(1)]
    for _ in range(2):
        assert (await answers(looks(1), middleware=budgets))[0] == ["ok"]
    for _ in range(2):
        assert (await answers(looks(1, name="pay"), middleware=budgets))[0] == ["ok"]


async def test_two_budgets_of_a_run_count_apart() -> None:
    budgets: list[Middleware] = [tool_call_budget(max_per_turn=2), tool_call_budget(max=9)]
    assert (await answers(looks(1, 2), middleware=budgets))[0] == ["ok", "ok"]
    budgets = [paid_call_budget(2), paid_call_budget(3)]
    assert (await answers(looks(1, 2, name="pay"), middleware=budgets))[0] == ["ok", "ok"]


async def test_the_model_is_told_which_budget_is_used_up() -> None:
    for budget, name, reason in (
        (tool_call_budget(max=1), "look", "At most 1 calls in one run."),
        (
            tool_call_budget(max_per_turn=1),
            "look",
            "At most 1 calls at once. Ask again in the next turn.",
        ),
        (paid_call_budget(1), "pay", "At most 1 paid calls in one run."),
    ):
        history: list[Message] = [UserMessage("go")]
        await answers(looks(1, 2, name=name), middleware=[budget], history=history)
        assert result_of(history[3]) == {"status": "budget_exhausted", "reason": reason}


async def test_without_limits_nothing_is_skipped() -> None:
    read, _ = await answers(looks(*range(9)), middleware=[tool_call_budget()])
    assert read == ["ok"] * 9


async def test_a_paid_budget_skips_before_anybody_is_asked_and_leaves_free_tools_alone() -> None:
    mixed = calling(
        ToolCall("a", "pay", '{"n": 1}'), ToolCall("b", "look"), ToolCall("c", "pay", '{"n": 2}')
    )
    read, events = await answers(mixed, middleware=[paid_call_budget(1)])
    assert read == ["ok", "ok", "budget_exhausted"]
    asked = [event for event in events if isinstance(event, ApprovalRequested)]
    assert [event.tool_call_id for event in asked] == ["a"]


async def test_a_paid_budget_of_zero_asks_nobody() -> None:
    read, events = await answers(looks(1, name="pay"), middleware=[paid_call_budget(0)])
    assert read == ["budget_exhausted"]
    assert not any(isinstance(event, ApprovalRequested) for event in events)


async def test_a_paid_tool_without_approval_is_limited_too() -> None:
    @tool(paid=True)
    async def quiet(n: int) -> int:
        """Pay quietly."""
        return n

    history: list[Message] = [UserMessage("go")]
    model = ScriptedModel(looks(1, 2, name="quiet"), says("Done."))
    await play(model, [quiet], messages=history, middleware=[paid_call_budget(1)])
    assert [status for _, status in statuses(history)] == ["ok", "budget_exhausted"]


@pytest.mark.parametrize("limits", [{"max": 1}, {"max_per_turn": 1}])
async def test_nobody_is_asked_to_approve_what_the_budget_refuses(limits: dict[str, int]) -> None:
    read, events = await answers(looks(1, 2, name="pay"), middleware=[tool_call_budget(**limits)])
    assert read == ["ok", "budget_exhausted"]
    assert len([event for event in events if isinstance(event, ApprovalRequested)]) == 1


async def test_a_budget_before_a_cache_wins_and_its_skip_is_never_stored() -> None:
    cache = tool_cache()
    budget = tool_call_budget(max_per_turn=1)
    two = calling(ToolCall("a", "look"), ToolCall("b", "look"))
    read, _ = await answers(two, middleware=[budget, cache])
    assert read == ["ok", "budget_exhausted"]
    fresh = tool_cache()
    assert (await answers(looks(1), middleware=[tool_call_budget(max_per_turn=0), fresh]))[0] == [
        "budget_exhausted"
    ]
    assert (await answers(looks(1), middleware=[fresh]))[0] == ["ok"]


async def test_a_cache_before_a_budget_answers_without_spending_it() -> None:
    two = calling(ToolCall("a", "look"), ToolCall("b", "look"))
    read, _ = await answers(two, middleware=[tool_cache(), tool_call_budget(max=1)])
    assert read == ["ok", "ok"]
