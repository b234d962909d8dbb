"""Days that a person names, in English or German, as ISO dates.

Rule: a day without a year is the latest one that has come, because the record knows no future.
"""

import re
import unicodedata
from calendar import isleap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from tabloop.searching.practice_weekdays import relative_days

__all__ = [
    "MONTH",
    "MONTHS",
    "Days",
    "find_days",
    "long_date",
    "missing_day",
    "normal",
    "read_at",
    "slash_readings",
]

MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
}
_STEMS = (
    "jan",
    "feb",
    "mar|mär|mae",
    "apr",
    "may|mai",
    "jun",
    "jul",
    "aug",
    "sep",
    "o[ck]t",
    "nov",
)
MONTH = (
    r"(?P<month>jan(?:uar[y]?|\.)?|jän(?:ner)?|feb(?:ruar[y]?|\.)?|mar(?:ch|\.)?|mär(?:z|\.)?|maerz"
    r"|apr(?:il|\.)?|may|mai|june?|juni|july?|juli|aug(?:ust|\.)?|sept?(?:ember|\.)?"
    r"|o[ck]t(?:ober|\.)?|nov(?:ember|\.)?|de[cz](?:ember|\.)?)(?![a-zäöüß])"
)
_YEAR = r"(?:,?\s+(?P<year>(?:19|20)\d\d)(?!\d))?"
_DAY = r"(?P<day>[0-3]?\d)(?!\d)"
_SIGNS = str.maketrans("\u2010\u2011\u2012\u2013\u2014\u2212\u2044\u2215", "------//")


@dataclass(frozen=True, slots=True)
class Days:
    """A span of days, both ends included; one day has the same ends."""

    von: date
    bis: date

    @property
    def arguments(self) -> dict[str, str]:
        """As the record's tool takes them."""
        return {"von": self.von.isoformat(), "bis": self.bis.isoformat()}


def find_days(text: str, today: date) -> Days | None:
    """Return the days that a question is about, or `None` when it names none.

    Several days give the span from the first to the last.
    """
    plain = normal(text)
    spans = [span for span, _ in _named_spans(plain, today)] or [
        Days(*ends) for ends in relative_days(plain, today)
    ]
    if not spans:
        return None
    return Days(min(span.von for span in spans), max(span.bis for span in spans))


def normal(text: str, *, lower: bool = True) -> str:
    """Return the text as it is read here: lower case, single spaces, one kind of dash and slash."""
    one_kind = unicodedata.normalize("NFKC", text).translate(_SIGNS)
    return " ".join((one_kind.lower() if lower else one_kind).split())


def read_at(text: str, today: date) -> set[int]:
    """Return the places in the normal text whose signs were read as part of a day or month."""
    return {
        place for _, found in _named_spans(normal(text), today) for place in range(*found.span())
    }


def slash_readings(first: str, second: str, year: str) -> list[date]:
    """Return the days that "9/10/2026" can be: day first, then month first; each once."""
    found: list[date] = []
    for day, month in ((first, second), (second, first)):
        try:
            read = _past(year, int(month), int(day), date.max)
        except ValueError:  # no 13th month
            continue
        found += [read] if read not in found else []
    return found


def missing_day(text: str, language: str) -> str:
    """Return a day that is named and that no calendar has, as "31 February 2026"; else blank."""
    plain = normal(text)
    for pattern, read in _DAYS:
        for match in re.finditer(pattern, plain):
            parts = match.groupdict()
            try:
                read(parts, date.max)
            except ValueError:
                if "day" in parts and (named := _as_named(parts, match[0], language)):
                    return named
    return ""


def _as_named(parts: dict[str, str | None], written: str, language: str) -> str:
    """Write such a day out, or as it was written.

    Blank for what looks like one and is a time or a chapter ("9.30.").
    """
    month = int(parts["number"] or 0) if "number" in parts else _month(parts)
    day = max(int(parts.get(name) or 0) for name in ("from", "day"))
    year = f" {parts['year']}" if parts["year"] else ""
    dot = "." if language == "de" else ""
    if 1 <= month <= 12 and (year or 1 <= day <= 31):
        return f"{day}{dot} {MONTHS[language].split()[month - 1]}{year}"
    return written if year else ""


def long_date(iso: str, language: str) -> str:
    """Return "9 September 2026" or "9. September 2026"; what is no ISO date comes back as it is."""
    try:
        day = date.fromisoformat(iso)
    except ValueError:
        return iso
    dot = "." if language == "de" else ""
    return f"{day.day}{dot} {MONTHS[language].split()[day.month - 1]} {day.year}"


Reader = Callable[[dict[str, str | None], date], Days]


def _named_spans(plain: str, today: date) -> "list[tuple[Days, re.Match[str]]]":
    """Return the days that are named, or else the months, with the words that name them."""
    return [found for pattern, read in _DAYS for found in _read(pattern, read, plain, today)] or [
        found for pattern in _WHOLE for found in _read(pattern, _whole_month, plain, today)
    ]


def _read(
    pattern: str, read: Reader, text: str, today: date
) -> "Iterator[tuple[Days, re.Match[str]]]":
    for match in re.finditer(pattern, text):
        try:
            yield read(match.groupdict(), today), match
        except ValueError:  # the 31st of September
            continue


def _iso(parts: dict[str, str | None], today: date) -> Days:
    return _one(date(int(parts["year"] or 0), int(parts["number"] or 0), int(parts["day"] or 0)))


def _slashed(parts: dict[str, str | None], today: date) -> Days:
    """Read what has one reading; which of two is meant, nobody but the person knows."""
    days = slash_readings(parts["first"] or "", parts["second"] or "", parts["year"] or "")
    if len(days) != 1:
        raise ValueError(parts)
    return _one(days[0])


def _dotted(parts: dict[str, str | None], today: date) -> Days:
    return _one(_past(parts["year"], int(parts["number"] or 0), int(parts["day"] or 0), today))


def _named(parts: dict[str, str | None], today: date) -> Days:
    return _one(_past(parts["year"], _month(parts), int(parts["day"] or 0), today))


def _pair(parts: dict[str, str | None], today: date) -> Days:
    first, last = (
        _past(parts["year"], _month(parts), int(parts[name] or 0), today)
        for name in ("from", "day")
    )
    return Days(min(first, last), max(first, last))


def _whole_month(parts: dict[str, str | None], today: date) -> Days:
    first = _past(parts["year"], _month(parts), 1, today)
    next_month = (first + timedelta(days=31)).replace(day=1)
    return Days(first, next_month - timedelta(days=1))


def _one(day: date) -> Days:
    return Days(day, day)


def _month(parts: dict[str, str | None]) -> int:
    name = parts["month"] or ""
    for number, stem in enumerate(_STEMS, start=1):
        if re.match(stem.replace("jan", "j[aä]n"), name):
            return number
    return 12


def _past(year: str | None, month: int, day: int, today: date) -> date:
    if year:
        return date(int(year) + (2000 if len(year) == 2 else 0), month, day)
    # 29 February may lie years back. A day that is in no year raises `ValueError` as well.
    leap = date(2000, month, day)
    years = range(today.year, today.year - 9, -1)
    valid = (leap.replace(year=y) for y in years if (month, day) != (2, 29) or isleap(y))
    return next(found for found in valid if found <= today)


_DAYS: tuple[tuple[str, Reader], ...] = (
    (
        r"(?<!\d)(?P<year>(?:19|20)\d\d)(?P<sign>[-/.])(?P<number>\d\d?)(?P=sign)(?P<day>\d\d?)(?!\d)",
        _iso,
    ),
    (
        r"(?<![\d/-])(?P<first>\d\d?)\s?(?P<sign>[/-])\s?(?P<second>\d\d?)\s?(?P=sign)\s?"
        r"(?P<year>(?:19|20)\d\d|\d\d)(?![\d/]|-\d)",
        _slashed,
    ),
    (
        r"(?<![\d.])(?P<day>\d\d?)\.\s?(?P<number>\d\d?)\.(?:\s?(?P<year>(?:19|20)\d\d|\d\d))?(?!\d)",
        _dotted,
    ),
    (
        r"(?<!\d)(?P<from>[0-3]?\d)(?:\.|st|nd|rd|th)?\s*(?:und|bis|and|to|until|-)\s*"
        rf"(?:dem |the )?{_DAY}(?:\.|st|nd|rd|th)?\s+(?:of )?{MONTH}{_YEAR}",
        _pair,
    ),
    (rf"(?<!\d)(?P<day>\d\d?)(?:\.|st|nd|rd|th)?\s*(?:of )?{MONTH}{_YEAR}", _named),
    (rf"(?<![a-zäöüß]){MONTH}\s+(?:the )?{_DAY}(?:st|nd|rd|th)?(?![.:]\d){_YEAR}", _named),
)
_WHOLE = (
    rf"\b(?:in|im|of|during|for|vom)\s+{MONTH}{_YEAR}",
    rf"(?<![a-zäöüß]){MONTH}\s+(?P<year>(?:19|20)\d\d)(?!\d)",
)
