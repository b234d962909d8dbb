# pyright: standard
"""The visitor's own time. Python's clock in the tab follows the browser's time zone."""

from datetime import datetime

from tabloop.browser.web import window

__all__ = ["now", "time_zone"]


def now() -> datetime:
    """Return the visitor's time with its offset from UTC."""
    return datetime.now().astimezone()


def time_zone() -> str:
    """Return the zone's name ("Europe/Berlin"), blank where the browser does not tell."""
    return window.Intl.DateTimeFormat().resolvedOptions().timeZone or ""
