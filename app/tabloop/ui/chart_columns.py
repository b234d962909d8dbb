"""Vertical columns for numbers over time, as SVG.

Rule: widths are percentages, heights are pixels, and text is never scaled.
"""

from collections.abc import Sequence

from tabloop.agent.displays import Chart
from tabloop.ui.chart_bars import paint, tones
from tabloop.ui.chart_scale import known, largest, percent, smallest, ticks
from tabloop.ui.chart_words import compact, figure, label, row_lows, row_totals, short_label, word
from tabloop.ui.html import Attributes, Html, fragment, h
from tabloop.ui.strings import Strings

__all__ = ["columns_html"]

TOP, PLOT, FOOT = 20, 168, 26  # heights in pixels: number of the largest column, columns, dates
CHARACTER = 7.2  # width of a digit in pixels
GAP = 0.28  # space between the columns of two labels, as a share of one label's width
WIDEST = 13  # percent: the largest width of one label's columns
# Dates below the columns on a phone and on a desktop: how many at most, and the percent from a side
# within which centred text would stick out.
FEW, MANY = (3, 12), (7, 6)
SHORT_FROM = 10_000  # from here on, the axis has short numbers such as "10 thousand"


def columns_html(strings: Strings, chart: Chart, prefix: str) -> Html:
    """Return two SVG elements: the axis, and the columns with their dates."""
    totals, lows = row_totals(chart), row_lows(chart)
    most, least = largest(totals), smallest(lows)
    lines = ticks(most, least)
    floor = _floor(lines)
    height = floor + FOOT
    texts = [compact(strings, tick, start=SHORT_FROM) for tick in lines]
    axis_width = round(max(map(len, texts)) * CHARACTER) + 8
    heights = [f"{_y(tick, lines):g}" for tick in lines]
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
        h("svg", _svg_attributes("axis", axis_width, height), *axis),
        h(
            "svg",
            _svg_attributes("columns", "100%", height),
            *grid,
            *columns,
            _peak(strings, chart, totals, most, _y(most, lines) - 9),
            _peak(strings, chart, lows, least, _y(least, lines) + 10),
            h("g", {"class": "few"}, *_dates(strings, chart, floor, *FEW)),
            h("g", {"class": "many"}, *_dates(strings, chart, floor, *MANY)),
        ),
    )


def _svg_attributes(kind: str, width: int | str, height: int) -> Attributes:
    return {"class": kind, "width": width, "height": height, "aria-hidden": "true"}


def _floor(lines: Sequence[float]) -> int:
    """Return the y of the dates in pixels; a negative column's number has its place above them."""
    return TOP + PLOT + (TOP if lines[0] < 0 else 0)


def _y(value: float, lines: Sequence[float]) -> float:
    """Return the distance from the top, in pixels."""
    zero, bar_height = TOP + PLOT - _bar_height(lines[0], lines), _bar_height(value, lines)
    return round(zero + bar_height if value < 0 else zero - bar_height, 2)


def _bar_height(value: float | None, lines: Sequence[float]) -> float:
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
        bar_height = _bar_height(value, lines)
        written = strings("chart.unknown") if known(value) is None else figure(strings, value)
        facts.append(f"{word(strings, series.name)}: {written}")
        if value is not None and bar_height:
            top = _y(max(value, 0), lines)  # a negative column begins at zero and goes down
            place_and_size: Attributes = {
                "x": f"{left + place * width:.3f}%",
                "y": f"{top:.2f}",
                "width": f"{width:.3f}%",
                "height": f"{bar_height:.2f}",
            }
            marks.append(h("rect", {**paint(tone, prefix), **place_and_size}))
    # the tooltip belongs to the full height, because a low column is hard to point at
    strip: Attributes = {
        "class": "strip",
        "x": f"{room * index:.3f}%",
        "y": 0,
        "width": f"{room:.3f}%",
        "height": _floor(lines),
    }
    tooltip = h("title", {}, "\n".join((label(strings, chart, index), *facts)))
    return h("g", {"class": "column"}, h("rect", strip), *marks, tooltip)


def _peak(
    strings: Strings, chart: Chart, ends: Sequence[float | None], value: float, y: float
) -> Html | None:
    """Return the number at the end of the highest or lowest column, `None` if `value` is 0."""
    if not value:
        return None
    side, x = _anchor(len(chart.labels), ends.index(value), FEW[1])
    place: Attributes = {"class": f"peak {side}", "x": x, "y": f"{y:g}"}
    return h("text", place, compact(strings, value))


def _dates(strings: Strings, chart: Chart, floor: int, most: int, edge: float) -> list[Html]:
    """Return at most `most` dates at even distances, beginning with the first.

    The first has its year. So has a date of another year, if there is room or it is the last.
    """
    count = len(chart.labels)
    step = max(1, -(-(count - 1) // (most - 1)))
    texts: list[Html] = []
    told = ""
    for index in range(0, count, step):
        year = word(strings, chart.labels[index])[:4]
        new = year != told and (not told or most > FEW[0] or index + step >= count)
        told = year if new else told
        side, x = _anchor(count, index, edge)
        place: Attributes = {"class": side, "x": x, "y": floor + 16}
        texts.append(h("text", place, short_label(strings, chart, index, year=new)))
    return texts


def _place(count: int, index: int) -> tuple[float, float]:
    """Return the left side and the width of one label's columns, in percent."""
    room = 100 / count
    width = min(room * (1 - GAP), WIDEST)
    return room * index + (room - width) / 2, width


def _anchor(count: int, index: int, edge: float) -> tuple[str, str]:
    """Return class and x of a column's text; near a side it is aligned with the column's side."""
    left, width = _place(count, index)
    middle = left + width / 2
    if middle < edge:
        return "first", f"{left:.3f}%"
    if middle > 100 - edge:
        return "last", f"{left + width:.3f}%"
    return "centred", f"{middle:.3f}%"
