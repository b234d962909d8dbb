"""Reads the days in a question. Rule: a day without a year is the latest one that is not future.

Text that looks like a day but is ambiguous or impossible is reported, never guessed.
"""

import re
from calendar import monthrange
from datetime import date, timedelta
from typing import TypeAlias

from tabloop.searching.words import PATTERNS

__all__ = ["Span", "take_days"]

Span: TypeAlias = tuple[date, date]  # first and last day, both included
Parts: TypeAlias = dict[str, str]  # named groups of a pattern, in lower case; blank if not matched

_MARK = re.compile(r"⟦(\d+)⟧")
_MONTHS = "jan/jän feb mar/mär/mae apr may/mai jun jul aug sep oct/okt nov dec/dez"
_WEEKDAYS = "mon tue/die wed/mit thu/don fri/fre sat/sam/sonna sun/sonnt"
_WORDS = "today/heute yesterday/gestern the/day/vorgestern"  # days ago: 0, 1, 2
_ONE, _FIRST = timedelta(days=1), date(1949, 9, 7)  # the first session of any Bundestag


def take_days(text: str, today: date) -> tuple[str, list[Span], str]:
    """Return the text without its days, the days, and the first unreadable day (or blank).

    A mark ("⟦0⟧") replaces each day that was found, so that later patterns can link two of them.
    """
    found, written, unreadable = list[list[Span]](), list[str](), list[str]()

    def put(match: re.Match[str]) -> str:
        whole = " ".join(_MARK.sub(lambda mark: written[int(mark[1])], match[0]).split())
        parts = {key: (value or "").lower() for key, value in match.groupdict().items()}
        try:
            found.append(_read(parts, found, today))
        except ValueError:  # such as the 31st of September
            unreadable.append(whole)
            return " "
        written.append(whole)
        return f" ⟦{len(found) - 1}⟧ "

    for name, pattern in PATTERNS.items():
        text = pattern.sub(put, text) if name.startswith("day ") else text
    kept = [span for number in _MARK.findall(text) for span in found[int(number)]]
    return _MARK.sub(" ", text).strip(), kept, "".join(unreadable[:1])


def _read(parts: Parts, found: list[list[Span]], today: date) -> list[Span]:
    """Return the days of a match. Raises `ValueError` if it has no group, or an impossible day."""
    if parts.get("a"):
        other = found[int(parts["b"])] if "b" in parts else []
        return _linked(parts, found[int(parts["a"])], other, today)
    if unit := parts.get("unit"):
        first, end = _whole(unit, today)
        return [_whole(unit, first - _ONE) if parts["last"] else (first, min(end, today))]
    if word := parts.get("word"):
        return [(day := today - (_place(_WORDS, word) - 1) * _ONE, day)]
    if name := parts.get("name"):  # "on Tuesday" may be today, "last Tuesday" is not
        back = (today.isoweekday() - _place(_WEEKDAYS, name)) % 7 or (7 if parts["last"] else 0)
        return [(day := today - back * _ONE, day)]
    written, month = parts.get("year", ""), int(parts.get("number") or 0)
    month = month or (_place(_MONTHS, parts["month"]) if "month" in parts else 0)
    if not (written or month):
        raise ValueError
    year = int(written or today.year) + (2000 if len(written) == 2 else 0)
    first = date(year, month or 1, int(parts.get("day") or 1))
    first = first.replace(year=year - 1) if first > today and not written else first
    return [(first, first) if "day" in parts else _whole("month" if month else "year", first)]


def _place(names: str, written: str) -> int:
    starts = (tuple(same.split("/")) for same in names.split())
    return next(number for number, same in enumerate(starts, 1) if written.startswith(same))


def _whole(unit: str, day: date) -> Span:
    """Return the week, month or year that a day is in."""
    if unit[0] == "w":
        monday = day - day.weekday() * _ONE
        return monday, monday + 6 * _ONE
    first, last = (1, 12) if unit[0] in "yj" else (day.month, day.month)
    return date(day.year, first, 1), date(day.year, last, monthrange(day.year, last)[1])


def _linked(parts: Parts, found: list[Span], other: list[Span], today: date) -> list[Span]:
    """Read "from A to B", "Tuesday of that week" and "since A". Raises `ValueError`."""
    if other:
        ends = [day for span in (*found, *other) for day in span]
        both = parts["link"] in ("and", "und") and not parts["before"]
        return [*found, *other] if both else [(min(ends), max(ends))]
    [(first, last)] = found
    if name := parts.get("name"):
        day = first + (_place(_WEEKDAYS, name) - first.isoweekday()) % 7 * _ONE
        if not day <= last < day + 7 * _ONE:  # no such day, or several
            raise ValueError
        return [(day, day)]
    if parts["since"] or parts["after"]:
        first = last + _ONE if parts["after"] else first
        return [(first, max(first, today))]
    return [(_FIRST, first - _ONE if parts["before"] else last)]
