"""The tool for visitor numbers: hits of a period in buckets, and the pages with most hits.

Rule: days are in UTC, and only days that the service covers count, as 0 without hits; a result is
below 4,000 bytes, since each later hop pays for it.
"""

from calendar import monthrange
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Annotated, Literal, TypedDict

from pydantic import BeforeValidator, Field

from tabloop.agent.displays import Chart, LabelKind, Note, Series
from tabloop.agent.tools import Tool, ToolOutput, tool
from tabloop.core.json_text import compact
from tabloop.tools.analytics import words
from tabloop.tools.analytics.api import AnalyticsApi, Day, Stats

__all__ = ["SOURCE", "Bucket", "Numbers", "PageHits", "Range", "analytics_tools", "numbers_of"]

SOURCE = "analytics"
MAX_PAGES = 10
MAX_RESULT_BYTES = 3_950  # of 4,000; the status is added later
PATH_LENGTHS = (120, 90, 60, 40, 20)  # characters; the longest that fits

Range = Literal["30d", "90d", "1y"]
_BUCKETS: Mapping[Range, LabelKind] = {"30d": "day", "90d": "week", "1y": "month"}


class Bucket(TypedDict):
    """A day, a week (its Monday), or a month ("2026-09"). First and last may be partial."""

    label: str
    hits: int


class PageHits(TypedDict):
    """One path of the site; a long one is truncated."""

    path: str
    hits: int


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers of one period, before the result is shortened."""

    first: date
    last: date
    total: int
    buckets: tuple[Bucket, ...]
    pages: tuple[PageHits, ...]
    has_historic: bool


def analytics_tools(api: AnalyticsApi) -> tuple[Tool, ...]:
    """Return the one tool, free and read-only. Offer it only to an owner."""

    @tool(source=SOURCE, presentation=words.VISITS, brief=words.BRIEF)
    async def get_analytics(
        range: Annotated[  # noqa: A002 -- the name is agreed
            Range,
            BeforeValidator(_blank_is_default),
            Field(description="By day, by ISO week (its Monday), by month."),
        ] = "30d",
    ) -> ToolOutput:
        """Visits (hits) of this site and its top pages, UTC; the person is its owner.
        First and last bucket may be partial. hasHistoric: part was counted by an older tool; the
        two eras are not comparable, say so."""
        return _output(range, numbers_of(await api.stats(), range))

    return (get_analytics,)


def numbers_of(stats: Stats, chosen: Range) -> Numbers:
    """Count the hits of one period; it ends with the last day that the service covers."""
    last = stats.last
    first = max(_first_day(chosen, last), stats.first)
    kind = _BUCKETS[chosen]
    buckets: dict[str, int] = {}
    pages = Counter[str]()
    has_historic = False
    for day in _days(first, last):
        counted = stats.days.get(day.isoformat(), _NOTHING)
        label = _label(kind, day)
        buckets[label] = buckets.get(label, 0) + counted.hits
        pages.update(counted.pages)
        has_historic = has_historic or counted.source == "umami"
    ranked = sorted(pages.items(), key=lambda page: (-page[1], page[0]))
    return Numbers(
        first,
        last,
        sum(buckets.values()),
        tuple(Bucket(label=label, hits=hits) for label, hits in buckets.items()),
        tuple(PageHits(path=path, hits=hits) for path, hits in ranked[:MAX_PAGES] if hits),
        has_historic,
    )


_NOTHING = Day(hits=0, pages={})


def _blank_is_default(value: object) -> object:
    """Return the default for "" or null, which models use to omit an optional argument."""
    return "30d" if value is None or value == "" else value


def _first_day(chosen: Range, last: date) -> date:
    """Return the period's first day; a year begins one day after the same date a year before."""
    if chosen != "1y":
        return last - timedelta(days=int(chosen.removesuffix("d")) - 1)
    following = last + timedelta(days=1)
    if (following.month, following.day) == (2, 29):  # the year before has none
        following += timedelta(days=1)
    return following.replace(year=following.year - 1)


def _days(first: date, last: date) -> Iterator[date]:
    return (first + timedelta(days=number) for number in range((last - first).days + 1))


def _label(kind: LabelKind, day: date) -> str:
    if kind == "month":
        return day.isoformat()[:7]
    return (day - timedelta(days=day.weekday() if kind == "week" else 0)).isoformat()


def _output(chosen: Range, numbers: Numbers) -> ToolOutput:
    result: dict[str, object] = {}
    pages: list[PageHits] = []
    for length in PATH_LENGTHS:
        pages = [
            PageHits(path=_truncated(page["path"], length), hits=page["hits"])
            for page in numbers.pages
        ]
        result = {
            "range": chosen,
            "from": numbers.first.isoformat(),
            "to": numbers.last.isoformat(),
            "totalHits": numbers.total,
            "topPages": pages,
            "buckets": list(numbers.buckets),
            "hasHistoric": numbers.has_historic,
        }
        written = compact(result)
        if len(written.encode()) <= MAX_RESULT_BYTES:
            break
    charts = (_over_time(_BUCKETS[chosen], numbers), *_top_pages(pages))
    return ToolOutput(result, display=charts)


def _truncated(path: str, length: int) -> str:
    """Truncate in the middle, since long paths of one site begin alike."""
    if len(path) <= length:
        return path
    tail = length // 3
    return f"{path[: length - tail - 1]}…{path[-tail:]}"


def _partial(kind: LabelKind, numbers: Numbers) -> tuple[Note, ...]:
    """Say that the first or last bar is partial: a week of two days looks like a sudden drop."""
    first, last = numbers.first, numbers.last
    if kind == "week":
        begins, ends = first.isoweekday() != 1, last.isoweekday() != 7
    else:
        begins, ends = first.day != 1, last.day != monthrange(last.year, last.month)[1]
    if len(numbers.buckets) == 1:  # the only bar counts as the first
        begins, ends = begins or ends, False
    sentence = words.PARTIAL.get((kind, begins, ends))
    return (Note(sentence),) if sentence else ()


def _over_time(kind: LabelKind, numbers: Numbers) -> Chart:
    return Chart(
        "columns",
        words.OVER_TIME,
        words.HEADINGS[kind],
        tuple(bucket["label"] for bucket in numbers.buckets),
        (Series(words.HITS, tuple(bucket["hits"] for bucket in numbers.buckets)),),
        words.HITS_UNIT,
        kind,
        notes=_partial(kind, numbers),
    )


def _top_pages(pages: list[PageHits]) -> tuple[Chart, ...]:
    """Return a chart of the pages; none if there are no pages."""
    if not pages:
        return ()
    labels = tuple(page["path"] for page in pages)
    hits = Series(words.HITS, tuple(page["hits"] for page in pages))
    return (Chart("bars", words.TOP_PAGES, words.PAGE, labels, (hits,), words.HITS_UNIT),)
