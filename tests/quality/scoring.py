"""Says what was right in an answer. Rule: no language model judges, so a score can be repeated."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tabloop.core.german_text import fold

from tests.quality.questions import Language, Question

__all__ = ["ASPECTS", "Outcome", "Score", "language_of", "says", "score"]

ASPECTS = ("tool", "arguments", "facts", "language", "sources")
WORDS_IN = ("query", "prompt", "fraktion")  # arguments of which only some words are fixed
MONTHS = {
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "en": "January February March April May June July August September October November December",
}
COMMON: Mapping[Language, str] = {
    "de": "der die das und ist nicht ein eine ich sie es im von zu den mit auf für war wurde gab "
    "am des dem bitte kein keine hat haben ging um als auch wird über danke gern",
    "en": "the and is not a an i you it of to in with on for was were there at this that no have "
    "has are be as by from please about can your thank welcome",
}
_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_GROUPED = re.compile(r"(?<=\d)[.,\u00a0\u202f' ](?=\d{3}(?!\d))")
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a question.

    `tool` is the first call's, blank if there was none; `arguments` are those that passed its
    schema, `None` if they did not. `tokens` counts input and output of all requests. `problem` is
    the code of an error that ended the run.
    """

    text: str
    tool: str = ""
    arguments: Mapping[str, object] | None = None
    sources: int = 0
    seconds: float = 0.0
    tokens: int = 0
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Score:
    """What was right, by aspect; an aspect that a question does not have is missing."""

    question: Question
    outcome: Outcome
    right: Mapping[str, bool] = field(default_factory=dict[str, bool])


def score(question: Question, outcome: Outcome) -> Score:
    """Compare an outcome with what the question needs."""
    right = {"tool": outcome.tool == question.tool}
    if outcome.problem:
        right["tool"] = right["tool"] and bool(question.tool)
    if question.tool and question.arguments is not None:
        right["arguments"] = right["tool"] and _same(question.arguments, outcome.arguments)
    if question.facts:
        right["facts"] = all(says(outcome.text, fact) for fact in question.facts)
    right["language"] = language_of(outcome.text) == question.language
    right["sources"] = not outcome.problem and bool(outcome.sources) == question.sources
    return Score(question, outcome, right)


def says(text: str, fact: str) -> bool:
    """Return whether a text has one of the spellings "a|b"; dates and numbers count as such."""
    plain = _plain(text)
    return any(
        _found(plain, _plain(spelling)) for one in fact.split("|") for spelling in _spellings(one)
    )


def language_of(text: str) -> str:
    """Return the language that more of the text's common words belong to, blank if none does."""
    words = _WORD.findall(text.lower())
    counts = {
        code: sum(word in common.split() for word in words) for code, common in COMMON.items()
    }
    return "" if counts["de"] == counts["en"] else max(counts, key=lambda code: counts[code])


def _same(wanted: Mapping[str, str], given: Mapping[str, object] | None) -> bool:
    """Return whether all wanted arguments are there, and no others that would narrow a search."""
    if given is None:
        return False
    filled = {name: value for name, value in given.items() if value not in (None, "")}
    if {*filled} - {*wanted, "size"}:
        return False
    return all(_fits(name, value, filled.get(name)) for name, value in wanted.items())


def _fits(name: str, wanted: str, given: object) -> bool:
    if name in WORDS_IN:
        return any(fold(word) in fold(str(given or "")) for word in wanted.split("|"))
    return str(given) == wanted


def _plain(text: str) -> str:
    return fold(_GROUPED.sub("", text))


def _found(text: str, spelling: str) -> bool:
    """Return whether a spelling stands in a text; a number only as a whole number."""
    start = r"(?<!\d)" if spelling[:1].isdigit() else ""
    end = r"(?!\d)" if spelling[-1:].isdigit() else ""
    return bool(re.search(f"{start}{re.escape(spelling)}{end}", text))


def _spellings(fact: str) -> Sequence[str]:
    """Return a fact as it may be written; an ISO date has many spellings."""
    iso = _ISO.fullmatch(fact)
    if not iso:
        return (fact,)
    year, month, day = iso[1], int(iso[2]), int(iso[3])
    german, english = (MONTHS[code].split()[month - 1] for code in ("de", "en"))
    numeric = (f"{day}.{month}.", f"{day:02}.{month:02}.")
    names = {german, english, english[:3]}
    spoken = (f"{day}{mark} {name}" for name in names for mark in ("", ".", "st", "nd", "rd", "th"))
    return (fact, *numeric, *spoken, *(f"{name} {day}" for name in names), f"{year}/{month}/{day}")
