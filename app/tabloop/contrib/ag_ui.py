"""Converts a run's events to the AG-UI protocol, for any AG-UI viewer (docs.ag-ui.com, 1.0).

Rule: AG-UI clients accept the order: `RUN_STARTED` first, each start has an end, and exactly one of
`RUN_FINISHED` and `RUN_ERROR` last.
"""

import json
from collections.abc import AsyncIterable, AsyncIterator, Iterator, Mapping
from typing import Any, assert_never

from pydantic_core import PydanticSerializationError, to_json

from tabloop.agent.errors import ModelError
from tabloop.agent.events import (
    ApprovalDecided,
    ApprovalRequested,
    Event,
    ModelWaiting,
    ReasoningMessageContent,
    RunFinished,
    RunStarted,
    StepFinished,
    StepStarted,
    SubagentEvent,
    TextMessageContent,
    TextMessageEnd,
    TextMessageStart,
    ToolCallArgs,
    ToolCallEnd,
    ToolCallProgress,
    ToolCallResult,
    ToolCallStart,
    ToolWithdrawn,
)

__all__ = ["AgUiEvent", "server_sent_event", "to_ag_ui"]

AgUiEvent = dict[str, Any]

PROTOCOL_VERSION = "1.0"


async def to_ag_ui(
    events: AsyncIterable[Event], thread_id: str, run_id: str
) -> AsyncIterator[AgUiEvent]:
    """Yield a run's events as AG-UI's JSON objects: camelCase fields and a `type`.

    `thread_id` is the conversation's id, `run_id` this run's. It is a prefix of the ids of messages
    and calls, since ours are unique only within a run. A run with outcome `error` ends with
    `RUN_ERROR`; one that was stopped or aborted has the outcome `cancelled`. Events that the
    protocol does not have are sent as `CUSTOM`: `approval_requested`, `approval_decided`,
    `tool_progress`, `tool_display`, `tool_withdrawn`, and `subagent` with an event of its own run.
    """
    writer = _Writer(thread_id, run_id)
    async for event in events:
        for written in writer.write(event):
            yield written


def server_sent_event(event: Mapping[str, Any]) -> str:
    """Return an AG-UI event as text of a `text/event-stream`."""
    return f"data: {json.dumps(event, separators=(',', ':'))}\n\n"


class _Writer:
    def __init__(self, thread_id: str, run_id: str) -> None:
        self._run = {"threadId": thread_id, "runId": run_id}
        self._prefix = run_id
        self._step = ""  # the one that is open
        self._text = ""  # the message of this step, to which its calls belong
        self._tokens = {"inputTokens": 0, "outputTokens": 0}
        self._inner: dict[str, _Writer] = {}  # of agents that are tools, by call

    def write(self, event: Event) -> Iterator[AgUiEvent]:  # noqa: PLR0912 -- one case for each event
        match event:
            case RunStarted():
                yield {
                    "type": "RUN_STARTED",
                    **self._run,
                    "protocolVersion": PROTOCOL_VERSION,
                }
            case StepStarted():
                self._step, self._text = f"hop {event.hop}", ""
                yield {"type": "STEP_STARTED", "stepName": self._step}
            case StepFinished():
                if event.usage:
                    self._tokens["inputTokens"] += event.usage.prompt_tokens
                    self._tokens["outputTokens"] += event.usage.completion_tokens
                yield from self._end_step()
            case TextMessageStart():
                self._text = self._id(event.message_id)
                yield {
                    "type": "TEXT_MESSAGE_START",
                    "messageId": self._text,
                    "role": "assistant",
                }
            case TextMessageContent():
                yield {
                    "type": "TEXT_MESSAGE_CONTENT",
                    "messageId": self._id(event.message_id),
                    "delta": event.delta,
                }
            case TextMessageEnd():
                yield {"type": "TEXT_MESSAGE_END", "messageId": self._id(event.message_id)}
            case ReasoningMessageContent():
                yield {
                    "type": "REASONING_MESSAGE_CHUNK",
                    "messageId": self._id(f"{event.message_id}:reasoning"),
                    "delta": event.delta,
                }
            case ToolCallStart():
                parent = {"parentMessageId": self._text} if self._text else {}
                yield {
                    "type": "TOOL_CALL_START",
                    "toolCallId": self._id(event.tool_call_id),
                    "toolCallName": event.name,
                    **parent,
                }
            case ToolCallArgs():
                yield {
                    "type": "TOOL_CALL_ARGS",
                    "toolCallId": self._id(event.tool_call_id),
                    "delta": event.delta,
                }
            case ToolCallEnd():
                yield {"type": "TOOL_CALL_END", "toolCallId": self._id(event.tool_call_id)}
            case ApprovalRequested():
                yield self._custom(
                    "approval_requested",
                    toolCallId=self._id(event.tool_call_id),
                    toolCallName=event.name,
                    arguments=event.arguments,
                )
            case ApprovalDecided():
                yield self._custom(
                    "approval_decided",
                    toolCallId=self._id(event.tool_call_id),
                    approved=event.approved,
                    arguments=event.arguments,
                )
            case ToolCallProgress():
                call_id = self._id(event.tool_call_id)
                yield self._custom("tool_progress", toolCallId=call_id, text=event.text)
            case SubagentEvent():
                yield from self._nested(event)
            case ToolCallResult():
                yield from self._result(event)
            case ModelWaiting():
                yield self._custom("tabloop.waiting", seconds=event.seconds)
            case ToolWithdrawn():
                yield self._custom("tool_withdrawn", toolName=event.name, status=event.status)
            case RunFinished():
                yield from self._end_step()
                yield self._end(event)
            case _:
                assert_never(event)

    def _result(self, event: ToolCallResult) -> Iterator[AgUiEvent]:
        call_id = self._id(event.tool_call_id)
        yield {
            "type": "TOOL_CALL_RESULT",
            "messageId": f"{call_id}:result",
            "toolCallId": call_id,
            "content": event.content,
            "role": "tool",
        }
        if event.display is not None or event.sources:
            yield self._custom(
                "tool_display", toolCallId=call_id, display=event.display, sources=event.sources
            )

    def _nested(self, event: SubagentEvent) -> Iterator[AgUiEvent]:
        call_id = self._id(event.tool_call_id)
        thread_id = self._run["threadId"]
        writer = self._inner.setdefault(call_id, _Writer(thread_id, f"{call_id}:run"))
        for written in writer.write(event.event):
            yield self._custom("subagent", toolCallId=call_id, event=written)

    def _end_step(self) -> Iterator[AgUiEvent]:
        if self._step:
            yield {"type": "STEP_FINISHED", "stepName": self._step}
        self._step = ""

    def _end(self, event: RunFinished) -> AgUiEvent:
        usage = {"usage": [self._tokens]} if any(self._tokens.values()) else {}
        if event.outcome == "error":
            error = event.error
            code = error.code if isinstance(error, ModelError) else type(error).__name__
            return {"type": "RUN_ERROR", "message": str(error) or code, "code": code, **usage}
        cancelled = event.outcome in ("stopped", "aborted")
        return {
            "type": "RUN_FINISHED",
            **self._run,
            "outcome": {"type": "cancelled" if cancelled else "success"},
            "result": {
                "outcome": event.outcome,
                "text": event.text,
                "finishReason": event.finish_reason,
                "reason": event.reason,
            },
            **usage,
        }

    def _custom(self, name: str, **value: object) -> AgUiEvent:
        return {"type": "CUSTOM", "name": name, "value": _plain(value)}

    def _id(self, own: str) -> str:
        return f"{self._prefix}:{own}"


def _plain(value: Mapping[str, object]) -> dict[str, Any]:
    """Return JSON values; a value that cannot be written as JSON becomes its `ascii()`."""
    return {name: _plain_member(member) for name, member in value.items()}


def _plain_member(member: object) -> Any:
    try:
        return json.loads(to_json(member, inf_nan_mode="null"))
    except (PydanticSerializationError, ValueError, RecursionError):
        return ascii(member)
