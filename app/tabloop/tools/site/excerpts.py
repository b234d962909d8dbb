"""The part of a text that is quoted in a hit.

Rule: it shows most of the words of the query, and "…" where text of the page is left out.
"""

from collections.abc import Sequence

from tabloop.core.german_text import fold, shorten
from tabloop.tools.site.ranking import Term

__all__ = ["excerpt"]

WINDOW = 60  # words of an excerpt, before it is shortened
QUOTED = 20_000  # characters of a text in which the excerpt is looked for
MAX_STARTS = 100  # places at which an excerpt may begin


def excerpt(text: str, wanted: Sequence[Term], limit: int) -> str:
    """Return the part of a text with most of the words, at most `limit` characters."""
    words = [word for word in text[:QUOTED].split() if word.strip("|-`#")]  # no lines of a table
    if len(text) > QUOTED:
        words[-1:] = ["…"]
    folded = [fold(word) for word in words]
    hits = [
        (at, n)
        for n, term in enumerate(wanted)
        for at, word in enumerate(folded)
        if term.count(word)
    ]
    starts = [at for at, _ in hits][:MAX_STARTS] or [0]

    def together(start: int) -> int:
        return len({n for at, n in hits if start <= at < start + WINDOW // 2})

    best = max(starts, key=together)
    first = max(0, best - 8) if best + 4 > limit // 8 else 0
    end = first + WINDOW
    before, after = "…" if first else "", "…" if end < len(words) else ""
    quoted = shorten(before + " ".join(words[first:end]), limit - len(after))
    return quoted if quoted.endswith("…") else quoted + after
