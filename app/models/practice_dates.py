"""Days that a person names, in English or German, as ISO dates.

Rule: a day without a year is the latest one that has come, because the record knows no future.
"""

import re
import unicodedata
from calendar import isleap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

__all__ = ["Days", "find_days", "long_date", "missing_day"]

MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
}
WEEKDAYS = (
    "monday|montag",
    "tuesday|dienstag",
    "wednesday|mittwoch",
    "thursday|donnerstag",
    "friday|freitag",
    "saturday|samstag|sonnabend",
    "sunday|sonntag",
)
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
_MONTH = (
    r"(?P<month>jan(?:uar[y]?|\.)?|jän(?:ner)?|feb(?:ruar[y]?|\.)?|mar(?:ch|\.)?|mär(?:z|\.)?|maerz"
    r"|apr(?:il|\.)?|may|mai|june?|juni|july?|juli|aug(?:ust|\.)?|sept?(?:ember|\.)?"
    r"|o[ck]t(?:ober|\.)?|nov(?:ember|\.)?|de[cz](?:ember|\.)?)(?![a-zäöüß])"
)
_YEAR = r"(?:,?\s+(?P<year>(?:19|20)\d\d))?"
_DAY = r"(?P<day>[0-3]?\d)(?!\d)"


@dataclass(frozen=True, slots=True)
class Days:
    """A span of days, both ends included; one day has the same ends."""

    von: date
    bis: date


def find_days(text: str, today: date) -> Days | None:
    """Return the days that a question is about, or `None` when it names none.

    Several days give the span from the first to the last.
    """
    plain = " ".join(unicodedata.normalize("NFC", text).lower().split())
    spans = (
        [span for pattern, read in _DAYS for span in _read(pattern, read, plain, today)]
        or [span for pattern in _WHOLE for span in _read(pattern, _whole_month, plain, today)]
        or list(_relative(plain, today))
    )
    if not spans:
        return None
    return Days(min(span.von for span in spans), max(span.bis for span in spans))


def missing_day(text: str, language: str) -> str:
    """Return a day that is named and that no calendar has, as "31 February 2026"; else blank."""
    plain = " ".join(unicodedata.normalize("NFC", text).lower().split())
    for pattern, read in _DAYS:
        for match in re.finditer(pattern, plain):
            parts = match.groupdict()
            try:
                read(parts, date.max)
            except ValueError:
                if named := _as_named(parts, language):
                    return named
    return ""


def _as_named(parts: dict[str, str | None], language: str) -> str:
    """Write such a day out; blank for what looks like one and is a time or a chapter ("9.30.")."""
    month = int(parts["number"] or 0) if "number" in parts else _month(parts)
    day = max(int(parts.get(name) or 0) for name in ("from", "day"))
    year = f" {parts['year']}" if parts["year"] else ""
    dot = "." if language == "de" else ""
    if 1 <= month <= 12 and (year or 1 <= day <= 31):
        return f"{day}{dot} {MONTHS[language].split()[month - 1]}{year}"
    return f"{day}.{month}.{year.strip()}" if year else ""


def long_date(iso: str, language: str) -> str:
    """Return "9 September 2026" or "9. September 2026"; what is no ISO date comes back as it is."""
    try:
        day = date.fromisoformat(iso)
    except ValueError:
        return iso
    dot = "." if language == "de" else ""
    return f"{day.day}{dot} {MONTHS[language].split()[day.month - 1]} {day.year}"


Reader = Callable[[dict[str, str | None], date], Days]


def _read(pattern: str, read: Reader, text: str, today: date) -> Iterator[Days]:
    for match in re.finditer(pattern, text):
        try:
            yield read(match.groupdict(), today)
        except ValueError:  # the 31st of September
            continue


def _iso(parts: dict[str, str | None], today: date) -> Days:
    return _one(date(int(parts["year"] or 0), int(parts["number"] or 0), int(parts["day"] or 0)))


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
    (r"(?P<year>20\d\d)-(?P<number>\d\d)-(?P<day>\d\d)(?!\d)", _iso),
    (
        r"(?<![\d.])(?P<day>\d\d?)\.\s?(?P<number>\d\d?)\.(?:\s?(?P<year>20\d\d|\d\d))?(?!\d)",
        _dotted,
    ),
    (
        r"(?<!\d)(?P<from>[0-3]?\d)(?:\.|st|nd|rd|th)?\s*(?:und|bis|and|to|until|-|\u2013)\s*"
        rf"(?:dem |the )?{_DAY}(?:\.|st|nd|rd|th)?\s+(?:of )?{_MONTH}{_YEAR}",
        _pair,
    ),
    (rf"(?<!\d)(?P<day>\d\d?)(?:\.|st|nd|rd|th)?\s*(?:of )?{_MONTH}{_YEAR}", _named),
    (rf"(?<![a-zäöüß]){_MONTH}\s+(?:the )?{_DAY}(?:st|nd|rd|th)?(?![.:]\d){_YEAR}", _named),
)
_WHOLE = (
    rf"\b(?:in|im|of|during|for|vom)\s+{_MONTH}{_YEAR}",
    rf"(?<![a-zäöüß]){_MONTH}\s+(?P<year>(?:19|20)\d\d)",
)


def _relative(text: str, today: date) -> Iterator[Days]:
    monday = today - timedelta(days=today.weekday())
    if re.search(r"\b(day before yesterday|vorgestern)\b", text):
        yield _one(today - timedelta(days=2))
    elif re.search(r"\b(yesterday|gestern)\b", text):
        yield _one(today - timedelta(days=1))
    elif re.search(r"\b(today|heute)\b", text):
        yield _one(today)
    else:
        week = re.search(
            r"\b(last|past|previous|letzte[rn]?|vergangene[rn]?|vorige[rn]?) (week|woche)\b", text
        )
        since = monday - timedelta(days=7) if week else None
        for number, names in enumerate(WEEKDAYS):
            if re.search(rf"\b({names})s?\b", text):
                # "On Tuesday" may be today; "last Tuesday" is not.
                back = (today.weekday() - number) % 7
                if not back and re.search(
                    rf"\b(last|letzte[rn]?|vergangene[rn]?) ({names})\b", text
                ):
                    back = 7
                yield _one(
                    since + timedelta(days=number) if since else today - timedelta(days=back)
                )
                return
        if since:
            yield Days(since, monday - timedelta(days=1))
        elif re.search(r"\b(this week|diese[r]? woche)\b", text):
            yield Days(monday, today)
