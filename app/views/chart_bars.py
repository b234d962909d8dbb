"""Bars that lie, single, grouped or stacked, as HTML with SVG marks.

Rule: one layout for every width: labels and numbers are text of the page and never scaled, lengths
are percentages. No style attribute, for the page's policy forbids it: CSS knows the classes.
"""

from collections.abc import Callable
from functools import partial
from html import escape
from typing import TypeAlias

from app.agent.displays import Chart
from app.views.chart_scale import known, largest, percent
from app.views.chart_words import compact, label, row_totals
from app.views.strings import Strings

__all__ = ["DRAWN", "bars_html", "paint", "tones"]

DRAWN = 15  # rows; what is more stands in the table alone
THICK, THIN, STACK = 18, 14, 22  # pixels: of one bar, of several for one label, of a stack
# A tone is a colour with its pattern, so that neither carries meaning alone. How many series there
# are decides which: far apart where few are needed.
TONES = {1: (0,), 2: (0, 2), 3: (0, 3, 4), 4: (0, 1, 3, 4)}
PATTERNED = (1, 2, 3, 4, 5)
NARROW, WIDE = 230, 460  # pixels that a track has at least: on a phone, on a desk
CHARACTER = 7.2  # pixels of a digit
Length: TypeAlias = Callable[[float | None], float]  # of a number, in percent of the track


def tones(count: int) -> tuple[int, ...]:
    """Return the tone of each series."""
    return TONES.get(count) or tuple(index % 6 for index in range(count))


def paint(tone: int, prefix: str) -> str:
    """Return the attributes that fill a mark; patterns stand in the legend, below `prefix`."""
    if tone in PATTERNED and prefix:
        return f'class="mark" fill="url(#{prefix}-{tone})"'
    return f'class="mark tone-{tone}"'


def bars_html(strings: Strings, chart: Chart, prefix: str) -> str:
    """Return label and marks of each row, for a grid of two columns (one where it is narrow)."""
    shown = range(min(len(chart.labels), DRAWN))
    rows = _stack if chart.kind == "stacked" else _group
    totals = row_totals(chart)[:DRAWN]
    most = largest(totals)
    # the number stands behind the bar: room for the longest must be left on a phone, too
    longest = max((len(compact(strings, value)) for value in totals), default=0)
    room = 100 - (longest * CHARACTER + 12) / NARROW * 100
    length = partial(percent, whole=most, room=room)
    return "".join(
        f'<span class="label">{escape(label(strings, chart, index))}</span>'
        + rows(strings, chart, index, length, prefix)
        for index in shown
    )


def _group(strings: Strings, chart: Chart, index: int, length: Length, prefix: str) -> str:
    thick = THICK if len(chart.series) == 1 else THIN
    marks: list[str] = []
    for place, (series, tone) in enumerate(
        zip(chart.series, tones(len(chart.series)), strict=True)
    ):
        value = series.values[index]
        width = length(value)
        top = place * (thick + 3)
        marks.append(
            f'<rect {paint(tone, prefix)} y="{top}" width="{width:g}%" height="{thick}" rx="1.5"/>'
            + _number(strings, value, width, top + thick / 2)
        )
    return _track(len(chart.series) * (thick + 3) - 3, "".join(marks))


def _stack(strings: Strings, chart: Chart, index: int, length: Length, prefix: str) -> str:
    marks: list[str] = []
    left = 0.0
    for series, tone in zip(chart.series, tones(len(chart.series)), strict=True):
        value = series.values[index]
        width = length(value)
        if not width:
            continue
        marks.append(
            f'<rect {paint(tone, prefix)} x="{left:g}%" width="{width:g}%" height="{STACK}"/>'
        )
        text = compact(strings, value)
        needed = len(text) * CHARACTER + 8
        if width / 100 * WIDE >= needed:
            where = "inside" if width / 100 * NARROW >= needed else "inside roomy"
            marks.append(
                f'<text class="{where} on-{tone}" x="{left + width / 2:g}%" y="{STACK / 2:g}">'
                f"{escape(text)}</text>"
            )
        left = round(left + width, 3)
    whole = row_totals(chart)[index]
    return _track(STACK, "".join(marks) + _number(strings, whole, left, STACK / 2))


def _number(strings: Strings, value: float | None, left: float, middle: float) -> str:
    text = compact(strings, value) if known(value) is not None else strings("chart.unknown")
    return f'<text x="{left:g}%" dx="6" y="{middle:g}">{escape(text)}</text>'


def _track(height: float, marks: str) -> str:
    return f'<svg class="track" width="100%" height="{height:g}" aria-hidden="true">{marks}</svg>'
