"""The steps of an answer as HTML. Everything a model or a tool wrote is escaped here, as text."""

import json
from collections.abc import Mapping
from html import escape
from typing import Any, cast

from tabloop.core.json_text import read_json
from tabloop.ui.answer_state import StepState, ToolStep
from tabloop.ui.step_titles import arguments_of, step_title
from tabloop.ui.strings import Strings

__all__ = ["FIRST_CHARACTERS", "pretty", "step_html", "steps_frame"]

FIRST_CHARACTERS = 2_000  # of a result; the rest comes with "Show all"
COUNTED: Mapping[str, tuple[str, str]] = {  # tool: its list or its sum, and how that is counted
    "get_sitzungen": ("sitzungen", "step.sessionCount"),
    "search_claims": ("claims", "step.claimCount"),
    "get_analytics": ("totalHits", "step.visitCount"),
}
MARKS: dict[StepState, str] = {
    "running": "",
    "ok": "✓",
    "failed": "✗",
    "declined": "⊘",
    "skipped": "»",
    "interrupted": "■",
}


def steps_frame(strings: Strings) -> str:
    """Return the empty list that steps go into."""
    label = escape(strings("step.group"))
    return f'<div role="group" aria-label="{label}"><ol class="steps"></ol></div>'


def step_html(strings: Strings, step: ToolStep, *, whole: bool = False) -> str:
    """Return one list item, closed; `whole` shows a long result to its end."""
    aside = f'<p class="aside">{escape(step.aside)}</p>' if step.aside else ""
    waits = step.waiting and step.state == "running"
    state = escape(strings("state.waiting" if waits else f"state.{step.state}"))
    fact = state
    if step.result is not None:
        size = escape(strings("step.size", n=len(step.result.encode())))
        fact = size if step.state == "ok" else f"{state} · {size}"
        if step.state == "ok":
            count = escape(_count(strings, step))
            fact = f'<span class="unseen">{state}, </span>{count}{size}'
    return (
        f'<li data-tool="{escape(step.name)}" data-state="{step.state}">{aside}<details>'
        f'<summary><span class="mark" aria-hidden="true">{MARKS[step.state]}</span>'
        f"{_title(strings, step)}"
        f'<span class="fact">{fact}</span></summary>'
        f'<div class="opened">{_opened(strings, step, whole=whole)}</div></details></li>'
    )


def pretty(text: str) -> str:
    """Return JSON with line breaks and real umlauts; anything else as it is."""
    try:
        return json.dumps(read_json(text), ensure_ascii=False, indent=2)
    except ValueError:
        return text


def _title(strings: Strings, step: ToolStep) -> str:
    title = step_title(strings, step)
    # a tool's own name is no sentence: it keeps its spelling
    element = "code" if title == step.name else "span"
    return f'<{element} class="what">{escape(title)}</{element}>'


def _count(strings: Strings, step: ToolStep) -> str:
    """How long the list is that came back, or the sum; blank where it was neither."""
    field, key = COUNTED.get(step.name, ("", ""))
    if not field:
        return ""
    try:
        result = read_json(step.result or "")
    except ValueError:
        return ""
    found = cast("dict[str, Any]", result).get(field) if isinstance(result, dict) else None
    n = len(cast("list[Any]", found)) if isinstance(found, list) else found
    return f"{strings(key, n=n)} · " if isinstance(n, int) else ""


def _opened(strings: Strings, step: ToolStep, *, whole: bool) -> str:
    arguments = arguments_of(step)
    asked = step.written
    if arguments is not None:
        asked = json.dumps(dict(arguments), ensure_ascii=False, indent=2) if arguments else ""
    caption = f"<code>{escape(step.name)}</code> · {escape(strings('step.arguments'))}"
    parts = [
        f'<p class="caption">{caption}</p>',
        _block(asked or strings("step.noArguments"), strings("step.arguments")),
        f'<p class="caption">{escape(strings("step.result"))}</p>',
    ]
    if step.result is None:
        return "".join([*parts, _block(strings("step.noResult"), strings("step.result"))])
    text = pretty(step.result)
    if whole or len(text) <= FIRST_CHARACTERS:
        return "".join([*parts, _block(text, strings("step.result"))])
    rest = strings("step.longer", n=len(text) - FIRST_CHARACTERS)
    return "".join(
        [
            *parts,
            _block(f"{text[:FIRST_CHARACTERS]}\n{rest}", strings("step.result")),
            '<button type="button" class="small" data-action="show-all">'
            f"{escape(strings('step.showAll'))}</button>",
        ]
    )


def _block(text: str, label: str) -> str:
    return f'<pre tabindex="0" role="group" aria-label="{escape(label)}">{escape(text)}</pre>'
