"""German text made comparable. Every spelling of a word folds to the same letters."""

import unicodedata

__all__ = ["cut", "fold", "fold_letters", "words"]

# Replaced one by one: `str.translate` walks every letter in Python's slow path, three times
# slower still in a browser.
_TWO_LETTERS = (("ä", "ae"), ("ö", "oe"), ("ü", "ue"))
_UNSEEN = ("\u00ad", "\u200b", "\u2060", "\ufeff")  # soft hyphen and zero-width characters
_EDGES = ".,;:!?…\"'„“”‚‘’«»‹›()[]{}*_`–—-/"  # noqa: RUF001 -- punctuation of several languages


def fold(text: str) -> str:
    """Return the text composed, without case, ß as ss, umlauts as two letters, single spaces."""
    return " ".join(fold_letters(text).split())


def fold_letters(text: str) -> str:
    """Fold, but leave white space as it is: enough to look for single words, and thrice as fast."""
    folded = unicodedata.normalize("NFC", text.casefold())
    for letter, two in _TWO_LETTERS:
        folded = folded.replace(letter, two)
    for character in _UNSEEN:
        folded = folded.replace(character, "")
    return folded


def words(text: str) -> list[str]:
    """Return the folded words of a query, without the punctuation around them."""
    return [word for part in fold(text).split(" ") if (word := part.strip(_EDGES))]


def cut(text: str, limit: int) -> str:
    """Return the text on one line, at most `limit` characters, cut behind a word with "…"."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    head = line[:limit]  # one more than fits beside the "…": it may be the space behind a word
    kept = head[: head.rfind(" ")] if " " in head else head[: limit - 1]
    return kept.rstrip(" ,;:-") + "…"
