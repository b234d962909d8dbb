"""Reasoning reaches a program as events of its own, and neither the answer nor the history."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from tabloop import Agent, ChatCompletionsModel
from tabloop.agent.events import Event, ReasoningMessageContent, RunFinished, TextMessageContent
from tabloop.agent.messages import AssistantMessage, Message, UserMessage
from tabloop.agent.ports import ModelReply, ReasoningDelta, TextDelta
from tabloop.contrib.scripted import ScriptedModel

from tests.unit.fake_transport import FakeTransport, Pieces, answer


def told(events: Sequence[Event]) -> tuple[str, str]:
    """The reasoning and the text of a run."""
    reasoning = "".join(e.delta for e in events if isinstance(e, ReasoningMessageContent))
    return reasoning, "".join(e.delta for e in events if isinstance(e, TextMessageContent))


async def run(agent: Agent) -> tuple[list[Event], list[Message]]:
    history: list[Message] = [UserMessage("How many?")]
    return [event async for event in agent.run(history)], history


def stream(*deltas: dict[str, Any]) -> Pieces:
    choices: list[dict[str, Any]] = [{"index": 0, "delta": delta} for delta in deltas]
    choices.append({"index": 0, "delta": {}, "finish_reason": "stop"})
    return Pieces([f"data: {json.dumps({'choices': [one]})}\n\n".encode() for one in choices])


FORMS: list[list[dict[str, Any]]] = [
    [{"reasoning_content": "Two and "}, {"reasoning_content": "two."}, {"content": "Four."}],
    [{"reasoning": "Two and two."}, {"content": "Four."}],
    [
        {"reasoning_details": [{"type": "reasoning.text", "text": "Two and two."}]},
        {"content": "Four."},
    ],
    [
        {
            "reasoning_details": [
                {"type": "reasoning.summary", "summary": "Two "},
                {"type": "reasoning.encrypted", "data": "c2ln"},
                {"type": "reasoning.text", "text": "and two."},
            ]
        },
        {"content": "Four."},
    ],
    [
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Two and two."}]}]},
        {"content": "Four."},
    ],
    [{"content": "<think>Two "}, {"content": "and two.</thi"}, {"content": "nk>Four."}],
    [{"content": "[THINK]Two and two.[/THINK]Four."}],
    [
        {"content": "<|channel|>analysis<|message|>Two and two.<|end|>"},
        {"content": "<|channel|>final<|message|>Four."},
    ],
]


@pytest.mark.parametrize("deltas", FORMS)
async def test_streamed_reasoning_comes_apart_from_the_text(deltas: list[dict[str, Any]]) -> None:
    transport = FakeTransport([stream(*deltas)])
    model = ChatCompletionsModel(transport, url="https://llm.test/v1", model="any", stream=True)
    events, history = await run(Agent(model))
    assert told(events) == ("Two and two.", "Four.")
    assert history[1:] == [AssistantMessage("Four.")]
    assert isinstance(events[-1], RunFinished)
    assert events[-1].text == "Four."


@pytest.mark.parametrize("deltas", FORMS[1:])
async def test_reasoning_of_a_whole_reply_comes_apart_too(deltas: list[dict[str, Any]]) -> None:
    parts: list[Any] = []
    message: dict[str, Any] = {}
    for delta in deltas:
        content = delta.get("content", "")
        parts += content if isinstance(content, list) else [{"type": "text", "text": content}]
        message |= delta
    message["content"] = parts
    transport = FakeTransport([answer({"choices": [{"index": 0, "message": message}]})])
    model = ChatCompletionsModel(transport, url="https://llm.test/v1", model="any")
    events, _ = await run(Agent(model))
    assert told(events) == ("Two and two.", "Four.")


async def test_text_that_turns_out_to_be_reasoning_is_told_again_as_such() -> None:
    transport = FakeTransport([stream({"content": "Two and two.\n"}, {"content": "</think>Four."})])
    model = ChatCompletionsModel(transport, url="https://llm.test/v1", model="any", stream=True)
    events, _ = await run(Agent(model))
    assert told(events) == ("Two and two.\n", "Two and two.\nFour.")
    assert events[-1] == RunFinished("stop", text="Four.")


async def test_a_model_of_ones_own_may_yield_reasoning() -> None:
    reply = ModelReply(AssistantMessage("Four."), reasoning="Two and two.")
    deltas = [
        ReasoningDelta(""),
        ReasoningDelta("Two "),
        ReasoningDelta("and two."),
        TextDelta("Four."),
    ]
    for step in (reply, [*deltas, ModelReply(AssistantMessage("Four."))]):
        events, _ = await run(Agent(ScriptedModel(step)))
        assert told(events) == ("Two and two.", "Four.")
