"""What looks like a day in a question and was not read as one.

Rule: it is asked about; no answer may pass over it as if it had not been written.
"""

import re
from dataclasses import dataclass
from datetime import date

from tabloop.searching.practice_dates import MONTH, find_days, normal, read_at, slash_readings

__all__ = ["Unread", "unread_day"]


@dataclass(frozen=True, slots=True)
class Unread:
    """What was written, the days that it may be, and whether it can hardly be anything else."""

    written: str
    readings: tuple[date, ...] = ()
    certain: bool = True


_NAME = MONTH.replace("?P<month>", "?:")
_YEAR = r"(?:[.,]{0,2}\s?\d{4,})"
_ENDING = r"(?:st|nd|rd|th)"
_PREPOSITION = r"\b(?:on|am|vom|since|seit|from|until|bis|for|dem)\s+(?:the |dem )?"
_ENGLISH_DAYS = (
    r"(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth"
    r"|\w+teenth|twentieth|thirtieth|(?:twenty|thirty)[ -]\w+)"
)
_GERMAN_DAYS = (
    r"(?:ersten?|zweiten?|dritten?|vierten?|fünften?|sechsten?|siebt?en?|siebenten?|achten?"
    r"|neunten?|zehnten?|elften?|zwölften?|\w+zehnten?|\w*(?:zwanzig|drei(?:ß|ss)ig)sten?)"
)
_UNIT = r"(?:days?|weeks?|months?|years?|tagen?|wochen?|monaten?|jahren?)"
# What follows a number that counts something else: "2/3 majority", "on the 2nd reading".
_NO_DAY = (
    r"(?!\d|[./-]\d| ?(?:majority|mehrheit|quorum|percent|prozent|%|uhr|am\b|pm\b|o'clock"
    r"|reading|lesung|amendment|bundestag|term|anniversary|time\b|mal\b|of (?!{name})))"
).replace("{name}", _NAME)

# Digits that a year, a month or their number of groups makes a day.
_CERTAIN = (
    r"(?<!\d)\d+(?:\.?\s?[./-]\s?\d+){2,}(?!\d)",
    r"(?<!\d)\d{1,2}[\s,_:]\s?\d{1,2}[\s,_:]\s?(?:19|20)\d\d(?!\d)",
    r"(?<!\d)(?:(?:19|20)\d{2}[01]\d[0-3]\d|[0-3]\d[01]\d(?:19|20)\d\d)(?!\d)",
    rf"(?<![\d.,])\d+(?:\.|{_ENDING})?\s?(?:of\s|[./-])\s?{_NAME}(?:[./-]\s?\d+|{_YEAR})?",
    rf"(?<![\d.,])\d+{_ENDING}\s?{_NAME}{_YEAR}?",
    rf"(?<![a-zäöüß]){_NAME}[./-]?\s(?:the )?\d+{_ENDING}{_YEAR}?",
    rf"(?<![a-zäöüß]){_NAME}[/-]\s?\d+(?:[/-]\d+)?",
    rf"\b{_ENGLISH_DAYS}\s(?:day )?(?:of )?{_NAME}",
    rf"\b{_NAME}\s(?:the )?{_ENGLISH_DAYS}\b",
    rf"\b{_GERMAN_DAYS}\s{_NAME}",
)
# These may be something else, "May" above all; in a question about sessions they are none.
_PROBABLE = (
    rf"(?<![\d.,])(?<!\d )\d+\.?\s{_NAME}(?:{_YEAR}|\s['\u2019]?\d\d(?=\W*$))?",
    rf"(?<![a-zäöüß]){_NAME}\s\d+(?!\d|[.,]\d){_YEAR}?",
    rf"{_PREPOSITION}\d+{_ENDING}?\s?[./-]\s?\d+\.?{_NO_DAY}",
    r"(?<![\d.,/])(?<!drucksache )(?<!drs )(?:[012]?\d|3[01])\s?/\s?(?:[012]?\d|3[01])"
    rf"(?![\d/]){_NO_DAY}",
    rf"(?<!at )(?<!um )(?<!ab )(?<!by )(?<![\d.])\d{{1,2}}\.\s?\d{{1,2}}\.{_NO_DAY}",
    r"(?<!\d)\d{1,2}[./]\s?(?:19|20)\d\d(?!\d)|(?<!\d)(?:19|20)\d\d[./-]\d{1,2}(?!\d)",
    rf"{_PREPOSITION}\d+{_ENDING}\b{_NO_DAY}",
    rf"\b(?:am|vom|bis zum|dem)\s\d+\.(?!\s?\d)(?! ?{_NAME}){_NO_DAY}",
    r"\b(?:in|im jahre?|im|since|seit|during|year|(?:debates|sessions|votes) of|from|until|bis|von"
    r"|before|after|vor|nach)\s(?:the year |dem jahr )?(?:19|20)\d\d\b(?![.,]\d)",
    r"\b(?:kw|cw|week|woche|kalenderwoche|quarter|quartal|q)\s?\d+\b",
    r"\b\d+(?:\.|st|nd|rd|th)? (?:kw|week|woche|kalenderwoche|quarter|quartal)\b",
    rf"\b(?:\w+ )?\d+ {_UNIT} ago\b|\bvor (?:\w+ )?\d+ {_UNIT}\b",
    rf"\b(?:last|past|next|letzten|vergangenen|nächsten)\s\d+\s{_UNIT}\b",
)
_THOUSANDS = r"\d{1,3}(?:\.\d{3})+"
# Times in words, where nothing else tells the time.
_TIMES = (
    rf"\b\w+ {_UNIT} ago\b",
    r"\bvor (?:einem|einer|zwei|drei|vier|fünf|sechs|ein paar|einigen) "
    r"(?:tag|woche|monat|jahr)(?:e?n|e)?\b",
    r"\b(?:last|next|past|previous|this) (?:month|year|quarter|summer|winter|spring|autumn)\b",
    r"\b(?:letzte[nrms]?|nächste[nrms]?|vergangene[nrms]?|vorige[nrms]?|diese[nrms]?) "
    r"(?:monat|jahr|quartal|sommer|winter|frühling|frühjahr|herbst)e?s?\b",
    r"\b(?:next week|nächste[rn]? woche|tomorrow|übermorgen)\b",
)


def unread_day(text: str, today: date) -> Unread | None:
    """Return the first thing that looks like a day and was not read; `None` where all was."""
    plain = normal(text)
    read = read_at(text, today)
    for patterns in (_CERTAIN, _PROBABLE):
        for match in (found for p in patterns for found in re.finditer(p, plain)):
            if _left(match, read) and not re.fullmatch(_THOUSANDS, match[0]):
                return _unread(_as_written(text, match), certain=patterns is _CERTAIN)
    if find_days(text, today):
        return None
    times = (re.search(pattern, plain) for pattern in _TIMES)
    found = next(filter(None, times), None)
    return Unread(_as_written(text, found), certain=False) if found else None


def _left(match: "re.Match[str]", read: set[int]) -> bool:
    """Whether a digit in there was not read; of a day in words, whether nothing but its month."""
    digits = [place for place in range(*match.span()) if match.string[place].isdigit()]
    return not set(digits) <= read if digits else True


def _as_written(text: str, match: "re.Match[str]") -> str:
    """Return the words with their capitals, which the normal text has not."""
    cased = normal(text, lower=False)
    same = len(cased) == len(match.string)
    return (cased[slice(*match.span())] if same else match[0]).strip()


def _unread(written: str, *, certain: bool) -> Unread:
    groups = re.split(r"\s?[./-]\s?", written)
    if len(groups) == 3 and "." not in written and all(map(str.isdecimal, groups)):
        first, second, year = groups
        if max(len(first), len(second)) <= 2 and len(year) in (2, 4):
            return Unread(written, tuple(slash_readings(first, second, year)), certain)
    return Unread(written, certain=certain)
