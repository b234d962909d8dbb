"""The events of a run, with AG-UI's names. Rule: a view needs nothing else to show a run.

Order: `RunStarted`, then for each hop `StepStarted`, reasoning (`ReasoningMessageContent`) and text
(`TextMessageStart`, `...Content`, `...End`) as they come, calls (`ToolCallStart`, `...Args`,
`...End`), `StepFinished`, then for each call `ApprovalRequested`/`ApprovalDecided` if a person is
asked, `ToolCallProgress` and `SubagentEvent` while it runs and exactly one `ToolCallResult`, and at
the end exactly one `RunFinished`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from tabloop.agent.errors import ErrorStatus, NoAnswer
from tabloop.agent.ports import ModelRequest, ReplyNote, Usage
from tabloop.agent.presentation import PLAIN, Presentation
from tabloop.agent.tools import Source

__all__ = [
    "ApprovalDecided",
    "ApprovalRequested",
    "Event",
    "ModelWaiting",
    "Outcome",
    "ReasoningMessageContent",
    "RunFinished",
    "RunStarted",
    "Status",
    "StepFinished",
    "StepStarted",
    "SubagentEvent",
    "TextMessageContent",
    "TextMessageEnd",
    "TextMessageStart",
    "ToolCallArgs",
    "ToolCallEnd",
    "ToolCallProgress",
    "ToolCallResult",
    "ToolCallStart",
    "ToolWithdrawn",
]

Status: TypeAlias = Literal["ok"] | ErrorStatus

Outcome = Literal[
    "stop",  # answered
    "length",  # the endpoint truncated the answer
    "content_filter",  # the endpoint withheld the answer
    "max_iterations",  # the strategy allowed no further hop; the run can be continued
    "halted",  # a middleware's on_should_continue returned False
    "aborted",  # a middleware ended the run
    "stopped",  # the person pressed Stop
    "error",  # no usable reply, or an exception in a middleware
]


@dataclass(frozen=True, slots=True)
class RunStarted:
    """A run begins: everything between a person's message and its answer."""


@dataclass(frozen=True, slots=True)
class StepStarted:
    """A hop begins: one request to the model. `hop` counts from 1; `tools` are those offered.

    `request` is what the model is asked, for views that show it.
    """

    hop: int
    tools: tuple[str, ...] = ()
    request: ModelRequest | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class StepFinished:
    """The model's reply is complete; its calls run next."""

    hop: int
    finish_reason: str = "stop"
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class ModelWaiting:
    """The endpoint asked for a pause: it is asked again in so many seconds."""

    seconds: int


@dataclass(frozen=True, slots=True)
class TextMessageStart:
    """The model begins to write. `message_id` is unique within the run."""

    message_id: str


@dataclass(frozen=True, slots=True)
class TextMessageContent:
    """A piece of text, never empty."""

    message_id: str
    delta: str


@dataclass(frozen=True, slots=True)
class TextMessageEnd:
    """The text of this turn is complete."""

    message_id: str


@dataclass(frozen=True, slots=True)
class ReasoningMessageContent:
    """A piece of the model's reasoning, never empty; `message_id` is that of the turn's text."""

    message_id: str
    delta: str


@dataclass(frozen=True, slots=True)
class ToolCallStart:
    """The model calls a tool, if there is one of this `name`; `presentation` is the tool's."""

    tool_call_id: str
    name: str
    presentation: Presentation = field(default=PLAIN, repr=False)


@dataclass(frozen=True, slots=True)
class ToolCallArgs:
    """The arguments as the model wrote them: JSON text, possibly malformed."""

    tool_call_id: str
    delta: str


@dataclass(frozen=True, slots=True)
class ToolCallEnd:
    """The call is complete; it runs next, or gets a result without running."""

    tool_call_id: str


@dataclass(frozen=True, slots=True)
class ApprovalRequested:
    """A person is asked; `arguments` are validated and complete."""

    tool_call_id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ApprovalDecided:
    """The person decided; `arguments` are the final ones."""

    tool_call_id: str
    approved: bool
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCallProgress:
    """How far a tool is, in its own words: one line, for the person only."""

    tool_call_id: str
    text: str


@dataclass(frozen=True, slots=True)
class SubagentEvent:
    """An event of the run of an agent that is the tool of this call."""

    tool_call_id: str
    event: "Event"


@dataclass(frozen=True, slots=True)
class ToolCallResult:
    """The one result of a call. `content` is the JSON text that the model reads.

    `arguments` are the final ones (validated, edited, transformed), `None` if they were invalid.
    """

    tool_call_id: str
    name: str
    status: Status
    content: str
    arguments: Mapping[str, Any] | None = None
    display: object = None
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolWithdrawn:
    """The tool failed, and is not offered again in this run."""

    name: str
    status: Status


@dataclass(frozen=True, slots=True)
class RunFinished:
    """The run is over; the last event. `text` is the answer, blank if there is none.

    `reason` says why a middleware aborted it; `error` is set for outcome `error`; `notes` are
    those of the last reply.
    """

    outcome: Outcome
    text: str = ""
    finish_reason: str = "stop"
    reason: str = ""
    error: Exception | None = None
    notes: tuple[ReplyNote, ...] = ()

    def answer(self) -> str:
        """Return the text of a whole answer.

        Raises:
            NoAnswer: There is none, or a part of it is missing. `error` is raised as it is.
        """
        if self.error:
            raise self.error
        code = "damaged" if "damaged" in self.notes else self.outcome
        if code != "stop":
            raise NoAnswer(code, detail=self.text or self.reason)
        return self.text


Event: TypeAlias = (
    RunStarted
    | StepStarted
    | StepFinished
    | ModelWaiting
    | TextMessageStart
    | TextMessageContent
    | TextMessageEnd
    | ReasoningMessageContent
    | ToolCallStart
    | ToolCallArgs
    | ToolCallEnd
    | ApprovalRequested
    | ApprovalDecided
    | ToolCallProgress
    | SubagentEvent
    | ToolCallResult
    | ToolWithdrawn
    | RunFinished
)
