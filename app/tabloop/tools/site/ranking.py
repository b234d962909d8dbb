"""Ranks passages for a query, by words in title, section and text.

Rule: every spelling and inflected form of a German or English word counts as that word.
"""

import asyncio
import math
import re
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from tabloop.core.german_text import fold
from tabloop.tools.site.forms import forms_of, inside_of
from tabloop.tools.site.ports import Passage
from tabloop.tools.site.words import STOP_WORDS

__all__ = ["Prepared", "Term", "in_pieces", "prepared", "ranked", "terms", "words_of"]

MAX_TERMS = 8
IN_A_PIECE = 200_000  # characters; then the page may paint
PER_PASSAGE = 1_000  # what a passage costs besides its text, in characters
TITLE, SECTION = 4.0, 5.0  # times the weight of a word in the text
INSIDE = 0.5  # of a word in the middle of a compound


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the query: `begins` finds it at the start of a word, `inside` within one."""

    starts: tuple[str, ...]  # one of them must be there; this is quick to check
    begins: re.Pattern[str]
    inside: re.Pattern[str] | None

    def count(self, folded: str) -> float:
        """Return how often a folded text has the word."""
        if not any(start in folded for start in self.starts):
            return 0.0
        at_start = len(self.begins.findall(folded))
        return at_start or INSIDE * bool(self.inside and self.inside.search(folded))


@dataclass(frozen=True, slots=True)
class Prepared:
    """A passage with its folded texts."""

    passage: Passage
    title: str
    section: str
    text: str


One = TypeVar("One", Passage, Prepared)


def words_of(query: str) -> list[str]:
    """Return the words that restrict a query, at most 8; all of them if none does."""
    found = dict.fromkeys(re.findall(r"\w+", query))
    return ([word for word in found if fold(word) not in STOP_WORDS] or [*found])[:MAX_TERMS]


def terms(query: str) -> list[Term]:
    """Return what to look for."""
    return [_term(fold(word)) for word in words_of(query)]


def _term(word: str) -> Term:
    forms, inside = forms_of(word), inside_of(word)
    either = "|".join(form + after for form, after in forms.items())
    starts = [form for form in forms if not any(form != o and form.startswith(o) for o in forms)]
    begins = re.compile(rf"\b(?:{either})")
    return Term((*starts,), begins, re.compile(inside) if inside else None)


async def in_pieces(passages: Iterable[One]) -> AsyncIterator[One]:
    """Yield what is made of passages with pauses, so that neither many nor long ones block."""
    left = 0
    for one in passages:
        yield one
        left -= PER_PASSAGE + len(one.text)
        if left <= 0:
            left = IN_A_PIECE
            await asyncio.sleep(0)


async def prepared(passages: Sequence[Passage]) -> list[Prepared]:
    """Fold the passages."""
    folded = (
        Prepared(one, fold(one.title), fold(one.section), fold(f"{one.text} {one.words}"))
        for one in passages
    )
    return [one async for one in in_pieces(folded)]


async def ranked(wanted: Sequence[Term], passages: Sequence[Prepared]) -> list[Passage]:
    """Return the passages that have one of the words, the best first."""
    counted = list[tuple[Prepared, list[float]]]()
    async for one in in_pieces(passages):
        weights = [_weight(term, one) for term in wanted]
        if any(weights):
            counted.append((one, weights))
    rarity = [
        math.log(1 + len(passages) / (1 + sum(weights[at] > 0 for _, weights in counted)))
        for at in range(len(wanted))
    ]

    def score(weights: Sequence[float]) -> float:
        found = sum(weight > 0 for weight in weights) / len(weights)
        return found * sum(rare * weight for rare, weight in zip(rarity, weights, strict=True))

    counted.sort(key=lambda item: -score(item[1]))
    return [one.passage for one, _ in counted]


def _weight(term: Term, one: Prepared) -> float:
    often = term.count(one.text)
    # the second occurrence says less than the first, and all say less in a long text
    text = often / (often + 0.5 + len(one.text) / 2_000) if often else 0.0
    title, section = (min(term.count(part), 1.0) for part in (one.title, one.section))
    return (
        text
        + TITLE * title / (1 + len(one.title) / 40)
        + SECTION * section / (1 + len(one.section) / 40)
    )
