"""The charts of an answer as HTML. Rule: everything that a picture shows is also there as text.

A figure has a title, a picture with a sentence as its accessible name, notes, and a table of all
numbers that can be opened.
"""

from collections.abc import Iterable, Mapping, Sequence

from tabloop.agent.displays import Chart
from tabloop.ui.chart_bars import MAX_ROWS, PATTERNED, bars_html, paint, tones
from tabloop.ui.chart_columns import columns_html
from tabloop.ui.chart_order import in_order_asked
from tabloop.ui.chart_scale import known
from tabloop.ui.chart_table import table_html
from tabloop.ui.chart_words import message, plain, word
from tabloop.ui.html import Attributes, Html, fragment, h
from tabloop.ui.strings import Strings

__all__ = ["chart_html", "charts_html"]

MOST_LABELS = 1_000  # a chart with more says nothing, and its table would block the page
OPEN_GROUPS = 2  # results whose first chart is open from the start; more would hide the answer
# For each tone: size of the pattern's tile in pixels, transform, shape and its attributes. The
# patterns differ in grey, too.
PATTERNS: Mapping[int, tuple[int, str | None, str, Attributes]] = {
    1: (6, "rotate(45)", "rect", {"width": 2, "height": 6}),
    2: (6, None, "circle", {"cx": 3, "cy": 3, "r": "1.3"}),
    3: (7, "rotate(-45)", "rect", {"width": "1.6", "height": 7}),
    4: (5, None, "rect", {"width": 5, "height": "1.2"}),
    5: (6, None, "path", {"d": "M0 0h1.2v6H0zM0 0h6v1.2H0z"}),
}


def charts_html(
    strings: Strings,
    groups: Sequence[Sequence[Chart]],
    *,
    number: int,
    first: int = 0,
    question: str = "",
) -> Html:
    """Return the figures of an answer, one group for each tool result.

    What `question` asks for stands first. Of each of the first two groups the first chart is open,
    the rest is in a collapsed "2 more charts". `number` is the answer's number in the page, `first`
    the index of the first chart in the answer; ids of elements are made of both.
    """
    open_ones: list[Html] = []
    folded: list[Html] = []
    titles: list[str] = []
    for place, group in enumerate(in_order_asked(groups, question, first)):
        small = [pair for pair in group if len(pair[1].labels) <= MOST_LABELS]
        for position, (index, chart) in enumerate(small):
            figure = chart_html(strings, chart, number=number, index=index)
            if position == 0 and place < OPEN_GROUPS:
                open_ones.append(figure)
            else:
                folded.append(figure)
                titles.append(word(strings, chart.title))
    if not folded:
        return fragment(*open_ones)
    which = h("span", {"class": "which"}, ", ".join(dict.fromkeys(titles)))
    more = h("summary", {}, strings("chart.more", n=len(folded)), which)
    return fragment(*open_ones, h("details", {"class": "more-charts"}, more, *folded))


def chart_html(strings: Strings, chart: Chart, *, number: int = 1, index: int = 0) -> Html:
    """Return one figure; `number` and `index` make the ids of its elements unique in the page."""
    name = f"chart-{number}-{index}"
    prefix = name if len(chart.series) > 1 else ""
    draw = columns_html if chart.kind == "columns" else bars_html
    texts = [word(strings, text) for text in chart.labels]
    long = sum(map(len, texts)) > 30 * len(texts)  # sentences get a line above their bars
    shape = "time" if chart.kind == "columns" else "rows above" if long else "rows"
    subject = plain(strings.date(chart.subject))
    about = " · ".join(filter(None, (word(strings, chart.unit), subject)))
    picture: Attributes = {
        "class": f"plot {shape}",
        "role": "img",
        "aria-label": message(strings, chart),
    }
    return h(
        "figure",
        {"class": "chart", "data-kind": chart.kind},
        h(
            "figcaption",
            {},
            h("h3", {}, word(strings, chart.title)),
            h("p", {"class": "about"}, about),
        ),
        _legend(strings, chart, prefix),
        h("div", picture, draw(strings, chart, prefix)),
        _notes(strings, chart),
        *_numbers(strings, chart, f"{name}-table", index),
    )


def _numbers(strings: Strings, chart: Chart, name: str, index: int) -> tuple[Html, Html]:
    """Return the buttons below the picture, and the table that one of them opens."""
    link: Attributes = {"type": "button", "class": "link"}
    opens: Attributes = {
        "data-action": "chart-table",
        "aria-expanded": "false",
        "aria-controls": name,
    }
    copies: Attributes = {"data-action": "chart-csv", "data-value": index}
    region: Attributes = {
        "class": "numbers",
        "id": name,
        "role": "group",
        "aria-label": strings("chart.numbers"),
        "tabindex": 0,
        "hidden": "",
    }
    buttons = h(
        "p",
        {"class": "row"},
        h("button", {**link, **opens}, strings("chart.table")),
        h("button", {**link, **copies}, strings("chart.csv")),
    )
    return buttons, h("div", region, table_html(strings, chart))


def _legend(strings: Strings, chart: Chart, prefix: str) -> Html | None:
    if len(chart.series) == 1:
        return None
    used = tones(len(chart.series))
    size: Attributes = {"width": 14, "height": 14}
    items = (
        h(
            "li",
            {},
            h(
                "svg",
                {"class": "swatch", **size, "aria-hidden": "true"},
                h("rect", {**paint(tone, prefix), **size, "rx": 2}),
            ),
            word(strings, series.name),
        )
        for series, tone in zip(chart.series, used, strict=True)
    )
    patterns = (_pattern(tone, prefix) for tone in dict.fromkeys(used) if tone in PATTERNED)
    hidden: Attributes = {"class": "defs", "width": 0, "height": 0, "aria-hidden": "true"}
    return fragment(
        h("svg", hidden, h("defs", {}, *patterns)), h("ul", {"class": "legend"}, *items)
    )


def _pattern(tone: int, prefix: str) -> Html:
    size, turned, shape, place = PATTERNS[tone]
    tile: Attributes = {"width": size, "height": size}
    return h(
        "pattern",
        {
            "id": f"{prefix}-{tone}",
            **tile,
            "patternUnits": "userSpaceOnUse",
            "patternTransform": turned,
        },
        h("rect", {"class": f"tone-{tone}", **tile}),
        h("g", {"class": f"mark-{tone}"}, h(shape, place)),
    )


def _notes(strings: Strings, chart: Chart) -> Html | None:
    """Return the tool's notes, and how many rows or numbers the picture does not show."""
    sentences: list[str] = [word(strings, note.text, n=note.n) for note in chart.notes]
    if chart.kind != "columns" and len(chart.labels) > MAX_ROWS:
        sentences.append(strings("chart.drawn", shown=MAX_ROWS, n=len(chart.labels)))
    values: Iterable[float | None] = (v for series in chart.series for v in series.values)
    if missing := sum(known(value) is None for value in values):
        sentences.append(strings("chart.missing", n=missing))
    return h("p", {"class": "note"}, " ".join(sentences)) if sentences else None
