"""Horizontal bars, single, grouped or stacked, as HTML with SVG marks.

Rule: one layout fits every width. Text is never scaled, and lengths are percentages. There is no
`style` attribute, because the content security policy forbids it; CSS uses the classes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tabloop.agent.displays import Chart
from tabloop.ui.chart_scale import known, largest, percent, smallest
from tabloop.ui.chart_words import compact, label, row_totals
from tabloop.ui.html import Attributes, Html, fragment, h
from tabloop.ui.strings import Strings

__all__ = ["MAX_ROWS", "Scale", "bars_html", "paint", "tones"]

MAX_ROWS = 15  # further rows are only in the table
# heights in pixels: a bar alone in its row, a bar among several in its row, a stack
THICK, THIN, STACK = 18, 14, 22
# A tone is a colour with a pattern, so that colour alone never carries meaning. The key is the
# number of series: the fewer there are, the more their tones differ.
TONES = {1: (0,), 2: (0, 2), 3: (0, 3, 4), 4: (0, 1, 3, 4)}
PATTERNED = (1, 2, 3, 4, 5)
NARROW, WIDE = 230, 460  # smallest width of a track in pixels: on a phone, on a desktop
CHARACTER = 7.2  # width of a digit in pixels


@dataclass(frozen=True, slots=True)
class Scale:
    """From numbers to positions in a track: the number `whole` is `room` percent long.

    `zero` is the position of 0 in percent; bars of negative numbers grow to the left of it.
    """

    whole: float
    room: float
    zero: float = 0

    def length(self, value: float | None) -> float:
        """Return the length of a number's bar, in percent of the track."""
        return percent(value, self.whole, self.room)


def tones(count: int) -> tuple[int, ...]:
    """Return the tone (0 to 5) of each of `count` series."""
    return TONES.get(count) or tuple(index % 6 for index in range(count))


def paint(tone: int, prefix: str) -> Attributes:
    """Return the attributes that fill a mark; the legend defines the patterns `<prefix>-<tone>`."""
    if tone in PATTERNED and prefix:
        return {"class": "mark", "fill": f"url(#{prefix}-{tone})"}
    return {"class": f"mark tone-{tone}"}


def bars_html(strings: Strings, chart: Chart, prefix: str) -> Html:
    """Return label and bars of each row, for a grid of two columns (one column if narrow)."""
    shown = range(min(len(chart.labels), MAX_ROWS))
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
    """Return the scale that leaves room for each number beside its bar, on a phone, too."""
    totals = row_totals(chart)[:MAX_ROWS]
    most = largest(totals)
    values = [value for series in chart.series for value in series.values[:MAX_ROWS]]
    least = smallest(values)
    if not least:
        return Scale(most, 100 - _text_percent(compact(strings, value) for value in totals))
    whole = most - least
    # for each number: its share of `whole`, and the room of its text in percent
    left: list[tuple[float, float]] = []
    right: list[tuple[float, float]] = []
    for value in values:
        end = (abs(known(value) or 0) / whole, _text_percent([_number_text(strings, value)]))
        (left if _negative(value) else right).append(end)
    # the largest room with which each pair of bars still fits with the texts at their ends
    room = min(
        (100 - before - behind) / (low + high)
        for low, before in left
        for high, behind in right or [(0, 0)]
        if low + high
    )
    return Scale(whole, room, round(max(low * room + before for low, before in left), 3))


def _text_percent(texts: Iterable[str]) -> float:
    """Return the room that the longest text needs, in percent of a phone's track."""
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
    """Return the number's text at the outer end of its bar: on the left if it is negative."""
    side: Attributes = {"class": "before", "dx": -6} if _negative(value) else {"dx": 6}
    place: Attributes = {"x": f"{end:g}%", **side, "y": f"{middle:g}"}
    return h("text", place, _number_text(strings, value))


def _number_text(strings: Strings, value: float | None) -> str:
    return compact(strings, value) if known(value) is not None else strings("chart.unknown")


def _negative(value: float | None) -> bool:
    return (known(value) or 0) < 0


def _track(height: float, marks: Sequence[Html], zero: float = 0) -> Html:
    kind = "track signed" if zero else "track"
    bottom = f"{height:g}"
    line: Attributes = {"class": "zero", "x1": f"{zero:g}%", "x2": f"{zero:g}%", "y2": bottom}
    return h(
        "svg",
        {"class": kind, "width": "100%", "height": bottom, "aria-hidden": "true"},
        *marks,
        h("line", line) if zero else None,
    )
