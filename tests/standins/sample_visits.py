"""Invented visits of a site, as its analytics service counts them.

Rule: every number depends only on the day, so that a test can compute it again.
"""

import random
from collections.abc import Mapping
from datetime import date, timedelta
from typing import NotRequired, TypedDict

__all__ = ["COVERED", "CountedDay", "visits"]

COVERED = 400  # days
UMAMI_UNTIL = 130  # the first days were counted by an older tool
BURST = 55  # days before the last one, when many visits came to one page
BURST_PAGE = "/blog/19"
WEEKDAYS = (1.15, 1.2, 1.1, 1.05, 0.9, 0.55, 0.6)  # Monday first
PAGES: Mapping[str, float] = {  # path -> share of all visits
    "/": 0.26,
    BURST_PAGE: 0.14,
    "/assistant": 0.12,
    "/blog/3": 0.1,
    "/imagegen": 0.09,
    "/blog": 0.08,
    "/quantum/amo": 0.06,
    "/blog/11": 0.05,
    "/de/": 0.04,
    "/quantum/basics/lecture-1": 0.03,
    "/about": 0.02,
    "/legal": 0.01,
}
SILENT = 29  # every 29th day has no visits and is missing in the document


class CountedDay(TypedDict):
    """One day in the service's document."""

    hits: int
    landings: NotRequired[int]
    pages: dict[str, int]
    source: str


def visits(last: date, covered: int = COVERED) -> dict[str, CountedDay]:
    """Return the days with visits among the `covered` days up to `last`."""
    days: dict[str, CountedDay] = {}
    for ago in range(covered - 1, -1, -1):
        day = last - timedelta(days=ago)
        if day.toordinal() % SILENT:
            days[day.isoformat()] = _day(day, ago, historic=covered - ago <= UMAMI_UNTIL)
    return days


def _day(day: date, ago: int, *, historic: bool) -> CountedDay:
    chance = random.Random(day.toordinal())
    usual = 60 * WEEKDAYS[day.weekday()] * chance.uniform(0.7, 1.3)
    pages = {path: round(usual * share * chance.uniform(0.5, 1.5)) for path, share in PAGES.items()}
    if BURST - 3 < ago <= BURST:
        pages[BURST_PAGE] += 420 // (BURST - ago + 1)
    hits = sum(pages.values())
    seen = {path: n for path, n in pages.items() if n}
    if historic:  # the older tool did not count landings
        return CountedDay(hits=hits, pages=seen, source="umami")
    return CountedDay(hits=hits, pages=seen, landings=hits // 2, source="beacon")
