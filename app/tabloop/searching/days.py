"""Reads the days in a question. Rule: a day without a year is the latest one that is not future.

Text that looks like a day but is ambiguous or impossible is reported, never guessed.
"""

import re
from calendar import isleap, monthrange
from datetime import date, timedelta
from typing import TypeAlias

from tabloop.searching.words import PATTERNS

__all__ = ["Span", "take_days"]

Span: TypeAlias = tuple[date, date]  # first and last day, both included
Parts: TypeAlias = dict[str, str]  # named groups of a pattern, in lower case; blank if not matched
Found: TypeAlias = list[list[Span]]

_MARK = re.compile(r"⟦(\d+)⟧")
_MONTHS = "jan/jän feb mar/mär/mae apr may/mai jun jul aug sep oct/okt nov dec/dez"
_NUMBERS = (
    "a/an/one/ein/eine/einem/einer/einen two/zwei three/drei four/vier five/fünf six/sechs "
    "seven/sieben eight/acht nine/neun ten/zehn eleven/elf twelve/zwölf"
)
_ONE_DAY = ("the", "one", "a", "am", "dem", "der", "den", "einen")
_WEEKDAYS = "mon tue/die wed/mit thu/don fri/fre sat/sam/son sun"


def take_days(text: str, today: date) -> tuple[str, list[Span], str]:
    """Return the text without its days, the days, and the first unreadable day (or blank).

    A mark ("⟦0⟧") replaces each day that was found, so that later patterns can link two of them.
    """
    asked, found = text, list[list[Span]]()
    unreadable: list[str] = []
    for name in (name for name in PATTERNS if name.startswith("day ")):

        def put(match: re.Match[str], name: str = name) -> str:
            parts = {key: (value or "").lower() for key, value in match.groupdict().items()}
            try:
                found.append(_READERS[name[:-1]](parts, today, found))
            except (ValueError, KeyError):  # such as the 31st of September
                day = _MARK.sub(lambda mark: f"{found[int(mark[1])][-1][1]}", match[0])
                unreadable.append(" ".join(day.split()))
                return " "
            return f" ⟦{len(found) - 1}⟧ "

        text = PATTERNS[name].sub(put, text)
    kept = [span for number in _MARK.findall(text) for span in found[int(number)]]
    if len(kept) > 1 and any(date.min in span or date.max in span for span in kept):
        kept, unreadable = [], [" ".join(asked.split()), *unreadable]
    return _MARK.sub(" ", text).strip(), kept, "".join(unreadable[:1])


def _day(parts: Parts, today: date, found: Found) -> list[Span]:
    _needs(not parts.get("short"))  # "1 May 25": a year, or the first word of what comes then
    month, day, year = int(parts.get("number") or 0), int(parts["day"]), parts["year"]
    month = month or _place(_MONTHS, parts["month"][:3])
    whole = int(year or 0) + 2000 * (len(year) == 2)
    last = date(whole, month, day) if year else _past(month, day, today)
    first = last.replace(day=int(parts.get("other") or last.day))
    two = parts.get("link") in ("and", "und") and not parts["before"]
    return [(first, first), (last, last)] if two else [(first, last)]


def _past(month: int, day: int, today: date) -> date:
    date(2000, month, day)  # raises `ValueError` for a day that no year has
    years = range(today.year, today.year - 9, -1)
    had = (date(y, month, day) for y in years if (month, day) != (2, 29) or isleap(y))
    return next(found for found in had if found <= today)


def _place(names: str, written: str) -> int:
    return next(n for n, same in enumerate(names.split(), 1) if written in same.split("/"))


def _weekday(name: str) -> int:
    return 7 if name == "sonntag" else _place(_WEEKDAYS, name[:3])


def _needs(condition: bool) -> None:
    if not condition:
        raise ValueError


def _month(parts: Parts, today: date, found: Found) -> list[Span]:
    _needs(not parts.get("short"))
    year = int(parts.get("year") or 0)
    if "month" not in parts:
        return [(date(year, 1, 1), date(year, 12, 31))]
    month = _place(_MONTHS, parts["month"][:3])
    return [_unit("month", 0, date(year, month, 1) if year else _past(month, 1, today))]


def _relative(parts: Parts, today: date, found: Found) -> list[Span]:
    word, unit, last = parts.get("word", ""), parts.get("unit", ""), parts.get("last", "")
    name = parts.get("name") or parts.get("other") or ""
    if unit:  # "this month", "last year", "Tuesday last week"
        first, end = _unit(unit, 1 if last else 0, today)
        if not name:
            return [(first, min(end, today))]
        _needs(unit[0] == "w")
        return [(day := first + timedelta(days=_weekday(name) - 1), day)]
    back = 2 if "vor" in word or "before" in word else 1 if word[:1] in ("y", "g") else 0
    if name:  # "on Tuesday" may be today, "last Tuesday" is not
        back = (today.isoweekday() - _weekday(name)) % 7 or (7 if last else 0)
    return [_unit("day", back, today)]


def _unit(unit: str, back: int, today: date) -> Span:
    """Return the day, week, month or year that many before the one of today."""
    if unit[0] in "dt":
        return (day := today - timedelta(days=back)), day
    if unit[0] == "w":
        first = today - timedelta(days=today.weekday() + 7 * back)
        return first, first + timedelta(days=6)
    if unit[0] == "m":
        months = today.year * 12 + today.month - 1 - back
        first = date(months // 12, months % 12 + 1, 1)
        return first, first.replace(day=monthrange(first.year, first.month)[1])
    return date(today.year - back, 1, 1), date(today.year - back, 12, 31)


def _ago(parts: Parts, today: date, found: Found) -> list[Span]:
    written, unit = parts["count"], parts["unit"]
    count = int(written) if written.isdigit() else _place(_NUMBERS, written)
    first, end = _unit(unit, count, today)
    until_now = (first + (today - _unit(unit, 0, today)[0]), today)  # "the last two weeks"
    return [until_now if parts.get("last") else (first, end)]


def _named(parts: Parts, today: date, found: Found) -> list[Span]:
    """Read "Wednesday, 9 September 2026" as one day. Raises `ValueError` for another weekday's."""
    spans = found[int(parts["a"])]
    first, last = spans[0]
    _needs(len(spans) == 1 and first == last and first.isoweekday() == _weekday(parts["name"]))
    return spans


def _range(parts: Parts, today: date, found: Found) -> list[Span]:
    first, last = found[int(parts["a"])], found[int(parts["b"])]
    if parts["link"] in ("and", "und") and not parts["before"]:
        return [*first, *last]
    ends = [day for span in (*first, *last) for day in span]
    return [(min(ends), max(ends))]


def _open(parts: Parts, today: date, found: Found) -> list[Span]:
    """Read "since October" as a span without an end, and "the day after" as that day."""
    relation, (first, last) = parts["relation"], found[int(parts["a"])][0]
    one_day, day = bool(parts["unit"]), timedelta(days=1)
    _needs(len(found[int(parts["a"])]) == 1)
    _needs(not one_day or (parts["unit"] in ("day", "tag") and parts["count"] in _ONE_DAY))
    if relation in ("before", "vor"):
        return [(first - day if one_day else date.min, first - day)]
    if relation in ("after", "nach"):
        return [(last + day, last + day if one_day else date.max)]
    _needs(not one_day)
    return [(first, date.max) if relation in ("since", "seit", "ab") else (date.min, last)]


_READERS = {
    f"day {reader.__name__[1:]}": reader
    for reader in (_day, _month, _named, _relative, _range, _ago, _open)
}
