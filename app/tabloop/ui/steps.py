"""The steps of an answer as HTML. Everything a model or a tool wrote is escaped here, as text.

Rule: a step is a frozen value, so whoever paints compares steps and asks for HTML once for each.
"""

import json
from html import escape
from typing import NamedTuple, Self

from tabloop.core.json_text import read_json
from tabloop.ui.answer_state import StepState, ToolStep
from tabloop.ui.strings import Strings
from tabloop.ui.tool_words import arguments_of, step_summary, step_title

__all__ = ["FIRST_CHARACTERS", "step_html", "steps_frame"]

FIRST_CHARACTERS = 2_000  # of a result; the rest comes with "Show all"
MARKS: dict[StepState, str] = {
    "running": "",
    "ok": "✓",
    "failed": "✗",
    "declined": "⊘",
    "skipped": "»",
    "interrupted": "■",
}


class _Result(NamedTuple):
    """What a tool gave back: the value, and its JSON with line breaks and real umlauts."""

    value: object
    text: str

    @classmethod
    def read(cls, written: str) -> Self:
        """Parse it; what is no JSON has no value and stays as it is."""
        try:
            value = read_json(written)
        except ValueError:
            return cls(None, written)
        return cls(value, json.dumps(value, ensure_ascii=False, indent=2))


def steps_frame(strings: Strings) -> str:
    """Return the empty list that steps go into."""
    label = escape(strings("step.group"))
    return f'<div role="group" aria-label="{label}"><ol class="steps"></ol></div>'


def step_html(strings: Strings, step: ToolStep, *, whole: bool = False) -> str:
    """Return one list item, closed; `whole` shows a long result to its end."""
    aside = f'<p class="aside">{escape(step.aside)}</p>' if step.aside else ""
    waits = step.waiting and step.state == "running"
    state = escape(strings("state.waiting" if waits else f"state.{step.state}"))
    fact, result = state, None
    if step.result is not None:
        result = _Result.read(step.result)
        size = escape(strings("step.size", n=len(step.result.encode())))
        fact = size if step.state == "ok" else f"{state} · {size}"
        if step.state == "ok":
            summary = escape(step_summary(strings, step, result.value))
            shown = f"{summary} · {size}" if summary else size
            fact = f'<span class="unseen">{state}, </span>{shown}'
    return (
        f'<li data-tool="{escape(step.name)}" data-state="{step.state}">{aside}<details>'
        f'<summary><span class="mark" aria-hidden="true">{MARKS[step.state]}</span>'
        f'<span class="what">{escape(step_title(strings, step))}</span>'
        f'<span class="fact">{fact}</span></summary>'
        f'<div class="opened">{_opened(strings, step, result, whole=whole)}</div></details></li>'
    )


def _opened(strings: Strings, step: ToolStep, result: _Result | None, *, whole: bool) -> str:
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
    if result is None:
        return "".join([*parts, _block(strings("step.noResult"), strings("step.result"))])
    text = result.text
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
