"""What an agent is given works, or is refused at once with a sentence that says what to do."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextvars import ContextVar
from functools import partial
from typing import Annotated, Any

import pytest
from pydantic import BeforeValidator
from tabloop.agent.errors import SetupError
from tabloop.agent.events import RunFinished, TextMessageContent
from tabloop.agent.loop import Agent
from tabloop.agent.messages import AssistantMessage, Message, ToolCall, UserMessage
from tabloop.agent.middleware import CallContext, RunContext, Skip
from tabloop.agent.ports import Approved, ModelReply, ModelRequest, TextDelta
from tabloop.agent.results import ToolResult
from tabloop.agent.stop import Stop
from tabloop.agent.strategies import LoopState, combine_strategies
from tabloop.agent.tools import Tool, tool
from tabloop.contrib.scripted import ScriptedModel

from tests.unit.fakes import Answers, calling, play, result_of, says, statuses


@tool
async def look(n: int = 0) -> int:
    """Look."""
    return n


async def never_ends(state: LoopState) -> bool:
    """A strategy that is a coroutine function."""
    return False


class AsyncCallable:
    async def __call__(self, state: LoopState) -> bool:
        return False


class SyncHook:
    def on_start(self, run: RunContext) -> None:
        """Not async."""


class Misspelt:
    async def on_finnish(self, run: RunContext, text: str) -> None:
        """No such hook."""


# what a type checker would refuse, as an owner without one could write it
ASYNC: Any = never_ends
CALLABLE: Any = AsyncCallable()
NUMBER: Any = 3
PLAIN_FUNCTION: Any = asyncio.sleep

NEVER_ENDS = "a strategy must be a plain function: an async one never ends a run"
NO_FUNCTION = (
    f"{partial(asyncio.sleep, 1)!r} is no function: write `async def name(...)` for a tool"
)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Agent(ScriptedModel(), strategy=ASYNC), NEVER_ENDS),
        (lambda: Agent(ScriptedModel(), strategy=partial(ASYNC)), NEVER_ENDS),
        (lambda: Agent(ScriptedModel(), strategy=CALLABLE), NEVER_ENDS),
        (
            lambda: Agent(ScriptedModel(), strategy=NUMBER),
            "3 is no strategy: give a function of a LoopState",
        ),
        (lambda: combine_strategies([ASYNC]), NEVER_ENDS),
        (
            lambda: Agent(ScriptedModel(), middleware=[SyncHook()]),
            "the hook on_start of SyncHook must be an async function",
        ),
        (
            lambda: Agent(ScriptedModel(), middleware=[Misspelt()]),
            "the middleware Misspelt has an unknown hook on_finnish; known: "
            "on_abort, on_after_tool_call, on_before_approval, on_before_tool_call, on_config, "
            "on_error, on_finish, on_iteration, on_should_continue, on_start, "
            "on_tool_phase_complete, on_usage",
        ),
        (
            lambda: Agent(ScriptedModel(), middleware=["on_start"]),
            "'on_start' is no middleware: give an object with hooks like on_start",
        ),
        (
            lambda: Agent(ScriptedModel(), middleware=[Misspelt]),
            f"{Misspelt!r} is no middleware: give an object with hooks like on_start",
        ),
        (
            lambda: Agent(ScriptedModel(), [PLAIN_FUNCTION]),
            f"{PLAIN_FUNCTION!r} is no tool: put @tool above the async function",
        ),
        (lambda: tool(partial(asyncio.sleep, 1)), NO_FUNCTION),
        (lambda: tool()(partial(asyncio.sleep, 1)), NO_FUNCTION),
    ],
    ids=lambda value: type(value).__name__,  # some sentences have an address in memory
)
def test_a_part_that_could_not_work_is_refused_at_once(
    make: Callable[[], object], sentence: str
) -> None:
    with pytest.raises(SetupError) as caught:
        make()
    assert (caught.value.code, caught.value.detail) == ("setup", sentence)


WRITE = 'write UserMessage("...") or another message class'
NO_LIST = 'the messages must be a list, such as [UserMessage("...")]'


@pytest.mark.parametrize(
    ("messages", "sentence"),
    [
        ([{"role": "user", "content": "go"}], f"messages[0] is a dict: {WRITE}"),
        ([UserMessage("a"), "b"], f"messages[1] is a str: {WRITE}"),
        ("go", NO_LIST),
        ((UserMessage("go"),), NO_LIST),
    ],
)
async def test_messages_of_another_form_are_refused_before_anything_is_sent(
    messages: Any, sentence: str
) -> None:
    model = ScriptedModel()
    with pytest.raises(SetupError) as caught:
        await anext(Agent(model).run(messages))
    assert caught.value.detail == sentence
    assert not model.requests


async def test_a_strategy_that_returns_a_coroutine_ends_the_run() -> None:
    def loose(state: LoopState) -> Any:
        return never_ends(state)

    history: list[Message] = [UserMessage("go")]
    model = ScriptedModel(calling(ToolCall("a", "look")))
    with pytest.warns(RuntimeWarning, match="never awaited"):
        await play(model, [look], messages=history, strategy=loose)
    assert statuses(history) == [("a", "ok")]


async def test_an_object_with_one_hook_is_middleware() -> None:
    class Refuses:
        async def on_before_tool_call(self, run: RunContext, call: CallContext) -> Skip:
            return Skip({"refused": call.id})

    model = ScriptedModel(calling(ToolCall("a", "look")), says("Done."))
    history: list[Message] = [UserMessage("go")]
    await play(model, [look], messages=history, middleware=[Refuses()])
    assert result_of(history[2]) == {"status": "ok", "refused": "a"}


def percent(value: object) -> int:
    if not isinstance(value, str):
        raise AttributeError("this validator reads text only")
    return int(value.removesuffix("%"))


@tool(needs_approval=True)
async def share(part: Annotated[int, BeforeValidator(percent)]) -> int:
    """Share."""
    return part


async def test_arguments_are_validated_once() -> None:
    model = ScriptedModel(calling(ToolCall("a", "share", '{"part": "5%"}')), says("Done."))
    history: list[Message] = [UserMessage("go")]
    await play(model, [share], messages=history, approver=Answers())
    assert result_of(history[2]) == {"status": "ok", "result": 5}


@pytest.mark.parametrize("edited", [False, True])
async def test_a_validator_that_fails_in_itself_refuses_the_call(edited: bool) -> None:
    first, approver = (
        ('{"part": "5%"}', Answers([Approved({"part": 7})]))
        if edited
        else ('{"part": 5}', Answers())
    )
    model = ScriptedModel(calling(ToolCall("a", "share", first)), says("Done."))
    history: list[Message] = [UserMessage("go")]
    events = await play(model, [share], messages=history, approver=approver)
    assert statuses(history) == [("a", "invalid_arguments")]
    assert isinstance(events[-1], RunFinished)
    assert events[-1].text == "Done."


async def test_a_call_that_ran_with_edited_arguments_has_its_result_whatever_its_form() -> None:
    @tool(needs_approval=True)
    async def write(text: str) -> ToolResult:
        """Write."""
        return ToolResult("ok", "written, but this is no JSON")

    model = ScriptedModel(calling(ToolCall("a", "write", '{"text": "x"}')), says("Done."))
    history: list[Message] = [UserMessage("go")]
    approver = Answers([Approved({"text": "y"})])
    await play(model, [write], messages=history, approver=approver)
    assert result_of(history[2]) == {
        "result": "written, but this is no JSON",
        "arguments": {"text": "y"},
    }


SEEN: ContextVar[str] = ContextVar("SEEN")


class OneTaskModel:
    """Uses what works only if all its steps run in one task."""

    async def reply(self, request: ModelRequest) -> AsyncIterator[TextDelta | ModelReply]:
        token = SEEN.set("mine")
        try:
            async with asyncio.timeout(5):
                yield TextDelta("Wait")
                await asyncio.sleep(9)
        except TimeoutError:
            yield TextDelta(f"ed by {SEEN.get()}")
        SEEN.reset(token)
        yield ModelReply(AssistantMessage("Waited by mine"))


async def test_a_model_may_use_a_time_limit_and_context_variables_across_its_parts() -> None:
    events = [event async for event in Agent(OneTaskModel()).run([UserMessage("go")])]
    texts = [event.delta for event in events if isinstance(event, TextMessageContent)]
    assert "".join(texts) == "Waited by mine"
    assert asyncio.get_running_loop().time() == 5


class ClingingModel:
    """Ignores that its request is cancelled, for four seconds."""

    async def reply(self, request: ModelRequest) -> AsyncIterator[TextDelta | ModelReply]:
        try:
            await asyncio.sleep(100)
        except asyncio.CancelledError:
            await asyncio.sleep(4)
        yield ModelReply(AssistantMessage("late"))


class ClingingApprover:
    """Ignores that its question is withdrawn, and then says yes."""

    async def decide(self, tool: Tool, arguments: Mapping[str, Any]) -> Approved:
        try:
            await asyncio.sleep(100)
        except asyncio.CancelledError:
            await asyncio.sleep(4)
        return Approved()


@pytest.mark.parametrize("who", ["model", "approver"])
async def test_a_part_that_ignores_cancellation_delays_stop_for_one_second(who: str) -> None:
    ran: list[int] = []

    @tool(needs_approval=True)
    async def pay() -> None:
        """Pay."""
        ran.append(1)

    stop, history = Stop(), list[Message]([UserMessage("go")])
    loop = asyncio.get_running_loop()
    loop.call_later(1, stop.press)
    model = ClingingModel() if who == "model" else ScriptedModel(calling(ToolCall("a", "pay")))
    agent = Agent(model, [pay], approver=ClingingApprover())
    events = [event async for event in agent.run(history, stop)]
    assert loop.time() == pytest.approx(2)
    before = list(history)
    await asyncio.sleep(9)
    assert isinstance(events[-1], RunFinished)
    assert events[-1].outcome == "stopped"
    assert history == before
    assert not ran
