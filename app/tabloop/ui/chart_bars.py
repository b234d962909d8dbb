"""Bars that lie, single, grouped or stacked, as HTML with SVG marks.

Rule: one layout for every width: labels and numbers are text of the page and never scaled, lengths
are percentages. No style attribute, for the page's policy forbids it: CSS knows the classes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tabloop.agent.displays import Chart
from tabloop.ui.chart_scale import known, largest, percent, smallest
from tabloop.ui.chart_words import compact, label, row_totals
from tabloop.ui.html import Attributes, Html, fragment, h
from tabloop.ui.strings import Strings

__all__ = ["DRAWN", "Scale", "bars_html", "paint", "tones"]

DRAWN = 15  # rows; what is more stands in the table alone
THICK, THIN, STACK = 18, 14, 22  # pixels: of one bar, of several for one label, of a stack
# A tone is a colour with its pattern, so that neither carries meaning alone. How many series there
# are decides which: far apart where few are needed.
TONES = {1: (0,), 2: (0, 2), 3: (0, 3, 4), 4: (0, 1, 3, 4)}
PATTERNED = (1, 2, 3, 4, 5)
NARROW, WIDE = 230, 460  # pixels that a track has at least: on a phone, on a desk
CHARACTER = 7.2  # pixels of a digit


@dataclass(frozen=True, slots=True)
class Scale:
    """Where numbers lie in a track, in percent of it: `whole` is as long as `room`."""

    whole: float
    room: float
    zero: float = 0  # from the left; bars of negative numbers grow to the left of it

    def length(self, value: float | None) -> float:
        """Return how long a number's bar is."""
        return percent(value, self.whole, self.room)


def tones(count: int) -> tuple[int, ...]:
    """Return the tone of each series."""
    return TONES.get(count) or tuple(index % 6 for index in range(count))


def paint(tone: int, prefix: str) -> Attributes:
    """Return the attributes that fill a mark; patterns stand in the legend, below `prefix`."""
    if tone in PATTERNED and prefix:
        return {"class": "mark", "fill": f"url(#{prefix}-{tone})"}
    return {"class": f"mark tone-{tone}"}


def bars_html(strings: Strings, chart: Chart, prefix: str) -> Html:
    """Return label and marks of each row, for a grid of two columns (one where it is narrow)."""
    shown = range(min(len(chart.labels), DRAWN))
    rows = _stack if chart.kind == "stacked" else _group
    scale = _scale(strings, chart)
    return fragment(
        *(
            part
            for index in shown
            for part in (
                h("span", {"class": "label"}, label(strings, chart, index)),
                rows(strings, chart, index, scale, prefix),
            )
        )
    )


def _scale(strings: Strings, chart: Chart) -> Scale:
    """The number stands behind its bar: room for the longest must be left on a phone, too."""
    totals = row_totals(chart)[:DRAWN]
    most = largest(totals)
    values = [value for series in chart.series for value in series.values[:DRAWN]]
    least = smallest(values)
    if not least:
        return Scale(most, 100 - _beside(compact(strings, value) for value in totals))
    whole = most - least
    left: list[tuple[float, float]] = []  # of each number its part of the whole and its text's room
    right: list[tuple[float, float]] = []
    for value in values:
        end = (abs(known(value) or 0) / whole, _beside([_written(strings, value)]))
        (left if _negative(value) else right).append(end)
    # as long as they can be with every text beside its bar: a short one has room of its own
    room = min(
        (100 - before - behind) / (low + high)
        for low, before in left
        for high, behind in right or [(0, 0)]
        if low + high
    )
    return Scale(whole, room, round(max(low * room + before for low, before in left), 3))


def _beside(texts: Iterable[str]) -> float:
    """Return the percent of a phone's track that the longest text takes."""
    longest = max(map(len, texts), default=0)
    return (longest * CHARACTER + 12) / NARROW * 100


def _group(strings: Strings, chart: Chart, index: int, scale: Scale, prefix: str) -> Html:
    thick = THICK if len(chart.series) == 1 else THIN
    marks: list[Html] = []
    for place, (series, tone) in enumerate(
        zip(chart.series, tones(len(chart.series)), strict=True)
    ):
        value = series.values[index]
        width = scale.length(value)
        top = place * (thick + 3)
        left = scale.zero - width if _negative(value) else scale.zero
        end = left if _negative(value) else left + width
        place_and_size: Attributes = {
            "x": f"{left:g}%" if scale.zero else None,
            "y": top,
            "width": f"{width:g}%",
            "height": thick,
            "rx": "1.5",
        }
        marks.append(h("rect", {**paint(tone, prefix), **place_and_size}))
        marks.append(_number(strings, value, end, top + thick / 2))
    return _track(len(chart.series) * (thick + 3) - 3, marks, scale.zero)


def _stack(strings: Strings, chart: Chart, index: int, scale: Scale, prefix: str) -> Html:
    marks: list[Html] = []
    left = 0.0
    for series, tone in zip(chart.series, tones(len(chart.series)), strict=True):
        value = series.values[index]
        width = scale.length(value)
        if not width:
            continue
        where: Attributes = {"x": f"{left:g}%", "width": f"{width:g}%", "height": STACK}
        marks.append(h("rect", {**paint(tone, prefix), **where}))
        text = compact(strings, value)
        needed = len(text) * CHARACTER + 8
        if width / 100 * WIDE >= needed:
            inside = "inside" if width / 100 * NARROW >= needed else "inside roomy"
            middle: Attributes = {"x": f"{left + width / 2:g}%", "y": f"{STACK / 2:g}"}
            marks.append(h("text", {"class": f"{inside} on-{tone}", **middle}, text))
        left = round(left + width, 3)
    whole = row_totals(chart)[index]
    marks.append(_number(strings, whole, left, STACK / 2))
    return _track(STACK, marks)


def _number(strings: Strings, value: float | None, end: float, middle: float) -> Html:
    """The number at the outer end of its bar, left of it where it is negative."""
    side: Attributes = {"class": "before", "dx": -6} if _negative(value) else {"dx": 6}
    place: Attributes = {"x": f"{end:g}%", **side, "y": f"{middle:g}"}
    return h("text", place, _written(strings, value))


def _written(strings: Strings, value: float | None) -> str:
    return compact(strings, value) if known(value) is not None else strings("chart.unknown")


def _negative(value: float | None) -> bool:
    return (known(value) or 0) < 0


def _track(height: float, marks: Sequence[Html], zero: float = 0) -> Html:
    kind = "track signed" if zero else "track"
    tall = f"{height:g}"
    at: Attributes = {"class": "zero", "x1": f"{zero:g}%", "x2": f"{zero:g}%", "y2": tall}
    return h(
        "svg",
        {"class": kind, "width": "100%", "height": tall, "aria-hidden": "true"},
        *marks,
        h("line", at) if zero else None,
    )
