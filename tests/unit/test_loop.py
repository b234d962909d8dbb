"""A run from its first event to its last: what a page can draw, and how a run may end."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from tabloop.agent.errors import ModelError
from tabloop.agent.events import (
    ApprovalDecided,
    ApprovalRequested,
    Event,
    RunFinished,
    RunStarted,
    StepFinished,
    StepStarted,
    TextMessageContent,
    TextMessageEnd,
    TextMessageStart,
    ToolCallArgs,
    ToolCallEnd,
    ToolCallResult,
    ToolCallStart,
)
from tabloop.agent.loop import Agent
from tabloop.agent.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from tabloop.agent.middleware import Middleware
from tabloop.agent.ports import ModelReply, ModelRequest, TextDelta, Usage
from tabloop.agent.presentation import Presentation
from tabloop.agent.strategies import max_iterations
from tabloop.agent.tools import tool
from tabloop.contrib.scripted import ScriptedModel, Step

from tests.unit.fakes import Answers, calling, calls, play, says, statuses

ANIMALS = Presentation(title="Animals")


@tool(source="zoo", presentation=ANIMALS)
async def look(n: int = 0) -> dict[str, int]:
    """Look."""
    return {"n": n}


@tool(needs_approval=True)
async def draw() -> str:
    """Draw."""
    return "owl"


NOTHING: list[TextDelta | ModelReply] = []


def ended(events: list[Event]) -> RunFinished:
    last = events[-1]
    assert isinstance(last, RunFinished)
    return last


async def test_a_page_can_draw_everything_from_the_events() -> None:
    first = ModelReply(
        AssistantMessage("Let me see.", (ToolCall("a", "look", '{"n": "1"}'),)), "tool_calls"
    )
    model = ScriptedModel(first, calls("draw", "b"), says("Done."))
    assert await play(model, [look, draw], approver=Answers()) == [
        RunStarted(),
        StepStarted(1, ("look", "draw")),
        TextMessageStart("text1"),
        TextMessageContent("text1", "Let me see."),
        TextMessageEnd("text1"),
        ToolCallStart("a", "look", ANIMALS),
        ToolCallArgs("a", '{"n": "1"}'),
        ToolCallEnd("a"),
        StepFinished(1, "tool_calls", None),
        ToolCallResult("a", "look", "ok", '{"status":"ok","n":1}', {"n": 1}),
        StepStarted(2, ("look", "draw")),
        ToolCallStart("b", "draw"),
        ToolCallArgs("b", "{}"),
        ToolCallEnd("b"),
        StepFinished(2, "tool_calls", Usage(10, 2)),
        ApprovalRequested("b", "draw", {}),
        ApprovalDecided("b", True, {}),
        ToolCallResult("b", "draw", "ok", '{"status":"ok","result":"owl"}', {}),
        StepStarted(3, ("look", "draw")),
        TextMessageStart("text3"),
        TextMessageContent("text3", "Done."),
        TextMessageEnd("text3"),
        StepFinished(3, "stop", Usage(10, 2)),
        RunFinished("stop", "Done."),
    ]


async def test_each_hop_sends_what_came_before_it() -> None:
    history: list[Message] = [UserMessage("go")]
    model = ScriptedModel(calls("look", "a", n=1), says("Done."))
    await play(model, [look], messages=history)
    call = AssistantMessage(None, (ToolCall("a", "look", '{"n": 1}'),))
    result = ToolMessage("a", '{"status":"ok","n":1}')
    assert model.asked == [
        (UserMessage("go"),),
        (UserMessage("go"), call, result),
    ]
    assert history == [UserMessage("go"), call, result, AssistantMessage("Done.")]


def texts(events: list[Event]) -> list[str]:
    return [event.delta for event in events if isinstance(event, TextMessageContent)]


@pytest.mark.parametrize(
    ("deltas", "shown"),
    [
        (["Hel", "lo."], ["Hel", "lo."]),
        (["", "Hel", "", "lo."], ["Hel", "lo."]),
        (["\n", " ", "Hel", " ", "lo."], ["\n Hel", " ", "lo."]),
        ([], ["Hello."]),
        (["\n"], ["Hello."]),
    ],
)
async def test_text_comes_as_it_is_written_and_only_once(
    deltas: list[str], shown: list[str]
) -> None:
    events = await play(ScriptedModel([*map(TextDelta, deltas), says("Hello.")]))
    assert texts(events) == shown
    assert sum(isinstance(event, TextMessageStart) for event in events) == 1
    assert sum(isinstance(event, TextMessageEnd) for event in events) == 1
    assert ended(events).text == "Hello."


async def test_text_that_turns_out_to_be_reasoning_is_replaced_by_a_restart_of_the_text() -> None:
    turn = [TextDelta("Hmm, "), TextDelta("", replaces=True), TextDelta("Hello."), says("Hello.")]
    events = await play(ScriptedModel(turn))
    assert events[2:9] == [
        TextMessageStart("text1"),
        TextMessageContent("text1", "Hmm, "),
        TextMessageEnd("text1"),
        TextMessageStart("text1+"),
        TextMessageContent("text1+", "Hello."),
        TextMessageEnd("text1+"),
        StepFinished(1, "stop", Usage(10, 2)),
    ]


async def test_a_restart_before_any_text_changes_nothing() -> None:
    events = await play(ScriptedModel([TextDelta("Hello.", replaces=True), says("Hello.")]))
    assert texts(events) == ["Hello."]


async def test_notes_of_the_last_reply_reach_the_page() -> None:
    reply = ModelReply(AssistantMessage("Hi."), notes=("shortened",))
    assert ended(await play(ScriptedModel(reply))).notes == ("shortened",)


@pytest.mark.parametrize("text", [None, "", " \n\t"])
async def test_blank_text_is_not_shown(text: str | None) -> None:
    events = await play(ScriptedModel([TextDelta(text or ""), says(text)]))
    assert texts(events) == []
    assert ended(events).text == ""


async def test_a_blank_line_before_a_call_starts_no_text() -> None:
    events = await play(ScriptedModel([TextDelta("\n\n"), calls("look")], says("Hi.")), [look])
    assert texts(events) == ["Hi."]


@pytest.mark.parametrize(
    ("steps", "code"),
    [
        ([ModelError("rate_limited")], "rate_limited"),
        ([[TextDelta("Hel")]], "cut_off"),
        ([NOTHING], "cut_off"),
    ],
)
async def test_a_model_that_gives_no_whole_reply_ends_the_run_with_its_error(
    steps: list[Step], code: str
) -> None:
    history: list[Message] = [UserMessage("go")]
    events = await play(ScriptedModel(*steps), messages=history)
    error = ended(events).error
    assert isinstance(error, ModelError)
    assert error.code == code
    assert error.detail == ("the model ended without a reply" if code == "cut_off" else "")
    assert ended(events).outcome == "error"
    assert history == [UserMessage("go")], "the same question can be asked again"
    starts = sum(isinstance(event, TextMessageStart) for event in events)
    assert sum(isinstance(event, TextMessageEnd) for event in events) == starts


async def test_a_cancelled_future_in_the_model_is_reported_as_an_error() -> None:
    class Torn:
        async def reply(self, request: ModelRequest) -> AsyncIterator[TextDelta | ModelReply]:
            future: asyncio.Future[ModelReply] = asyncio.get_running_loop().create_future()
            future.cancel()
            yield await future

    events = [event async for event in Agent(Torn()).run([UserMessage("go")])]
    assert isinstance(ended(events).error, RuntimeError)


@pytest.mark.parametrize(
    ("reply", "outcome", "text"),
    [
        (says("Hi."), "stop", "Hi."),
        (says("Hi.", "tool_calls"), "stop", "Hi."),  # announced and none sent
        (says("Hi.", "some_new_word"), "stop", "Hi."),
        (says("Once upon", "length"), "length", "Once upon"),
        (says("I", "content_filter"), "content_filter", "I"),
        (calling(ToolCall("a", "")), "stop", ""),
    ],
)
async def test_a_turn_without_calls_ends_the_run(
    reply: ModelReply, outcome: str, text: str
) -> None:
    events = await play(ScriptedModel(reply), [look])
    assert (ended(events).outcome, ended(events).text) == (outcome, text)
    assert ended(events).finish_reason == reply.finish_reason


@pytest.mark.parametrize("finish_reason", ["stop", "tool_calls", "content_filter", "anything"])
async def test_a_turn_with_calls_continues_whatever_its_finish_reason(finish_reason: str) -> None:
    history: list[Message] = [UserMessage("go")]
    turn = calling(ToolCall("a", "look"), finish_reason=finish_reason)
    events = await play(ScriptedModel(turn, says("Done.")), [look], messages=history)
    assert statuses(history) == [("a", "ok")]
    assert ended(events).text == "Done."


async def test_a_truncated_reply_ends_the_run_by_default_after_its_complete_calls_ran() -> None:
    history: list[Message] = [UserMessage("go")]
    cut = calling(
        ToolCall("a", "look", '{"n": 1}'),
        ToolCall("b", "look", '{"n": '),
        finish_reason="length",
    )
    events = await play(ScriptedModel(cut), [look], messages=history)
    assert ended(events) == RunFinished("length", finish_reason="length")
    assert statuses(history) == [("a", "ok"), ("b", "max_tokens")]


async def test_no_call_of_a_damaged_reply_runs_and_the_model_may_send_it_again() -> None:
    history: list[Message] = [UserMessage("go")]
    damaged = replace(
        calling(ToolCall("a", "look", '{"n": 1}'), ToolCall("b", "nobody", "{}")),
        notes=("damaged",),
    )
    model = ScriptedModel(damaged, calls("look", "c", n=1), says("Done."))
    events = await play(model, [look], messages=history)
    assert statuses(history) == [
        ("a", "invalid_arguments"),
        ("b", "invalid_arguments"),
        ("c", "ok"),
    ]
    assert "lost on the way" in str(model.asked[1][-1].content)
    assert ended(events) == RunFinished("stop", text="Done.")


async def test_a_damaged_answer_is_never_reported_as_complete() -> None:
    events = await play(ScriptedModel(replace(says("Adopted."), notes=("damaged",))))
    assert ended(events) == RunFinished("stop", text="Adopted.", notes=("damaged",))


async def test_without_a_length_stop_the_model_tries_again_and_the_cut_hop_counts() -> None:
    cut = calling(ToolCall("a", "look", '{"n": '), finish_reason="length")
    model = ScriptedModel(cut, calls("look", n=1))
    events = await play(model, [look], strategy=max_iterations(2))
    assert ended(events).outcome == "max_iterations"


async def test_at_the_limit_the_tools_have_run_and_the_run_says_so() -> None:
    history: list[Message] = [UserMessage("go")]
    model = ScriptedModel(*(calls("look", n=n) for n in range(4)))
    events = await play(model, [look], messages=history)
    assert ended(events) == RunFinished("max_iterations", finish_reason="tool_calls")
    assert [status for _, status in statuses(history)] == ["ok"] * 4


async def test_continuing_goes_on_with_the_same_messages() -> None:
    history: list[Message] = [UserMessage("go")]
    first = ScriptedModel(calls("look", "a", n=1))
    await play(first, [look], messages=history, strategy=max_iterations(1))
    second = ScriptedModel(calls("look", "a", n=2), says("Done."))
    events = await play(second, [look], messages=history)
    assert ended(events).text == "Done."
    assert second.asked[0][:3] == tuple(history[:3])
    ids = [call_id for call_id, _ in statuses(history)]
    assert ids == ["a", "call00001"], "ids stay unique over both runs"


async def test_open_calls_of_a_given_history_are_answered_before_anything_is_sent() -> None:
    history: list[Message] = [
        UserMessage("go"),
        AssistantMessage(None, (ToolCall("a", "look"),)),
        UserMessage("hello?"),
    ]
    model = ScriptedModel(says("Hi."))
    await play(model, [look], messages=history)
    assert [type(message).__name__ for message in model.asked[0]] == [
        "UserMessage",
        "AssistantMessage",
        "ToolMessage",
        "UserMessage",
    ]
    assert statuses(history) == [("a", "interrupted")]


async def test_without_tools_none_are_offered() -> None:
    model = ScriptedModel(says("Hi."))
    await play(model)
    assert model.requests[0].tools == ()


async def test_one_agent_can_run_twice() -> None:
    agent = Agent(ScriptedModel(calls("look"), says("One."), says("Two.")), [look])
    for text in ("One.", "Two."):
        events = [event async for event in agent.run([UserMessage("go")])]
        assert ended(events).text == text


async def test_a_hop_takes_two_tasks_however_many_hooks_do_nothing() -> None:
    """A task costs more than all else in a hop; one is for the model, one for the tools."""
    made: list[str] = []

    def counted(loop: asyncio.AbstractEventLoop, coro: Any, **options: Any) -> asyncio.Task[Any]:
        made.append(coro.__qualname__)
        return asyncio.Task(coro, loop=loop, **options)

    asyncio.get_running_loop().set_task_factory(counted)
    hops = [calls("look", f"c{n}", n=n) for n in range(3)]
    await play(ScriptedModel(*hops, says("Done.")), [look], middleware=[Middleware(), Middleware()])
    assert len(made) <= 2 * 4, made
