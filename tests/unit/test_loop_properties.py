"""The invariants of a run hold for any behaviour of model, tools, person and hooks."""

import asyncio
import json
import logging
import os
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tabloop.agent.budgets import paid_call_budget, tool_call_budget
from tabloop.agent.errors import ErrorStatus, ModelError, ToolError
from tabloop.agent.events import (
    ApprovalDecided,
    ApprovalRequested,
    Event,
    RunFinished,
    RunStarted,
    TextMessageEnd,
    TextMessageStart,
    ToolCallResult,
    ToolCallStart,
)
from tabloop.agent.loop import Agent
from tabloop.agent.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from tabloop.agent.middleware import (
    Abort,
    CallContext,
    Decision,
    Middleware,
    ReplaceResult,
    RunAborted,
    RunContext,
    Skip,
    TransformArguments,
)
from tabloop.agent.ports import (
    Approval,
    Approved,
    Approver,
    Declined,
    ModelReply,
    ModelRequest,
    TextDelta,
    Usage,
)
from tabloop.agent.results import ToolResult, error_result
from tabloop.agent.stop import Stop
from tabloop.agent.strategies import max_iterations
from tabloop.agent.tools import Tool, tool
from tabloop.contrib.cache import tool_cache

from tests.unit.virtual_time import VirtualTimeLoop

CODES: tuple[ErrorStatus, ...] = ("not_found", "fetch_failed", "payment_refused", "wrong_network")
STATUSES = {
    "ok",
    "tool_error",
    "user_declined",
    "invalid_arguments",
    "unknown_tool",
    "max_tokens",
    "budget_exhausted",
    "repeated_call",
    "interrupted",
    *CODES,
}

# What each party may do. A plan holds lists of these; each party takes the next one, round and
# round, so that a plan can be read, shrunk and run again.
Behaviour = Literal["ok", "slow", "fails", "crashes", "unwritable", "status", "cancelled", "clings"]
Decide = Literal["yes", "edit", "bad edit", "no", "never", "crashes", "clings", "cancelled"]
Hook = Literal["nothing", "waits", "speaks", "other", "aborts", "crashes", "cancelled"]
Ending = Literal["none", "stop", "cancel", "close"]
T = TypeVar("T")
S = TypeVar("S")


def mostly(common: st.SearchStrategy[T], rare: st.SearchStrategy[S]) -> st.SearchStrategy[T | S]:
    """Draw from `rare` one time in ten (`|` would do so one time in two)."""
    return st.sampled_from((False,) * 9 + (True,)).flatmap(lambda odd: rare if odd else common)


behaviours = st.lists(
    st.sampled_from(
        ("ok", "ok", "slow", "fails", "crashes", "unwritable", "status", "cancelled", "clings")
    ),
    min_size=1,
    max_size=4,
)
decisions = st.lists(
    mostly(
        st.sampled_from(("yes", "yes", "edit", "bad edit", "no", "clings")),
        st.sampled_from(("never", "crashes", "cancelled")),
    ),
    min_size=1,
    max_size=3,
)
hook_lists = st.lists(
    st.sampled_from(("nothing", "nothing", "nothing", "nothing", "waits", "speaks", "other")),
    min_size=1,
    max_size=8,
)
# Where a hook ends the run, counted in hooks called.
fatal_hooks = mostly(
    st.none(),
    st.tuples(st.integers(1, 30), st.sampled_from(("aborts", "crashes", "cancelled"))),
)
tool_names = mostly(
    st.sampled_from(("look", "look", "read", "draw", "pay", "write")),
    st.sampled_from(("functions.look", "nope", "", "  ")),
)
arguments = mostly(
    st.integers(1, 4).map('{{"n": {}}}'.format),
    st.sampled_from(
        (
            '{"n": 3, "extra": NaN}',
            '"{\\"n\\": 4}"',
            '{"n": "x"}',
            "",
            "null",
            "[1]",
            '{"n": ',
            '{"any": "\\ud800"}',
            '{"any": ' + "[" * 300 + "]" * 300 + "}",
        )
    )
    | st.text(max_size=6),
)
tool_calls = st.builds(
    ToolCall, st.sampled_from(("", "a", "b", "call00001")), tool_names, arguments
)
call_lists = mostly(st.lists(tool_calls, min_size=1, max_size=4), st.just([])).map(tuple)
texts = st.sampled_from((None, "", " \n", "Hello.", "\ud800"))
finish_reasons = mostly(
    st.sampled_from(("stop", "tool_calls", "odd")), st.sampled_from(("length", "content_filter"))
)
replies = st.builds(
    ModelReply,
    st.builds(AssistantMessage, texts, call_lists),
    finish_reasons,
    st.sampled_from((None, Usage(3, 4))),
)
deltas = st.lists(
    st.builds(TextDelta, st.sampled_from(("", " ", "Hel", "lo")), st.booleans()), max_size=3
)


@dataclass(frozen=True)
class Turn:
    """One reply of the model, or the way in which it fails."""

    deltas: list[TextDelta]
    reply: ModelReply | Literal["none", "model error", "crash", "cancelled"]
    delay: float = 0.0


turns = st.builds(
    Turn,
    deltas,
    mostly(replies, st.sampled_from(("none", "model error", "crash", "cancelled"))),
    st.sampled_from((0.0, 0.0, 0.5)),
)


@dataclass(frozen=True)
class Plan:
    """Everything that happens in one example."""

    turns: list[Turn]
    tools: list[Behaviour]
    people: list[Decide]
    has_approver: bool
    hooks: list[Hook]
    fatal_hook: tuple[int, Hook] | None
    ready_made: frozenset[str]
    limit: int
    open_calls: bool
    ending: Ending
    after: int  # event-loop turns (stop, cancel) or events (close) until the ending
    late: float  # additional seconds, if all tasks sleep


plans = st.builds(
    Plan,
    st.lists(turns, min_size=2, max_size=4),
    behaviours,
    decisions,
    st.sampled_from((True, True, True, False)),
    hook_lists,
    fatal_hooks,
    st.frozensets(st.sampled_from(("cache", "budget", "paid budget")), max_size=2),
    st.sampled_from((1, 2, 3, 4, 4)),
    st.booleans(),
    st.sampled_from(("none", "none", "stop", "stop", "cancel", "close")),
    st.sampled_from(range(120)),
    st.sampled_from((0.0, 0.0, 0.2, 1.5)),
)


class Shelf:
    """Returns the entries of a list in order, again from the start after the last one."""

    def __init__(self, entries: Sequence[Any]) -> None:
        self.entries, self.taken = entries, 0

    def next(self) -> Any:
        self.taken += 1
        return self.entries[(self.taken - 1) % len(self.entries)]


@dataclass
class World:
    """The parties of one run, and what they saw."""

    plan: Plan
    stop: Stop = field(default_factory=Stop)
    over: bool = False  # stopped, cancelled or closed: nothing may start any more
    late_starts: list[str] = field(default_factory=list[str])
    ran: Counter[str] = field(default_factory=Counter[str])
    in_turn_now: int = 0
    overlapped: bool = False
    asked: int = 0
    requests: list[ModelRequest] = field(default_factory=list[ModelRequest])

    def __post_init__(self) -> None:
        self.behaviours = Shelf(self.plan.tools)
        self.people = Shelf(self.plan.people)
        self.turns = Shelf(self.plan.turns)

    async def reply(self, request: ModelRequest) -> AsyncIterator[TextDelta | ModelReply]:
        self.start("the model")
        self.requests.append(request)
        turn: Turn = self.turns.next()
        for delta in turn.deltas:
            yield delta
            await asyncio.sleep(turn.delay)
        match turn.reply:
            case ModelReply():
                yield turn.reply
            case "model error":
                raise ModelError("server_error")
            case "crash":
                raise ZeroDivisionError
            case "cancelled":
                await cancelled_future()
            case "none":
                pass

    async def behave(self, n: int) -> object:
        """Do what the next entry says; every argument must be a valid one."""
        assert isinstance(n, int)
        behaviour: Behaviour = self.behaviours.next()
        match behaviour:
            case "ok":
                return {"n": n}
            case "slow":
                await asyncio.sleep(0.3)
                return [n]
            case "fails":
                raise ToolError(CODES[n % len(CODES)], "A reason\nof two lines. " * n * 20)
            case "crashes":
                raise ZeroDivisionError
            case "unwritable":
                return {"value": object(), "status": "ok"}
            case "status":
                return {"status": "fetch_failed", "reason": "x" * 999, "n": float("nan")}
            case "cancelled":
                return await cancelled_future()
            case "clings":  # finishes what it has begun
                try:
                    await asyncio.sleep(0.3)
                except asyncio.CancelledError:
                    await asyncio.sleep(0.1)
                return n

    async def decide(self, tool: Tool, arguments: Mapping[str, Any]) -> Approval:
        self.start("the person")
        self.asked += 1
        decision: Decide = self.people.next()
        await asyncio.sleep(0.1)
        match decision:
            case "yes":
                return Approved()
            case "edit":
                return Approved({"n": 7})
            case "bad edit":
                return Approved({"n": "seven"})
            case "no":
                return Declined("No,\nthank you.")
            case "never":
                await asyncio.Event().wait()
            case "cancelled":
                await cancelled_future()
            case "clings":
                try:
                    await asyncio.sleep(0.5)
                except asyncio.CancelledError:
                    return Approved()
            case "crashes":
                pass
        raise ZeroDivisionError

    def start(self, what: str) -> None:
        if self.over or self.stop.pressed:
            self.late_starts.append(what)

    async def run_tool(self, name: str, n: int, *, alone: bool) -> object:
        self.start(name)
        self.ran[name] += 1
        self.in_turn_now += alone
        self.overlapped |= self.in_turn_now > 1
        try:
            return await self.behave(n)
        finally:
            self.in_turn_now -= alone


playing: ContextVar[World] = ContextVar("playing")


# made once: making the schema of a tool takes longer than a run
@tool()
async def look(n: int = 0, any: object = None) -> object:  # noqa: A002 -- a name that a model may use
    """Look."""
    return await playing.get().run_tool("look", n, alone=False)


@tool()
async def read(n: int = 0) -> object:
    """Read."""
    return await playing.get().run_tool("read", n, alone=False)


@tool(needs_approval=True)
async def draw(n: int = 0) -> object:
    """Draw."""
    return await playing.get().run_tool("draw", n, alone=True)


@tool(paid=True, needs_approval=True)
async def pay(n: int = 0) -> object:
    """Pay."""
    return await playing.get().run_tool("pay", n, alone=True)


@tool(read_only=False)
async def write(n: int = 0) -> object:
    """Write."""
    return await playing.get().run_tool("write", n, alone=True)


async def cancelled_future() -> None:
    future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    future.cancel()
    await future


class Moody(Middleware):
    """At every hook does the next thing of its list; counts how the run ended for it."""

    def __init__(self, hooks: Sequence[Hook], fatal: tuple[int, Hook] | None) -> None:
        self.shelf = Shelf(hooks)
        self.fatal = fatal
        self.endings: list[str] = []
        self.after: Counter[str] = Counter()

    async def mood(self) -> Hook:
        hook: Hook = self.shelf.next()
        if self.fatal and self.shelf.taken == self.fatal[0]:
            hook = self.fatal[1]
        match hook:
            case "waits":
                await asyncio.sleep(0.1)
            case "aborts":
                raise RunAborted("a reason")
            case "crashes":
                raise ZeroDivisionError
            case "cancelled":
                await cancelled_future()
            case _:
                pass
        return hook

    async def on_start(self, run: RunContext) -> None:
        await self.mood()

    async def on_iteration(self, run: RunContext) -> None:
        await self.mood()

    async def on_usage(self, run: RunContext, usage: Usage) -> None:
        await self.mood()

    async def on_before_approval(self, run: RunContext, call: CallContext) -> Skip | None:
        return Skip({"skipped": True}) if await self.mood() == "speaks" else None

    async def on_before_tool_call(self, run: RunContext, call: CallContext) -> Decision:
        match await self.mood():
            case "speaks":
                return TransformArguments({"n": 8 if self.shelf.taken % 2 else "bad"})
            case "other" if self.shelf.taken % 8 == 0:
                return Abort("enough")
            case "other":
                return Skip(error_result("not_found", "No"))
            case _:
                return None

    async def on_after_tool_call(
        self, run: RunContext, call: CallContext, result: ToolResult
    ) -> ReplaceResult | None:
        self.after[call.id] += 1
        return ReplaceResult({"replaced": call.ran}) if await self.mood() == "speaks" else None

    async def on_tool_phase_complete(
        self, run: RunContext, results: Sequence[tuple[str, ToolResult]]
    ) -> None:
        await self.mood()

    async def on_should_continue(self, run: RunContext) -> bool | None:
        return {"speaks": True, "other": self.shelf.taken % 4 != 0}.get(await self.mood())

    async def on_finish(self, run: RunContext, text: str) -> None:
        self.endings.append("finish")
        await self.mood()

    async def on_abort(self, run: RunContext, reason: str) -> None:
        self.endings.append("abort")
        await self.mood()

    async def on_error(self, run: RunContext, error: Exception) -> None:
        self.endings.append("error")
        await self.mood()


async def run_example(plan: Plan) -> None:
    world = World(plan)
    playing.set(world)
    approver: Approver | None = world if plan.has_approver else None
    moody = [Moody(plan.hooks, None), Moody(plan.hooks[::-1], plan.fatal_hook)]
    makers: dict[str, Callable[[], Middleware]] = {
        "cache": tool_cache,
        "budget": lambda: tool_call_budget(max=3, max_per_turn=2),
        "paid budget": lambda: paid_call_budget(1),
    }
    ready_made = [makers[name]() for name in sorted(plan.ready_made)]
    agent = Agent(
        world,
        [look, read, draw, pay, write],
        approver=approver,
        strategy=max_iterations(plan.limit),
        middleware=[*ready_made, *moody],
    )
    given_messages: list[Message] = [UserMessage("go")]
    if plan.open_calls:
        given_messages += [
            AssistantMessage(None, (ToolCall("a", "look"), ToolCall("x", "look"))),
            ToolMessage("x", "{}"),
            ToolMessage("x", "{}"),
            ToolMessage("stray", "{}"),
            UserMessage("go on"),
        ]
    history = list(given_messages)
    events: list[Event] = []
    running = agent.run(history, world.stop)

    async def consume() -> None:
        async for event in running:
            events.append(event)
            if plan.ending == "close" and len(events) > plan.after:
                world.over = True
                await running.aclose()
                return

    task = asyncio.ensure_future(consume())

    async def end() -> None:
        for _ in range(plan.after):
            await asyncio.sleep(0)
        await asyncio.sleep(plan.late)
        if plan.ending == "stop":
            world.stop.press()
        elif plan.ending == "cancel":
            task.cancel()
            for _ in range(3):  # a cancellation reaches the inner tasks after some turns
                await asyncio.sleep(0)
            world.over = True

    ender = asyncio.ensure_future(end())
    await asyncio.wait({task}, timeout=100.0)
    if not task.done():  # a call waits for an approval that never comes
        world.stop.press()
        await asyncio.wait({task}, timeout=100.0)
    assert task.done(), "Stop does not end the run"
    await ender
    await asyncio.sleep(2.0)
    assert asyncio.all_tasks() == {asyncio.current_task()}, "tasks are left behind"

    assert plan.ending == "cancel" or not task.cancelled(), "cancelled by nobody"
    closed = task.cancelled() or (plan.ending == "close" and world.over)
    assert task.cancelled() or task.exception() is None, task
    check_history(history, given_messages)
    check_events(events, history, closed=closed)
    check_world(world, events, history)
    for member in moody:
        assert len(member.endings) == (1 if events else 0), member.endings
        assert set(member.after.values()) <= {1}, "an after-hook was asked twice for one call"


def check_history(history: list[Message], given_messages: list[Message]) -> None:
    """An independent reading of "sendable": what any endpoint accepts, checked in one pass."""
    kept = [message for message in given_messages if not isinstance(message, ToolMessage)]
    assert [item for item in history if not isinstance(item, ToolMessage)][: len(kept)] == kept
    expected: list[str] = []  # ids that must be answered next, in this order
    used: set[str] = set()
    for message in history:
        if isinstance(message, ToolMessage):
            assert expected, "a result without a call, or a second one"
            assert message.tool_call_id == expected.pop(0)
            check_content(message.content)
            continue
        assert not expected, f"calls without results: {expected}"
        if isinstance(message, AssistantMessage):
            for call in message.tool_calls:
                assert call.id, "a call without an id"
                assert call.id not in used, f"{call.id} twice"
                assert call.name.strip()
                used.add(call.id)
                expected.append(call.id)
    assert not expected, f"calls without results: {expected}"


def check_content(content: str) -> None:
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    if content == "{}":  # the one in the given history
        return
    fields = json.loads(content, parse_constant=refuse)
    assert fields["status"] in STATUSES
    if "reason" in fields:
        assert len(fields["reason"]) <= 200
        assert "\n" not in fields["reason"]


def check_events(events: list[Event], history: list[Message], *, closed: bool) -> None:
    contents = {
        message.tool_call_id: message.content
        for message in history
        if isinstance(message, ToolMessage)
    }
    started = [event.tool_call_id for event in events if isinstance(event, ToolCallStart)]
    results = [event for event in events if isinstance(event, ToolCallResult)]
    answered = [event.tool_call_id for event in results]
    asked = [
        (event.tool_call_id, repr(event.arguments))
        for event in events
        if isinstance(event, ApprovalRequested)
    ]
    decided = [event.tool_call_id for event in events if isinstance(event, ApprovalDecided)]
    texts_begun = [event.message_id for event in events if isinstance(event, TextMessageStart)]
    texts_ended = [event.message_id for event in events if isinstance(event, TextMessageEnd)]
    assert max(Counter(started + texts_begun).values(), default=0) <= 1
    assert max(Counter(answered).values(), default=0) <= 1, "two results for one call"
    assert max(Counter(asked).values(), default=0) <= 1, "asked twice for the same arguments"
    assert set(decided) <= {call_id for call_id, _ in asked}
    assert all(contents[event.tool_call_id] == event.content for event in results)
    assert isinstance(events[0], RunStarted) if events else closed
    finished = [event for event in events if isinstance(event, RunFinished)]
    if not closed:
        assert sorted(answered) == sorted(started), "one ToolCallResult for each call"
        assert texts_ended == texts_begun
        assert [events[-1]] == finished, "one RunFinished, and it is the last"


def check_world(world: World, events: list[Event], history: list[Message]) -> None:
    approved = [event for event in events if isinstance(event, ApprovalDecided) and event.approved]
    requested = [event for event in events if isinstance(event, ApprovalRequested)]
    assert world.late_starts == [], "started after the end"
    assert not world.overlapped, "two calls that go in turn ran side by side"
    assert len(world.requests) <= world.plan.limit
    if isinstance(events[-1] if events else None, RunFinished):
        assert world.ran["draw"] + world.ran["pay"] <= len(approved)
        assert world.asked <= len(requested)
    if "paid budget" in world.plan.ready_made:
        assert world.ran["pay"] <= 1
    if "budget" in world.plan.ready_made:
        assert sum(world.ran.values()) <= 3
    declared = [call.name for message in history for call in getattr(message, "tool_calls", ())]
    assert sum(world.ran.values()) <= len(declared)


@pytest.fixture(scope="module", autouse=True)
def _quiet() -> AsyncIterator[None] | Any:
    """Do not log the errors of tools: thousands of them are raised on purpose."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@settings(
    max_examples=2000 if "TABLOOP_THOROUGH" in os.environ else 400,
    suppress_health_check=[HealthCheck.data_too_large],
)
@given(plans)
def test_the_invariants_of_a_run_hold_for_any_plan(plan: Plan) -> None:
    loop = VirtualTimeLoop()
    try:
        loop.run_until_complete(run_example(plan))
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()
