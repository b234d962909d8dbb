"""The words of both languages, from `words.json`: one line a kind, "~" for any letters; "EN | DE".

Rule: a word that narrows or turns a question ("not", "only") is no stop word.
"""

import json
import re
from pathlib import Path
from typing import Literal, cast

from app.models.json_reading import Json

__all__ = ["KINDS", "OTHERS", "VERDICTS", "Language", "Phrases", "in_german"]

Language = Literal["en", "de"]
_READ = json.loads(Path(__file__).with_name("words.json").read_text("utf-8"))
_DATA = cast("dict[str, dict[str, str]]", _READ)
_GERMAN = [pair.replace("_", " ").split("=") for pair in _DATA["sentences"]["german"].split()]


def _patterns(section: str) -> dict[str, re.Pattern[str]]:
    signs = str.maketrans({"~": r"\w*", " ": "|", "_": " "})
    written = ((name, words.translate(signs)) for name, words in _DATA[section].items())
    return {name: re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.I) for name, words in written}


KINDS, VERDICTS, OTHERS = map(_patterns, ("kinds", "verdicts", "others"))


class Phrases:
    """What is said in one language; `stop` are its words of grammar and of asking."""

    def __init__(self, language: Language) -> None:
        self._place = int(language == "de")
        self._codes = dict(pair.split("=") for pair in self("codes").split())
        self.stop = frozenset(self("stop").split())

    def __call__(self, key: str, /, **facts: object) -> str:
        """Return a sentence with its facts put in."""
        return _DATA["sentences"][key].split(" | ")[self._place].format(**facts)

    def code(self, code: str) -> str:
        """Return a verdict, a result or a vote of the record in words."""
        return self._codes.get(code, code).replace("_", " ")

    def number(self, value: Json) -> str:
        """Return a whole number with its thousands apart."""
        return f"{value:,}".replace(",", ",."[self._place]) if isinstance(value, int) else "?"

    def day(self, iso: Json) -> str:
        """Return an ISO date in words; anything else as it is."""
        if not (parts := re.fullmatch(r"(\d{4})-(0\d|1[0-2])-(\d\d)", str(iso))):
            return str(iso or "")
        name = self("months").split()[(int(parts[2]) or 1) - 1]
        return f"{int(parts[3])}{'.' * self._place} {name} {parts[1]}"


def in_german(text: str) -> tuple[str, dict[str, str]]:
    """Return an English text with its known words in German, and how each of them was written."""
    known: dict[str, str] = {}
    for english, word in _GERMAN:
        if found := re.search(rf"\b{english}s?\b", text, re.I):
            known[word], text = found[0], text.replace(found[0], word)
    return text, known
