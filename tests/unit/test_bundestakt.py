"""What a model gets from Bundestakt's record, and what happens when the record is not there."""

import asyncio
import contextlib
import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from tabloop.agent.definitions import definition
from tabloop.agent.errors import ToolError
from tabloop.agent.results import success
from tabloop.agent.tools import Tool, ToolOutput
from tabloop.core.german_text import fold, shorten, word_matcher, words
from tabloop.core.http import MAX_BODY, HttpResponse, TransportError
from tabloop.tools.bundestakt.api import CACHE_SECONDS, BundestaktApi
from tabloop.tools.bundestakt.tool import bundestakt_tools

from tests.standins import sample_data
from tests.unit.fake_transport import FakeTransport, Pieces, answer

BASE = "https://bundestakt.test/api/v1"
REAL = Path(__file__).parents[3] / "shared" / "data"


class Clock:
    """A clock that the test sets, in seconds."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Record:
    """Both tools over one list of answers."""

    def __init__(self, *answers: object) -> None:
        given: list[HttpResponse | Pieces | Exception] = [
            item if isinstance(item, HttpResponse | Exception) else answer(item) for item in answers
        ]
        self.transport = FakeTransport(given)
        self.clock = Clock()
        self.api = BundestaktApi(self.transport, BASE, clock=self.clock)
        self.get_sitzungen, self.search_claims = bundestakt_tools(self.api)

    async def call(self, tool: Tool, **arguments: object) -> ToolOutput:
        output = await tool.run(tool.validate(arguments))
        assert isinstance(output, ToolOutput)
        return output

    async def sitzungen(self, **arguments: object) -> Any:
        return content(await self.call(self.get_sitzungen, **arguments))

    async def claims(self, **arguments: object) -> Any:
        return content(await self.call(self.search_claims, **arguments))

    async def refused(self, tool: Tool, **arguments: object) -> ToolError:
        with pytest.raises(ToolError) as caught:
            await self.call(tool, **arguments)
        return caught.value


def content(output: ToolOutput) -> Any:
    """The JSON that the model reads."""
    return json.loads(success(output).content)


def sitzung(day: str, **more: object) -> dict[str, object]:
    slug = f"21-9-{day}"
    return {
        "slug": slug,
        "url": f"https://bundestakt.test/sitzung/{slug}",
        "datum": day,
        "dokumentnummer": "21/9",
        "kernthema": f"Thema {day}",
        "in30Sekunden": [{"titel": "Eins", "text": "…"}, {"titel": "Zwei", "text": "…"}],
        "zahlen": {"anzahlReden": 3},
        "protokollPdf": "https://bundestakt.test/x.pdf",
        **more,
    }


def claim(aussage: str, **more: object) -> dict[str, object]:
    return {
        "id": 1,
        "url": "https://bundestakt.test/sitzung/x#claim-1",
        "sitzungDatum": "2026-09-09",
        "sprecher": "Ada Muster",
        "fraktion": "BÜNDNIS 90/DIE GRÜNEN",
        "aussage": aussage,
        "bewertung": "belegt",
        "begruendung": "Darum.\r\n\r\n**Weil** es so ist.",
        "geprueftAm": "2026-09-10T00:00:00Z",
        "quellen": [{"url": "https://x.test", "titel": "x"}],
        **more,
    }


def sitzungen_of(*days: str) -> dict[str, object]:
    return {"sitzungen": [sitzung(day) for day in days]}


def claims_of(*aussagen: str) -> dict[str, object]:
    return {"claims": [claim(aussage) for aussage in aussagen]}


# --- sessions ------------------------------------------------------------------------------------


async def test_the_list_is_enough_to_choose_from_and_no_more() -> None:
    assert await Record(sitzungen_of("2026-09-09")).sitzungen() == {
        "status": "ok",
        "sitzungen": [
            {
                "slug": "21-9-2026-09-09",
                "datum": "2026-09-09",
                "kernthema": "Thema 2026-09-09",
                "schlagzeilen": ["Eins", "Zwei"],
                "url": "https://bundestakt.test/sitzung/21-9-2026-09-09",
            }
        ],
    }


@pytest.mark.parametrize(
    ("von", "bis", "found"),
    [
        ("2026-09-09", "2026-09-09", ["2026-09-09"]),
        ("2026-09-08", None, ["2026-09-10", "2026-09-09", "2026-09-08"]),
        (None, "2026-09-08", ["2026-09-08"]),
        ("", "", ["2026-09-10", "2026-09-09", "2026-09-08"]),
        ("2026-01-01", "2026-01-31", []),
    ],
)
async def test_both_ends_of_a_span_are_included(
    von: str | None, bis: str | None, found: list[str]
) -> None:
    record = Record(sitzungen_of("2026-09-08", "2026-09-09", "2026-09-10"))
    listed = await record.sitzungen(von=von, bis=bis)
    assert [item["datum"] for item in listed["sitzungen"]] == found


@pytest.mark.parametrize(
    "slug", ["21-9-2026-09-09", "https://bundestakt.test/sitzung/21-9-2026-09-09/"]
)
async def test_a_slug_gives_the_whole_session_without_the_pdf(slug: str) -> None:
    found = await Record(sitzungen_of("2026-09-09")).sitzungen(slug=slug)
    assert found["zahlen"] == {"anzahlReden": 3}
    assert found["in30Sekunden"][1] == {"titel": "Zwei", "text": "…"}
    assert "protokollPdf" not in found


async def test_an_unknown_slug_is_not_found_and_leaves_the_tool_on_offer() -> None:
    record = Record(sitzungen_of("2026-09-09"))
    error = await record.refused(record.get_sitzungen, slug="x" * 300)
    assert error.code == "not_found"
    assert error.recoverable is not False
    assert len(error.reason) <= 200


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"von": "9. September"}, "von"),
        ({"bis": "2026-09-31"}, "bis"),
        ({"von": "2026-09-10", "bis": "2026-09-09"}, "von (2026-09-10)"),
    ],
)
async def test_invalid_dates_are_named_in_the_error(
    arguments: dict[str, object], named: str
) -> None:
    record = Record(sitzungen_of("2026-09-09"))
    error = await record.refused(record.get_sitzungen, **arguments)
    assert error.code == "invalid_arguments"
    assert named in error.reason
    assert record.transport.requests == []


async def test_the_sources_of_a_lookup_are_its_sessions_or_bundestakt_itself() -> None:
    days = ("2026-09-08", "2026-09-09", "2026-09-10", "2026-09-11")
    record = Record({"quelle": "https://bundestakt.test", **sitzungen_of(*days)})
    few = await record.call(record.get_sitzungen, bis="2026-09-09")
    assert [(item.url, item.title) for item in few.sources] == [
        (
            f"https://bundestakt.test/sitzung/21-9-{day}",
            f"Bundestag 21/9, {day}: Thema {day}",
        )
        for day in ("2026-09-09", "2026-09-08")
    ]
    many = await record.call(record.get_sitzungen)
    assert [item.url for item in many.sources] == ["https://bundestakt.test"]
    one = await record.call(record.get_sitzungen, slug="21-9-2026-09-10")
    assert [item.url for item in one.sources] == ["https://bundestakt.test/sitzung/21-9-2026-09-10"]


async def test_a_record_without_a_site_is_not_cited_as_bundestakt() -> None:
    record = Record(sitzungen_of("2026-09-08", "2026-09-09", "2026-09-10", "2026-09-11"))
    assert (await record.call(record.get_sitzungen)).sources == ()


async def test_an_invalid_address_is_not_a_source() -> None:
    record = Record({"sitzungen": [sitzung("2026-09-09", url="javascript:alert(1)")]})
    assert (await record.call(record.get_sitzungen)).sources == ()


# --- claims --------------------------------------------------------------------------------------


async def test_a_hit_has_its_reason_on_one_line_and_no_references() -> None:
    assert await Record(claims_of("Es gibt mehr Züge.")).claims(query="Züge") == {
        "status": "ok",
        "claims": [
            {
                "aussage": "Es gibt mehr Züge.",
                "sprecher": "Ada Muster",
                "fraktion": "BÜNDNIS 90/DIE GRÜNEN",
                "bewertung": "belegt",
                "sitzungDatum": "2026-09-09",
                "url": "https://bundestakt.test/sitzung/x#claim-1",
                "begruendung": "Darum. **Weil** es so ist.",
            }
        ],
        "weitereTreffer": 0,
    }


@pytest.mark.parametrize(
    "query",
    [
        "Straßenbau für Fußgänger",
        "strassenbau fuer fussgaenger",
        "FUSSGÄNGER, STRASSENBAU!",
        unicodedata.normalize("NFD", "Fußgänger für"),
        "12 000",
        "„Straßenbau“",
    ],
)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
async def test_a_word_is_found_in_any_of_its_spellings(query: str, form: str) -> None:
    text = "Der Straßen\u00adbau kostet 12\u202f000 Euro für jeden Fußgänger."
    record = Record(claims_of(unicodedata.normalize(form, text), "Etwas anderes"))  # type: ignore[arg-type]  # parametrized text
    assert len((await record.claims(query=query))["claims"]) == 1


async def test_all_words_must_occur_in_the_statement_or_its_reasoning() -> None:
    record = Record(claims_of("Mehr Züge", "Mehr Busse"))
    assert len((await record.claims(query="mehr weil"))["claims"]) == 2
    assert (await record.claims(query="Züge Busse"))["claims"] == []


async def test_a_word_may_be_the_name_or_the_group_of_the_speaker() -> None:
    record = Record(claims_of("mehr Züge", "mehr Busse"))
    for query in ("Muster Züge", "Grünen Züge"):
        [hit] = (await record.claims(query=query))["claims"]
        assert hit["aussage"] == "mehr Züge"


async def test_hits_in_the_statement_come_before_hits_in_the_reasoning() -> None:
    record = Record({"claims": [claim("Anderes", begruendung="Bahn"), claim("Die Bahn")]})
    hits = (await record.claims(query="Bahn"))["claims"]
    assert [item["aussage"] for item in hits] == ["Die Bahn", "Anderes"]


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"fraktion": "gruenen"}, 1),
        ({"fraktion": "Bundesministerin"}, 1),
        ({"bewertung": "irreführend"}, 1),
        ({"bewertung": "Falsch"}, 0),
        ({"bewertung": "", "fraktion": " ", "query": ""}, 2),
        ({}, 2),
    ],
)
async def test_group_and_verdict_narrow_the_search(
    arguments: dict[str, object], found: int
) -> None:
    minister = claim("B", fraktion="Bundesministerin des Innern", bewertung="irrefuehrend")
    record = Record({"claims": [claim("A"), minister]})
    assert len((await record.claims(**arguments))["claims"]) == found


async def test_an_unknown_verdict_is_named_in_the_error() -> None:
    record = Record(claims_of("A"))
    error = await record.refused(record.search_claims, bewertung="gelogen")
    assert error.code == "invalid_arguments"
    assert "bewertung" in error.reason


async def test_each_hit_is_a_source_that_a_person_can_tell_apart() -> None:
    record = Record(claims_of("A" * 20, "B" * 200))
    sources = (await record.call(record.search_claims)).sources
    assert sources[0].title == "Ada Muster, 2026-09-09: „AAAAAAAAAAAAAAAAAAAA“"
    assert len(sources[1].title) < 120


async def test_ten_hits_and_the_number_of_the_others() -> None:
    found = await Record(claims_of(*(f"Satz {n}" for n in range(25)))).claims(query="Satz")
    assert len(found["claims"]) == 10
    assert found["weitereTreffer"] == 15


@pytest.mark.parametrize(("aussage", "hits"), [("ü" * 60, 10), ("u" * 300, 10), ("ü" * 1000, 3)])
async def test_long_hits_are_shortened_before_one_is_left_out(aussage: str, hits: int) -> None:
    record = Record({"claims": [claim(aussage, begruendung="Wort für " * 300) for _ in range(12)]})
    result = success(await record.call(record.search_claims)).content
    assert len(result.encode()) < 8_000
    assert len(json.loads(result)["claims"]) == hits
    assert json.loads(result)["weitereTreffer"] == 12 - hits


# --- sizes, on data of the real size -------------------------------------------------------------


def documents() -> list[Any]:
    made = pytest.param(sample_data.sitzungen(), sample_data.claims(), id="sample")
    if not REAL.is_dir():
        return [made]
    real = (json.loads((REAL / f"{name}.json").read_bytes()) for name in ("sitzungen", "claims"))
    return [made, pytest.param(*real, id="real")]


@pytest.mark.parametrize(("sessions", "checks"), documents())
async def test_no_result_is_larger_than_agreed(sessions: Any, checks: Any) -> None:
    record = Record(sessions)
    listed = success(await record.call(record.get_sitzungen)).content
    assert len(json.loads(listed)["sitzungen"]) == len(sessions["sitzungen"])
    assert len(listed.encode()) <= 7_300
    for item in sessions["sitzungen"]:
        whole = await record.sitzungen(slug=item["slug"])
        assert whole == {"status": "ok", **{k: v for k, v in item.items() if k != "protokollPdf"}}
    record = Record(checks)
    queries = ["", "e", "Deutschland", "Prozent", "Euro", "die"]
    for arguments in [
        *({"query": q} for q in queries),
        *({"bewertung": b} for b in checks["bewertungsskala"]),
    ]:
        output = await record.call(record.search_claims, **arguments)
        result = success(output).content
        assert len(result.encode()) < 8_000
        hits = json.loads(result)["claims"]
        assert all(len(hit["begruendung"]) <= 400 for hit in hits)
        assert len(output.sources) == len(hits)


def test_both_definitions_stay_small() -> None:
    tools = bundestakt_tools(BundestaktApi(FakeTransport([]), BASE))
    text = json.dumps([definition(item) for item in tools], separators=(",", ":"))
    assert len(text) < 1_700
    assert text.count("url") >= 2
    assert all(word in text for word in ("AI-assisted", "not an official record", "without slug"))


# --- fetching ------------------------------------------------------------------------------------


async def test_both_tools_ask_their_own_address_once_an_hour() -> None:
    record = Record(sitzungen_of("2026-09-09"), claims_of("A"), sitzungen_of("2026-09-10"))
    await record.sitzungen()
    await record.claims()
    record.clock.now += CACHE_SECONDS - 1
    assert (await record.sitzungen())["sitzungen"][0]["datum"] == "2026-09-09"
    record.clock.now += 2
    assert (await record.sitzungen())["sitzungen"][0]["datum"] == "2026-09-10"
    assert [item.url.removeprefix(BASE) for item in record.transport.requests] == [
        "/sitzungen",
        "/claims",
        "/sitzungen",
    ]


async def test_calls_at_the_same_time_share_one_fetch() -> None:
    record = Record(claims_of("A"))
    await asyncio.gather(*(record.claims(query=word) for word in "abc"))
    assert len(record.transport.requests) == 1


async def waiting(record: Record, number: int) -> list["asyncio.Task[Any]"]:
    record.transport.gate = asyncio.Event()
    tasks = [asyncio.ensure_future(record.claims()) for _ in range(number)]
    for _ in range(3):
        await asyncio.sleep(0)
    return tasks


async def test_stopping_one_caller_does_not_cancel_the_fetch_of_the_others() -> None:
    record = Record(claims_of("A"))
    first, second = await waiting(record, 2)
    first.cancel()
    await asyncio.sleep(0)
    assert record.transport.gate
    record.transport.gate.set()
    assert len((await second)["claims"]) == 1
    assert first.cancelled()
    assert record.transport.aborted == 0


async def test_a_fetch_that_nobody_waits_for_is_aborted_and_the_next_call_asks_anew() -> None:
    record = Record(claims_of("A"))
    for task in await waiting(record, 2):
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
    record.transport.gate = None
    assert len((await record.claims())["claims"]) == 1
    assert record.transport.aborted == 1
    assert len(record.transport.requests) == 2


async def test_a_failed_fetch_is_not_cached() -> None:
    record = Record(answer(b"", 503), claims_of("A"))
    assert (await record.refused(record.search_claims)).code == "fetch_failed"
    assert len((await record.claims())["claims"]) == 1


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (TransportError("unreachable", "bundestakt.test"), "fetch_failed"),
        (TransportError("timeout", "bundestakt.test"), "fetch_failed"),
        (answer(b"<html>gone</html>", 404), "fetch_failed"),
        (answer(b"<html>Wartung</html>"), "invalid_response"),
        (answer(b""), "invalid_response"),
        (answer([]), "invalid_response"),
        (answer({"claims": {}}), "invalid_response"),
        (answer({"claims": [1, None, {"id": 1}]}), "invalid_response"),
        (answer({"error": "x"}), "invalid_response"),
    ],
)
async def test_a_missing_record_is_reported_with_the_host(
    given: HttpResponse | Exception, code: str
) -> None:
    record = Record(given)
    error = await record.refused(record.search_claims)
    assert error.code == code
    assert "bundestakt.test" in error.reason


async def test_a_record_that_is_too_long_to_be_read_is_not_called_broken() -> None:
    record = Record(answer(b"[" * (MAX_BODY + 1)))
    error = await record.refused(record.search_claims)
    assert error.reason == "bundestakt.test sent 8 MB or more, which is too much."


async def test_an_empty_record_is_not_an_error() -> None:
    assert (await Record({"claims": []}).claims())["claims"] == []


async def test_a_search_without_hits_adds_no_source() -> None:
    days = [f"2026-09-0{n}" for n in range(1, 6)]
    record = Record(sitzungen_of(*days) | {"quelle": "https://bundestakt.test"})
    assert (await record.call(record.get_sitzungen)).sources
    assert (await record.call(record.get_sitzungen, von="2027-01-01")).sources == ()
    record = Record(claims_of("Der Strom ist teuer."))
    assert (await record.call(record.search_claims)).sources
    assert (await record.call(record.search_claims, query="Rente")).sources == ()


async def test_fields_that_are_missing_or_null_do_not_hide_the_rest() -> None:
    bare = Record({"claims": [{"aussage": "A", "fraktion": None, "begruendung": 3}, "?"]})
    assert (await bare.claims(query="a"))["claims"][0]["fraktion"] == ""
    record = Record({"sitzungen": [{"slug": "s", "in30Sekunden": [None, {"text": "x"}]}]})
    assert (await record.sitzungen())["sitzungen"][0]["schlagzeilen"] == []
    assert (await record.sitzungen(von="2026-01-01"))["sitzungen"] == []
    assert (await record.sitzungen(slug="s"))["slug"] == "s"


# --- text ----------------------------------------------------------------------------------------


def test_folding_is_the_same_for_every_spelling() -> None:
    assert fold("  GRÖẞE\u00a0und\nMaß ") == fold("groesse und mass") == "groesse und mass"


def test_punctuation_is_removed_from_a_query_but_not_from_a_number() -> None:
    assert words("„2,7 Millionen“ \u2013 wirklich?") == ["2,7", "millionen", "wirklich"]


@pytest.mark.parametrize(
    ("query", "text", "there"),
    [
        ("12,000", "rund 12.000 Stellen", True),
        ("12.000", "rund 12\u202f000 Stellen", True),
        ("12000", "rund 12\u00a0000 Stellen", True),
        ("12 000", "rund 12000 Stellen", True),
        ("2.7", "2,7 Millionen", True),
        ("1,234,567.5", "1.234.567,5 Euro", True),
        ("12.000", "rund 112.000 Stellen", False),
        ("12", "im Jahr 2012", False),
        ("Brücke", "die bruecken", True),
    ],
)
def test_a_number_is_found_in_any_of_its_spellings(query: str, text: str, there: bool) -> None:
    assert [word_matcher(word)(text) for word in words(query)] == [there]


@pytest.mark.parametrize(
    ("text", "limit", "short"),
    [
        ("kurz", 10, "kurz"),
        ("genau zehn", 10, "genau zehn"),
        ("ein Satz, der weitergeht", 10, "ein Satz…"),
        ("ein\r\n\r\nSatz", 20, "ein Satz"),
        ("x" * 20, 10, "x" * 9 + "…"),
    ],
)
def test_text_is_cut_after_a_word(text: str, limit: int, short: str) -> None:
    assert shorten(text, limit) == short
    assert len(shorten(text, limit)) <= limit
