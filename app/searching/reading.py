"""What a question says: days, labels, what is asked for, and the words to search with.

Rule: everything is taken out of the text as it is read; what is left is searched for or reported.
"""

import re
import unicodedata
from dataclasses import dataclass, field
from datetime import date

from app.searching.days import Span, take_days
from app.searching.words import KINDS, OTHERS, VERDICTS, Language, Phrases, in_german
from app.tools.german_text import fold

__all__ = ["ROWS", "Question", "Word", "read"]

ROWS = frozenset({"votes", "speaking", "interjections", "reading"})  # answered by rows of a session
MAX_WORDS = 6
_NO = r"(?:no\.? ?|nr\.? ?|number )?"
_LABEL = (
    r"(?:https?://\S+/)?(?<![\w-])(\d\d-\d{1,3})-\d{4}-\d\d-\d\d(?![\w-])"
    rf"|\b(?:session|sitzung|bundestag) {_NO}(\d\d/\d{{1,3}})\b"
    r"|(?<![\w/])(\d\d/(?:1[3-9]|[2-9]\d|\d{3}))\b(?!/)"
    rf"|\b(?:session|sitzung) {_NO}(\d{{1,3}})\b(?!\.? ?\w+ \d{{4}}|[./]\d)"
    r"|\b(\d{1,3})(?:\.|st|nd|rd|th) (?:session|sitzung)\b"
)
_TOKEN = r"\d{1,3}(?:[.,\s]\d{3})+(?!\d)|\d+(?:[.,/]\d+)*|[^\W_]\w*(?:-\w+)*"
_ENDING = (  # of cases and plurals
    r"(?<=\w{6})(?:en|es|e)$|(?<=äus)er$|(?<=[äöü]\w)e$|(?<=[äöü]\w\w)e$|(?<=e)n$|(?<=er)n$"
    r"|(?<=\w{4}[^aeiouäöüs])s$"
)
_CHANGING = r"(?:platz|satz|haus|vater|mutter|zug|hof|lohn|wald|baum|raum|fall|markt|plan|stadt)$"
_SIGNS = str.maketrans("\u2010\u2011\u2012\u2013\u2014\u2212", "------")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the question, and the German stems to search with."""

    written: str
    forms: tuple[str, ...]

    def within(self, text: str) -> bool:
        """Whether a text has it."""
        return any(fold(form) in fold(text) for form in self.forms)


@dataclass(slots=True)
class Question:
    """All that was read. `unread` looks like a day and is none; `unused` was not understood."""

    text: str
    language: Language
    kinds: set[str] = field(default_factory=set[str])
    spans: list[Span] = field(default_factory=list[Span])
    unread: str = ""
    labels: list[str] = field(default_factory=list[str])
    verdicts: list[str] = field(default_factory=list[str])
    words: list[Word] = field(default_factory=list[Word])
    unused: list[str] = field(default_factory=list[str])


def read(texts: list[str], today: date) -> Question:
    """Read the first of the texts; the others are the questions before it, for its language."""
    text = " ".join(unicodedata.normalize("NFKC", texts[0]).translate(_SIGNS).split())
    asked = Question(text, _language_of([text, *texts[1:]]))
    asked.labels = ["".join(found).replace("-", "/") for found in re.findall(_LABEL, text, re.I)]
    left, asked.spans, asked.unread = take_days(re.sub(_LABEL, " ", text, flags=re.I), today)
    if KINDS["picture"].search(text):  # whatever else is said is to be seen on it
        asked = Question(KINDS["picture"].sub("", text).strip(" ,.!?"), asked.language, {"picture"})
        asked.kinds |= {"wide"} if OTHERS["wide"].search(text) else set()
        return asked
    left = left.strip()
    for kind, pattern in KINDS.items():
        left, count = pattern.subn(" ", left)
        asked.kinds |= {kind} if count else set()
        if count and kind == "claims" and "check" not in asked.kinds:
            asked.verdicts = [name for name, words in VERDICTS.items() if words.search(left)]
            for words in VERDICTS.values():
                left = words.sub(" ", left)
    _take_words(asked, OTHERS["of_visits"].sub(" ", left) if "visitors" in asked.kinds else left)
    return asked


def _take_words(asked: Question, left: str) -> None:
    """Search with nouns, names and numbers; with other words only where there is nothing else."""
    german, stop = asked.language == "de", Phrases(asked.language).stop
    left, known = (left, dict[str, str]()) if german else in_german(left)
    tokens = [token for token in re.findall(_TOKEN, left) if token.lower() not in stop]
    strong, weak = list[str](), list[str]()
    for token in dict.fromkeys(tokens):
        name = token[0].isupper() and (german or not asked.text.startswith(token))
        if OTHERS["turning"].fullmatch(token) or (len(token) < 3 and not (name or token.isdigit())):
            asked.unused.append(token)
        elif name or token in known or token[0].isdigit() or (german and asked.text[1:].islower()):
            strong.append(token)
        else:
            weak.append(token)
    place = asked.spans or asked.labels
    if not german and not known and not (asked.kinds - {"reading"} or place):
        strong += weak  # all must be found: else any name would make it a question for this record
    elif not strong and not (asked.kinds & ROWS or place):
        strong = weak
    words = [Word(known.get(word, word), _forms(word)) for word in strong]
    asked.words = words[:MAX_WORDS]
    asked.unused += [word for word in weak if word not in strong] + strong[MAX_WORDS:]


def _forms(word: str) -> tuple[str, ...]:
    """Return the stem that a word's cases and numbers share, with and without its umlaut."""
    stem = re.sub(_ENDING, "", re.sub(_ENDING, "", re.sub(r"(?<=\d)\s", "", word)))
    changing = re.search(_CHANGING, stem, re.I)
    for plain, umlaut in ("aä", "oö", "uü"):
        old, new = (umlaut, plain) if umlaut in stem else (plain, umlaut)
        if old == umlaut or (changing and plain in changing[0]):
            head, _, tail = stem.rpartition(old)
            return stem, head + new + tail
    return (stem,)


def _language_of(texts: list[str]) -> Language:
    """Return the language of the first text that shows one; English where none does."""
    english, german = Phrases("en").stop, Phrases("de").stop
    for text in texts:
        found = re.findall(r"[^\W\d_]+", text.lower())
        score = sum((w in german or bool(re.search("[äöüß]", w))) - (w in english) for w in found)
        if score:
            return "de" if score > 0 else "en"
    return "en"
