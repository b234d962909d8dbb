"""The conversation as a Markdown file. Rule: it has the same texts as the page."""

from collections.abc import Sequence
from dataclasses import dataclass

from tabloop.agent.displays import Picture
from tabloop.core.markdown import escaped
from tabloop.ui.answer_state import AnswerState
from tabloop.ui.chart_order import in_order_asked
from tabloop.ui.chart_table import chart_markdown
from tabloop.ui.export_text import disarmed, link
from tabloop.ui.sources import source_title
from tabloop.ui.strings import Strings
from tabloop.ui.tool_words import step_title

__all__ = ["ExportedAnswer", "as_markdown"]


@dataclass(frozen=True, slots=True)
class ExportedAnswer:
    """A question with its answer; `problem` and `cost` are the page's sentences, if any.

    `run` says in Markdown how the answer came about.
    """

    question: str
    state: AnswerState
    label: str = ""
    problem: str = ""
    cost: str = ""
    run: str = ""


def as_markdown(
    strings: Strings, answers: Sequence[ExportedAnswer], day: str, name: str = "Tabloop"
) -> str:
    """Return the file's text; `day` is an ISO date, `name` the site's."""
    parts = [
        f"# {strings('export.title', name=escaped(name))}",
        strings("export.date", date=strings.date(day)),
    ]
    for answer in answers:
        parts += [f"## {strings('export.question')}", _quoted(answer.question)]
        parts += [f"## {strings('export.answer')}"]
        if answer.label:
            parts.append(f"*{answer.label}*")
        text = disarmed(answer.state.text.strip())
        parts.append(text or escaped(answer.problem) or strings("export.noAnswer"))
        if text and answer.problem:
            parts.append(f"*{escaped(answer.problem)}*")
        parts += [
            f"{strings('picture.title')}: {_picture_link(picture)}"
            for picture in answer.state.pictures
        ]
        parts += [
            chart_markdown(strings, chart)
            for group in in_order_asked(answer.state.charts, answer.question)
            for _, chart in group
        ]
        if answer.state.steps:
            lines = [
                f"- {escaped(step_title(strings, step))} ({_code(step.name)}): "
                + strings(f"state.{step.state}")
                for step in answer.state.steps
            ]
            parts += [f"**{strings('export.steps')}**", "\n".join(lines)]
        if answer.state.sources:
            links = [
                f"- {link(source_title(strings, source), source.url)}"
                + (f" ({escaped(strings.text(source.attribution))})" if source.attribution else "")
                for source in answer.state.sources
            ]
            parts += [f"**{strings('sources.title')}**", "\n".join(links)]
        if answer.cost:
            parts.append(escaped(answer.cost))
        if answer.run:
            parts += [f"**{strings('run.title')}**", answer.run]
    return "\n\n".join(parts) + "\n"


def _picture_link(picture: Picture) -> str:
    """Return a link, or the prompt alone of a picture that came without an address."""
    if not picture.url or picture.url.startswith("data:"):
        return escaped(picture.prompt)
    return link(picture.prompt, picture.url)


def _code(name: str) -> str:
    """A model may have made the name up."""
    return f"`{' '.join(name.replace('`', '').split())}`"


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in disarmed(text).splitlines())
