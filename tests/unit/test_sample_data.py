"""The sample data has the shape and size of the real documents and is marked as invented."""

import json
import unicodedata
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.standins.recording import json_bytes
from tests.standins.sample_data import DEMO_SLUG, claims, sitzungen
from tests.standins.sample_words import words

SHARED = Path(__file__).parents[3] / "shared" / "data"
# The sample files are stable between builds: change these values only on purpose.
DIGESTS = {"sitzungen": "a42e8d2bde3062c0", "claims": "d479124969e44c75"}


def test_both_documents_have_the_real_size() -> None:
    assert 66_600 < len(json_bytes(sitzungen())) < 81_400
    assert 820_800 < len(json_bytes(claims())) < 1_003_200
    assert sitzungen()["anzahl"] == len(sitzungen()["sitzungen"]) == 21
    assert claims()["anzahl"] == len(claims()["claims"]) == 197


def test_the_parts_of_a_claim_have_the_real_size() -> None:
    items = claims()["claims"]
    assert 1_900 < sum(len(item["begruendung"]) for item in items) / len(items) < 2_300
    assert 1_700 < sum(len(json_bytes(item["quellen"])) for item in items) / len(items) < 2_300


def test_the_bytes_are_the_same_in_every_process() -> None:
    made = {"sitzungen": json_bytes(sitzungen()), "claims": json_bytes(claims())}
    assert {name: sha256(body).hexdigest()[:16] for name, body in made.items()} == DIGESTS


@pytest.mark.skipif(not SHARED.exists(), reason="the real extract is not here")
@pytest.mark.parametrize("name", ["sitzungen", "claims"])
def test_every_key_is_one_of_the_real_extract(name: str) -> None:
    real = json.loads((SHARED / f"{name}.json").read_text("utf-8"))
    made = {"sitzungen": sitzungen, "claims": claims}[name]()
    allowed = {("sitzungen[]", "zahlen", "abstimmungen[]", "zahlen", key) for key in COUNTS}
    assert _paths(made) - allowed == _paths(real)
    assert list(made) == list(real)


COUNTS = ("ja", "nein", "enthaltung")


def _paths(value: Any, at: tuple[str, ...] = ()) -> set[tuple[str, ...]]:
    if isinstance(value, dict):
        fields: dict[str, Any] = value  # pyright: ignore[reportUnknownVariableType] -- any JSON value
        return {at}.union(*(_paths(item, (*at, key)) for key, item in fields.items()))
    if isinstance(value, list):
        items: list[Any] = value  # pyright: ignore[reportUnknownVariableType] -- any JSON value
        inside = (*at[:-1], f"{at[-1]}[]")
        return {at}.union(*(_paths(item, inside) for item in items)) - {inside}
    return {at}


def test_the_list_of_all_sessions_fits_into_its_limit() -> None:
    listed = [
        {
            **{key: item[key] for key in ("slug", "datum", "kernthema", "url")},
            "schlagzeilen": [point["titel"] for point in item["in30Sekunden"]],
        }
        for item in sitzungen()["sitzungen"]
    ]
    assert len(json_bytes(listed)) < 7_000


def test_sessions_are_weekdays_newest_first_until_november() -> None:
    days = [date.fromisoformat(item["datum"]) for item in sitzungen()["sitzungen"]]
    assert days == sorted(days, reverse=True)
    assert (days[0], days[-1]) == (date(2026, 11, 27), date(2026, 5, 7))
    assert all(day.weekday() < 5 for day in days)


def test_fields_that_real_records_sometimes_lack_are_sometimes_missing() -> None:
    sessions, items = sitzungen()["sitzungen"], claims()["claims"]
    assert any("protokollPdf" not in item for item in sessions)
    assert any("zwischenrufeJeFraktion" not in item["zahlen"] for item in sessions)
    votes = [vote for item in sessions for vote in item["zahlen"]["abstimmungen"]]
    assert {vote["zahlen"] is None for vote in votes} == {True, False}
    assert {vote["drucksache"] is None for vote in votes} == {True, False}
    assert any(not vote["stimmverhalten"] for vote in votes)
    assert any("geprueftAm" not in item for item in items)
    assert any(not item["quellen"] for item in items)
    assert {item["bewertung"] for item in items} == set(claims()["bewertungsskala"])


def test_the_text_has_the_line_breaks_and_letters_of_the_real_text() -> None:
    items = claims()["claims"]
    assert all("\r\n\r\n**" in item["begruendung"] for item in items)
    assert any(not unicodedata.is_normalized("NFC", item["aussage"]) for item in items)
    assert any("\u00a0" in item["aussage"] for item in items)
    assert any("ß" in item["aussage"] for item in items)
    assert {"Präsident", "Bundesminister der Finanzen", "HUD/LUD"} <= {i["fraktion"] for i in items}


def test_a_person_sees_that_it_is_sample_data() -> None:
    assert all(item["kernthema"].endswith("(Beispiel)") for item in sitzungen()["sitzungen"])
    for item in sitzungen()["sitzungen"]:
        texts = [point["text"] for point in item["in30Sekunden"]]
        assert all("(Beispiel)" in text for text in texts)
        assert "Beispieldaten: " in texts[-1]
    assert all(item["begruendung"].startswith("Beispieldaten: ") for item in claims()["claims"])
    assert sitzungen()["lizenz"].startswith("Beispieldaten: ")


def test_no_statement_is_attributed_to_a_real_party() -> None:
    text = json_bytes([sitzungen(), claims()]).decode()
    assert not [name for name in ("CDU", "CSU", "SPD", "AfD", "GRÜNE", "Die Linke") if name in text]


def test_records_link_to_the_given_origin_and_sources_to_nowhere() -> None:
    base = "http://127.0.0.1:9"
    assert sitzungen(base)["quelle"] == claims(base)["quelle"] == base
    slugs = {item["slug"] for item in sitzungen(base)["sitzungen"]}
    assert all(item["url"].startswith(f"{base}/sitzung/") for item in sitzungen(base)["sitzungen"])
    for item in claims(base)["claims"]:
        page, _, anchor = item["url"].partition("#")
        assert page.removeprefix(f"{base}/sitzung/") in slugs
        assert anchor == f"claim-{item['id']}"
        assert all(source["url"].split("/")[2].endswith(".example") for source in item["quellen"])


def test_no_placeholder_is_left() -> None:
    text = json_bytes([sitzungen(), claims()]).decode()
    assert not [name for name in ("n", "m", "j", "z", "thema", "amt") if f"{{{name}}}" in text]


def test_the_demonstration_finds_its_session_and_its_claims() -> None:
    session = next(item for item in sitzungen()["sitzungen"] if item["slug"] == DEMO_SLUG)
    assert session["datum"] == "2026-09-09"
    assert "Haushalt" in session["kernthema"]
    written = [claim["aussage"] for claim in words()["haushalt"]["claims"]]
    told = [item["aussage"] for item in claims()["claims"] if item["sitzungDatum"] == "2026-09-09"]
    assert set(written) <= {unicodedata.normalize("NFC", text) for text in told}
    for word in ("Arbeitsplätze", "Industrie", "Brücke", "Elterngeld"):
        hits = [item for item in claims()["claims"] if word in item["aussage"]]
        assert len(hits) == 1, word
