"""Tool results: whatever a tool returns or raises, the model gets one object with a status."""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast, get_args

from pydantic_core import PydanticSerializationError, to_json

from app.agent.errors import ErrorStatus
from app.agent.events import Status
from app.agent.tools import Source, ToolOutput

__all__ = ["MAX_REASON", "RECOVERABLE", "ToolResult", "failure", "success"]

MAX_REASON = 200  # characters; a reason is read by the model on every later hop
RECOVERABLE: frozenset[Status] = frozenset(
    {"ok", "not_found", "invalid_arguments", "repeated_call", "max_tokens", "unknown_tool"}
)
_STATUSES: frozenset[Any] = frozenset(("ok", *get_args(ErrorStatus)))

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
        return replace(self, content=_compact(fields))


def success(value: object) -> ToolResult:
    """Turn what a tool returned into its result.

    An object gets `status: "ok"` beside its own fields, unless it carries one of our statuses
    already; anything else stands under `result`. A value that cannot be written as JSON makes a
    `tool_error`: a tool's mistake must not end the run. A `ToolResult` stays as it is.
    """
    output = value if isinstance(value, ToolOutput) else ToolOutput(value)
    if isinstance(output.result, ToolResult):
        return output.result
    try:
        plain = json.loads(to_json(output.result, inf_nan_mode="null"))
    except (PydanticSerializationError, ValueError, RecursionError):
        _log.exception("a tool's result could not be written as JSON")
        return failure("tool_error", "The tool's result could not be written as JSON.")
    fields = cast("dict[str, Any]", plain if isinstance(plain, dict) else {"result": plain})
    status = fields.get("status", "ok")
    if not isinstance(status, str) or status not in _STATUSES:
        fields, status = cast("dict[str, Any]", {"result": fields}), "ok"
    reason = fields.get("reason")
    if status != "ok" and isinstance(reason, str):
        fields["reason"] = _one_line(reason)
    return ToolResult(
        status=cast("Status", status),
        content=_compact({"status": status, **fields}),
        recoverable=status in RECOVERABLE,
        display=output.display,
        sources=output.sources,
    )


def failure(code: ErrorStatus, reason: str, *, recoverable: bool | None = None) -> ToolResult:
    """Make the result of a call that failed or did not run."""
    return ToolResult(
        status=code,
        content=_compact({"status": code, "reason": _one_line(reason)}),
        recoverable=code in RECOVERABLE if recoverable is None else recoverable,
    )


def _one_line(reason: str) -> str:
    line = " ".join(reason.split())
    return line if len(line) <= MAX_REASON else line[: MAX_REASON - 1].rstrip() + "…"


def _compact(fields: Mapping[str, Any]) -> str:
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
