"""A chart's numbers as an HTML table, Markdown and CSV. Rule: each of them has all numbers.

CSV is for programs: plain numbers, ISO dates. A label that a spreadsheet would read as a formula
gets an apostrophe in front, because labels come from the web.
"""

import unicodedata

from tabloop.agent.displays import Chart
from tabloop.core.markdown import escaped
from tabloop.ui.chart_scale import known, total
from tabloop.ui.chart_words import figure, label, title, word
from tabloop.ui.html import Html, h
from tabloop.ui.strings import Strings
from tabloop.ui.unseen import without_unseen

__all__ = ["chart_csv", "chart_markdown", "table_html"]

FORMULA = ("=", "+", "-", "@", "\u2212")  # a formula begins with one of these, of any width
QUOTED = ('"', ",", ";", "\r", "\n")


def table_html(strings: Strings, chart: Chart) -> Html:
    """Return the table with all numbers, in the page's language."""
    heads = (h("th", {"scope": "col"}, text) for text in _headings(strings, chart))
    rows = (
        h(
            "tr",
            {},
            h("th", {"scope": "row"}, label(strings, chart, index)),
            *(h("td", {}, cell) for cell in _cells(strings, chart, index)),
        )
        for index in range(len(chart.labels))
    )
    return h(
        "table",
        {},
        h("caption", {}, f"{title(strings, chart)} ({word(strings, chart.unit)})"),
        h("thead", {}, h("tr", {}, *heads)),
        h("tbody", {}, *rows),
    )


def chart_markdown(strings: Strings, chart: Chart) -> str:
    """Return the same table in Markdown, below its title."""
    heads = [escaped(text) for text in _headings(strings, chart)]
    rows = [
        [escaped(label(strings, chart, index)), *_cells(strings, chart, index)]
        for index in range(len(chart.labels))
    ]
    rule = ["---"] + ["---:"] * (len(heads) - 1)
    lines = [f"| {' | '.join(row)} |" for row in (heads, rule, *rows)]
    caption = escaped(f"{title(strings, chart)} ({word(strings, chart.unit)})")
    return "\n".join([f"**{caption}**", "", *lines])


def chart_csv(strings: Strings, chart: Chart) -> str:
    """Return CSV by RFC 4180 with a row per label; an unknown number is an empty field."""
    series = [word(strings, item.name) for item in chart.series]
    rows = [[_field(text) for text in (word(strings, chart.heading), *series)]]
    for index, given in enumerate(chart.labels):
        name = word(strings, given)  # a date stays in ISO format, which programs read
        numbers = [known(item.values[index]) for item in chart.series]
        rows.append([_field(name), *("" if n is None else _number(n) for n in numbers)])
    return "".join(",".join(row) + "\r\n" for row in rows)


def _headings(strings: Strings, chart: Chart) -> list[str]:
    series = [word(strings, item.name) for item in chart.series]
    whole = [strings("chart.total")] if chart.kind == "stacked" else []
    return [word(strings, chart.heading), *series, *whole]


def _cells(strings: Strings, chart: Chart, index: int) -> list[str]:
    values = [item.values[index] for item in chart.series]
    whole = [total(values)] if chart.kind == "stacked" else []
    return [figure(strings, value) for value in (*values, *whole)]


def _number(number: float) -> str:
    return str(int(number)) if number == int(number) else repr(float(number))


def _field(text: str) -> str:
    read = unicodedata.normalize("NFKC", without_unseen(text)).lstrip()
    if read.startswith(FORMULA):
        text = f"'{text}"
    if any(character in text for character in QUOTED):
        return '"' + text.replace('"', '""') + '"'
    return text
