"""What opens below "How this answer came about": drawing, table, messages.

Rule: of a request only its body is shown; keys and signatures are in the headers.
"""

import json
import re
from collections.abc import Iterator

from tabloop.core.json_text import Json, as_list, as_object, read_json
from tabloop.ui.html import Attributes, Html, fragment, h
from tabloop.ui.run import Run
from tabloop.ui.run_drawing import run_svg
from tabloop.ui.run_table import run_table
from tabloop.ui.strings import Strings

__all__ = ["run_html"]

_PICTURE = re.compile(r"(data:image/[\w.+-]+;base64,[\w+/]{20})[\w+/=]+")  # too long to be read


def run_html(strings: Strings, run: Run, *, number: int) -> Html:
    """Return the panel's content; `number` is the answer's number in the page."""
    name = f"run-{number}-table"
    opens: Attributes = {
        "type": "button",
        "class": "link",
        "data-action": "chart-table",
        "aria-expanded": "false",
        "aria-controls": name,
    }
    region: Attributes = {
        "class": "numbers",
        "id": name,
        "role": "group",
        "aria-label": strings("run.numbers"),
        "tabindex": 0,
        "hidden": "",
    }
    return fragment(
        h("p", {"class": "about"}, run.summary),
        run_svg(strings, run),
        h("p", {"class": "row"}, h("button", opens, strings("chart.table"))),
        h("div", region, run_table(strings, run)),
        *(_messages(strings, run) if run.bodies else [_not_sent(strings)]),
    )


def _not_sent(strings: Strings) -> Html:
    return h("p", {"class": "note"}, strings("run.notSent"))


def _messages(strings: Strings, run: Run) -> Iterator[Html]:
    """Yield the messages of each request; of those that it has in common with the last, a count."""
    before: list[Json] = []
    offered: Json = None
    for number, body in enumerate(run.bodies, 1):
        sent = as_object(read_json(body))
        messages = as_list(sent.get("messages"))
        known = len(before) if messages[: len(before)] == before else 0
        parts = [h("p", {"class": "caption"}, strings("run.before", n=known))] if known else []
        parts += [_block(strings, message) for message in messages[known:]]
        tools = sent.get("tools")
        if tools and tools != offered:
            label = strings("run.tools")
            parts += [h("p", {"class": "caption"}, label), _pre(tools, label)]
        title = h("summary", {}, strings("run.messages", n=len(messages), number=number))
        yield h("details", {"class": "sent"}, title, *parts)
        before, offered = messages, tools


def _block(strings: Strings, message: Json) -> Html:
    role = str(as_object(message).get("role"))
    label = h("p", {"class": "caption"}, h("code", {}, role))
    return fragment(label, _pre(message, strings("run.message", role=role)))


def _pre(value: Json, label: str) -> Html:
    text = json.dumps(value, ensure_ascii=False, indent=2)
    text = _PICTURE.sub(r"\1…", text)
    return h("pre", {"tabindex": 0, "dir": "auto", "role": "group", "aria-label": label}, text)
