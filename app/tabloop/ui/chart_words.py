"""The texts of a chart: title, labels, numbers, and the sentence that describes it.

Rule: the picture, its accessible name, the table and the export all use these same texts.
"""

import re
from collections.abc import Sequence
from datetime import date

from tabloop.agent.displays import Chart
from tabloop.core.german_text import MAX_LABEL, shorten
from tabloop.core.phrases import Phrase, Text
from tabloop.ui.chart_scale import known, smallest, total
from tabloop.ui.strings import Strings

__all__ = [
    "UNKNOWN",
    "compact",
    "figure",
    "label",
    "message",
    "plain",
    "row_lows",
    "row_totals",
    "short_label",
    "title",
    "word",
]

UNKNOWN = "\u2013"  # a dash
DECIMALS = 2
COMPACT_FROM = 1_000_000
UNITS = ((10**12, "trillion"), (10**9, "billion"), (10**6, "million"), (10**3, "thousand"))
UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]+")
MONTH = re.compile(r"([0-9]{4})-([0-9]{2})")


def plain(text: str) -> str:
    """Return the beginning of a text on one line, without control characters.

    Labels come from other servers.
    """
    return shorten(UNPRINTABLE.sub(" ", text), MAX_LABEL)


def word(strings: Strings, text: Text, /, **values: int) -> str:
    """Return a tool's text in the page's language; `values` fill the placeholders of a phrase."""
    return strings.fill(text, values) if isinstance(text, Phrase) else plain(text)


def title(strings: Strings, chart: Chart) -> str:
    """Return title and subject, such as "Speaking time by party, 9 September 2026"."""
    subject = plain(strings.date(chart.subject))
    name = word(strings, chart.title)
    return f"{name}, {subject}" if subject else name


def label(strings: Strings, chart: Chart, index: int) -> str:
    """Return a label in full, as in the table."""
    text = chart.labels[index]
    if isinstance(text, Phrase):
        return word(strings, text)
    match chart.label_kind:
        case "day":
            return plain(strings.date(text))
        case "week":
            if not (day := _day(text)):
                return plain(text)
            week = day.isocalendar().week
            return strings("chart.weekFrom", week=str(week), date=strings.date(text))
        case "month":
            return _month(strings, text, "format.months")
        case "text":
            return plain(text)


def short_label(strings: Strings, chart: Chart, index: int, *, year: bool) -> str:
    """Return a label that fits below a column; a day has its year only if `year` is true."""
    text = chart.labels[index]
    if isinstance(text, Phrase):
        return word(strings, text)
    if chart.label_kind == "month":
        return _month(strings, text, "format.monthsShort")
    day = _day(text)
    if chart.label_kind == "text" or not day:
        return label(strings, chart, index)
    month = strings("format.monthsShort").split(",")[day.month - 1]
    if year:
        return strings("format.date", day=str(day.day), month=month, year=str(day.year))
    return strings("format.dayShort", day=str(day.day), month=month)


def figure(strings: Strings, value: float | None) -> str:
    """Return a number in the page's language, or `UNKNOWN`."""
    number = known(value)
    if number is None:
        return UNKNOWN
    if number == int(number):
        return strings.number(int(number))
    written = f"{number:,.{DECIMALS}f}" if abs(number) >= 1 else f"{number:.{DECIMALS}g}"
    if "e" in written:
        return written.replace(".", strings("format.decimal"))
    whole, _, fraction = written.partition(".")
    fraction = fraction.rstrip("0")
    whole = whole.replace(",", strings("format.group"))
    return f"{whole}{strings('format.decimal')}{fraction}" if fraction else whole


def compact(strings: Strings, value: float | None, *, start: int = COMPACT_FROM) -> str:
    """Return a short number for a mark: from `start` on as "1.2 million"."""
    number = known(value)
    if number is None or abs(number) < start:
        return figure(strings, value)
    if abs(number) >= UNITS[0][0] * 1000:
        return f"{number:.1e}".replace(".", strings("format.decimal"))
    size, name = next(unit for unit in UNITS if abs(number) >= unit[0])
    rounded = round(number / size, 1)
    if rounded >= 1000 and size < UNITS[0][0]:  # 999.96 thousand is written "1 million"
        size, name = next(unit for unit in reversed(UNITS) if unit[0] > size)
        rounded = round(number / size, 1)
    return strings(f"chart.{name}", number=figure(strings, rounded))


def row_totals(chart: Chart) -> tuple[float | None, ...]:
    """Return one number per label: the sum of a stacked chart's series, else the largest."""
    rows = zip(*(series.values for series in chart.series), strict=True)
    if chart.kind == "stacked":
        return tuple(total(row) for row in rows)
    return tuple(
        max((n for value in row if (n := known(value)) is not None), default=None) for row in rows
    )


def row_lows(chart: Chart) -> tuple[float | None, ...]:
    """Return the smallest known number of each label."""
    rows = zip(*(series.values for series in chart.series), strict=True)
    return tuple(
        min((n for value in row if (n := known(value)) is not None), default=None) for row in rows
    )


def message(strings: Strings, chart: Chart) -> str:
    """Return the sentence that describes the picture: title, size, largest and smallest number."""
    of, unit, n = title(strings, chart), word(strings, chart.unit), len(chart.labels)
    if smallest(row_lows(chart)):
        return _extremes(strings, chart)
    totals = row_totals(chart)
    most = max((value for value in totals if value is not None), default=0)
    if most <= 0:
        return strings("chart.nothing", title=of, n=n, unit=unit)
    place = totals.index(most)
    name, value = label(strings, chart, place), figure(strings, most)
    sentence = strings("chart.message", title=of, n=n, label=name, value=value, unit=unit)
    if len(chart.series) == 1:
        return sentence
    return f"{sentence} {strings('chart.parts', parts=_parts(strings, chart, place))}"


def _extremes(strings: Strings, chart: Chart) -> str:
    """Return a sentence with the largest and the smallest number, for charts with negative ones."""
    numbers = [
        (number, index, series)
        for series in chart.series
        for index, value in enumerate(series.values)
        if (number := known(value)) is not None
    ]
    unit = word(strings, chart.unit)
    ends: list[dict[str, str]] = []
    for end in (max, min):
        number, index, series = end(numbers, key=lambda found: found[0])
        name = label(strings, chart, index)
        if len(chart.series) > 1:
            name = f"{name} ({word(strings, series.name)})"
        ends.append({"label": name, "value": figure(strings, number), "unit": unit})
    largest, least = ends
    of, n = title(strings, chart), len(chart.labels)
    sentence = strings("chart.message", title=of, n=n, **largest)
    if len(numbers) == 1:
        return sentence
    return f"{sentence} {strings('chart.smallest', **least)}"


def _parts(strings: Strings, chart: Chart, place: int) -> str:
    parts: Sequence[str] = [
        f"{word(strings, series.name)} {figure(strings, series.values[place])}"
        for series in chart.series
        if known(series.values[place]) is not None
    ]
    return ", ".join(parts)


def _month(strings: Strings, text: str, names: str) -> str:
    found = MONTH.fullmatch(text)
    months = strings(names).split(",")
    if not found or not 1 <= int(found[2]) <= len(months):
        return plain(text)
    return f"{months[int(found[2]) - 1]} {found[1]}"


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
