"""Protocols for what the loop needs. Rule: the loop knows no endpoint and no page."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

from tabloop.agent.messages import AssistantMessage, Message
from tabloop.agent.tools import Tool

__all__ = [
    "NO_TOOL_LIMITS",
    "Approval",
    "Approved",
    "Approver",
    "ChatModel",
    "Declined",
    "HasAnswerSettings",
    "HasToolLimits",
    "ModelReply",
    "ModelRequest",
    "ReasoningDelta",
    "ReplyNote",
    "ReplyPart",
    "TextDelta",
    "ToolLimits",
    "Usage",
    "Waiting",
]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one hop, as counted by the endpoint."""

    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """The request of one hop: its messages, and the tools offered to the model.

    `settings` are extra fields of the request, set by a middleware's `on_config`.
    """

    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of text that a streaming endpoint has just sent.

    `replaces`: the text begins here, because all text before it was reasoning.
    """

    text: str
    replaces: bool = False


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """A piece of what the model thinks before it answers; never part of the text or the history."""

    text: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """The endpoint asked for a pause; the model will be asked again in so many seconds."""

    seconds: int


ReplyNote = Literal[
    "shortened",  # the oldest runs were left out: the endpoint accepts no more
    "results_cut",  # of results only a part was sent: the model reads little at once
    "without_tools",  # no tools were offered, because the model or its server cannot use them
    "endless",  # it was longer than `MAX_REPLY`, so the rest was not read
    "damaged",  # a part of the reply was lost on the way, so none of its calls may run
]


@dataclass(frozen=True, slots=True)
class ModelReply:
    """The whole reply. `finish_reason` is the endpoint's, `"stop"` if it gave none.

    `notes` are facts about the reply that the person should know. `reasoning` is what the model
    thought, unless it came in deltas.
    """

    message: AssistantMessage
    finish_reason: str = "stop"
    usage: Usage | None = None
    notes: tuple[ReplyNote, ...] = ()
    reasoning: str = field(default="", compare=False)


ReplyPart: TypeAlias = TextDelta | ReasoningDelta | Waiting | ModelReply


class ChatModel(Protocol):
    """Anything that continues a conversation."""

    def reply(self, request: ModelRequest) -> AsyncIterator[ReplyPart]:
        """Yield deltas (none where the endpoint doesn't stream), then one ModelReply.

        `Waiting` comes only before the first delta, again and again while a pause goes on.

        Raises `ModelError` when there is no usable reply.
        """
        ...


@runtime_checkable
class HasAnswerSettings(Protocol):
    """A `ChatModel` that may be able to answer with JSON of a given schema."""

    def answer_settings(
        self, schema: Mapping[str, Any], *, beside_tools: bool
    ) -> Mapping[str, Any] | None:
        """Return the settings of a request for such an answer; `None` if it cannot be asked for.

        `beside_tools`: the same request offers tools, which the model must still be able to call.
        """
        ...


@dataclass(frozen=True, slots=True)
class ToolLimits:
    """How many tools an endpoint takes in one request, and how many bytes of their definitions."""

    count: int | None = None
    size: int | None = None


NO_TOOL_LIMITS = ToolLimits()


@runtime_checkable
class HasToolLimits(Protocol):
    """A `ChatModel` whose endpoint may refuse too many tools."""

    @property
    def tool_limits(self) -> ToolLimits:
        """What the endpoint takes; `None` where there is no limit."""
        ...


@dataclass(frozen=True, slots=True)
class Approved:
    """The person approved; `arguments` is set if the person edited them."""

    arguments: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Declined:
    """The person declined; `reason` is for the model."""

    reason: str = "The person declined."


Approval: TypeAlias = Approved | Declined


class Approver(Protocol):
    """Asks a person about a call that needs approval."""

    async def decide(self, tool: Tool, arguments: Mapping[str, Any]) -> Approval:
        """Wait for the person's decision, without a time limit; cancelled when the run is stopped.

        `arguments` are validated. Called once for each call of the model, and once more if a
        middleware then changes the arguments. Anything but `Approved` is a refusal.
        """
        ...
