"""Tool results. Rule: whatever a tool returns or raises, the model gets an object with a status."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic_core import PydanticSerializationError, to_json

from tabloop.agent.errors import ErrorStatus, ToolError
from tabloop.agent.events import Status, ToolCallResult
from tabloop.agent.limits import DEFAULT_LIMITS
from tabloop.agent.messages import ToolCall
from tabloop.agent.tools import Source, ToolOutput
from tabloop.core.json_text import compact, parsed, read_json

__all__ = ["MAX_REASON", "RECOVERABLE", "ToolResult", "error_result", "result_of_error", "success"]

MAX_REASON = 200  # characters; each later hop pays for it again
RECOVERABLE: frozenset[Status] = frozenset(
    {"ok", "not_found", "invalid_arguments", "repeated_call", "max_tokens", "unknown_tool"}
)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of one call. `content` is JSON text, `display` and `sources` are for the page.

    A tool whose result is not `recoverable` is withdrawn for the rest of the run.
    """

    status: Status
    content: str
    recoverable: bool = True
    display: object = None
    sources: tuple[Source, ...] = ()

    def event(self, call: ToolCall, arguments: Mapping[str, Any] | None) -> ToolCallResult:
        """Return the event that tells of this result."""
        return ToolCallResult(
            tool_call_id=call.id,
            name=call.name,
            status=self.status,
            content=self.content,
            arguments=arguments,
            display=self.display,
            sources=self.sources,
        )

    def with_arguments(self, arguments: Mapping[str, Any]) -> "ToolResult":
        """Add the arguments that the tool ran with, so that the model does not repeat the call."""
        [content] = parsed(self.content) or (self.content,)
        fields = content if isinstance(content, dict) else {"result": content}
        return replace(self, content=compact({**fields, "arguments": dict(arguments)}))


def success(value: object, max_bytes: int = DEFAULT_LIMITS.result_bytes) -> ToolResult:
    """Convert what a tool returned to its result.

    An object gets `status: "ok"` as a further field. Anything else, and an object that already has
    a `status`, is put under `result`, so that data from outside cannot look like an error. A value
    that cannot be written as JSON becomes a `tool_error`, since a tool's bug must not end the run;
    JSON longer than `max_bytes` becomes an `invalid_response`.

    Returns:
        The result; a `ToolResult` is returned unchanged.
    """
    output = value if isinstance(value, ToolOutput) else ToolOutput(value)
    if isinstance(output.result, ToolResult):
        return output.result
    try:
        plain = read_json(to_json(output.result))
    except (PydanticSerializationError, ValueError, RecursionError):
        _log.exception("a tool's result could not be written as JSON")
        return error_result("tool_error", "The tool's result could not be written as JSON.")
    fields = plain if isinstance(plain, dict) and "status" not in plain else {"result": plain}
    content = compact({"status": "ok", **fields})
    if (size := len(content.encode())) > max_bytes:
        reason = f"The result has {size} bytes, at most {max_bytes} fit. Ask for less."
        return error_result("invalid_response", reason, recoverable=True)
    return ToolResult("ok", content, display=output.display, sources=output.sources)


def error_result(
    code: ErrorStatus, reason: str, *, recoverable: bool | None = None, display: object = None
) -> ToolResult:
    """Return the result of a call that failed or did not run."""
    return ToolResult(
        status=code,
        content=compact({"status": code, "reason": _one_line(reason)}),
        recoverable=code in RECOVERABLE if recoverable is None else recoverable,
        display=display,
    )


def result_of_error(error: ToolError) -> ToolResult:
    """Return the result of a call whose tool raised this."""
    return error_result(
        error.code, error.reason, recoverable=error.recoverable, display=error.display
    )


def _one_line(reason: str) -> str:
    line = " ".join(reason.split())
    return line if len(line) <= MAX_REASON else line[: MAX_REASON - 1].rstrip() + "…"
