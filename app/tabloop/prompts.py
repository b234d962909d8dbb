"""The system prompt. Rule: it is short, because each hop pays for it, and it has the date."""

from datetime import UTC, date, datetime, timedelta

from tabloop.core.data import data_text

__all__ = ["berlin_date", "system_prompt"]

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def system_prompt(now: datetime, time_zone: str) -> str:
    """Return the prompt for a run that starts at `now`.

    `now` is the visitor's local time with its offset from UTC; `time_zone` is the zone's name
    ("America/Lima"), blank if the browser does not tell. Berlin's date, which the Bundestag uses,
    is added where it differs from the visitor's.
    """
    text = data_text("prompts/system.md").strip()
    zone = f", time zone {time_zone}" if time_zone else ""
    there = berlin_date(now)
    berlin = f" In Berlin it is {_day(there)}." if there != now.date() else ""
    return text.replace("{today}", _day(now.date()) + zone).replace("{berlin}", berlin)


def berlin_date(now: datetime) -> date:
    """Return Berlin's calendar day; a time without an offset counts as Berlin's.

    Calculated by the European Union's rule (summer time from the last Sunday of March to the last
    of October, 01:00 UTC), because a browser's Python has no time zone database.
    """
    if now.tzinfo is None:
        return now.date()
    moment = now.astimezone(UTC)
    starts, ends = (_last_sunday(moment.year, month) for month in (3, 10))
    summer = starts <= moment < ends
    return (moment + timedelta(hours=2 if summer else 1)).date()


def _last_sunday(year: int, month: int) -> datetime:
    """Return 01:00 UTC of that day; March and October have 31 days."""
    last = datetime(year, month, 31, 1, tzinfo=UTC)
    return last - timedelta(days=(last.weekday() + 1) % 7)


def _day(day: date) -> str:
    return f"{WEEKDAYS[day.weekday()]}, {day.isoformat()}"
