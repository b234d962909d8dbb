"""The days that a question names, in English or German.

Rule: a day without a year is the latest one that has come, and what looks like a day but cannot be
read for certain is reported, never guessed.
"""

import re
from calendar import isleap, monthrange
from collections.abc import Callable
from datetime import date, timedelta
from typing import TypeAlias

__all__ = ["Span", "take_days"]

Span: TypeAlias = tuple[date, date]  # first and last day, both included
Parts: TypeAlias = dict[str, str]

_STEMS = "jan/jän feb mar/mär/mae apr may/mai jun jul aug sep oct/okt nov dec/dez"
_WEEKDAYS = (
    "monday/montag tuesday/dienstag wednesday/mittwoch thursday/donnerstag friday/freitag "
    "saturday/samstag/sonnabend sunday/sonntag"
)
_NAME = re.sub("[ /]", "|", _WEEKDAYS)
_LONG = (
    r"january?|jänner|february?|märz|maerz|march|april|mai|june|juni|july|juli|august|september"
    r"|o[ck]tober|november|de[cz]ember"
)
_SHORT = r"may(?! be| have| not)|jan|feb|mar|apr|jun|jul|aug|sept?|o[ck]t|nov|de[cz]"
_MONTH = rf"(?P<month>{_LONG}|{_SHORT})\b\.?"
_YEAR, _ANY_YEAR = r"(?P<year>(?:19|20)\d\d)", r"(?P<year>(?:19|20)?\d\d)"
_DAY, _NTH = r"(?<![\d.,/])(?P<day>\d\d?)", r"(?:\.|st|nd|rd|th)?"
_LINK = r"\s*(?P<link>and|und|to|until|till|through|bis|-)\s*(?:zum|the|dem)?\s*"
_LAST = (
    r"(?:(?P<last>last|past|previous|(?:letzte|vergangene|vorige)[rnms]?)|(?:this|diese[rnms]?))"
)
_BEFORE = r"(?P<before>\b(?:between|zwischen|from|von|vom)\s+(?:the |dem )?)?"
_OTHER = rf"(?:{_BEFORE}(?<![\d.,/])(?P<other>\d\d?){_NTH}{_LINK})?"


def take_days(text: str, today: date) -> tuple[str, list[Span], str]:
    """Return the text without its days, the days, and the first that cannot be read (or blank).

    A mark stands in the place of each while others are looked for, so that what links two is read.
    """
    found: list[list[Span]] = []
    unread: list[str] = []
    for pattern, reader in _READERS:

        def put(match: re.Match[str], reader: Reader = reader) -> str:
            parts = {name: (value or "").lower() for name, value in match.groupdict().items()}
            try:
                found.append(reader(parts, today, found))
            except ValueError:  # the 31st of September, or one of two days
                unread.append(match[0].strip())
                return " "
            return f" ⟦{len(found) - 1}⟧ "

        text = re.sub(pattern, put, text, flags=re.I)
    kept = [span for number in re.findall(r"⟦(\d+)⟧", text) for span in found[int(number)]]
    return re.sub(r"⟦\d+⟧", " ", text), kept, "".join(unread[:1])


def _past(year: str, month: int, day: int, today: date) -> date:
    """Return that day of that year, else of the latest year that has had it."""
    if year:
        return date(int(year) + (2000 if len(year) == 2 else 0), month, day)
    date(2000, month, day)  # raises `ValueError` for a day that no year has
    years = (
        y for y in range(today.year, today.year - 9, -1) if (month, day) != (2, 29) or isleap(y)
    )
    return next(found for found in (date(y, month, day) for y in years) if found <= today)


def _place(names: str, written: str) -> int:
    """Return the place, from 1, of the alternatives that a name is one of."""
    return next(n for n, names in enumerate(names.split(), 1) if written in names.split("/"))


def _day(parts: Parts, today: date, _found: list[list[Span]]) -> list[Span]:
    """Read one day, or the two of "8. und 9. September"."""
    number = int(parts.get("number") or 0) or _place(_STEMS, parts["month"][:3])
    last = _past(parts["year"], number, int(parts["day"]), today)
    first = last.replace(day=int(parts.get("other") or last.day))
    if parts.get("link") in ("and", "und") and not parts["before"]:
        return [(first, first), (last, last)]
    return [(first, last)]


def _month(parts: Parts, today: date, _found: list[list[Span]]) -> list[Span]:
    if not parts.get("month"):
        return [(date(int(parts["year"]), 1, 1), date(int(parts["year"]), 12, 31))]
    first = _past(parts.get("year", ""), _place(_STEMS, parts["month"][:3]), 1, today)
    return [(first, first.replace(day=monthrange(first.year, first.month)[1]))]


def _relative(parts: Parts, today: date, _found: list[list[Span]]) -> list[Span]:
    """Read "yesterday", "last Tuesday", "this week", "last month"."""
    back = 0
    if word := parts.get("word"):
        back = 2 if "vor" in word or "before" in word else 1 if word[0] in "yg" else 0
    elif parts["unit"] in ("week", "woche"):
        monday = today - timedelta(days=today.weekday() + (7 if parts["last"] else 0))
        if name := parts["name"] or parts["other"]:
            return [(day := monday + timedelta(days=_place(_WEEKDAYS, name) - 1), day)]
        return [(monday, min(today, monday + timedelta(days=6)))]
    elif parts["unit"]:
        is_month, end = parts["unit"][0] == "m", today
        if parts["last"]:
            end = (today.replace(day=1) if is_month else date(today.year, 1, 1)) - timedelta(days=1)
        return [(end.replace(day=1) if is_month else date(end.year, 1, 1), end)]
    else:
        back = (today.isoweekday() - _place(_WEEKDAYS, parts["name"])) % 7 or 7 * bool(
            parts["last"]
        )
    return [(day := today - timedelta(days=back), day)]


def _range(parts: Parts, today: date, found: list[list[Span]]) -> list[Span]:
    first, last = found[int(parts["a"])], found[int(parts["b"])]
    if parts["link"] in ("and", "und") and not parts["before"]:
        return [*first, *last]
    ends = [day for span in (*first, *last) for day in span]
    return [(min(ends), max(ends))]


def _open(parts: Parts, today: date, found: list[list[Span]]) -> list[Span]:
    (first, last), one = found[int(parts["a"])][0], timedelta(days=1)
    if parts["word"] in ("since", "seit", "ab"):
        return [(first, max(first, today))]
    if parts["word"] in ("after", "nach"):
        return [(last + one, max(last + one, today))]
    return [(date(1949, 1, 1), first - one if parts["word"] in ("before", "vor") else last)]


def _never(parts: Parts, today: date, found: list[list[Span]]) -> list[Span]:
    raise ValueError


Reader: TypeAlias = Callable[[Parts, date, list[list[Span]]], list[Span]]
_READERS: tuple[tuple[str, Reader], ...] = (
    (rf"(?<!\d){_YEAR}(?P<s>[-/.])(?P<number>\d\d?)(?P=s)(?P<day>\d\d?)(?!\d)", _day),
    (rf"{_DAY}\.\s?(?P<number>\d\d?)\.(?:\s?{_ANY_YEAR}(?!\d))?", _day),
    (rf"{_OTHER}{_DAY}{_NTH}\s*(?:of )?{_MONTH}(?:,?\s*{_YEAR}\b)?", _day),
    (rf"\b{_MONTH}\s(?:the )?(?P<day>\d\d?){_NTH}(?![.:,]?\d)(?:,?\s+{_YEAR}\b)?", _day),
    (rf"\b{_MONTH}\s{_YEAR}\b", _month),
    (rf"\b(?:(?:in|im|of|during) |(?={_LONG})){_MONTH}", _month),
    (rf"\b(?:in|im jahre?|year|jahr|of)\s{_YEAR}\b", _month),
    (
        r"\b(?P<word>(?:the )?day before yesterday|(?:vor)?gestern|yesterday|today|heute)\b",
        _relative,
    ),
    (
        rf"(?:\b(?P<name>{_NAME}) (?:of )?)?\b{_LAST} (?P<unit>week|woche|month|monat|year|jahr)"
        rf"(?:e?s)?\b(?: (?:am|on) (?P<other>{_NAME})\b)?",
        _relative,
    ),
    (rf"(?:\b{_LAST} )?\b(?P<name>{_NAME})\b(?P<unit>)", _relative),
    (rf"{_BEFORE}\s*⟦(?P<a>\d+)⟧{_LINK}⟦(?P<b>\d+)⟧", _range),
    (
        r"\b(?P<word>since|seit|ab|after|nach|before|vor|until|till|bis)\s+(?:zum|zu)?\s*"
        r"(?:the|dem)?\s*⟦(?P<a>\d+)⟧",
        _open,
    ),
    (r"(?<!\d)\d{1,4}\s?[./-]\s?\d{1,2}[./-]\s?\d{1,4}(?!\d)", _never),
    (r"(?<![\d/])\d\d?/(?:0?\d|1[0-2])(?![\d/]|\W*(?:majority|mehrheit))", _never),
)
