"""Columns that stand, for numbers over time: SVG whose widths are percentages.

Rule: heights are pixels and nothing is scaled, so text keeps its size at every width.
"""

from collections.abc import Sequence

from tabloop.agent.displays import Chart
from tabloop.ui.chart_bars import paint, tones
from tabloop.ui.chart_scale import known, largest, percent, smallest, ticks
from tabloop.ui.chart_words import compact, figure, label, row_lows, row_totals, short_label, word
from tabloop.ui.html import Attributes, Html, fragment, h
from tabloop.ui.strings import Strings

__all__ = ["columns_html"]

TOP, PLOT, FOOT = 20, 168, 26  # pixels: for the largest one's number, the columns, the dates
CHARACTER = 7.2  # pixels of a digit
GAP = 0.28  # of a column's room, between it and the next
WIDEST = 13  # percent that one label's columns take at most: a lone one is no wall
FEW, MANY = (3, 12), (7, 6)  # dates below the columns: on a phone, on a desk; percent from a side
# where centred text would stick out
SHORT_FROM = 10_000  # numbers of the axis are written short from here


def columns_html(strings: Strings, chart: Chart, prefix: str) -> Html:
    """Return the axis, and beside it the columns with their dates."""
    totals, lows = row_totals(chart), row_lows(chart)
    most, least = largest(totals), smallest(lows)
    lines = ticks(most, least)
    floor = _floor(lines)
    height = floor + FOOT
    texts = [compact(strings, tick, start=SHORT_FROM) for tick in lines]
    axis_width = round(max(map(len, texts)) * CHARACTER) + 8
    heights = [f"{_height(tick, lines):g}" for tick in lines]
    axis = (
        h("text", {"x": "100%", "dx": -8, "y": y}, text)
        for y, text in zip(heights, texts, strict=True)
    )
    grid = (
        h("line", {"class": "grid" if tick else "base", "x2": "100%", "y1": y, "y2": y})
        for tick, y in zip(lines, heights, strict=True)
    )
    columns = (_column(strings, chart, index, lines, prefix) for index in range(len(chart.labels)))
    return fragment(
        h("svg", _drawing("axis", axis_width, height), *axis),
        h(
            "svg",
            _drawing("columns", "100%", height),
            *grid,
            *columns,
            _peak(strings, chart, totals, most, _height(most, lines) - 9),
            _peak(strings, chart, lows, least, _height(least, lines) + 10),
            h("g", {"class": "few"}, *_dates(strings, chart, floor, *FEW)),
            h("g", {"class": "many"}, *_dates(strings, chart, floor, *MANY)),
        ),
    )


def _drawing(kind: str, width: int | str, height: int) -> Attributes:
    return {"class": kind, "width": width, "height": height, "aria-hidden": "true"}


def _floor(lines: Sequence[float]) -> int:
    """Return where the dates begin: the number of the lowest column below zero stands above."""
    return TOP + PLOT + (TOP if lines[0] < 0 else 0)


def _height(value: float, lines: Sequence[float]) -> float:
    """Return the distance from the top, in pixels."""
    zero, tall = TOP + PLOT - _tall(lines[0], lines), _tall(value, lines)
    return round(zero + tall if value < 0 else zero - tall, 2)


def _tall(value: float | None, lines: Sequence[float]) -> float:
    return percent(value, lines[-1] - lines[0], PLOT)


def _column(
    strings: Strings, chart: Chart, index: int, lines: Sequence[float], prefix: str
) -> Html:
    room = 100 / len(chart.labels)
    left, whole = _place(len(chart.labels), index)
    width = whole / len(chart.series)
    marks: list[Html] = []
    facts: list[str] = []
    for place, (series, tone) in enumerate(
        zip(chart.series, tones(len(chart.series)), strict=True)
    ):
        value = series.values[index]
        tall = _tall(value, lines)
        written = strings("chart.unknown") if known(value) is None else figure(strings, value)
        facts.append(f"{word(strings, series.name)}: {written}")
        if value is not None and tall:
            top = _height(max(value, 0), lines)  # a negative one hangs from the line of zero
            place_and_size: Attributes = {
                "x": f"{left + place * width:.3f}%",
                "y": f"{top:.2f}",
                "width": f"{width:.3f}%",
                "height": f"{tall:.2f}",
            }
            marks.append(h("rect", {**paint(tone, prefix), **place_and_size}))
    # the whole strip answers the pointer: a low column would be hard to hit
    strip: Attributes = {
        "class": "strip",
        "x": f"{room * index:.3f}%",
        "y": 0,
        "width": f"{room:.3f}%",
        "height": _floor(lines),
    }
    told = h("title", {}, "\n".join((label(strings, chart, index), *facts)))
    return h("g", {"class": "column"}, h("rect", strip), *marks, told)


def _peak(
    strings: Strings, chart: Chart, ends: Sequence[float | None], value: float, y: float
) -> Html | None:
    """The number of the column that goes farthest up or down, at its end."""
    if not value:
        return None
    side, x = _where(len(chart.labels), ends.index(value), FEW[1])
    place: Attributes = {"class": f"peak {side}", "x": x, "y": f"{y:g}"}
    return h("text", place, compact(strings, value))


def _dates(strings: Strings, chart: Chart, floor: int, most: int, edge: float) -> list[Html]:
    """Evenly chosen dates, from the first on; the year where it begins or, with room, changes."""
    count = len(chart.labels)
    step = max(1, -(-(count - 1) // (most - 1)))
    texts: list[Html] = []
    told = ""
    for index in range(0, count, step):
        year = word(strings, chart.labels[index])[:4]
        new = year != told and (not told or most > FEW[0] or index + step >= count)
        told = year if new else told
        side, x = _where(count, index, edge)
        place: Attributes = {"class": side, "x": x, "y": floor + 16}
        texts.append(h("text", place, short_label(strings, chart, index, year=new)))
    return texts


def _place(count: int, index: int) -> tuple[float, float]:
    """Return where a label's columns begin and how wide they are together, in percent."""
    room = 100 / count
    width = min(room * (1 - GAP), WIDEST)
    return room * index + (room - width) / 2, width


def _where(count: int, index: int, edge: float) -> tuple[str, str]:
    """Return class and x of a text for a column; near a side it is flush with the column."""
    left, width = _place(count, index)
    middle = left + width / 2
    if middle < edge:
        return "first", f"{left:.3f}%"
    if middle > 100 - edge:
        return "last", f"{left + width:.3f}%"
    return "centred", f"{middle:.3f}%"
