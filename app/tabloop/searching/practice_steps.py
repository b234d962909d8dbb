"""What a conversation's tool calls brought. Rule: a call counts when it has its result."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tabloop.agent.messages import AssistantMessage, Message, ToolMessage
from tabloop.core.json_text import JsonObject, as_object, parsed

__all__ = ["Call", "Step", "steps_in"]


@dataclass(frozen=True, slots=True)
class Call:
    """A call to make."""

    tool: str
    arguments: dict[str, str]


@dataclass(frozen=True, slots=True)
class Step:
    """A call that has its result."""

    tool: str
    arguments: JsonObject
    result: JsonObject

    @property
    def ok(self) -> bool:
        """Whether the result is one, and no report of a failure."""
        return self.result.get("status", "ok") == "ok"

    @property
    def dated(self) -> bool:
        """Whether it was asked for a time."""
        return "von" in self.arguments or "bis" in self.arguments


def steps_in(messages: Sequence[Message]) -> Iterator[Step]:
    """Yield the calls among the messages that were answered, in their order."""
    results = {
        message.tool_call_id: message.content
        for message in messages
        if isinstance(message, ToolMessage)
    }
    for message in messages:
        for call in message.tool_calls if isinstance(message, AssistantMessage) else ():
            if call.id in results:
                yield Step(call.name, _object(call.arguments), _object(results[call.id]))


def _object(text: str) -> JsonObject:
    value = parsed(text)
    return as_object(value[0]) if value else {}
