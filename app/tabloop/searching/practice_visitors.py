"""The practice model's answer about the visits of the owner's site.

Rule: the sums are the result's own; the busiest time is looked up among its buckets, not estimated.
"""

from tabloop.core.json_text import JsonObject, as_list, as_object, as_text
from tabloop.searching.practice_answers import bullets, failure, paragraphs, say
from tabloop.searching.practice_dates import MONTHS, long_date
from tabloop.searching.practice_words import Language

__all__ = ["no_visitors", "visitors"]

PAGES = 3  # of the list; the chart beside the answer has all


def visitors(language: Language, result: JsonObject) -> str:
    """Tell the sum, the busiest time, the top pages, and what cannot be compared."""
    von, bis = (long_date(as_text(result.get(key)), language) for key in ("from", "to"))
    total = _number(language, result.get("totalHits"))
    buckets = [as_object(item) for item in as_list(result.get("buckets"))]
    best = max(buckets, key=_hits, default=as_object(None))
    pages = [as_object(item) for item in as_list(result.get("topPages"))[:PAGES]]
    told = bullets(
        f"`{as_text(page.get('path'))}`: {_number(language, page.get('hits'))}" for page in pages
    )
    return paragraphs(
        say(language, "visitors", von=von, bis=bis, hits=total),
        _best(language, as_text(result.get("range")), best) if _hits(best) else "",
        paragraphs(say(language, "most_read"), told) if told else "",
        say(language, "historic") if result.get("hasHistoric") is True else "",
    )


def no_visitors(language: Language, result: JsonObject) -> str:
    """Say why there are no numbers."""
    if result.get("status") == "user_declined":
        return say(language, "not_signed")
    return failure(language, result)


def _best(language: Language, chosen: str, bucket: JsonObject) -> str:
    label, hits = as_text(bucket.get("label")), _number(language, bucket.get("hits"))
    match chosen:
        case "1y":
            return say(language, "best_month", label=_month(language, label), hits=hits)
        case "90d":
            return say(language, "best_week", label=long_date(label, language), hits=hits)
        case _:
            return say(language, "best_day", label=long_date(label, language), hits=hits)


def _month(language: Language, label: str) -> str:
    year, _, month = label.partition("-")
    names = MONTHS[language].split()
    known = month.isdecimal() and 1 <= int(month) <= len(names)
    return f"{names[int(month) - 1]} {year}" if known else label


def _hits(bucket: JsonObject) -> float:
    hits = bucket.get("hits")
    return hits if isinstance(hits, int | float) else 0


def _number(language: Language, value: object) -> str:
    """Return a whole number with its thousands apart, as the language writes it."""
    if isinstance(value, bool) or not isinstance(value, int):
        return "?"
    return f"{value:,}".replace(",", "." if language == "de" else ",")
