"""A cached answer: only of tools that ran, for its time, and never of what costs or changes."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tabloop.agent.errors import ToolError
from tabloop.agent.loop import Agent
from tabloop.agent.messages import Message, ToolCall, UserMessage
from tabloop.agent.middleware import (
    CallContext,
    Middleware,
    ReplaceResult,
    RunContext,
    Skip,
    TransformArguments,
)
from tabloop.agent.results import ToolResult
from tabloop.agent.stop import Stop
from tabloop.agent.tools import Tool, tool
from tabloop.contrib.cache import ToolCache, tool_cache
from tabloop.contrib.scripted import ScriptedModel

from tests.unit.fakes import Answers, calling, play, result_of, says, statuses


class Counter:
    """Tools that say how often they ran."""

    def __init__(self, *, fail_first: bool = False) -> None:
        self.ran = 0
        self.fail_first = fail_first

    async def count(self) -> dict[str, int]:
        self.ran += 1
        run = self.ran
        await asyncio.sleep(0.001)
        if self.fail_first and run == 1:
            raise ToolError("not_found", "Not yet.")
        return {"run": run}

    def tools(self) -> list[Tool]:
        @tool()
        async def free(n: int = 0, text: str = "") -> dict[str, int]:
            """Free."""
            return await self.count()

        @tool()
        async def other(n: int = 0) -> dict[str, int]:
            """Free as well."""
            return await self.count()

        @tool(paid=True)
        async def paid(n: int = 0) -> dict[str, int]:
            """Paid."""
            return await self.count()

        @tool(read_only=False)
        async def writes(n: int = 0) -> dict[str, int]:
            """Writes."""
            return await self.count()

        @tool(needs_approval=True)
        async def asks(n: int = 0) -> dict[str, int]:
            """Asks."""
            return await self.count()

        return [free, other, paid, writes, asks]


async def runs(
    counter: Counter, cache: ToolCache, *calls: str | ToolCall, more: tuple[Middleware, ...] = ()
) -> list[int | str]:
    """What each call read, with all calls in one hop; a failure reads as its status."""
    history: list[Message] = [UserMessage("go")]
    batch = calling(
        *(
            call if isinstance(call, ToolCall) else ToolCall("", call.split()[0], arguments(call))
            for call in calls
        )
    )
    await play(
        ScriptedModel(batch, says("Done.")),
        counter.tools(),
        messages=history,
        middleware=[cache, *more],
        approver=Answers(),
    )
    read = [result_of(message) for message in history[2 : 2 + len(calls)]]
    return [answer.get("run", answer["status"]) for answer in read]


def arguments(call: str) -> str:
    n = call.partition(" ")[2]
    return f'{{"n": {n}}}' if n else "{}"


async def test_an_equal_call_is_answered_from_the_first() -> None:
    counter, cache = Counter(), tool_cache()
    assert await runs(counter, cache, "free 1") == [1]
    assert await runs(counter, cache, "free 1", "free 2", "other 1") == [1, 2, 3]


async def test_equal_means_validated_arguments_in_any_order() -> None:
    counter, cache = Counter(), tool_cache()
    await runs(counter, cache, ToolCall("", "free", '{"text": "a", "n": 1}'))
    again = ToolCall("", "free", '{"n": "1", "text": "a", "junk": true}')
    assert await runs(counter, cache, again) == [1]


async def test_a_call_that_comes_while_an_equal_one_runs_waits_for_it() -> None:
    counter = Counter()
    assert await runs(counter, tool_cache(), "free 1", "free 1") == [1, 1]
    assert counter.ran == 1


async def test_a_failure_is_not_stored_and_the_waiting_call_tries_for_itself() -> None:
    counter = Counter(fail_first=True)
    assert await runs(counter, tool_cache(), "free 1", "free 1") == ["not_found", 2]


async def test_the_age_counts_from_the_store_and_a_hit_does_not_renew_it() -> None:
    now = 0.0
    counter, cache = Counter(), tool_cache(ttl=10, clock=lambda: now)
    assert await runs(counter, cache, "free") == [1]
    now = 9.9
    assert await runs(counter, cache, "free") == [1]
    now = 10.0
    assert await runs(counter, cache, "free") == [2]
    now = 19.9
    assert await runs(counter, cache, "free") == [2]


async def test_the_least_recently_used_entry_is_removed_first() -> None:
    counter, cache = Counter(), tool_cache(max_size=2)
    for call in ("free 1", "free 2", "free 1", "free 3"):
        await runs(counter, cache, call)
    assert await runs(counter, cache, "free 1") == [1]
    assert await runs(counter, cache, "free 3") == [3]
    assert await runs(counter, cache, "free 2") == [4]


async def test_only_named_tools_are_cached_where_names_are_given() -> None:
    counter, cache = Counter(), tool_cache(tool_names=["other"])
    assert await runs(counter, cache, "free", "free", "other") == [1, 2, 3]
    assert await runs(counter, cache, "other") == [3]


async def test_what_costs_or_changes_or_asks_is_never_cached() -> None:
    for name in ("paid", "writes", "asks"):
        assert await runs(Counter(), tool_cache(), name, name) == [1, 2]


async def test_a_custom_key_decides_which_calls_are_equal() -> None:
    def by_name(name: str, arguments: Mapping[str, Any]) -> str:
        return name

    counter, cache = Counter(), tool_cache(key=by_name)
    assert await runs(counter, cache, "free 1") == [1]
    assert await runs(counter, cache, "free 2") == [1]


class Says(Middleware):
    """Says one thing before, one thing after each call."""

    def __init__(
        self,
        before: Skip | TransformArguments | None = None,
        after: ReplaceResult | None = None,
    ) -> None:
        self.before, self.after = before, after

    async def on_before_tool_call(
        self, run: RunContext, call: CallContext
    ) -> Skip | TransformArguments | None:
        return self.before

    async def on_after_tool_call(
        self, run: RunContext, call: CallContext, result: ToolResult
    ) -> ReplaceResult | None:
        return self.after


async def test_a_skip_of_another_middleware_is_never_stored() -> None:
    counter, cache = Counter(), tool_cache()
    assert await runs(counter, cache, "free", more=(Says(Skip({"run": 99})),)) == [99]
    assert await runs(counter, cache, "free") == [1]


async def test_a_result_is_stored_under_the_arguments_that_ran() -> None:
    counter, cache = Counter(), tool_cache()
    assert await runs(counter, cache, "free 1", more=(Says(TransformArguments({"n": 2})),)) == [1]
    assert await runs(counter, cache, "free 2", "free 1") == [1, 2]


async def test_what_the_tool_returned_is_stored_and_not_its_replacement() -> None:
    counter, cache = Counter(), tool_cache()
    replaced = Says(after=ReplaceResult({"run": 99}))
    assert await runs(counter, cache, "free", more=(replaced,)) == [99]
    assert await runs(counter, cache, "free") == [1]


async def test_a_stopped_run_leaves_no_call_waiting() -> None:
    stop, cache = Stop(), tool_cache()

    @tool()
    async def slow() -> None:
        """Slow."""
        stop.press()
        await asyncio.Event().wait()

    history: list[Message] = [UserMessage("go")]
    two = calling(ToolCall("a", "slow"), ToolCall("b", "slow"))
    agent = Agent(ScriptedModel(two), [slow], middleware=[cache])
    _ = [event async for event in agent.run(history, stop)]
    assert statuses(history) == [("a", "interrupted"), ("b", "interrupted")]

    @tool()
    async def fast() -> str:
        """A fast tool with the name of the slow one."""
        return "done"

    renamed = replace(fast, name="slow")
    again = ScriptedModel(two, says("Done."))
    await play(again, [renamed], messages=history, middleware=[cache])
    assert [status for _, status in statuses(history)][2:] == ["ok", "ok"]
