"""The messages that the model reads. Rule: they are frozen; a history only grows."""

from dataclasses import dataclass, field
from typing import TypeAlias

__all__ = [
    "AssistantMessage",
    "Message",
    "SystemMessage",
    "ToolCall",
    "ToolMessage",
    "UserMessage",
]


@dataclass(frozen=True, slots=True)
class SystemMessage:
    """Instructions before a conversation."""

    content: str


@dataclass(frozen=True, slots=True)
class UserMessage:
    """What the person wrote."""

    content: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call as the model wrote it; `arguments` is the JSON text, possibly malformed."""

    id: str
    name: str
    arguments: str = "{}"


@dataclass(frozen=True, slots=True)
class AssistantMessage:
    """The model's reply: text, calls, or both. `None` and blank text both mean "no text".

    `echo` is what the endpoint may want back with the results of the calls; only it reads that.
    """

    content: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    echo: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ToolMessage:
    """The one result of one call; `content` is a JSON object as text (see `results`)."""

    tool_call_id: str
    content: str


Message: TypeAlias = SystemMessage | UserMessage | AssistantMessage | ToolMessage
