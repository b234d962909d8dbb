"""The conversation as the model sees it. Values are frozen: history grows, nobody edits it."""

from dataclasses import dataclass
from typing import Literal, TypeAlias, assert_never

__all__ = [
    "AssistantMessage",
    "Message",
    "Role",
    "SystemMessage",
    "ToolCall",
    "ToolMessage",
    "UserMessage",
    "role_of",
]

Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class SystemMessage:
    """Instructions that stand before a conversation."""

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
    """The model's turn: text, calls, or both. `None` and blank text both mean "no text"."""

    content: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolMessage:
    """The one answer to one call; `content` is a JSON object as text (see `results`)."""

    tool_call_id: str
    content: str


Message: TypeAlias = SystemMessage | UserMessage | AssistantMessage | ToolMessage


def role_of(message: Message) -> Role:
    """Return the role's name as chat endpoints spell it."""
    match message:
        case SystemMessage():
            return "system"
        case UserMessage():
            return "user"
        case AssistantMessage():
            return "assistant"
        case ToolMessage():
            return "tool"
        case _:
            assert_never(message)
