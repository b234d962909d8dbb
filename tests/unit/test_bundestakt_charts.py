"""Charts of Bundestakt's record: every number is the record's, and the model never sees one."""

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tabloop.agent.displays import Chart, Note
from tabloop.agent.events import ToolCallResult
from tabloop.agent.results import success
from tabloop.agent.tools import Tool, ToolOutput
from tabloop.contrib.cache import tool_cache
from tabloop.contrib.scripted import ScriptedModel
from tabloop.core.phrases import Text
from tabloop.tools.bundestakt import words
from tabloop.tools.bundestakt.api import BundestaktApi, Sitzung
from tabloop.tools.bundestakt.charts import is_office, session_charts
from tabloop.tools.bundestakt.tool import bundestakt_tools
from tabloop.ui.answer_state import AnswerState, charts_of, reduce

from tests.standins import sample_data
from tests.unit.fake_transport import FakeTransport, answer
from tests.unit.fakes import calls, play, says

SITZUNGEN = sample_data.sitzungen()
CLAIMS = sample_data.claims()
SESSIONS: list[dict[str, Any]] = SITZUNGEN["sitzungen"]


def tools(sitzungen: object = SITZUNGEN, claims: object = CLAIMS) -> tuple[Tool, Tool]:
    transport = FakeTransport([answer(sitzungen), answer(claims)])
    return bundestakt_tools(BundestaktApi(transport, "https://bundestakt.test/api/v1"))


async def session_output(slug: str, sitzungen: object = SITZUNGEN) -> ToolOutput:
    get_sitzungen, _ = tools(sitzungen)
    output = await get_sitzungen.run(get_sitzungen.validate({"slug": slug}))
    assert isinstance(output, ToolOutput)
    return output


async def claims_output(claims: object = CLAIMS, **arguments: object) -> ToolOutput:
    transport = FakeTransport([answer(claims)])
    _, search = bundestakt_tools(BundestaktApi(transport, "https://bundestakt.test/api/v1"))
    output = await search.run(search.validate(arguments))
    assert isinstance(output, ToolOutput)
    return output


def by_title(output: ToolOutput) -> dict[Text, Chart]:
    return {chart.title: chart for chart in charts_of(output.display)}


def rows(chart: Chart) -> list[tuple[Any, ...]]:
    return list(zip(chart.labels, *(series.values for series in chart.series), strict=True))


@pytest.mark.parametrize("session", SESSIONS, ids=lambda session: session["slug"])
async def test_each_session_is_drawn_number_by_number(session: dict[str, Any]) -> None:
    charts = by_title(await session_output(session["slug"]))
    numbers = session["zahlen"]
    spoken = [(row["fraktion"], row["minuten"]) for row in numbers["redezeitJeFraktion"]]
    called = [(r["fraktion"], r["anzahl"]) for r in numbers.get("zwischenrufeJeFraktion", [])]
    counted = [
        (vote["titel"], *(vote["zahlen"][key] for key in ("ja", "nein", "enthaltung")))
        for vote in numbers["abstimmungen"]
        if vote["zahlen"]
    ]
    wanted = {
        words.SPEAKING_TIME: sorted(spoken, key=lambda row: -row[1]),
        words.INTERRUPTIONS: sorted(called, key=lambda row: -row[1]),
        words.VOTES: counted,
    }
    assert {title: rows(chart) for title, chart in charts.items()} == {
        title: found for title, found in wanted.items() if found
    }
    assert {chart.subject for chart in charts.values()} <= {session["datum"]}
    if counted:
        left_out = len(numbers["abstimmungen"]) - len(counted)
        notes = (Note(words.NOT_COUNTED, left_out),) if left_out else ()
        assert charts[words.VOTES].notes == notes
    for title in (words.SPEAKING_TIME, words.INTERRUPTIONS):
        if title in charts:
            offices = any(is_office(str(name)) for name in charts[title].labels)
            assert charts[title].notes == ((Note(words.OFFICE_ROWS),) if offices else ())


async def test_all_claims_are_counted_not_only_those_the_model_gets() -> None:
    output = await claims_output()
    (chart,) = charts_of(output.display)
    wanted: dict[Text, Counter[str]] = {}
    for item in CLAIMS["claims"]:
        name = words.OFFICES if is_office(item["fraktion"]) else item["fraktion"]
        wanted.setdefault(name, Counter())[item["bewertung"]] += 1
    assert [series.name for series in chart.series] == list(words.VERDICT_NAMES.values())
    assert {row[0]: row[1:] for row in rows(chart)} == {
        name: tuple(counts[verdict] for verdict in words.VERDICT_NAMES)
        for name, counts in wanted.items()
    }
    assert sum(sum(row[1:]) for row in rows(chart)) == len(CLAIMS["claims"]) == 197
    assert chart.labels[-1] == words.OFFICES
    assert chart.notes == (Note(words.ALL_STATEMENTS, 197), Note(words.OFFICES_NOTE))


async def test_a_search_names_what_it_was_for_and_counts_its_hits_alone() -> None:
    output = await claims_output(query="Zahl", bewertung="falsch")
    (chart,) = charts_of(output.display)
    assert chart.subject == "Zahl · falsch"
    content = json.loads(success(output).content)
    hits = len(content["claims"]) + content["weitereTreffer"]
    assert sum(sum(row[1:]) for row in rows(chart)) == hits
    assert {series.name for series in chart.series if any(series.values)} == {
        words.VERDICT_NAMES["falsch"]
    }


async def test_one_hit_or_none_is_not_drawn_as_a_distribution() -> None:
    alone = {"claims": CLAIMS["claims"][:1]}
    assert (await claims_output(alone)).display is None
    assert (await claims_output(query="Gibtesnicht")).display is None


async def test_a_list_of_sessions_has_no_chart() -> None:
    get_sitzungen, _ = tools()
    output = await get_sitzungen.run(get_sitzungen.validate({}))
    assert isinstance(output, ToolOutput)
    assert output.display is None


async def test_the_result_for_the_model_is_the_same_bytes_as_without_a_chart() -> None:
    for session in SESSIONS:
        output = await session_output(session["slug"])
        bare = {key: value for key, value in session.items() if key != "protokollPdf"}
        assert output.display
        assert success(output).content == success(bare).content
    found = await claims_output()
    assert found.display
    assert success(found).content == success(found.result).content
    assert "chart" not in success(found).content


@pytest.mark.parametrize(
    ("name", "office"),
    [
        ("Bundeskanzler", True),
        ("Bundesministerin für Wirtschaft und Energie", True),
        ("Staatsminister beim Bundeskanzler", True),
        ("Parl. Staatssekretärin beim Bundesminister der Finanzen", True),
        ("Präsidentin", True),
        ("VIZEPRÄSIDENT", True),
        ("Wehrbeauftragter", True),
        ("AfD", False),
        ("CDU/CSU", False),
        ("BÜNDNIS 90/DIE GRÜNEN", False),
        ("fraktionslos", False),
        ("SSW", False),
    ],
)
def test_offices_are_drawn_apart_from_parties(name: str, office: bool) -> None:
    assert is_office(name) is office


async def test_malformed_claims_are_counted_where_possible() -> None:
    odd = [
        {"aussage": "a", "fraktion": "", "bewertung": "belegt"},
        {"aussage": "b", "fraktion": "X", "bewertung": "ungeprüft"},
        {"aussage": "c", "fraktion": " X ", "bewertung": 7},
    ]
    (chart,) = charts_of((await claims_output({"claims": odd})).display)
    assert chart.labels == ("X", words.NO_PARTY)
    assert rows(chart)[0] == ("X", 0, 0, 0, 0, 0, 2)


@pytest.mark.parametrize(
    "numbers",
    [
        None,
        [],
        {"redezeitJeFraktion": {"minuten": 3}},
        {"redezeitJeFraktion": [None, 3, {"minuten": 3}, {"fraktion": "X"}, {"fraktion": 4}]},
        {"redezeitJeFraktion": [{"fraktion": "X", "minuten": "12"}]},
        {"redezeitJeFraktion": [{"fraktion": "X", "minuten": True}]},
        {"redezeitJeFraktion": [{"fraktion": "X", "minuten": -1}]},
        {"redezeitJeFraktion": [{"fraktion": "X", "minuten": 10**400}]},
        {"abstimmungen": [{"titel": "T", "zahlen": None}, {"titel": "T", "zahlen": {"ja": None}}]},
        {"abstimmungen": [{"zahlen": {"ja": 3}}]},
    ],
)
async def test_a_value_that_is_not_a_number_is_not_drawn(numbers: object) -> None:
    odd = {"sitzungen": [{"slug": "s", "datum": "2026-09-09", "zahlen": numbers}]}
    output = await session_output("s", odd)
    assert output.display is None


async def test_a_vote_with_missing_numbers_shows_the_gap() -> None:
    vote = {"titel": "T", "zahlen": {"ja": 300, "enthaltungen": 4}}
    odd = {"sitzungen": [{"slug": "s", "zahlen": {"abstimmungen": [vote]}}]}
    (chart,) = charts_of((await session_output("s", odd)).display)
    assert rows(chart) == [("T", 300, None, 4)]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ("fraktion", "minuten", "anzahl", "titel", "zahlen", "ja", "nein", "enthaltung")
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(speaking=JSON, calls=JSON, votes=JSON)
def test_a_malformed_record_still_gives_a_result(speaking: Any, calls: Any, votes: Any) -> None:
    zahlen = {
        "redezeitJeFraktion": speaking,
        "zwischenrufeJeFraktion": calls,
        "abstimmungen": votes,
    }
    item = Sitzung("s", "", "", "", "", (), {"zahlen": zahlen})
    for chart in session_charts(item):
        assert chart.labels
        assert all(value is None or value >= 0 for s in chart.series for value in s.values)


async def test_a_cached_result_keeps_its_charts_and_the_answer_shows_them_once() -> None:
    get_sitzungen, _ = tools()
    slug = SESSIONS[0]["slug"]
    model = ScriptedModel(
        calls("get_sitzungen", "a", slug=slug), calls("get_sitzungen", "b", slug=slug), says("done")
    )
    state, shown = AnswerState(), list[object]()
    for event in await play(model, [get_sitzungen], middleware=[tool_cache()]):
        state = reduce(state, event)
        if isinstance(event, ToolCallResult):
            shown.append(event.display)
    assert len(shown) == 2
    assert shown[0]
    assert shown[0] == shown[1]
    assert state.charts == (shown[0],)
    asked = str(model.requests)
    assert SESSIONS[0]["kernthema"] in asked
    assert str(words.SPEAKING_TIME) not in asked
    assert "Chart" not in asked
