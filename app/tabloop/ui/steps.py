"""The steps of an answer as HTML, with the full arguments and results as text.

Rule: a step is a frozen value; the caller compares steps and makes HTML only for a changed one.
"""

import json
from collections.abc import Iterator
from typing import NamedTuple, Self

from tabloop.core.json_text import read_json
from tabloop.ui.answer_state import StepState, ToolStep
from tabloop.ui.html import Child, Html, button, fragment, h
from tabloop.ui.step_words import step_failure
from tabloop.ui.strings import Strings
from tabloop.ui.tool_words import arguments_of, step_summary, step_title

__all__ = ["FIRST_CHARACTERS", "reasoning_html", "step_html", "steps_frame"]

FIRST_CHARACTERS = 2_000  # of arguments and results; "Show all" shows the rest
MARKS: dict[StepState, str] = {
    "running": "",
    "ok": "✓",
    "failed": "✗",
    "declined": "⊘",
    "skipped": "»",
    "interrupted": "■",
}


class _Result(NamedTuple):
    """A tool's result: the value, and its JSON with line breaks and without escapes."""

    value: object
    text: str

    @classmethod
    def read(cls, written: str) -> Self:
        """Parse the text; text that is not JSON has the value `None` and stays unchanged."""
        try:
            value = read_json(written)
        except ValueError:
            return cls(None, written)
        return cls(value, json.dumps(value, ensure_ascii=False, indent=2))


def steps_frame(strings: Strings) -> Html:
    """Return the empty list for the steps."""
    group = {"role": "group", "aria-label": strings("step.group")}
    return h("div", group, h("ol", {"class": "steps"}))


def reasoning_html(strings: Strings, reasoning: str) -> Html:
    """Return what the model thought before it answered, collapsed; nothing if it told nothing."""
    if not reasoning.strip():
        return fragment()
    title = strings("step.reasoning")
    line = h("summary", {}, h("span", {"class": "what"}, title))
    opened = h("div", {"class": "opened"}, _block(reasoning.strip(), title, strings, whole=True))
    return h("div", {"class": "steps"}, h("details", {}, line, opened))


def step_html(strings: Strings, step: ToolStep, *, whole: bool = False) -> Html:
    """Return one list item, collapsed; `whole` shows a long result in full."""
    result = None if step.result is None else _Result.read(step.result)
    line = h(
        "summary",
        {},
        h("span", {"class": "mark", "aria-hidden": "true"}, MARKS[step.state]),
        h("span", {"class": "what"}, step_title(strings, step)),
        h("span", {"class": "fact"}, _state_and_summary(strings, step, result)),
    )
    return h(
        "li",
        {"data-tool": step.name, "data-state": step.state},
        _aside(strings, step.aside),
        h(
            "details",
            {},
            line,
            h("div", {"class": "opened"}, *_details(strings, step, result, whole=whole)),
        ),
    )


def _state_and_summary(strings: Strings, step: ToolStep, result: _Result | None) -> Child:
    """Return the step's state, and a summary of its result with the size in bytes."""
    waits = step.waiting and step.state == "running"
    state = strings("state.waiting" if waits else f"state.{step.state}")
    if step.result is None or result is None:
        return step.progress or state
    if step.state != "ok":
        return step_failure(strings, step)
    size = _size(strings, step.result)
    summary = step_summary(strings, step, result.value)
    hidden = h("span", {"class": "unseen"}, f"{state}, ")  # for screen readers; others see the mark
    return fragment(hidden, f"{summary} · {size}" if summary else size)


def _details(
    strings: Strings, step: ToolStep, result: _Result | None, *, whole: bool
) -> Iterator[Html]:
    arguments = arguments_of(step)
    asked = step.raw_arguments
    if arguments is not None:
        asked = json.dumps(dict(arguments), ensure_ascii=False, indent=2) if arguments else ""
    caption = {"class": "caption"}
    label = strings("step.arguments")
    yield h("p", caption, h("code", {}, step.name), f" · {label}")
    yield _block(asked or strings("step.noArguments"), label, strings, whole=whole)
    label = strings("step.result")
    size = f" · {_size(strings, step.result)}" if step.result is not None else None
    yield h("p", caption, label, size)
    text = strings("step.noResult") if result is None else result.text
    yield _block(text, label, strings, whole=whole)
    if not whole and max(len(asked), len(text)) > FIRST_CHARACTERS:
        yield button(strings("step.showAll"), "show-all")


def _aside(strings: Strings, text: str) -> Html | None:
    return h("p", {"class": "aside", "dir": "auto"}, _beginning(strings, text)) if text else None


def _size(strings: Strings, result: str) -> str:
    return strings("step.size", n=len(result.encode()))


def _block(text: str, label: str, strings: Strings, *, whole: bool) -> Html:
    shown = text if whole else _beginning(strings, text)
    return h("pre", {"tabindex": 0, "dir": "auto", "role": "group", "aria-label": label}, shown)


def _beginning(strings: Strings, text: str) -> str:
    rest = len(text) - FIRST_CHARACTERS
    return f"{text[:FIRST_CHARACTERS]}\n{strings('step.longer', n=rest)}" if rest > 0 else text
