"""Tools that know their call, tell how far they are, and the limits of a run that are ours."""

import asyncio

import pytest
from tabloop import Agent, Limits, SetupError, Stop, ToolContext, UserMessage, tool
from tabloop.agent.events import Event, ToolCallProgress, ToolCallResult
from tabloop.agent.messages import Message
from tabloop.agent.ports import ModelReply
from tabloop.agent.strategies import max_iterations
from tabloop.contrib.scripted import ScriptedModel, calls

from tests.unit.fakes import play, statuses

Told = list[tuple[str, str]]


def told(events: list[Event]) -> Told:
    """Progress and results, in their order."""
    found: Told = []
    for event in events:
        if isinstance(event, ToolCallProgress):
            found.append((event.tool_call_id, event.text))
        elif isinstance(event, ToolCallResult):
            found.append((event.tool_call_id, event.status))
    return found


@tool
async def index(pages: int, call: ToolContext) -> dict[str, str]:
    """Index pages."""
    for page in range(1, pages + 1):
        call.progress(f"page {page}\n of {pages}")
        await asyncio.sleep(0)
    call.progress(" ")
    return {"call": call.call_id}


async def test_a_tool_tells_how_far_it_is_and_the_model_sees_no_context() -> None:
    assert list(index.parameters["properties"]) == ["pages"]
    assert index.parameters["required"] == ["pages"]
    model = ScriptedModel(calls("index", "a", pages=2), "Done.")
    assert told(await play(model, [index])) == [
        ("a", "page 1 of 2"),
        ("a", "page 2 of 2"),
        ("a", "ok"),
    ]
    assert '"call":"a"' in str(model.asked[1][-1])


async def test_calls_side_by_side_have_a_context_each() -> None:
    first, second = calls("index", "a", pages=1), calls("index", "b", pages=2)
    both = first.message.tool_calls + second.message.tool_calls
    model = ScriptedModel(ModelReply(type(first.message)(None, both), "tool_calls"), "Done.")
    events = told(await play(model, [index]))
    assert [one for one in events if one[0] == "a"] == [("a", "page 1 of 1"), ("a", "ok")]
    assert [one for one in events if one[0] == "b"][-2:] == [("b", "page 2 of 2"), ("b", "ok")]


async def test_progress_after_the_result_is_dropped() -> None:
    later: list[asyncio.Task[None]] = []

    @tool
    async def begin(context: ToolContext) -> str:
        """Begin something that goes on."""

        async def go_on() -> None:
            await asyncio.sleep(1)
            context.progress("late")

        later.append(asyncio.ensure_future(go_on()))
        return "begun"

    @tool
    async def wait() -> str:
        """Wait."""
        await asyncio.sleep(5)
        return "waited"

    model = ScriptedModel(calls("begin", "a"), calls("wait", "b"), "Done.")
    assert told(await play(model, [begin, wait])) == [("a", "ok"), ("b", "ok")]
    assert all(task.done() for task in later)


async def test_a_tool_sees_the_stop_of_its_run() -> None:
    seen: list[bool] = []

    @tool
    async def look(context: ToolContext) -> None:
        """Look until the run is stopped."""
        try:
            await asyncio.sleep(9)
        finally:
            seen.append(context.stop.pressed)

    stop, history = Stop(), list[Message]([UserMessage("go")])
    asyncio.get_running_loop().call_later(1, stop.press)
    await play(ScriptedModel(calls("look", "a")), [look], messages=history, stop=stop)
    assert seen == [True]
    assert statuses(history) == [("a", "interrupted")]


async def test_a_tool_with_a_context_can_be_called_without_a_run() -> None:
    assert await index.run(index.validate({"pages": 1})) == {"call": ""}


def test_two_contexts_are_refused() -> None:
    async def odd(one: ToolContext, two: ToolContext) -> None:
        """Take two."""

    with pytest.raises(
        SetupError, match=r"^setup: the tool odd has more than one parameter for the context$"
    ):
        tool(odd)


async def test_our_limits_are_parameters() -> None:
    @tool
    async def write(n: int) -> str:
        """Write."""
        return "x" * n

    history: list[Message] = [UserMessage("go")]
    same = [calls("write", f"a{number}", n=1) for number in range(3)]
    long = calls("write", "b", n=90)
    limits = Limits(same_call=1, result_bytes=100)
    agent = Agent(
        ScriptedModel(*same, long, "Done."), [write], limits=limits, strategy=max_iterations(9)
    )
    assert await agent.answer(history) == "Done."
    assert [status for _, status in statuses(history)] == [
        "ok",
        "repeated_call",
        "repeated_call",
        "invalid_response",
    ]
