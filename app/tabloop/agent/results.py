"""Tool results: whatever a tool returns or raises, the model gets one object with a status."""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from pydantic_core import PydanticSerializationError, to_json

from tabloop.agent.errors import ErrorStatus
from tabloop.agent.events import Status
from tabloop.agent.tools import Source, ToolOutput
from tabloop.core.json_text import compact, read_json

__all__ = ["MAX_REASON", "MAX_RESULT_BYTES", "RECOVERABLE", "ToolResult", "error_result", "success"]

MAX_REASON = 200  # characters; a reason is read by the model on every later hop
RECOVERABLE: frozenset[Status] = frozenset(
    {"ok", "not_found", "invalid_arguments", "repeated_call", "max_tokens", "unknown_tool"}
)
MAX_RESULT_BYTES = 65_536  # of JSON; it is sent, and paid for, again on every later hop

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The answer to one call. `content` is JSON text, `display` and `sources` are for the page.

    A result that is not `recoverable` withdraws the tool for the rest of the run.
    """

    status: Status
    content: str
    recoverable: bool = True
    display: object = None
    sources: tuple[Source, ...] = ()

    def with_arguments(self, arguments: Mapping[str, Any]) -> "ToolResult":
        """Say what the tool ran with, so that the model does not ask for its own words again."""
        fields = {**json.loads(self.content), "arguments": arguments}
        return replace(self, content=compact(fields))


def success(value: object) -> ToolResult:
    """Turn what a tool returned into its result.

    An object gets `status: "ok"` beside its own fields; anything else, and an object that has a
    `status` of its own, stands under `result`: data from outside cannot pose as a failure. A value
    that cannot be written as JSON makes a `tool_error`, since a tool's mistake must not end the
    run. A `ToolResult` stays as it is.
    """
    output = value if isinstance(value, ToolOutput) else ToolOutput(value)
    if isinstance(output.result, ToolResult):
        return output.result
    try:
        plain = read_json(to_json(output.result, inf_nan_mode="null"))
    except (PydanticSerializationError, ValueError, RecursionError):
        _log.exception("a tool's result could not be written as JSON")
        return error_result("tool_error", "The tool's result could not be written as JSON.")
    fields = {"result": plain}
    if isinstance(plain, dict) and "status" not in plain:
        fields = cast("dict[str, object]", plain)
    content = compact({"status": "ok", **fields})
    if (size := len(content.encode())) > MAX_RESULT_BYTES:
        reason = f"The result has {size} bytes, at most {MAX_RESULT_BYTES} fit. Ask for less."
        return error_result("invalid_response", reason, recoverable=True)
    return ToolResult("ok", content, display=output.display, sources=output.sources)


def error_result(
    code: ErrorStatus, reason: str, *, recoverable: bool | None = None, display: object = None
) -> ToolResult:
    """Make the result of a call that failed or did not run."""
    return ToolResult(
        status=code,
        content=compact({"status": code, "reason": _one_line(reason)}),
        recoverable=code in RECOVERABLE if recoverable is None else recoverable,
        display=display,
    )


def _one_line(reason: str) -> str:
    line = " ".join(reason.split())
    return line if len(line) <= MAX_REASON else line[: MAX_REASON - 1].rstrip() + "…"
