"""A run written for AG-UI viewers: field names, order, and what a viewer's checks would refuse."""

import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

import ag_ui.core
import pytest
from pydantic import TypeAdapter
from tabloop.agent.errors import ModelError
from tabloop.agent.events import Event, RunFinished, RunStarted, StepStarted
from tabloop.agent.loop import Agent
from tabloop.agent.messages import AssistantMessage, ToolCall, UserMessage
from tabloop.agent.ports import ModelReply, TextDelta
from tabloop.agent.stop import Stop
from tabloop.agent.tools import Source, Tool, ToolOutput, tool
from tabloop.contrib.ag_ui import AgUiEvent, server_sent_event, to_ag_ui
from tabloop.contrib.scripted import ScriptedModel, Step

from tests.unit.fakes import Answers, calling, calls, says

PROTOCOL: TypeAdapter[Any] = TypeAdapter(ag_ui.core.Event)


@tool(source="zoo")
async def count(animal: str) -> ToolOutput:
    """Count animals."""
    return ToolOutput({"count": 3}, {"chart": [3]}, (Source("https://zoo.example/", "Zoo"),))


@tool(needs_approval=True)
async def feed(animal: str, kilos: float = 1.0) -> str:
    """Feed animals."""
    return "fed"


@tool()
async def escape() -> str:
    """Open the door."""
    raise RuntimeError("door")


@dataclass
class Drawing:
    """Something for the page that is no JSON."""

    draw: object


async def written(
    *steps: Step, tools: Sequence[Tool] = (count, feed, escape), stop_at: str = ""
) -> list[AgUiEvent]:
    stop = Stop()
    agent = Agent(ScriptedModel(*steps), tools, approver=Answers())
    events: list[AgUiEvent] = []
    async for event in to_ag_ui(agent.run([UserMessage("go")], stop), "thread1", "run1"):
        events.append(event)
        if event["type"] == stop_at:
            stop.press()
    json.dumps(events, allow_nan=False)
    check_order(events)
    return events


def check_order(events: list[AgUiEvent]) -> None:
    """What AG-UI's own models and client refuse."""
    for event in events:
        PROTOCOL.validate_python(event)
    terminal = [event for event in events if event["type"] in ("RUN_FINISHED", "RUN_ERROR")]
    assert events[0]["type"] == "RUN_STARTED"
    assert terminal == [events[-1]]
    keys = {"STEP": "stepName", "TEXT_MESSAGE": "messageId", "TOOL_CALL": "toolCallId"}
    opened: set[tuple[str, str]] = set()
    for event in events:
        for kind, key in keys.items():
            what = (kind, event.get(key, ""))
            if event["type"] in (f"{kind}_START", f"{kind}_STARTED"):
                assert what not in opened
                opened.add(what)
            elif event["type"] in (f"{kind}_END", f"{kind}_FINISHED"):
                opened.remove(what)
            elif event["type"] in (f"{kind}_CONTENT", f"{kind}_ARGS"):
                assert what in opened
    assert not opened or events[-1]["type"] == "RUN_ERROR", f"left open: {opened}"


def of_type(events: list[AgUiEvent], kind: str) -> list[AgUiEvent]:
    return [event for event in events if event["type"] == kind]


async def test_an_answer_is_written_with_the_events_and_fields_of_ag_ui() -> None:
    streamed = [TextDelta("Hel"), TextDelta("lo."), says("Hello.")]
    assert await written(streamed) == [
        {
            "type": "RUN_STARTED",
            "threadId": "thread1",
            "runId": "run1",
            "protocolVersion": "1.0",
        },
        {"type": "STEP_STARTED", "stepName": "hop 1"},
        {"type": "TEXT_MESSAGE_START", "messageId": "run1:text1", "role": "assistant"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "run1:text1", "delta": "Hel"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "run1:text1", "delta": "lo."},
        {"type": "TEXT_MESSAGE_END", "messageId": "run1:text1"},
        {"type": "STEP_FINISHED", "stepName": "hop 1"},
        {
            "type": "RUN_FINISHED",
            "threadId": "thread1",
            "runId": "run1",
            "outcome": {"type": "success"},
            "result": {"outcome": "stop", "text": "Hello.", "finishReason": "stop", "reason": ""},
            "usage": [{"inputTokens": 10, "outputTokens": 2}],
        },
    ]


async def test_a_call_and_its_result_are_written_with_charts_and_sources() -> None:
    events = await written(calls("count", "c1", animal="owl"), says("Three."))
    call = {"toolCallId": "run1:c1"}
    assert events[2:5] == [
        {"type": "TOOL_CALL_START", **call, "toolCallName": "count"},
        {"type": "TOOL_CALL_ARGS", **call, "delta": '{"animal": "owl"}'},
        {"type": "TOOL_CALL_END", **call},
    ]
    assert events[6:8] == [
        {
            "type": "TOOL_CALL_RESULT",
            "messageId": "run1:c1:result",
            **call,
            "content": '{"status":"ok","count":3}',
            "role": "tool",
        },
        {
            "type": "CUSTOM",
            "name": "tool_display",
            "value": {
                **call,
                "display": {"chart": [3]},
                "sources": [{"url": "https://zoo.example/", "title": "Zoo", "attribution": ""}],
            },
        },
    ]


async def test_a_call_belongs_to_the_text_that_came_with_it() -> None:
    turn = ModelReply(AssistantMessage("Let me see.", (ToolCall("c1", "count"),)), "tool_calls")
    events = await written(turn, calls("count", "c2", animal="owl"), says("Three."))
    parents = [event.get("parentMessageId") for event in of_type(events, "TOOL_CALL_START")]
    assert parents == ["run1:text1", None]


async def test_an_approval_comes_as_custom_events() -> None:
    events = await written(calls("feed", "c1", animal="owl"), says("Fed."))
    shown = {"toolCallId": "run1:c1", "arguments": {"animal": "owl", "kilos": 1.0}}
    assert [(event["name"], event["value"]) for event in of_type(events, "CUSTOM")] == [
        ("approval_requested", {**shown, "toolCallName": "feed"}),
        ("approval_decided", {**shown, "approved": True}),
    ]


async def test_a_withdrawn_tool_comes_as_a_custom_event() -> None:
    events = await written(calls("escape"), says("No."))
    [custom] = of_type(events, "CUSTOM")
    assert custom["name"] == "tool_withdrawn"
    assert custom["value"] == {"toolName": "escape", "status": "tool_error"}


async def test_a_failed_run_ends_with_run_error_and_nothing_else() -> None:
    events = await written(calls("count", animal="owl"), ModelError("rate_limited", detail="slow"))
    assert events[-1] == {
        "type": "RUN_ERROR",
        "message": "rate_limited: slow",
        "code": "rate_limited",
        "usage": [{"inputTokens": 10, "outputTokens": 2}],
    }


async def test_an_error_without_a_message_gets_its_class_name() -> None:
    events = await written(ZeroDivisionError())
    assert events[-1] == {
        "type": "RUN_ERROR",
        "message": "ZeroDivisionError",
        "code": "ZeroDivisionError",
    }


@pytest.mark.parametrize("moment", ["STEP_STARTED", "TEXT_MESSAGE_CONTENT", "TOOL_CALL_END"])
async def test_a_stopped_run_is_cancelled_and_leaves_nothing_open(moment: str) -> None:
    streamed = [TextDelta("Hel"), TextDelta("lo."), calls("count", "c1", animal="owl")]
    events = await written(streamed, stop_at=moment)
    assert events[-1]["outcome"] == {"type": "cancelled"}
    assert events[-1]["result"]["outcome"] == "stopped"


async def test_a_value_that_is_not_json_is_written_as_its_repr() -> None:
    @tool()
    async def sketch() -> ToolOutput:
        """Sketch."""
        return ToolOutput("done", Drawing(object()))

    events = await written(calls("sketch"), says("Done."), tools=[sketch])
    [custom] = of_type(events, "CUSTOM")
    assert custom["value"]["display"].startswith("Drawing(draw=<object object at")


async def test_equal_ids_in_two_runs_are_kept_apart() -> None:
    async def run() -> AsyncIterator[Event]:
        for event in (RunStarted(), StepStarted(1), RunFinished("stop")):
            yield event

    first = [event async for event in to_ag_ui(run(), "thread1", "run1")]
    second = [event async for event in to_ag_ui(run(), "thread1", "run2")]
    assert first[0]["threadId"] == second[0]["threadId"]
    assert first[0]["runId"] != second[0]["runId"]


async def test_calls_without_known_tools_and_odd_arguments_are_still_written() -> None:
    odd = calling(ToolCall("c1", "nope", "{not json"), ToolCall("c2", "feed", '{"x": "\ud800"}'))
    events = await written(odd, says("Sorry."))
    assert len(of_type(events, "TOOL_CALL_RESULT")) == 2
    for event in events:
        text = server_sent_event(event)
        assert text.startswith("data: {")
        assert text.endswith("}\n\n")
        assert text.count("\n") == 2
        text.encode()
        assert json.loads(text.removeprefix("data: ")) == event


def test_an_event_is_written_as_a_server_sent_event() -> None:
    event: dict[str, Any] = {"type": "TEXT_MESSAGE_CONTENT", "delta": "Ü\n"}
    assert server_sent_event(event) == (
        'data: {"type":"TEXT_MESSAGE_CONTENT","delta":"\\u00dc\\n"}\n\n'
    )
