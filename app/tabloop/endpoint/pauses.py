"""When an endpoint wants to be asked again. Rule: a time is never shorter than it said."""

import math
from datetime import UTC, datetime, timedelta

__all__ = ["local_now", "seconds_until", "time_after"]

LONGEST = 366 * 24 * 3600.0  # seconds; a longer pause is no time that helps anyone


def local_now() -> datetime:
    """Return the local time with its offset from UTC."""
    return datetime.now().astimezone()


def seconds_until(retry_after: str, now: datetime) -> float:
    """Return the seconds that a `Retry-After` asks for, whether it has seconds or a date.

    Returns:
        At least 0; 0 if the header is missing, hidden by CORS, or says nothing.
    """
    try:
        asked = float(retry_after)
    except ValueError:
        asked = _until_date(retry_after, now)
    return min(max(asked, 0.0), LONGEST) if math.isfinite(asked) else 0.0


def time_after(seconds: float, now: datetime) -> dict[str, str]:
    """Return the facts of an error that say when a retry makes sense, none if it is not known.

    `again_at` is local time in ISO format, without seconds, rounded up; `today` if it is today.
    """
    if seconds <= 0:
        return {}
    again = now + timedelta(seconds=seconds + 59.999)
    today = {"today": "yes"} if again.date() == now.date() else {}
    return {"again_at": again.strftime("%Y-%m-%dT%H:%M"), **today}


def _until_date(text: str, now: datetime) -> float:
    from email.utils import parsedate_to_datetime  # noqa: PLC0415  # slow, and rarely needed

    try:
        then = parsedate_to_datetime(text)
    except ValueError:
        return 0.0
    return ((then if then.tzinfo else then.replace(tzinfo=UTC)) - now).total_seconds()
