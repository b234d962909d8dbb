"""The system prompt. Rule: it is short, because each hop pays for it, and it has the date."""

import re
from datetime import UTC, date, datetime, timedelta
from typing import Protocol

from tabloop.core.data import data_text

__all__ = ["Site", "berlin_date", "system_prompt"]

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


class Site(Protocol):
    """What the prompt says of the site: `settings.SiteSettings` has it."""

    @property
    def name(self) -> str:
        """The site's name."""
        ...

    @property
    def instructions(self) -> str:
        """What the owner tells the model, or blank."""
        ...

    @property
    def bundestakt(self) -> bool:
        """Whether the tools for the record of the Bundestag are there."""
        ...


def system_prompt(now: datetime, time_zone: str, site: Site) -> str:
    """Return the prompt for a run that starts at `now`.

    `now` is the visitor's local time with its offset from UTC; `time_zone` is the zone's name
    ("America/Lima"), blank if the browser does not tell. The rules on data and sources come after
    the owner's instructions. With Bundestakt's tools Berlin's date, which the Bundestag uses, is
    added where it differs from the visitor's.
    """
    zone = f", time zone {time_zone}" if time_zone else ""
    there = berlin_date(now)
    parts = {
        "name": site.name,
        "today": _day(now.date()) + zone,
        "berlin": f" In Berlin it is {_day(there)}."
        if site.bundestakt and there != now.date()
        else "",
        "instructions": site.instructions,
        "bundestakt": data_text("prompts/bundestakt.md").strip() if site.bundestakt else "",
    }
    # filled at once, so that an owner's text with "{today}" stays as it is
    text = re.sub(r"\{(\w+)\}", lambda found: parts[found[1]], data_text("prompts/system.md"))
    return re.sub(r"\n\s*\n", "\n", text).strip()


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
