"""The words and sentences of search mode, from `words.json`: "English | German".

Rule: a word that restricts or negates a question ("only", "not") is no stop word.
"""

import json
import re
from collections.abc import Iterable
from datetime import date
from pathlib import Path

from tabloop.core.json_text import Json, as_text
from tabloop.core.markdown import escaped, filled

__all__ = ["PATTERNS", "Phrases", "in_german", "language_of"]

_FILE = Path(__file__).with_name("words.json")
_DATA: dict[str, dict[str, str]] = json.loads(_FILE.read_text("utf-8"))
_GERMAN = [pair.replace("_", " ").split("=") for pair in _DATA["sentences"]["german"].split()]
_IS_GERMAN = re.compile("[äöüß]|^(seit|nach|vor|bis|januar|februar|juni|juli|oktober|dezember)$")
_SIGNS = str.maketrans({"~": r"\w*", " ": "|", "_": " "})  # shorthand in lists of words


def _pattern(name: str, text: str) -> re.Pattern[str]:
    if name.startswith(("kind", "verdict", "word")):
        text = rf"(?<!\w)(?:{text.translate(_SIGNS)})(?!\w)"
    while part := re.search(r"{([a-z]+)}", text):
        text = text.replace(part[0], _DATA["patterns"][f"part {part[1]}"])
    return re.compile(text, re.I)


PATTERNS = {name: _pattern(name, text) for name, text in _DATA["patterns"].items()}


class Phrases:
    """The sentences of one language; `stop` are its stop words."""

    def __init__(self, language: str) -> None:
        self._place = -(language == "de")  # a single sentence is for both
        self._codes = dict(pair.split("=") for pair in self("codes").split())
        self.stop = frozenset(self("stop").split())

    def __call__(self, key: str, /, **facts: Json) -> str:
        """Return a sentence with its placeholders filled; missing facts are blank."""
        sentence = _DATA["sentences"][key].split(" | ")[self._place]
        return filled(sentence, {name: self.formatted(fact) for name, fact in facts.items()})

    def words(self, key: str, words: Iterable[str]) -> str:
        """Return a sentence with the words in italics; blank if there are none."""
        shown = ", ".join(f"*{escaped(word)}*" for word in words if word)
        return self(key, words="\0").replace("\0", shown) if shown else ""

    def days(self, span: tuple[date, date]) -> str:
        """Return the first and the last day of a span."""
        return " - ".join(dict.fromkeys(self.formatted(f"{day}") for day in span))

    def formatted(self, value: Json) -> str:
        """Return a code of Bundestakt, an ISO date or a number in the language's format."""
        text = as_text(value)
        if text.isdecimal() and len(text) < 20:
            return f"{int(text):,}".replace(",", ",."[self._place])
        if day := re.fullmatch(r"(\d{4})-(0[1-9]|1[0-2])-0?(\d\d?)", text):
            name = self("months").split()[int(day[2]) - 1]
            return f"{day[3]}{'.' * -self._place} {name} {day[1]}"
        return self._codes[text].replace("_", " ") if text in self._codes else text


def in_german(text: str) -> tuple[str, dict[str, str]]:
    """Return an English text with known words in German, and the English word of each."""
    known: dict[str, str] = {}
    for english, word in _GERMAN:
        if found := re.search(rf"\b{english}s?\b", text, re.I):
            known[word], text = found[0], text.replace(found[0], word)
    return text, known


def language_of(texts: list[str]) -> str:
    """Return the language of the first text that shows one; "en" if none does."""
    english, german, scores = Phrases("en").stop, Phrases("de").stop, list[int]()
    for text in texts:
        words = re.findall(r"[^\W\d_]+", text.lower())
        german_words = [word for word in words if word in german or _IS_GERMAN.search(word)]
        scores.append(len(german_words) - sum(word in english for word in words))
    return "de" if next(filter(None, scores), 0) > 0 else "en"
