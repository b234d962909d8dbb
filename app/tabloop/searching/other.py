"""Search mode's pictures and visitor numbers, each from one call of a tool.

Rule: a picture is asked for only with words that say what it shows.
"""

from tabloop.core.json_text import as_text
from tabloop.searching.reading import Question
from tabloop.searching.results import Lookups, bullets, lines, paragraphs
from tabloop.searching.words import PATTERNS, Phrases

__all__ = ["picture", "visitors"]

MAX_PAGES = 5


def picture(asked: Question, lookups: Lookups, say: Phrases) -> str:
    """Return the answer to a wish for a picture."""
    if not asked.text or PATTERNS["word again"].search(asked.text):
        return say("what_to_draw")
    size = "1792x1024" if "wide" in asked.kinds else "1024x1024"
    result = lookups.get("generate_image", prompt=asked.text, size=size)
    made = (as_text(result.get("prompt")) or asked.text).replace("`", "'")
    failed = say("mint_failed") if "mint" in result else ""
    return paragraphs(say("picture", prompt=made) if result else "", failed)


def visitors(asked: Question, lookups: Lookups, say: Phrases) -> str | None:
    """Return the number of visits; None without the tool, which only the owner needs to know of."""
    if "get_analytics" not in lookups.offered and not lookups.text:
        return None
    times = (time for time in ("90d", "1y") if PATTERNS[f"word {time}"].search(asked.text))
    result = lookups.get("get_analytics", range=next(times, "30d"))
    pages = bullets("", lines(say, "page", result, "topPages")[:MAX_PAGES])
    historic = say("historic") if result.get("hasHistoric") is True else ""
    return paragraphs(say.line("visitors", result) if result else "", pages, historic)
