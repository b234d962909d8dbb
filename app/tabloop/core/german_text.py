"""Search in German text. Rule: every spelling of a word is folded to the same letters."""

import re
import unicodedata
from collections.abc import Callable

__all__ = ["MAX_LABEL", "fold", "fold_letters", "shorten", "word_matcher", "words"]

MAX_LABEL = 300  # characters of a label or title: some letters take quadratic time to lay out
# Replaced one by one: `str.translate` calls Python code for each letter, which is slow, and three
# times slower in a browser.
_TWO_LETTERS = (("ä", "ae"), ("ö", "oe"), ("ü", "ue"))
_INVISIBLE = ("\u00ad", "\u200b", "\u2060", "\ufeff")  # soft hyphen and zero-width characters
_EDGES = ".,;:!?…\"'„“”‚‘’«»‹›()[]{}*_`–—-/"  # noqa: RUF001 -- punctuation of several languages
_NUMBER = r"\d+(?:[.,]\d+)*"
_SPACED = r"(?<![\d.,])\d{1,3}(?: \d{3})+(?!\d)"
_SEPARATOR = r"[.,'’\s]?"  # noqa: RUF001 -- between thousands; `\s` is any kind of space


def fold(text: str) -> str:
    """Return the text in lower case and NFC, ß as ss, umlauts as two letters, single spaces."""
    return " ".join(fold_letters(text).split())


def fold_letters(text: str) -> str:
    """Fold, but keep white space: enough to search for single words, and three times as fast."""
    folded = unicodedata.normalize("NFC", text.casefold())
    for letter, two in _TWO_LETTERS:
        folded = folded.replace(letter, two)
    for character in _INVISIBLE:
        folded = folded.replace(character, "")
    return folded


def words(text: str) -> list[str]:
    """Return a query's folded words, without punctuation around them; "12 000" is one word."""
    joined = re.sub(_SPACED, lambda number: number[0].replace(" ", "."), fold(text))
    return [word for part in joined.split(" ") if (word := part.strip(_EDGES))]


def word_matcher(word: str) -> Callable[[str], bool]:
    """Return a function that tells whether a folded text has the word, or the number.

    A number is found in each spelling: 12000, 12.000, 12,000 and 12 000; 2,7 and 2.7.
    """
    if not re.fullmatch(_NUMBER, word):
        return lambda text: word in text
    first, *others = re.split(r"([.,])", word)
    pattern = _thousands(first)
    for part in others[1::2]:
        # Three digits after a separator may be thousands or decimals: accept both.
        pattern += (_SEPARATOR if len(part) == 3 else "[.,]") + part
    found = re.compile(rf"(?<!\d){pattern}(?!\d)")
    return lambda text: found.search(text) is not None


def _thousands(digits: str) -> str:
    """Return a pattern for digits that may stand in groups of three."""
    head = len(digits) % 3 or 3
    groups = [digits[:head], *(digits[at : at + 3] for at in range(head, len(digits), 3))]
    return _SEPARATOR.join(groups)


def shorten(text: str, limit: int) -> str:
    """Return the text on one line, at most `limit` characters; truncated after a word, with "…"."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    head = line[:limit]  # one more than fits before the "…": it may be the space after a word
    kept = head[: head.rfind(" ")] if " " in head else head[: limit - 1]
    return kept.rstrip(" ,;:-") + "…"
