"""Reads a question: days, session labels, what it asks for, and the words to search.

Rule: each part is removed from the text when it is read; the rest is searched, or reported.
"""

import re
import unicodedata
from dataclasses import dataclass
from datetime import date

from tabloop.core.german_text import fold, word_matcher
from tabloop.searching.days import Span, take_days
from tabloop.searching.results import ROWS
from tabloop.searching.words import PATTERNS, Phrases, in_german, language_of

__all__ = ["Question", "Word"]

MAX_WORDS = 3  # of a question; one lookup for all of them and one for each
SHORT = 4  # letters of words that are found within many others
MAX_LENGTH = 4_000  # characters; some patterns take quadratic time, and meanwhile the page is stuck
_LABEL, _ENDING = PATTERNS["part label"], PATTERNS["part ending"]
_PICTURE, _UMLAUTS = PATTERNS["kind picture"], str.maketrans("aouäöü", "äöüaou")
# Formatting characters part no word, and ⟦⟧ are the marks of `take_days`.
_PLAIN, _MARKS = {"Cf": "", "Pd": "-"}, str.maketrans("⟦⟧", "[]")


@dataclass(frozen=True, slots=True)
class Word:
    """A word as it is shown, and the German stems to search for it."""

    written: str
    forms: tuple[str, ...]
    is_short: bool  # and so found within many others

    def within(self, text: str) -> bool:
        """Whether a text has one of the stems; a short one must begin a word."""
        folded, forms = fold(text), map(fold, self.forms)
        if not self.is_short:
            return any(word_matcher(form)(folded) for form in forms)
        end = r"(?!\w)" if self.written.isupper() else ""  # "EU" is no part of "Europa"
        return any(re.search(rf"(?<!\w){re.escape(form)}{end}", folded) for form in forms)


class Question:
    """The first of the texts; the others are earlier questions, which show the language.

    `unreadable`: text like a day; `unused`: words not searched; `choices`: a wide picture, a time.
    """

    def __init__(self, texts: list[str], today: date) -> None:
        plain = unicodedata.normalize("NFKC", texts[0]).translate(_MARKS)
        letters = (_PLAIN.get(unicodedata.category(letter), letter) for letter in plain)
        text = " ".join("".join(letters).split())
        text, rest = text[:MAX_LENGTH], text[MAX_LENGTH:]
        self.text, self.language = text, language_of([text, *texts[1:]])
        self.kinds, self.verdicts = set[str](), set[str]()
        self.words, self.unused = list[Word](), [f"{rest[:40]}…"] if rest else []
        self.labels, self.spans, self.unreadable = list[str](), list[Span](), ""
        self.choices = {n for n in ("wide", "90d", "1y") if PATTERNS[f"word {n}"].search(text)}
        if _PICTURE.search(text):  # then all other text describes the picture
            self.text, self.kinds = _PICTURE.sub("", text).strip(" ,.!?"), {"picture"}
            return
        self.labels = ["".join(found).replace("-", "/") for found in _LABEL.findall(text)]
        left, self.spans, self.unreadable = take_days(_LABEL.sub(" ", text), today)
        for name, pattern in PATTERNS.items():
            section, _, kind = name.partition(" ")
            sought = section == "kind" or (section == "verdict" and "claims" in self.kinds)
            if sought and pattern.search(left):
                (self.kinds if section == "kind" else self.verdicts).add(kind)
                left = left if kind == "not" else pattern.sub(" ", left)
        self.kinds -= {"measure"} if self.kinds & ROWS.keys() else set()
        self._take_words(left)

    def _take_words(self, left: str) -> None:
        """Choose nouns, names and numbers to search for; other words only if there are none."""
        german, stop = self.language == "de", Phrases(self.language).stop
        left, known = (left, dict[str, str]()) if german else in_german(left)
        strong, weak = list[str](), list[str]()
        for token in dict.fromkeys(PATTERNS["part token"].findall(left)):
            name = token[0].isupper() and (german or not self.text.startswith(token))
            noun = name or token in known or (german and self.text[1:].islower())
            if token.lower() in stop:
                continue
            unused = PATTERNS["word turning"].fullmatch(token)
            kept = strong if noun or token[0].isdigit() else weak
            (self.unused if unused else kept).append(token)
        self.kinds |= {"record"} if known else set()
        placed = self.spans or self.labels or self.kinds & (ROWS.keys() | {"not"})
        if not strong and not placed:
            strong, weak = weak, []
        for word in strong[:MAX_WORDS]:
            shown = f"{known[word]} ({word})" if known.get(word, word) != word else word
            forms = _forms(word)
            is_short = len(forms[0]) <= SHORT and not forms[0][0].isdigit()
            self.words.append(Word(shown, forms, is_short))
        self.unused += weak + strong[MAX_WORDS:]


def _forms(word: str) -> tuple[str, ...]:
    """Return the stem that a word's inflected forms share, with and without an umlaut."""
    stem = _ENDING.sub("", _ENDING.sub("", re.sub(r"(?<=\d)\s", "", word)))
    other = PATTERNS["part changing"].sub(lambda vowel: vowel[0].translate(_UMLAUTS), stem)
    return tuple(dict.fromkeys((stem, other)))
