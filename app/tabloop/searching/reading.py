"""Reads a question: days, session labels, what it asks for, and the words to search.

Rule: each part is removed from the text when it is read; the rest is searched, or reported.
"""

import re
import unicodedata
from dataclasses import dataclass
from datetime import date

from tabloop.core.german_text import fold, word_matcher
from tabloop.searching.days import Span, take_days
from tabloop.searching.words import PATTERNS, Phrases, in_german, language_of

__all__ = ["MAX_LENGTH", "ROWS", "Question", "Word"]

ROWS = frozenset({"votes", "speaking", "interjections"})  # numbers of a session
MAX_WORDS, MIN_GROUP, MAX_GROUP = 6, 3, 5  # words of a question, letters of a party
SHORT = 4  # letters of words that are found within many others
MAX_LENGTH = 4_000  # characters; some patterns take quadratic time, and meanwhile the page is stuck
_LABEL, _ENDING = PATTERNS["part label"], PATTERNS["part ending"]
_PICTURE = PATTERNS["kind picture"]
# Kinds of hyphen become one, what nobody sees parts no word, and ⟦⟧ are the marks of `take_days`.
_SIGNS = str.maketrans(
    "\u2010\u2011\u2012\u2013\u2014\u2212\u27e6\u27e7",
    "------[]",
    "\u00ad\u200b\u200c\u200d\u2060\ufeff\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word as it is written, the German stems to search for it, and its German word, if known."""

    written: str
    forms: tuple[str, ...]
    german: str = ""

    def __str__(self) -> str:
        other = f" (*{self.german}*)" if self.german else ""
        return f"*{self.written}*{other}"

    @property
    def is_short(self) -> bool:
        """Whether the word is found within many others."""
        return len(self.forms[0]) <= SHORT and not self.forms[0][0].isdigit()

    def within(self, text: str) -> bool:
        """Whether a text has one of the stems; a short one must begin a word there."""
        folded, forms = fold(text), map(fold, self.forms)
        if not self.is_short:
            return any(word_matcher(form)(folded) for form in forms)
        return any(re.search(rf"(?<!\w){re.escape(form)}", folded) for form in forms)


class Question:
    """The first of the texts; the others are earlier questions, which show the language.

    `unreadable` is text like a day that cannot be read; `unused` are words that are not searched,
    `groups` are probably names of parties.
    A question longer than `MAX_LENGTH` is not read: its only kind is "long".
    """

    def __init__(self, texts: list[str], today: date) -> None:
        start = unicodedata.normalize("NFKC", texts[0][: MAX_LENGTH + 1])
        text = " ".join(start.translate(_SIGNS).split())
        self.text, self.language = text, language_of([text, *texts[1:]])
        self.kinds, self.verdicts = set[str](), list[str]()
        self.words, self.groups, self.unused = list[Word](), list[Word](), list[str]()
        self.labels, self.spans, self.unreadable = list[str](), list[Span](), ""
        if max(len(texts[0]), len(text)) > MAX_LENGTH:
            self.kinds = {"long"}
            return
        self.labels = ["".join(found).replace("-", "/") for found in _LABEL.findall(text)]
        left, self.spans, self.unreadable = take_days(_LABEL.sub(" ", text), today)
        if _PICTURE.search(text):  # then all other text describes the picture
            self.text, self.unreadable, left = _PICTURE.sub("", text).strip(" ,.!?"), "", ""
            self.kinds = {"picture", "wide" if PATTERNS["word wide"].search(text) else "square"}
        for name, pattern in PATTERNS.items():
            section, _, kind = name.partition(" ")
            if section == "kind" or (section == "verdict" and "claims" in self.kinds):
                rest, count = pattern.subn(" ", left)
                left = left if kind == "not" else rest
                self.kinds |= {kind} if count and section == "kind" else set()
                self.verdicts += [kind] if count and section == "verdict" else []
        if {"speech", "measure"} <= self.kinds:
            self.kinds.add("speaking")
        if "visitors" in self.kinds:
            left = PATTERNS["word of_visits"].sub(" ", left)
        self._take_words(left)

    @property
    def needs_model(self) -> bool:
        """Whether the rows, words and days of the record alone do not answer the question."""
        counted = self.kinds & (ROWS | {"count"})
        negated = "not" in self.kinds and "check" not in self.kinds
        return negated or "reading" in self.kinds or ("measure" in self.kinds and not counted)

    def _take_words(self, left: str) -> None:
        """Choose nouns, names and numbers to search for; other words only if there are none."""
        german, stop = self.language == "de", Phrases(self.language).stop
        left, known = (left, dict[str, str]()) if german else in_german(left)
        strong, weak = list[str](), list[str]()
        for token in dict.fromkeys(PATTERNS["part token"].findall(left)):
            name = token[0].isupper() and (german or not self.text.startswith(token))
            short = len(token) < 3 and not (name or token.isdigit())
            is_noun = token in known or (german and self.text[1:].islower())
            if token.lower() in stop:
                continue
            if group := _group(token):
                self.groups.append(Word(token, (group,)))
                continue
            no_search = short or PATTERNS["word turning"].fullmatch(token)
            kept = strong if name or is_noun or token[0].isdigit() else weak
            (self.unused if no_search else kept).append(token)
        place = self.spans or self.labels
        asks = self.kinds - {"reading", "measure"}
        if not german and not known and not (asks or self.groups or place):
            strong += weak  # all must be found, or any name would make the question look in scope
        elif not strong and not (self.kinds & (ROWS | {"not"}) or self.groups or place):
            strong = weak
        for word in strong[:MAX_WORDS]:
            self.words += [Word(known.get(word, word), _forms(word), word if word in known else "")]
        chosen = {word.written.lower() for word in self.words}
        self.unused += [word for word in weak if word.lower() not in chosen] + strong[MAX_WORDS:]


def _group(token: str) -> str:
    """Return how the record writes a party's name, or the token if it looks like a short name."""
    if PATTERNS["word group"].fullmatch(token) and (token[0].isupper() or len(token) == MIN_GROUP):
        return {"g": "Grün", "l": "Linke"}.get(token[0].lower(), token.lower())
    short = sum(map(str.isupper, token)) > 1 and len(token) <= MAX_GROUP and token.isalpha()
    return token if short else ""


def _forms(word: str) -> tuple[str, ...]:
    """Return the stem that a word's inflected forms share, with and without an umlaut."""
    stem = _ENDING.sub("", _ENDING.sub("", re.sub(r"(?<=\d)\s", "", word)))
    changing = PATTERNS["part changing"].search(stem)
    for plain, umlaut in ("aä", "oö", "uü"):
        old, new = (umlaut, plain) if umlaut in stem else (plain, umlaut)
        if old == umlaut or (changing and plain in changing[0]):
            head, _, tail = stem.rpartition(old)
            return stem, head + new + tail
    return (stem,)
