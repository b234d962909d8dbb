"""What the loop needs from outside, as protocols: it knows no endpoint and no page."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from tabloop.agent.messages import AssistantMessage, Message
from tabloop.agent.tools import Tool

__all__ = [
    "Approval",
    "Approved",
    "Approver",
    "ChatModel",
    "Declined",
    "ModelReply",
    "ModelRequest",
    "ReplyNote",
    "TextDelta",
    "Usage",
]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one hop as the endpoint counted them."""

    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One hop: the messages to send and the tools still on offer (none: no `tools` key at all).

    `settings` are extra request fields of this hop, set by a middleware's `on_config`.
    """

    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of text that a streaming endpoint has just sent.

    `anew`: the text begins here; what was sent before it turned out to be thinking.
    """

    text: str
    anew: bool = False


ReplyNote = Literal[
    "shortened",  # the oldest runs were left out: the endpoint takes no more
    "damaged",  # a part of the reply was lost on the way, so none of its calls may run
]


@dataclass(frozen=True, slots=True)
class ModelReply:
    """The whole turn. `finish_reason` is the endpoint's word, `"stop"` where it gave none.

    `notes` are facts about how it came about that the person should know.
    """

    message: AssistantMessage
    finish_reason: str = "stop"
    usage: Usage | None = None
    notes: tuple[ReplyNote, ...] = ()


class ChatModel(Protocol):
    """Anything that continues a conversation."""

    def reply(self, request: ModelRequest) -> AsyncIterator[TextDelta | ModelReply]:
        """Yield deltas as they come (none where the endpoint doesn't stream), then one ModelReply.

        Raises `ModelError` when there is no usable reply.
        """
        ...


@dataclass(frozen=True, slots=True)
class Approved:
    """The person said yes; `arguments` is set when the person edited them."""

    arguments: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Declined:
    """The person said no; `reason` is for the model."""

    reason: str = "The person declined."


Approval: TypeAlias = Approved | Declined


class Approver(Protocol):
    """Whoever can say yes to a call that needs a person's approval."""

    async def decide(self, tool: Tool, arguments: Mapping[str, Any]) -> Approval:
        """Wait for the person, for as long as it takes; cancelled when the run is stopped.

        `arguments` are the validated ones. Called once per call of the model.
        """
        ...
