"""Visitor numbers: each sum is checked against its days, and no number is invented."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import Any, cast

import pytest
from tabloop.agent.definitions import definition
from tabloop.agent.displays import Chart
from tabloop.agent.errors import ToolError
from tabloop.agent.messages import ToolMessage
from tabloop.agent.results import success
from tabloop.agent.tools import ToolOutput
from tabloop.contrib.scripted import ScriptedModel
from tabloop.tools.analytics.api import AnalyticsApi, Stats
from tabloop.tools.analytics.sign_in import SignIn
from tabloop.tools.analytics.tool import MAX_PAGES, Range, analytics_tools, numbers_of
from tabloop.ui.charts import chart_html
from tabloop.ui.strings import load_strings

from tests.standins.sample_visits import COVERED, visits
from tests.unit.fake_transport import FakeTransport, answer
from tests.unit.fakes import calls, play, says

OWNER = "0xAbCdef0123456789abcdef0123456789ABCDEF01"
LAST = date(2026, 9, 14)  # a Monday
URL = "https://numbers.test/api"


class Signs:
    """A wallet whose person says yes."""

    account = OWNER

    async def sign_text(self, text: str, account: str) -> str:
        return "0x1234"


def document(days: Mapping[str, Any], first: date | str, last: date | str) -> dict[str, Any]:
    return {"site": "practice.example", "from": str(first), "to": str(last), "days": days}


def counted(hits: int) -> dict[str, Any]:
    return {"hits": hits, "pages": {}, "source": "beacon"}


def a_year(last: date = LAST) -> dict[str, Any]:
    return document(visits(last), last - timedelta(days=COVERED - 1), last)


async def asked(sent: object, chosen: str = "30d", status: int = 200) -> ToolOutput:
    transport = FakeTransport([answer(sent, status)])
    [tool] = analytics_tools(AnalyticsApi(transport, URL, SignIn(Signs(), "x", [OWNER])))
    return cast("ToolOutput", await tool.run(tool.validate({"range": chosen})))


async def result(sent: object, chosen: str = "30d") -> dict[str, Any]:
    return cast("dict[str, Any]", (await asked(sent, chosen)).result)


def labels(found: dict[str, Any]) -> list[str]:
    return [bucket["label"] for bucket in found["buckets"]]


def days_between(first: str, last: str) -> Iterator[date]:
    day = date.fromisoformat(first)
    while day <= date.fromisoformat(last):
        yield day
        day += timedelta(days=1)


# --- windows and buckets ------------------------------------------------------------------------


@pytest.mark.parametrize("chosen", ["30d", "90d", "1y"])
@pytest.mark.parametrize("back", range(0, 400, 13))
async def test_every_number_equals_the_sum_of_its_days(chosen: Range, back: int) -> None:
    last = LAST - timedelta(days=back)
    sent = a_year(last)
    found = await result(sent, chosen)
    window = list(days_between(found["from"], found["to"]))
    known = [(day, sent["days"].get(day.isoformat())) for day in window]
    expected: dict[str, int] = {}
    pages = Counter[str]()
    for day, one in known:
        year, week, _ = day.isocalendar()
        label = {
            "30d": day.isoformat(),
            "90d": date.fromisocalendar(year, week, 1).isoformat(),
            "1y": f"{day.year}-{day.month:02}",
        }[chosen]
        expected[label] = expected.get(label, 0) + (one["hits"] if one else 0)
        pages.update(one["pages"] if one else {})
    assert found["to"] == last.isoformat()
    assert {bucket["label"]: bucket["hits"] for bucket in found["buckets"]} == expected
    assert found["totalHits"] == sum(expected.values()) > 0
    assert len(found["topPages"]) == MAX_PAGES
    assert [page["hits"] for page in found["topPages"]] == [n for _, n in pages.most_common(10)]
    assert all(pages[page["path"]] == page["hits"] for page in found["topPages"])
    assert found["hasHistoric"] == any(one and one["source"] == "umami" for _, one in known)


@pytest.mark.parametrize(
    ("chosen", "last", "first", "count"),
    [
        ("30d", "2026-09-14", "2026-08-16", 30),
        ("30d", "2028-03-01", "2028-02-01", 30),  # over a leap day
        ("30d", "2027-03-01", "2027-01-31", 30),
        ("90d", "2026-09-14", "2026-06-17", 14),  # from a Wednesday to a Monday
        ("90d", "2026-09-13", "2026-06-16", 13),
        ("90d", "2027-01-03", "2026-10-06", 13),  # the year 2026 has 53 weeks
        ("1y", "2026-09-14", "2025-09-15", 13),  # both ends are partial
        ("1y", "2026-12-31", "2026-01-01", 12),
        ("1y", "2026-09-30", "2025-10-01", 12),
        ("1y", "2028-02-29", "2027-03-01", 12),
        ("1y", "2028-02-28", "2027-03-01", 12),
        ("1y", "2029-02-28", "2028-03-01", 12),
        ("1y", "2029-03-01", "2028-03-02", 13),
    ],
)
async def test_a_window_ends_with_the_documents_last_day(
    chosen: str, last: str, first: str, count: int
) -> None:
    found = await result(document({}, "2020-01-01", last), chosen)
    assert (found["from"], found["to"]) == (first, last)
    assert len(found["buckets"]) == count


async def test_the_days_around_new_year_belong_to_week_53() -> None:
    days = {"2026-12-31": counted(3), "2027-01-02": counted(4)}
    found = await result(document(days, "2026-01-01", "2027-01-10"), "90d")
    assert found["buckets"][-2:] == [
        {"label": "2026-12-28", "hits": 7},
        {"label": "2027-01-04", "hits": 0},
    ]


async def test_a_leap_day_counts_in_its_february() -> None:
    days = {"2028-02-29": {"hits": 5, "pages": {"/": 5}}}
    sent = document(days, "2027-01-01", "2028-03-31")
    assert {"label": "2028-02", "hits": 5} in (await result(sent, "1y"))["buckets"]
    daily = await result(document(days, "2027-01-01", "2028-03-05"))
    assert labels(daily)[labels(daily).index("2028-02-28") + 1] == "2028-02-29"


async def test_a_day_without_data_is_not_counted_as_zero() -> None:
    days = {"2026-09-10": {"hits": 9, "pages": {"/": 9}}}
    found = await result(document(days, "2026-09-10", "2026-09-12"), "1y")
    assert (found["from"], found["to"]) == ("2026-09-10", "2026-09-12")
    assert found["buckets"] == [{"label": "2026-09", "hits": 9}]
    assert labels(await result(document(days, "2026-09-10", "2026-09-12"))) == [
        "2026-09-10",
        "2026-09-11",
        "2026-09-12",
    ]


async def test_days_outside_the_window_do_not_count() -> None:
    one = {"hits": 1, "pages": {"/in": 1}, "source": "beacon"}
    other = {"hits": 100, "pages": {"/out": 100}, "source": "umami"}
    days = {"2026-08-15": other, "2026-08-16": one, "2026-09-14": one, "2026-09-15": other}
    found = await result(document(days, "2020-01-01", LAST))
    assert found["totalHits"] == 2
    assert found["topPages"] == [{"path": "/in", "hits": 2}]
    assert found["hasHistoric"] is False


async def test_a_page_without_visits_is_not_among_the_top_pages() -> None:
    days = {"2026-09-02": {"hits": 1, "pages": {"/": 1, "/old": 0}}}
    found = await result(document(days, "2026-09-01", "2026-09-14"))
    assert found["topPages"] == [{"path": "/", "hits": 1}]


async def test_a_site_without_visits_has_zeros_and_no_pages() -> None:
    output = await asked(document({}, "2020-01-01", LAST))
    found = cast("dict[str, Any]", output.result)
    assert found["totalHits"] == 0
    assert [bucket["hits"] for bucket in found["buckets"]] == [0] * 30
    assert found["topPages"] == []
    assert found["hasHistoric"] is False
    [over_time] = cast("tuple[Chart, ...]", output.display)
    assert over_time.series[0].values == (0,) * 30


def test_a_huge_number_of_days_is_refused_at_once() -> None:
    stats = Stats.model_validate(document({}, "1000-01-01", "2999-12-31"))
    assert numbers_of(stats, "1y").first == date(2999, 1, 1)


# --- size, and what the model sees --------------------------------------------------------------


@pytest.mark.parametrize(
    "letter",
    ["a", "ä", "\U0001f4c8", "\u0001", '"', "\\"],
    ids=["plain", "umlaut", "pictogram", "control", "quote", "backslash"],
)
@pytest.mark.parametrize("chosen", ["30d", "90d", "1y"])
async def test_no_path_makes_a_result_too_large(letter: str, chosen: str) -> None:
    pages = {f"/{letter * 3000}/{number}": 10**14 + number for number in range(40)}
    day = {"hits": 10**15, "pages": pages, "source": "umami"}
    days = {(LAST - timedelta(days=ago)).isoformat(): counted(10**15) for ago in range(400)}
    output = await asked(document({**days, LAST.isoformat(): day}, "2020-01-01", LAST), chosen)
    assert len(success(output).content.encode()) <= 4_000
    paths = [page["path"] for page in cast("dict[str, Any]", output.result)["topPages"]]
    assert len(set(paths)) == 10  # still told apart by their ends
    assert all(len(path) >= 20 for path in paths)


async def test_a_usual_result_keeps_its_paths_whole() -> None:
    for chosen in ("30d", "90d", "1y"):
        found = await result(a_year(), chosen)
        assert len(json.dumps(found, separators=(",", ":"))) < 2_000
        assert not [page for page in found["topPages"] if "…" in page["path"]]


def test_the_definition_is_small_and_says_that_two_tools_counted() -> None:
    api = AnalyticsApi(FakeTransport([answer({})]), URL, SignIn(Signs(), "x", [OWNER]))
    [tool] = analytics_tools(api)
    assert len(json.dumps(definition(tool), separators=(",", ":"))) <= 460
    assert "not comparable" in tool.description
    assert tool.concurrent
    assert tool.validate({}) == tool.validate({"range": ""}) == {"range": "30d"}
    with pytest.raises(ToolError, match="range"):
        tool.validate({"range": "7d"})


@pytest.mark.parametrize(
    ("chosen", "kind", "heading"),
    [("30d", "day", "Day"), ("90d", "week", "Week from"), ("1y", "month", "Month")],
)
async def test_charts_hold_the_numbers_of_the_result(chosen: str, kind: str, heading: str) -> None:
    output = await asked(a_year(), chosen)
    found = cast("dict[str, Any]", output.result)
    over_time, top = cast("tuple[Chart, Chart]", output.display)
    assert (over_time.kind, over_time.label_kind) == ("columns", kind)
    assert load_strings("en").text(over_time.heading) == heading
    assert list(over_time.labels) == labels(found)
    assert list(over_time.series[0].values) == [one["hits"] for one in found["buckets"]]
    assert (top.kind, top.label_kind) == ("bars", "text")
    assert list(top.labels) == [page["path"] for page in found["topPages"]]
    assert list(top.series[0].values) == [page["hits"] for page in found["topPages"]]


@pytest.mark.parametrize(
    ("chosen", "first", "last", "english"),
    [
        ("30d", "2026-09-02", "2026-11-25", ""),
        (
            "90d",
            "2026-09-02",
            "2026-11-30",
            "The first and the last bar cover only part of a week.",
        ),
        ("90d", "2026-09-02", "2026-11-29", "The first bar covers only part of a week."),
        ("90d", "2026-11-02", "2026-11-30", "The last bar covers only part of a week."),
        ("90d", "2026-11-02", "2026-11-29", ""),
        ("90d", "2026-11-30", "2026-11-30", "The first bar covers only part of a week."),
        (
            "1y",
            "2020-01-01",
            "2026-11-29",
            "The first and the last bar cover only part of a month.",
        ),
        ("1y", "2026-09-02", "2026-11-30", "The first bar covers only part of a month."),
        ("1y", "2026-09-01", "2026-11-29", "The last bar covers only part of a month."),
        ("1y", "2020-01-01", "2028-02-29", ""),
    ],
)
async def test_a_chart_says_which_first_or_last_week_or_month_is_partial(
    chosen: str, first: str, last: str, english: str
) -> None:
    output = await asked(document({last: counted(3)}, first, last), chosen)
    over_time, *_ = cast("tuple[Chart, ...]", output.display)
    html = str(chart_html(load_strings("en"), over_time))
    assert re.findall('<p class="note">(.*?)</p>', html) == ([english] if english else [])


async def test_the_model_never_reads_a_chart_or_the_token() -> None:
    transport = FakeTransport([answer(a_year())])
    tools = analytics_tools(AnalyticsApi(transport, URL, SignIn(Signs(), "x", [OWNER])))
    model = ScriptedModel(calls("get_analytics", range="1y"), says("Many."))
    await play(model, tools)
    [message] = [one for one in model.asked[1] if isinstance(one, ToolMessage)]
    token = transport.requests[0].headers["Authorization"].removeprefix("Bearer ")
    assert "chart" not in message.content
    assert token not in message.content
    assert "0x1234" not in message.content


# --- what is no such document -------------------------------------------------------------------

DAY = {"hits": 1, "pages": {"/": 1}}


@pytest.mark.parametrize(
    "sent",
    [
        {"error": "the token has expired"},
        {"error": {"message": "no"}, "days": {}},
        [],
        "null",
        "<!doctype html>",
        "",
        {"site": "a", "from": "2026-09-01", "to": "2026-09-14"},
        document({}, "2026-09-15", "2026-09-14"),
        document({}, "2026-02-29", "2026-09-14"),
        document({}, "2026-09-01", "14 September"),
        document({}, "2026-09-01", "2026-09-14T00:00:00+02:00"),
        document({}, "0001-01-01", "0001-01-02"),
        {**document({}, "2026-09-01", "2026-09-14"), "to": None},
        {**document({}, "2026-09-01", "2026-09-14"), "days": []},
        document({"today": DAY}, "2026-09-01", "2026-09-14"),
        document({"2026-09-02": None}, "2026-09-01", "2026-09-14"),
        document({"2026-09-02": {**DAY, "hits": -1}}, "2026-09-01", "2026-09-14"),
        document({"2026-09-02": {**DAY, "hits": 1.5}}, "2026-09-01", "2026-09-14"),
        document({"2026-09-02": {**DAY, "hits": "12"}}, "2026-09-01", "2026-09-14"),
        document({"2026-09-02": {**DAY, "hits": True}}, "2026-09-01", "2026-09-14"),
        document({"2026-09-02": {**DAY, "hits": None}}, "2026-09-01", "2026-09-14"),
        document({"2026-09-02": {**DAY, "hits": 10**400}}, "2026-09-01", "2026-09-14"),
        document({"2026-09-02": {"pages": {}}}, "2026-09-01", "2026-09-14"),
        document({"2026-09-02": {"hits": 1}}, "2026-09-01", "2026-09-14"),
        document({"2026-09-02": {**DAY, "pages": {"/": -1}}}, "2026-09-01", "2026-09-14"),
        document({"2026-09-02": {**DAY, "pages": [["/", 1]]}}, "2026-09-01", "2026-09-14"),
        document({"2026-09-02": {**DAY, "source": "guesses"}}, "2026-09-01", "2026-09-14"),
    ],
)
async def test_a_malformed_document_gives_an_error_and_no_number(sent: object) -> None:
    with pytest.raises(ToolError) as raised:
        await asked(sent)
    assert raised.value.code == "invalid_response"
    assert "numbers.test" in raised.value.reason
    assert "expired" not in raised.value.reason  # the text of the service is not passed on


async def test_a_deeply_nested_document_gives_an_error_and_no_number() -> None:
    with pytest.raises(ToolError) as raised:
        await asked('{"days":' + "[" * 100_000)
    assert raised.value.code == "invalid_response"


@pytest.mark.parametrize("status", [401, 403, 404, 500, 204])
async def test_any_other_status_is_a_failed_fetch(status: int) -> None:
    with pytest.raises(ToolError) as raised:
        await asked(a_year(), status=status)
    assert raised.value.code == "fetch_failed"
    assert str(status) in raised.value.reason


async def test_concurrent_calls_each_use_their_own_time_window() -> None:
    found = await asyncio.gather(*(result(a_year(), chosen) for chosen in ("30d", "90d", "1y")))
    assert [one["range"] for one in found] == ["30d", "90d", "1y"]
    totals = [one["totalHits"] for one in found]
    assert totals == sorted(set(totals))
