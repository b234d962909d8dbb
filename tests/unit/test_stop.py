"""A person's Stop: noticed at every await, and nothing starts after it."""

import asyncio
import gc
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from typing import NoReturn

import pytest
from tabloop.agent.events import (
    ApprovalRequested,
    Event,
    RunFinished,
    StepStarted,
    TextMessageContent,
    TextMessageEnd,
    ToolCallEnd,
    ToolCallResult,
    ToolCallStart,
)
from tabloop.agent.loop import Agent
from tabloop.agent.messages import Message, ToolCall, ToolMessage, UserMessage
from tabloop.agent.middleware import CallContext, Middleware, RunContext
from tabloop.agent.ports import Approval, Approved, ModelReply, ModelRequest, TextDelta, Usage
from tabloop.agent.results import ToolResult
from tabloop.agent.stop import CANCEL_TIMEOUT, Stop, Stopped, cancel_and_wait
from tabloop.agent.tools import Tool, tool
from tabloop.contrib.scripted import ScriptedModel

from tests.unit.fakes import HangingModel, calling, calls, says, statuses


class Recorder(Middleware):
    def __init__(self) -> None:
        self.endings: list[str] = []

    async def on_finish(self, run: RunContext, text: str) -> None:
        self.endings.append("finish")

    async def on_abort(self, run: RunContext, reason: str) -> None:
        self.endings.append(f"abort: {reason}")

    async def on_error(self, run: RunContext, error: Exception) -> None:
        self.endings.append("error")


async def test_a_second_press_does_nothing() -> None:
    stop = Stop()
    assert not stop.pressed
    stop.press()
    stop.press()
    assert stop.pressed
    await stop.wait()


async def test_a_race_gives_the_result_or_the_error() -> None:
    async def fail() -> NoReturn:
        raise ZeroDivisionError

    assert await Stop().race(asyncio.sleep(0, "result")) == "result"
    with pytest.raises(ZeroDivisionError):
        await Stop().race(fail())


async def test_a_stop_that_was_pressed_before_starts_nothing() -> None:
    started: list[str] = []

    async def work() -> None:
        started.append("work")

    stop = Stop()
    stop.press()
    with pytest.raises(Stopped):
        await stop.race(work())
    assert started == []


async def test_a_stop_after_the_work_starts_nothing() -> None:
    async def work(put: Callable[[int], None]) -> None:
        put(1)

    stop = Stop()
    assert [item async for item in stop.stream(work)] == [1]
    stop.press()
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_work_that_cancels_itself_gives_an_error_and_does_not_cancel_its_caller() -> None:
    async def work() -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        future.cancel()
        await future

    with pytest.raises(
        RuntimeError, match=r"^something that was awaited was cancelled from inside$"
    ):
        await Stop().race(work())


async def test_cancelling_the_caller_cancels_the_work() -> None:
    ended: list[str] = []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("work")

    task = asyncio.ensure_future(Stop().race(work()))
    await asyncio.sleep(0.001)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended == ["work"]


async def test_work_that_ignores_its_cancellation_delays_stop_for_one_second() -> None:
    free = asyncio.Event()

    async def stubborn() -> None:
        while not free.is_set():
            try:
                await free.wait()
            except asyncio.CancelledError:
                continue
        raise ZeroDivisionError  # an error after Stop is not reported

    work = asyncio.ensure_future(stubborn())
    await asyncio.sleep(0)
    now = asyncio.get_running_loop().time
    began = now()
    await cancel_and_wait(work)
    assert now() - began == pytest.approx(CANCEL_TIMEOUT) == pytest.approx(1)
    assert not work.done()
    free.set()
    await asyncio.wait({work})


async def run(
    agent: Agent, history: list[Message], stop: Stop, press_at: type[Event] | None = None
) -> list[Event]:
    events: list[Event] = []
    async for event in agent.run(history, stop):
        events.append(event)
        if press_at and isinstance(event, press_at):
            stop.press()
    assert [event for event in events if isinstance(event, RunFinished)] == [events[-1]]
    return events


async def test_stop_while_the_model_is_asked_aborts_the_request() -> None:
    stop, model, hooks = Stop(), HangingModel(), Recorder()
    task = asyncio.ensure_future(run(Agent(model, middleware=[hooks]), [UserMessage("go")], stop))
    await model.asked.wait()
    stop.press()
    assert (await task)[-1] == RunFinished("stopped", finish_reason="")
    assert model.cancelled, "the request is given up"
    assert hooks.endings == ["abort: stopped"]


class Streaming:
    """Streams for ever; `closed` says whether its request was ended."""

    def __init__(self) -> None:
        self.closed = False

    async def reply(self, request: ModelRequest) -> AsyncIterator[TextDelta | ModelReply]:
        try:
            while True:
                yield TextDelta("word ")
        finally:
            self.closed = True


async def test_stop_between_two_words_ends_the_request_and_the_text() -> None:
    model = Streaming()
    events = await run(Agent(model), [UserMessage("go")], Stop(), TextMessageContent)
    assert model.closed
    assert events[-2:] == [TextMessageEnd("text1"), RunFinished("stopped", finish_reason="")]


class Endless:
    """A stream without `aclose`: an iterator is all that the port asks for."""

    def reply(self, request: ModelRequest) -> AsyncIterator[TextDelta | ModelReply]:
        return self

    def __aiter__(self) -> AsyncIterator[TextDelta | ModelReply]:
        return self

    async def __anext__(self) -> TextDelta | ModelReply:
        return TextDelta("word ")


async def test_a_model_that_is_no_generator_is_stopped_as_well() -> None:
    events = await run(Agent(Endless()), [UserMessage("go")], Stop(), TextMessageContent)
    assert events[-1] == RunFinished("stopped", finish_reason="")


async def test_stop_before_the_start_sends_nothing() -> None:
    stop = Stop()
    stop.press()
    model, hooks = ScriptedModel(), Recorder()
    events = await run(Agent(model, middleware=[hooks]), [UserMessage("go")], stop)
    assert model.requests == []
    assert events[-1] == RunFinished("stopped", finish_reason="")
    assert hooks.endings == ["abort: stopped"]


@pytest.mark.parametrize("moment", [StepStarted, ToolCallStart, ToolCallEnd])
async def test_stop_between_two_events_runs_no_tool(moment: type[Event]) -> None:
    ran: list[str] = []

    @tool()
    async def look() -> None:
        """Look."""
        ran.append("look")

    history: list[Message] = [UserMessage("go")]
    model = ScriptedModel(calls("look", "a"))
    events = await run(Agent(model, [look]), history, Stop(), moment)
    started = [event for event in events if isinstance(event, ToolCallStart)]
    assert ran == []
    assert statuses(history) == [("a", "interrupted") for _ in started]
    assert len([event for event in events if isinstance(event, ToolCallResult)]) == len(started)


async def test_stop_while_tools_run_interrupts_open_calls_and_keeps_finished_ones() -> None:
    stop = Stop()
    given_up: list[str] = []

    @tool()
    async def quick() -> str:
        """Quick."""
        return "done"

    @tool()
    async def slow() -> None:
        """Slow."""
        try:
            await asyncio.Event().wait()
        finally:
            given_up.append("slow")

    @tool(paid=True)
    async def pay() -> None:
        """Pay."""
        given_up.append("pay")
        stop.press()
        await asyncio.Event().wait()

    history: list[Message] = [UserMessage("go")]
    model = ScriptedModel(calling(*(ToolCall(name, name) for name in ("slow", "quick", "pay"))))
    events = await run(Agent(model, [quick, slow, pay]), history, stop)
    assert statuses(history) == [("slow", "interrupted"), ("quick", "ok"), ("pay", "interrupted")]
    assert sorted(given_up) == ["pay", "slow"]
    results = [event for event in events if isinstance(event, ToolCallResult)]
    assert [(event.tool_call_id, event.status) for event in results] == [
        ("quick", "ok"),
        ("slow", "interrupted"),
        ("pay", "interrupted"),
    ]


async def test_the_result_of_a_tool_that_finishes_despite_stop_is_kept_and_nothing_follows() -> (
    None
):
    stop = Stop()
    ran: list[int] = []

    @tool(read_only=False)
    async def write(n: int) -> int:
        """Write."""
        ran.append(n)
        stop.press()
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        return n  # the write was finished before Stop

    history: list[Message] = [UserMessage("go")]
    two = calling(*(ToolCall(str(n), "write", f'{{"n": {n}}}') for n in (1, 2)))
    await run(Agent(ScriptedModel(two), [write]), history, stop)
    assert ran == [1]
    assert statuses(history) == [("1", "ok"), ("2", "interrupted")]


class Card:
    """A card on the page: closed when the run is stopped, and then it says yes or nothing."""

    def __init__(self, *, says_yes_when_closed: bool) -> None:
        self.says_yes_when_closed = says_yes_when_closed
        self.closed = 0

    async def decide(self, tool: Tool, arguments: Mapping[str, object]) -> Approval:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.closed += 1
            if not self.says_yes_when_closed:
                raise
        return Approved()


@pytest.mark.parametrize("late_yes", [False, True])
async def test_stop_while_a_person_is_asked_closes_the_card_and_a_late_yes_runs_nothing(
    late_yes: bool,
) -> None:
    ran: list[str] = []

    @tool(needs_approval=True)
    async def draw(n: int = 0) -> None:
        """Draw."""
        ran.append("draw")

    card, history = Card(says_yes_when_closed=late_yes), list[Message]([UserMessage("go")])
    two = calling(ToolCall("a", "draw"), ToolCall("b", "draw", '{"n": 1}'))
    agent = Agent(ScriptedModel(two), [draw], approver=card)
    events = await run(agent, history, Stop(), ApprovalRequested)
    assert card.closed == 1, "the second card was never opened"
    assert ran == []
    assert statuses(history) == [("a", "interrupted"), ("b", "interrupted")]
    assert isinstance(events[-1], RunFinished)
    assert events[-1].outcome == "stopped"


HOOKS = [
    "on_start",
    "on_iteration",
    "on_config",
    "on_usage",
    "on_before_approval",
    "on_before_tool_call",
    "on_after_tool_call",
    "on_tool_phase_complete",
    "on_should_continue",
]


@pytest.mark.parametrize("name", HOOKS)
async def test_stop_while_a_hook_waits_ends_the_run(name: str) -> None:
    stop, hooks = Stop(), Recorder()

    @tool(needs_approval=True)
    async def draw() -> None:
        """Draw."""

    class Yes:
        async def decide(self, tool: Tool, arguments: Mapping[str, object]) -> Approval:
            return Approved()

    async def wait_for_ever(*_: object) -> None:
        stop.press()
        await asyncio.Event().wait()

    setattr(hooks, name, wait_for_ever)
    history: list[Message] = [UserMessage("go")]
    agent = Agent(ScriptedModel(calls("draw", "a")), [draw], approver=Yes(), middleware=[hooks])
    events = await run(agent, history, stop)
    assert isinstance(events[-1], RunFinished)
    assert events[-1].outcome == "stopped"
    assert hooks.endings == ["abort: stopped"]
    done = name in HOOKS[6:]
    expected = [("a", "ok" if done else "interrupted")] if name in HOOKS[3:] else []
    assert statuses(history) == expected


async def test_the_history_can_be_sent_again_at_once() -> None:
    @tool()
    async def slow() -> None:
        """Slow."""
        await asyncio.Event().wait()

    stop, history = Stop(), list[Message]([UserMessage("go")])
    task = asyncio.ensure_future(
        run(Agent(ScriptedModel(calls("slow", "a")), [slow]), history, stop)
    )
    await asyncio.sleep(0.01)
    stop.press()
    await task
    model = ScriptedModel(says("Then not."))
    await run(Agent(model), history, Stop())
    assert [type(message).__name__ for message in model.asked[0]][-2:] == [
        "AssistantMessage",
        "ToolMessage",
    ]


@pytest.mark.parametrize("how", ["cancel", "close", "cancel twice"])
async def test_a_run_that_is_cancelled_or_closed_answers_every_call(how: str) -> None:
    ended: list[str] = []

    @tool()
    async def slow() -> None:
        """Slow."""
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.01)
            ended.append("slow")

    hooks, history = Recorder(), list[Message]([UserMessage("go")])
    agent = Agent(ScriptedModel(calls("slow", "a")), [slow], middleware=[hooks])
    running = agent.run(history)

    async def consume() -> None:
        async for event in running:
            if how == "close" and isinstance(event, ToolCallEnd):
                break
        await running.aclose()

    task = asyncio.ensure_future(consume())
    await asyncio.sleep(0.005)
    if how != "close":
        task.cancel()
        if how == "cancel twice":
            await asyncio.sleep(0.001)
            task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert statuses(history) == [("a", "interrupted")]
        await asyncio.sleep(0.02)
        assert ended == ["slow"]
    else:
        await task
        assert not any(isinstance(message, ToolMessage) for message in history)
    assert hooks.endings == ["abort: closed"]


async def test_a_run_closed_while_its_hop_ends_leaves_no_open_call() -> None:
    @tool()
    async def look() -> None:
        """Look."""

    for events_until_closed in range(1, 12):
        history: list[Message] = [UserMessage("go")]
        running = Agent(ScriptedModel(calls("look", "a"), says("Hi.")), [look]).run(history)
        for _ in range(events_until_closed):
            await anext(running)
        await running.aclose()
        answered = [message for message in history if isinstance(message, ToolMessage)]
        asked = [call for item in history for call in getattr(item, "tool_calls", ())]
        assert len(answered) == len(asked)


async def test_a_run_closed_at_its_first_event_still_calls_its_ending_hooks() -> None:
    hooks = Recorder()
    running = Agent(ScriptedModel(), middleware=[hooks]).run([UserMessage("go")])
    await anext(running)
    await running.aclose()
    assert hooks.endings == ["abort: closed"]


async def test_a_stop_in_the_very_moment_of_the_request_sends_nothing() -> None:
    stop, model = Stop(), ScriptedModel(says("Hi."))
    async for event in Agent(model).run([UserMessage("go")], stop):
        if isinstance(event, StepStarted):
            asyncio.get_running_loop().call_soon(stop.press)
    assert model.requests == []


class Presses(Middleware):
    """Somebody presses Stop while the last hook before a tool looks at the call."""

    def __init__(self, stop: Stop) -> None:
        self.stop = stop

    async def on_before_tool_call(self, run: RunContext, call: CallContext) -> None:
        self.stop.press()


async def test_a_stop_in_the_last_hook_before_a_tool_is_in_time() -> None:
    ran: list[str] = []

    @tool()
    async def look() -> None:
        """Look."""
        ran.append("look")

    stop, history = Stop(), list[Message]([UserMessage("go")])
    agent = Agent(ScriptedModel(calls("look", "a")), [look], middleware=[Presses(stop)])
    await run(agent, history, stop)
    assert ran == []
    assert statuses(history) == [("a", "interrupted")]


class PressesBeforeTheCard(Middleware):
    """Somebody presses Stop while a hook looks at the call that will need a person."""

    def __init__(self, stop: Stop) -> None:
        self.stop = stop

    async def on_before_approval(self, run: RunContext, call: CallContext) -> None:
        self.stop.press()


async def test_a_stop_in_the_last_hook_before_a_card_opens_no_card() -> None:
    asked: list[str] = []

    class Person:
        async def decide(self, tool: Tool, arguments: Mapping[str, object]) -> Approval:
            asked.append(tool.name)
            return Approved()

    @tool(needs_approval=True)
    async def draw() -> None:
        """Draw."""

    stop, history = Stop(), list[Message]([UserMessage("go")])
    hooks = [PressesBeforeTheCard(stop)]
    agent = Agent(ScriptedModel(calls("draw", "a")), [draw], approver=Person(), middleware=hooks)
    events = await run(agent, history, stop)
    assert asked == []
    assert [event for event in events if isinstance(event, ApprovalRequested)] == []
    assert statuses(history) == [("a", "interrupted")]


async def test_a_stop_before_the_tools_asks_no_hook_about_them() -> None:
    asked: list[str] = []

    class Listens(Middleware):
        async def on_usage(self, run: RunContext, usage: Usage | None) -> None:
            asked.append("usage")

        async def on_tool_phase_complete(
            self, run: RunContext, results: Sequence[tuple[str, ToolResult]]
        ) -> None:
            asked.append("tools")

    @tool()
    async def look() -> None:
        """Look."""

    agent = Agent(ScriptedModel(calls("look", "a")), [look], middleware=[Listens()])
    history: list[Message] = [UserMessage("go")]
    events = await run(agent, history, Stop(), ToolCallEnd)
    assert asked == []
    assert [event.arguments for event in events if isinstance(event, ToolCallResult)] == [{}]


async def test_work_that_fails_when_it_is_stopped_is_not_reported_as_lost() -> None:
    reported: list[str] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: reported.append(context["message"]))

    async def fails() -> NoReturn:
        try:
            await asyncio.Event().wait()
        finally:
            raise RuntimeError("cleaning up failed")

    work = asyncio.ensure_future(fails())
    await asyncio.sleep(0)
    await cancel_and_wait(work)
    assert work.done()
    del work
    gc.collect()
    assert reported == []
