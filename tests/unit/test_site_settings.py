"""The table [tabloop.site]: whatever an owner writes there, the page has all of it."""

import json
import re
import subprocess
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tabloop.settings.site import SiteLink, SiteSettings, read_site
from tabloop.ui.start_problems import problem_sentence
from tabloop.ui.strings import LANGUAGES, load_strings
from tabloop.ui.unseen import written_out

from app.build.environment import ROOT, node
from tests.standins.toml_overlay import TomlValue

DEFAULTS = SiteSettings()
KEYS = [field.name for field in fields(SiteSettings)]
MUSEUM = """
name = " Harbour Museum "
language = ["de", "en", "de"]
welcome = { en = "What would you like to see?", de = "Was möchten Sie sehen?" }
lead = "Ask us."
questions = { en = ["When is it open?"], de = ["Wann ist geöffnet?", "Was kostet es?"] }
instructions = "The museum is closed on Mondays."
links = [{ text = { en = "Privacy", de = "Datenschutz" }, url = "/privacy" }]
theme = "dark"
accent = "#B3261E"
logo = "./owner/logo.svg"
css = "./owner.css"
search = "/pagefind/"
pages = "/llms.txt"
bundestakt = false
"""


def test_the_documents_name_every_setting_with_its_default_and_a_right_example() -> None:
    table = (ROOT / "docs" / "site.md").read_text("utf-8").split("## Settings")[1].split("## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \| .+ \| `(.+)` \|$", table, re.MULTILINE)
    assert [name for name, _default, _example in rows] == KEYS
    for name, default, example in rows:
        if default.startswith("`"):
            assert read_site(tomllib.loads(f"{name} = {default.strip('`')}")) == (DEFAULTS, [])
        assert read_site(tomllib.loads(f"{name} = {example}"))[1] == []


def test_a_museum_has_everything_its_way() -> None:
    site, problems = read_site(tomllib.loads(MUSEUM))
    assert problems == []
    assert site == SiteSettings(
        name="Harbour Museum",
        language=("de", "en"),
        welcome={"en": "What would you like to see?", "de": "Was möchten Sie sehen?"},
        lead={"": "Ask us."},
        questions={"en": ("When is it open?",), "de": ("Wann ist geöffnet?", "Was kostet es?")},
        instructions="The museum is closed on Mondays.",
        links=(SiteLink({"en": "Privacy", "de": "Datenschutz"}, "/privacy"),),
        theme="dark",
        accent="#B3261E",
        logo="./owner/logo.svg",
        css="./owner.css",
        search="/pagefind/",
        pages="/llms.txt",
        bundestakt=False,
    )


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("name", ""),
        ("name", "x" * 61),
        ("language", []),
        ("language", "en"),
        ("language", ["../en"]),
        ("welcome", {"en": ""}),
        ("welcome", {"English": "Hello"}),
        ("lead", ["Hello"]),
        ("questions", "When?"),
        ("questions", ["When?"] * 9),
        ("questions", {"en": "When?"}),
        ("instructions", "x" * 2_001),
        ("links", [{"text": "Privacy"}]),
        ("links", [{"text": "Privacy", "url": "javascript:alert(1)"}]),
        ("links", [{"text": "Privacy", "url": "//elsewhere.example"}]),
        ("theme", "pink"),
        ("accent", "teal"),
        ("accent", "#fff"),
        ("logo", "https://elsewhere.example/logo.svg"),
        ("logo", "//elsewhere.example/logo.svg"),
        ("css", "/\\elsewhere.example/a.css"),
        ("search", "\t//elsewhere.example/"),
        ("pages", "javascript:alert(1)"),
        ("bundestakt", "no"),
    ],
)
def test_a_wrong_setting_has_its_default_and_is_named(key: str, value: TomlValue) -> None:
    site, [problem] = read_site({key: value})
    assert site == DEFAULTS
    assert (problem.kind, problem.key) == ("wrong", f"site.{key}")
    for language in LANGUAGES:
        sentence = problem_sentence(load_strings(language), problem)
        assert f"site.{key}" in sentence
        assert written_out(problem.found) in sentence


def test_an_unknown_setting_is_named_with_the_one_that_was_meant() -> None:
    site, [problem] = read_site({"acent": "#0b5d57"})
    assert site == DEFAULTS
    assert problem_sentence(load_strings("en"), problem) == (
        "pyscript.toml has a setting site.acent that does not exist. Was site.accent meant?"
    )


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.booleans() | st.integers() | st.floats() | st.text() | st.dates(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["en", "de", "", "text", "url", "x"]), inner, max_size=4)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(KEYS) | st.text(), VALUES) | VALUES)
def test_any_table_gives_all_settings_and_names_what_is_wrong(table: Any) -> None:
    site, problems = read_site(table)
    written = cast("dict[str, Any]", table if isinstance(table, dict) else {})
    wrong = {problem.key.removeprefix("site.") for problem in problems}
    for key in KEYS:
        if key not in written or key in wrong:
            assert getattr(site, key) == getattr(DEFAULTS, key)
    assert all(problem_sentence(load_strings("en"), problem) for problem in problems)
    # what was accepted is a right setting also when it is read again
    again = {key: written[key] for key in written.keys() & set(KEYS) - wrong}
    assert read_site(again) == (site, [])


CASES = Path(__file__).with_name("site_cases.json")
SHOWN = ("name", "language", "welcome", "lead", "questions", "theme", "accent", "logo", "css")
STYLES = Path(__file__).resolve().parents[2] / "app" / "styles" / "base.css"


def grounds() -> list[list[str]]:
    """The colours that text stands on: in the light and in the dark."""
    found = [re.findall(rf"--{name}: (#\w+);", STYLES.read_text("utf-8")) for name in GROUNDS]
    return [[light for light, _ in found], [dark for _, dark in found]]


GROUNDS = ("paper", "side", "surface", "soft")


@pytest.fixture(scope="module")
def before_python() -> dict[str, Any]:
    command = [node()[0], CASES.with_suffix(".mjs"), CASES, json.dumps(grounds())]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_page_before_python_reads_the_same_settings(before_python: dict[str, Any]) -> None:
    for toml, shown in zip(
        json.loads(CASES.read_text("utf-8")), before_python["site"], strict=True
    ):
        table = tomllib.loads(toml).get("tabloop")
        written = cast("dict[str, Any]", table if isinstance(table, dict) else {})
        site = read_site(written.get("site", {}))[0]
        expected = json.loads(json.dumps({key: getattr(site, key) for key in SHOWN}))
        links = [{"text": link.text, "url": link.url} for link in site.links]
        assert shown == {**expected, "links": links}, toml


def test_every_accent_is_readable_in_both_themes(before_python: dict[str, Any]) -> None:
    assert before_python["known"] == pytest.approx(4.54, abs=0.01)  # as WCAG's own tools say
    assert min(before_python["least"]) >= 4.5
    assert before_python["unchanged"] == "#0b5d57"


def test_a_third_language_has_what_fits_and_english_for_the_rest() -> None:
    own = {
        "status": {
            "ready": "Prêt",
            "thinking": "Réflexion ({hop} sur {all})",
            "stopped": 3,
            "paying": "Paiement : {amount:d}",
            "resending": "{amount!z}",
        },
        "step": {"size": {"one": "{n} octet", "other": "{n} octets"}, "arguments": "{"},
        "format": {"group": "\u202f", "months": "janvier,février"},
        "unknown": {"key": "?"},
    }
    strings, english = load_strings("en", own), load_strings("en")
    assert strings("status.ready") == "Prêt"
    assert strings("step.size", n=7312) == "7\u202f312 octets"
    assert strings.date("2026-09-09") == english.date("2026-09-09")
    for key in ("status.stopped", "step.arguments", "format.months"):
        assert strings(key) == english(key)
        assert key in strings.missing
    for key in ("status.paying", "status.resending"):  # a number's format, and none at all
        assert strings(key, amount="1") == english(key, amount="1")
    assert "Thinking" in strings("status.thinking", hop=1, hops=4)
    assert "status.ready" not in strings.missing


@pytest.mark.parametrize("own", [3, [], {"status": 3}, {"status": {"ready": []}}, None])
def test_a_language_file_of_another_kind_changes_nothing(own: Any) -> None:
    assert load_strings("de", own)("status.ready") == load_strings("de")("status.ready")


@pytest.mark.parametrize(
    ("given", "read"),
    [("../pagefind", "../pagefind/"), ("/p/", "/p/"), ("../s/index.json", "../s/index.json")],
)
def test_pagefinds_folder_needs_no_slash(given: str, read: str) -> None:
    site, problems = read_site({"search": given})
    assert (site.search, problems) == (read, [])
