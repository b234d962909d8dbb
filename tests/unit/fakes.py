"""Fakes for the ports of the core. A script with missing or unused steps fails its test."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tabloop.agent.events import Event
from tabloop.agent.loop import Agent
from tabloop.agent.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from tabloop.agent.ports import (
    Approval,
    Approved,
    Approver,
    Declined,
    ModelReply,
    ModelRequest,
    ReplyPart,
    TextDelta,
    Usage,
)
from tabloop.agent.stop import Stop
from tabloop.agent.strategies import Strategy
from tabloop.agent.tools import Tool
from tabloop.contrib.scripted import ScriptedModel


def says(text: str | None, finish_reason: str = "stop") -> ModelReply:
    """A turn of text only."""
    return ModelReply(AssistantMessage(text), finish_reason, Usage(10, 2))


def calls(name: str, call_id: str = "", /, **arguments: object) -> ModelReply:
    """A turn with one call."""
    return calling(ToolCall(call_id, name, json.dumps(arguments)))


def calling(*tool_calls: ToolCall, finish_reason: str = "tool_calls") -> ModelReply:
    """A turn with several calls."""
    return ModelReply(AssistantMessage(None, tool_calls), finish_reason, Usage(10, 2))


class EndlessModel(ScriptedModel):
    """Gives the same reply at every hop."""

    async def reply(self, request: ModelRequest) -> AsyncIterator[ReplyPart]:
        self.steps = [*self.steps, *self.steps]
        async for part in super().reply(request):
            yield part


class HangingModel:
    """Never answers; `cancelled` says whether its request was given up."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.cancelled = False

    async def reply(self, request: ModelRequest) -> AsyncIterator[TextDelta | ModelReply]:
        self.asked.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        yield TextDelta("never")


@dataclass
class Answers(Approver):
    """Decides by a list; an empty one means yes to everything. `asked` holds what was shown."""

    decisions: list[Approval] = field(default_factory=list[Approval])
    asked: list[tuple[str, dict[str, Any]]] = field(
        default_factory=list[tuple[str, dict[str, Any]]]
    )

    async def decide(self, tool: Tool, arguments: Mapping[str, Any]) -> Approval:
        self.asked.append((tool.name, dict(arguments)))
        await asyncio.sleep(0)
        return self.decisions.pop(0) if self.decisions else Approved()


def declines() -> Answers:
    """An approver that says no to the first call."""
    return Answers([Declined()])


async def play(
    model: ScriptedModel,
    tools: Sequence[Tool] = (),
    *,
    messages: list[Message] | None = None,
    approver: Approver | None = None,
    strategy: Strategy | None = None,
    middleware: Sequence[object] = (),
    stop: Stop | None = None,
) -> list[Event]:
    """Run to the end and return the events; every scripted step must have been used."""
    agent = Agent(model, tools, approver=approver, strategy=strategy, middleware=middleware)
    history: list[Message] = [UserMessage("go")] if messages is None else messages
    events = [event async for event in agent.run(history, stop)]
    if not isinstance(model, EndlessModel):
        model.finish()
    return events


def result_of(message: Message) -> dict[str, Any]:
    """The JSON object of a tool message."""
    assert isinstance(message, ToolMessage)
    return json.loads(message.content)


def statuses(messages: Sequence[Message]) -> list[tuple[str, str]]:
    """(id, status) of each tool message, in order."""
    return [
        (message.tool_call_id, json.loads(message.content)["status"])
        for message in messages
        if isinstance(message, ToolMessage)
    ]
