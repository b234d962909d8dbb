"""Texts about visitor numbers and their charts, in both languages."""

from collections.abc import Mapping
from typing import Any

from tabloop.agent.displays import LabelKind
from tabloop.agent.presentation import Line, Presentation, counted
from tabloop.core.phrases import Phrase

__all__ = ["BRIEF", "HEADINGS", "PARTIAL", "VISITS"]

BRIEF = (
    "Visits of this site and its top pages, for 30d, 90d or 1y. Example: "
    '{"name": "get_analytics", "arguments": {"range": "30d"}}'
)

_PERIODS: Mapping[str, Phrase] = {
    "30d": Phrase("visits of the last 30 days", "Besuche der letzten 30 Tage"),
    "90d": Phrase("visits of the last 90 days", "Besuche der letzten 90 Tage"),
    "1y": Phrase("visits of the last year", "Besuche des letzten Jahres"),
}


def _step(given: Mapping[str, Any]) -> Line:
    """Return the period's text; blank for an unknown one, since that call is refused."""
    return Line(_PERIODS.get(given.get("range") or "30d", ""), {})


VISITS = Presentation(
    title=Phrase("visits of this site", "Besuche dieser Seite"),
    step=_step,
    summary=counted(
        "totalHits", Phrase(("{n} visit", "{n} visits"), ("{n} Besuch", "{n} Besuche"))
    ),
    capability=Phrase(
        "Read this site’s visitor numbers (you are its owner)",
        "Die Besuchszahlen dieser Seite lesen (als ihr Betreiber)",
    ),
)

# Charts
OVER_TIME = Phrase("Visits over time", "Besuche im Zeitverlauf")
TOP_PAGES = Phrase("Most visited pages", "Meistbesuchte Seiten")
HITS = Phrase("Visits", "Besuche")
HITS_UNIT = Phrase("visits", "Besuche")
PAGE = Phrase("Page", "Seite")
HEADINGS: Mapping[LabelKind, Phrase] = {
    "day": Phrase("Day", "Tag"),
    "week": Phrase("Week from", "Woche ab"),
    "month": Phrase("Month", "Monat"),
}
# by kind of label, and whether the first and the last bar are partial
PARTIAL: Mapping[tuple[LabelKind, bool, bool], Phrase] = {
    ("week", True, True): Phrase(
        "The first and the last bar cover only part of a week.",
        "Die erste und die letzte Säule umfassen nur einen Teil einer Woche.",
    ),
    ("week", True, False): Phrase(
        "The first bar covers only part of a week.",
        "Die erste Säule umfasst nur einen Teil einer Woche.",
    ),
    ("week", False, True): Phrase(
        "The last bar covers only part of a week.",
        "Die letzte Säule umfasst nur einen Teil einer Woche.",
    ),
    ("month", True, True): Phrase(
        "The first and the last bar cover only part of a month.",
        "Die erste und die letzte Säule umfassen nur einen Teil eines Monats.",
    ),
    ("month", True, False): Phrase(
        "The first bar covers only part of a month.",
        "Die erste Säule umfasst nur einen Teil eines Monats.",
    ),
    ("month", False, True): Phrase(
        "The last bar covers only part of a month.",
        "Die letzte Säule umfasst nur einen Teil eines Monats.",
    ),
}
