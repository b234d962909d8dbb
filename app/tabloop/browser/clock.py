"""The visitor's local time. Rule: the time zone is the browser's, which Pyodide uses, too."""

from datetime import datetime

from tabloop.browser.web import window

__all__ = ["now", "time_zone"]


def now() -> datetime:
    """Return the local time with its offset from UTC."""
    return datetime.now().astimezone()


def time_zone() -> str:
    """Return the time zone's name ("Europe/Berlin"), blank if the browser does not state it."""
    return window.Intl.DateTimeFormat().resolvedOptions().timeZone or ""
