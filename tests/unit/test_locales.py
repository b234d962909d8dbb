"""The page's words: both languages say everything, nothing is missing, and nothing is left over."""

import importlib
import json
import pkgutil
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, cast

import pytest
from tabloop import tools
from tabloop.agent.presentation import Presentation
from tabloop.core.phrases import Form, Phrase
from tabloop.ui.strings import LANGUAGES, load_strings

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [
    *sorted((ROOT / "app" / "tabloop" / "ui").glob("*.py")),
    *sorted((ROOT / "app" / "tabloop" / "browser").glob("*.py")),
    ROOT / "app" / "tabloop" / "main.py",
]
PLACEHOLDER = re.compile(r"\{(\w+)\}")


def table(language: str) -> dict[str, Any]:
    return json.loads((ROOT / "app" / "locales" / f"{language}.json").read_text("utf-8"))


def keys(language: str) -> dict[str, Any]:
    return {
        f"{section}.{name}": entry
        for section, entries in table(language).items()
        for name, entry in entries.items()
    }


def forms(entry: Any) -> dict[str, str]:
    return {"": entry} if isinstance(entry, str) else entry


class Translated(HTMLParser):
    """Collects what index.html says in English, by key."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: dict[str, set[str]] = {}
        self._open: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self._open = given.get("data-i18n")
        for attribute, where in (
            ("data-i18n-label", "aria-label"),
            ("data-i18n-placeholder", "placeholder"),
            ("data-i18n-content", "content"),
        ):
            if key := given.get(attribute):
                self.found.setdefault(key, set()).add(given[where] or "")

    def handle_data(self, data: str) -> None:
        if self._open:
            self.found.setdefault(self._open, set()).add(data)
            self._open = None


def texts(form: Form) -> tuple[str, ...]:
    return (form,) if isinstance(form, str) else form


def phrases_in(value: Any) -> Iterator[Phrase]:
    """Phrases in a constant of a module, also inside lists, mappings and presentations."""
    if isinstance(value, Phrase):
        yield value
    elif isinstance(value, Presentation):
        yield from phrases_in([getattr(value, field.name) for field in fields(value)])
    elif isinstance(value, Mapping):
        yield from phrases_in(list(cast("Mapping[Any, Any]", value).values()))
    elif isinstance(value, list | tuple):
        for item in cast("Sequence[Any]", value):
            yield from phrases_in(item)


TOOL_PHRASES = [
    (f"{module.name}.{name}", phrase)
    for module in pkgutil.walk_packages(tools.__path__, "tabloop.tools.")
    for name, value in vars(importlib.import_module(module.name)).items()
    for phrase in phrases_in(value)
]


def page_texts() -> dict[str, set[str]]:
    parser = Translated()
    parser.feed((ROOT / "index.html").read_text("utf-8"))
    return parser.found


def used_keys() -> Iterator[str]:
    """Keys that the code names, and those that a name made at run time can be."""
    known = keys("en")
    for path in SOURCES:
        text = path.read_text("utf-8")
        yield from re.findall(r"""["']([a-zA-Z]+\.\w+)["']""", text)
        for family in re.findall(r"""f["']([a-zA-Z]+\.\w*)\{""", text):
            yield from (key for key in known if key.startswith(family))
    shell = "".join(
        path.read_text("utf-8") for path in sorted((ROOT / "app" / "js").glob("shell*.js"))
    )
    yield from (
        f"shell.{name}"
        for name in re.findall(r"\bwords\.(\w+)|(?:say|note)\('(\w+)'", shell)
        for name in name
        if name
    )
    yield from (f"page.{name}" for name in page_texts())


def test_both_languages_have_the_same_entries_with_the_same_blanks() -> None:
    english, german = keys("en"), keys("de")
    assert list(english) == list(german)
    for key, entry in english.items():
        assert forms(entry).keys() == forms(german[key]).keys(), key
        for form, text in forms(entry).items():
            other = forms(german[key])[form]
            assert text.strip(), key
            assert other.strip(), key
            assert set(PLACEHOLDER.findall(text)) == set(PLACEHOLDER.findall(other)), key


def test_every_entry_is_used_and_every_used_entry_exists() -> None:
    known = set(keys("en"))
    sections = set(table("en"))
    used = {key for key in used_keys() if key.split(".")[0] in sections}
    assert used - known == set()
    assert known - used == set()


def test_the_page_itself_is_written_in_the_english_of_the_file() -> None:
    page = table("en")["page"]
    for key, texts in page_texts().items():
        assert texts == {page[key]}, key


def test_the_languages_differ_where_they_should() -> None:
    same = {key for key, entry in keys("en").items() if entry == keys("de")[key]}
    assert same <= {"problem.status", "answer.code", "run.seconds"}


def test_a_tool_says_everything_in_both_languages_with_the_same_blanks() -> None:
    found = {name.split(".")[2] for name, _ in TOOL_PHRASES}
    assert {"analytics", "bundestakt", "images"} <= found
    for name, phrase in TOOL_PHRASES:
        english, german = texts(phrase.en), texts(phrase.de)
        assert all(text.strip() for text in (*english, *german)), name
        assert phrase.en != phrase.de, name
        assert len(english) == len(german), name
        assert {blank for text in english for blank in PLACEHOLDER.findall(text)} == {
            blank for text in german for blank in PLACEHOLDER.findall(text)
        }, name


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_can_be_filled(language: str) -> None:
    strings = load_strings(language)
    for key, entry in keys(language).items():
        if key.startswith("page."):
            continue
        for n in (1, 2):
            names = {name for text in forms(entry).values() for name in PLACEHOLDER.findall(text)}
            sentence = strings(key, **dict.fromkeys(names - {"n"}, "x"), n=n)
            assert not PLACEHOLDER.search(sentence), key


def test_a_missing_entry_or_value_is_an_error() -> None:
    strings = load_strings("en")
    with pytest.raises(KeyError):
        strings("status.nothing")
    with pytest.raises(KeyError):
        strings("status.lookingUp")


def test_numbers_and_plurals_follow_the_language() -> None:
    assert load_strings("en")("step.size", n=1) == "1 byte"
    assert load_strings("en")("step.size", n=7312) == "7,312 bytes"
    assert load_strings("de")("step.size", n=7312) == "7.312 Byte"


@pytest.mark.parametrize(
    ("iso", "english", "german"),
    [
        ("2026-09-09", "9 September 2026", "9. September 2026"),
        ("2026-03-31", "31 March 2026", "31. März 2026"),
        ("2026-13-01", "2026-13-01", "2026-13-01"),
        ("last week", "last week", "last week"),
        ("", "", ""),
    ],
)
def test_dates_are_plain_dates(iso: str, english: str, german: str) -> None:
    assert load_strings("en").date(iso) == english
    assert load_strings("de").date(iso) == german


def test_an_unknown_language_is_english() -> None:
    assert load_strings("fr").language == "en"
    assert load_strings("de").language == "de"


# one German term for each thing, and no word-for-word translations
NOT_GERMAN = re.compile(
    r"\bNetz\b|Endpoint|bezahlt werden|^Bezahlt wird|Darum bitten|Die Adresse ist keine|Hop\b"
)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        pytest.param(key, text, id=f"{key}.{form}".strip("."))
        for key, entry in keys("de").items()
        for form, text in forms(entry).items()
    ],
)
def test_german_uses_one_term_for_a_thing(key: str, text: str) -> None:
    assert not NOT_GERMAN.search(text), f"{key}: {text}"


@pytest.mark.parametrize(
    "key", [key for key in keys("en") if key not in ("status.thinking", "status.writing")]
)
def test_people_read_step_where_the_code_says_hop(key: str) -> None:
    said = [re.sub(PLACEHOLDER, "", text) for text in forms(keys("en")[key]).values()]
    assert not [text for text in said if re.search(r"\bhops?\b", text, re.IGNORECASE)]
