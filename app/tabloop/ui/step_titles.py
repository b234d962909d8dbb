"""What a call looks up, in the person's words. Rule: a tool that is not ours keeps its name."""

import re
from collections.abc import Mapping
from typing import Any, cast

from tabloop.core.json_text import read_json
from tabloop.ui.answer_state import ToolStep
from tabloop.ui.strings import Strings

__all__ = ["arguments_of", "step_title"]

MAX_VALUE = 80  # characters of a value that the model chose
DATED_SLUG = re.compile(r"\d+-\d+-(\d{4}-\d{2}-\d{2})")


def arguments_of(step: ToolStep) -> Mapping[str, Any] | None:
    """Return the final arguments, else those the model wrote; `None` where they are no object."""
    if step.arguments is not None:
        return step.arguments
    try:
        written = read_json(step.written or "{}")
    except ValueError:
        return None
    return cast("Mapping[str, Any]", written) if isinstance(written, dict) else None


def step_title(strings: Strings, step: ToolStep) -> str:
    """Return a short noun phrase."""
    given = arguments_of(step) or {}
    values = {name: _short(value) for name, value in given.items() if value is not None}
    match step.name:
        case "get_sitzungen":
            return _sessions(strings, values)
        case "search_claims" if query := values.get("query") or values.get("fraktion"):
            return strings("step.claimsQuery", query=query)
        case "search_claims":
            return strings("step.claims")
        case "generate_image" if prompt := values.get("prompt"):
            return strings("step.picture", prompt=prompt)
        case "get_analytics":
            return _visits(strings, values.get("range", "30d"))
        case _:
            return strings("step.other", name=_short(step.name))


def _visits(strings: Strings, chosen: str) -> str:
    """A range that the tool does not know stays the model's word: it is refused all the same."""
    key = f"step.visits{chosen}"
    return strings(key) if key in strings else strings("step.other", name="get_analytics")


def _sessions(strings: Strings, values: Mapping[str, str]) -> str:
    slug = values.get("slug")
    if slug is None:
        return _session_list(strings, values.get("von", ""), values.get("bis", ""))
    dated = DATED_SLUG.fullmatch(slug)
    if dated:
        return strings("step.sessionOf", date=strings.date(dated[1]))
    return strings("step.session", slug=slug)


def _session_list(strings: Strings, first: str, last: str) -> str:
    von, bis = strings.date(first), strings.date(last)
    match bool(von), bool(bis):
        case True, True if von == bis:
            return strings("step.sessionListDay", von=von)
        case True, True:
            return strings("step.sessionListRange", von=von, bis=bis)
        case True, False:
            return strings("step.sessionListFrom", von=von)
        case False, True:
            return strings("step.sessionListUntil", bis=bis)
        case _:
            return strings("step.sessionList")


def _short(value: object) -> str:
    line = " ".join(str(value).split())
    return line if len(line) <= MAX_VALUE else line[: MAX_VALUE - 1] + "…"
