"""The texts about a tool: its title, its steps, its status line.

Rule: every text comes from the tool's presentation or is made from the tool's name.
"""

import logging
import math
from collections.abc import Iterable, Mapping
from typing import Any, cast

from tabloop.agent.presentation import Line, Presentation, readable
from tabloop.core.json_text import read_json
from tabloop.ui.answer_state import ToolStep
from tabloop.ui.strings import Strings
from tabloop.ui.unseen import without_unseen

__all__ = ["arguments_of", "step_status", "step_summary", "step_title", "tool_title"]

_log = logging.getLogger(__name__)

MAX_VALUE = 80  # most characters of a value that the model chose


def tool_title(strings: Strings, name: str, presentation: Presentation) -> str:
    """Return the tool's short name for people."""
    return strings.text(presentation.title) or _short(readable(name)) or _short(name)


def step_title(strings: Strings, step: ToolStep) -> str:
    """Return what a call looks up, as a short noun phrase."""
    lines = step.presentation.step_lines(arguments_of(step) or {})
    return _first(strings, lines) or tool_title(strings, step.name, step.presentation)


def step_summary(strings: Strings, step: ToolStep, result: object) -> str:
    """Return a few words about the result; blank if the tool has none for this `result`."""
    if not isinstance(result, dict):
        return ""
    lines = step.presentation.summary_lines(cast("Mapping[str, Any]", result))
    return _first(strings, lines)


def step_status(strings: Strings, step: ToolStep) -> str:
    """Return the status line while the call runs."""
    working = strings.text(step.presentation.working)
    return working or strings("status.lookingUp", what=step_title(strings, step))


def arguments_of(step: ToolStep) -> Mapping[str, Any] | None:
    """Return the final arguments, else the model's; `None` if they are not a JSON object."""
    if step.arguments is not None:
        return step.arguments
    try:
        written = read_json(step.raw_arguments or "{}")
    except ValueError:
        return None
    return cast("Mapping[str, Any]", written) if isinstance(written, dict) else None


def _first(strings: Strings, lines: Iterable[Line]) -> str:
    """Return the first line whose placeholders can all be filled; blank if there is none."""
    for line in lines:
        try:
            return _filled(strings, line)
        except (
            Exception
        ):  # a placeholder without value or misspelt, or no line at all: a tool's fault
            _log.debug("a line of a tool cannot be shown", exc_info=True)
    return ""


def _filled(strings: Strings, line: Line) -> str:
    text, given = line
    shown = {name: _shown(strings, value) for name, value in given.items()}
    return strings.fill(text, {name: value for name, value in shown.items() if value is not None})


def _shown(strings: Strings, value: object) -> str | int | None:
    match value:
        case bool():
            return None
        case int():
            return value
        case float() if not math.isfinite(value):
            return None
        case float():
            return str(value).replace(".", strings("format.decimal"))
        case str():
            return _short(strings.date(value)) or None
        case _:
            return None


def _short(value: str) -> str:
    begin = value[: 4 * MAX_VALUE]
    line = without_unseen(" ".join(begin.split()))
    return line if len(line) <= MAX_VALUE and begin == value else line[: MAX_VALUE - 1] + "…"
