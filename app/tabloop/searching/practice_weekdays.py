"""Days told from today: "yesterday", "last Tuesday", "this week".

Rule: a weekday without a week is the latest one that has come.
"""

import re
from collections.abc import Iterator
from datetime import date, timedelta

__all__ = ["relative_days"]

_WEEKDAYS = (
    "monday|montag",
    "tuesday|dienstag",
    "wednesday|mittwoch",
    "thursday|donnerstag",
    "friday|freitag",
    "saturday|samstag|sonnabend",
    "sunday|sonntag",
)


def relative_days(text: str, today: date) -> Iterator[tuple[date, date]]:
    """Yield the first and the last day that a normal text names, if any."""
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
        for number, names in enumerate(_WEEKDAYS):
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
            yield (since, monday - timedelta(days=1))
        elif re.search(r"\b(this week|diese[r]? woche)\b", text):
            yield (monday, today)


def _one(day: date) -> tuple[date, date]:
    return day, day
