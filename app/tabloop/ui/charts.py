"""Charts of an answer as HTML. Rule: whatever the picture shows is there as text as well.

A figure has its title, a picture named by a sentence, notes, and all numbers in a table that opens.
"""

from collections.abc import Iterable, Sequence
from html import escape

from tabloop.agent.displays import Chart
from tabloop.ui.chart_bars import DRAWN, PATTERNED, bars_html, paint, tones
from tabloop.ui.chart_columns import columns_html
from tabloop.ui.chart_scale import known
from tabloop.ui.chart_table import table_html
from tabloop.ui.chart_words import message, plain, word
from tabloop.ui.strings import Strings

__all__ = ["chart_html", "charts_html"]

OPEN_GROUPS = 2  # results whose first chart stands open; an answer is to be read, not scrolled past
# What lies on a tone's colour, in a tile of so many pixels; each reads in grey as well.
PATTERNS = {
    1: (6, "rotate(45)", '<rect width="2" height="6"/>'),
    2: (6, "", '<circle cx="3" cy="3" r="1.3"/>'),
    3: (7, "rotate(-45)", '<rect width="1.6" height="7"/>'),
    4: (5, "", '<rect width="5" height="1.2"/>'),
    5: (6, "", '<path d="M0 0h1.2v6H0zM0 0h6v1.2H0z"/>'),
}


def charts_html(
    strings: Strings, groups: Sequence[Sequence[Chart]], *, number: int, first: int = 0
) -> str:
    """Return the figures of an answer's results, one group for each result.

    The first chart of the first two groups stands open, the others wait behind "2 more charts".
    `number` counts answers and `first` the charts that stand there already: together they name one.
    """
    open_ones: list[str] = []
    folded: list[str] = []
    titles: list[str] = []
    index = first
    for place, group in enumerate(groups):
        for chart in group:
            figure = chart_html(strings, chart, number=number, index=index)
            if chart is group[0] and place < OPEN_GROUPS:
                open_ones.append(figure)
            else:
                folded.append(figure)
                titles.append(word(strings, chart.title))
            index += 1
    if not folded:
        return "".join(open_ones)
    more = escape(strings("chart.more", n=len(folded)))
    which = escape(", ".join(dict.fromkeys(titles)))
    return (
        f'{"".join(open_ones)}<details class="more-charts"><summary>{more}'
        f'<span class="which">{which}</span></summary>{"".join(folded)}</details>'
    )


def chart_html(strings: Strings, chart: Chart, *, number: int = 1, index: int = 0) -> str:
    """Return one figure; `number` and `index` make its ids unique in the page."""
    name = f"chart-{number}-{index}"
    prefix = name if len(chart.series) > 1 else ""
    draw = columns_html if chart.kind == "columns" else bars_html
    texts = [word(strings, text) for text in chart.labels]
    long = sum(map(len, texts)) > 30 * len(texts)  # sentences stand above their bars
    shape = "time" if chart.kind == "columns" else "rows above" if long else "rows"
    subject = plain(strings.date(chart.subject))
    about = " · ".join(filter(None, (word(strings, chart.unit), subject)))
    table, csv = escape(strings("chart.table")), escape(strings("chart.csv"))
    region = escape(strings("chart.numbers"))
    return (
        f'<figure class="chart" data-kind="{chart.kind}">'
        f"<figcaption><h3>{escape(word(strings, chart.title))}</h3>"
        f'<p class="about">{escape(about)}</p>'
        f"</figcaption>{_legend(strings, chart, prefix)}"
        f'<div class="plot {shape}" role="img" aria-label="{escape(message(strings, chart))}">'
        f"{draw(strings, chart, prefix)}</div>"
        f"{_notes(strings, chart)}"
        f'<p class="row"><button type="button" class="link" data-action="chart-table" '
        f'aria-expanded="false" aria-controls="{name}-table">{table}</button>'
        f'<button type="button" class="link" data-action="chart-csv" data-chart="{index}">'
        f"{csv}</button></p>"
        f'<div class="numbers" id="{name}-table" role="group" aria-label="{region}" tabindex="0" '
        f'hidden="">{table_html(strings, chart)}</div></figure>'
    )


def _legend(strings: Strings, chart: Chart, prefix: str) -> str:
    if len(chart.series) == 1:
        return ""
    used = tones(len(chart.series))
    items = "".join(
        f'<li><svg class="swatch" width="14" height="14" aria-hidden="true"><rect '
        f'{paint(tone, prefix)} width="14" height="14" rx="2"/></svg>'
        f"{escape(word(strings, series.name))}</li>"
        for series, tone in zip(chart.series, used, strict=True)
    )
    patterns = "".join(_pattern(tone, prefix) for tone in dict.fromkeys(used) if tone in PATTERNED)
    defs = (
        f'<svg class="defs" width="0" height="0" aria-hidden="true"><defs>{patterns}</defs></svg>'
    )
    return f'{defs}<ul class="legend">{items}</ul>'


def _pattern(tone: int, prefix: str) -> str:
    size, turned, shape = PATTERNS[tone]
    turn = f' patternTransform="{turned}"' if turned else ""
    return (
        f'<pattern id="{prefix}-{tone}" width="{size}" height="{size}" '
        f'patternUnits="userSpaceOnUse"{turn}><rect class="tone-{tone}" width="{size}" '
        f'height="{size}"/><g class="mark-{tone}">{shape}</g></pattern>'
    )


def _notes(strings: Strings, chart: Chart) -> str:
    """What the tool has to say about its numbers, and what the picture leaves to the table."""
    sentences: list[str] = [word(strings, note.text, n=note.n) for note in chart.notes]
    if chart.kind != "columns" and len(chart.labels) > DRAWN:
        sentences.append(strings("chart.drawn", shown=DRAWN, n=len(chart.labels)))
    values: Iterable[float | None] = (v for series in chart.series for v in series.values)
    if missing := sum(known(value) is None for value in values):
        sentences.append(strings("chart.missing", n=missing))
    return f'<p class="note">{escape(" ".join(sentences))}</p>' if sentences else ""
