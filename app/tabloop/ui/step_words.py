"""Why a step did not give a result, in the page's language.

Rule: a person never reads a code; the full result is one press away.
"""

import re
from typing import get_args

from tabloop.agent.errors import ErrorStatus
from tabloop.core.json_text import read_json
from tabloop.ui.answer_state import ToolStep
from tabloop.ui.strings import Strings

__all__ = ["step_failure"]

_HTTP_STATUS = re.compile(r"\bstatus (\d{3})\b")  # as our own tools write it for the model
EXPLAINED = frozenset(
    {"refused", "busy", "broken", "bad_request", *get_args(ErrorStatus)}
    - {"user_declined", "interrupted"}  # the state says all
)
REFUSED, BUSY, BROKEN = (401, 403), 429, 500


def step_failure(strings: Strings, step: ToolStep) -> str:
    """Return why the step has no result; its state alone if its result does not say."""
    state = strings(f"state.{step.state}")
    code, reason = _read(step.result or "")
    if code == "fetch_failed" and (found := _HTTP_STATUS.search(reason)):
        code = _kind(int(found[1]))
    return f"{state}: {strings(f'failure.{code}')}" if code in EXPLAINED else state


def _read(result: str) -> tuple[str, str]:
    """Return the status and the reason in a result, blank where there is none."""
    try:
        value = read_json(result)
    except ValueError:
        return "", ""
    fields = value if isinstance(value, dict) else {}
    return str(fields.get("status", "")), str(fields.get("reason", ""))


def _kind(status: int) -> str:
    if status in REFUSED:
        return "refused"
    if status == BUSY:
        return "busy"
    return "broken" if status >= BROKEN else "bad_request"
