"""Charts of Bundestakt's numbers. Rule: only numbers in the data are drawn.

Unexpected data is left out, because an error in a chart must not lose the tool's result.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from tabloop.agent.displays import Chart, Note, Series
from tabloop.core.german_text import fold, shorten
from tabloop.core.json_text import Json, JsonObject
from tabloop.core.phrases import Phrase, Text
from tabloop.tools.bundestakt import words
from tabloop.tools.bundestakt.api import Claim, Sitzung

__all__ = ["claim_charts", "is_office", "session_charts"]

VOTES = (
    (words.YES, ("ja",)),
    (words.NO, ("nein",)),
    (words.ABSTAINED, ("enthaltung", "enthaltungen")),
)
MIN_CLAIMS = 2  # one statement is no distribution
MAX_SUBJECT = 80  # characters

# `fraktion` may have the office in which a person speaks. These are parts of folded words; a name
# without any of them counts as a party.
_OFFICE = re.compile(
    r"kanzler|minister|staatssekret|praesident|beauftragte|senator|buergermeister|staatsr(at|aet)"
    r"|schriftfuehrer|berichterstatter"
)


def session_charts(item: Sitzung) -> tuple[Chart, ...]:
    """Return charts of speaking time, interjections and counted votes, if the data has them."""
    numbers = _object(item.whole.get("zahlen"))
    found = (
        _per_party(
            item,
            numbers.get("redezeitJeFraktion"),
            "minuten",
            words.SPEAKING_TIME,
            words.MINUTES,
        ),
        _per_party(
            item,
            numbers.get("zwischenrufeJeFraktion"),
            "anzahl",
            words.INTERRUPTIONS,
            words.INTERJECTIONS,
        ),
        _votes(item, numbers.get("abstimmungen")),
    )
    return tuple(chart for chart in found if chart is not None)


def claim_charts(found: Sequence[Claim], *, shown: int, subject: str = "") -> tuple[Chart, ...]:
    """Return a chart of verdicts by party, of all `found`; the result has `shown` of them."""
    if len(found) < MIN_CLAIMS:
        return ()
    counts: dict[Text, Counter[Phrase]] = {}
    for claim in found:
        counts.setdefault(_party(claim), Counter())[_verdict(claim)] += 1
    ordered = sorted(counts, key=lambda name: (isinstance(name, Phrase), -counts[name].total()))
    verdicts = list(words.VERDICT_NAMES.values())
    if any(row[words.OTHER_VERDICT] for row in counts.values()):
        verdicts.append(words.OTHER_VERDICT)
    notes = [Note(words.ALL_STATEMENTS, len(found))] if len(found) > shown else []
    if words.OFFICES in counts:
        notes.append(Note(words.OFFICES_NOTE))
    return (
        Chart(
            "stacked",
            words.VERDICTS,
            words.PARTY,
            tuple(ordered),
            tuple(
                Series(verdict, tuple(counts[party][verdict] for party in ordered))
                for verdict in verdicts
            ),
            words.STATEMENTS,
            subject=shorten(subject, MAX_SUBJECT),
            notes=tuple(notes),
            asked_by=words.ASKED_BY[words.VERDICTS],
        ),
    )


def is_office(fraktion: str) -> bool:
    """Whether this is an office, such as a minister's, and no party."""
    return bool(_OFFICE.search(fold(fraktion)))


def _party(claim: Claim) -> Text:
    name = " ".join(claim.fraktion.split())
    if not name:
        return words.NO_PARTY
    return words.OFFICES if is_office(name) else name


def _verdict(claim: Claim) -> Phrase:
    return words.VERDICT_NAMES.get(claim.bewertung, words.OTHER_VERDICT)


def _per_party(item: Sitzung, rows: Json, field: str, title: Phrase, unit: Text) -> Chart | None:
    """Return bars with one number for each row, the largest first."""
    known = [
        (name, number)
        for row in _objects(rows)
        if (name := _text(row.get("fraktion"))) and (number := _number(row.get(field))) is not None
    ]
    if not known:
        return None
    known.sort(key=lambda pair: -pair[1])
    return Chart(
        "bars",
        title,
        words.PARTY,
        tuple(name for name, _ in known),
        (Series(unit, tuple(number for _, number in known)),),
        unit,
        subject=item.datum,
        notes=(Note(words.OFFICE_ROWS),) if any(is_office(name) for name, _ in known) else (),
        asked_by=words.ASKED_BY[title],
    )


def _votes(item: Sitzung, rows: Json) -> Chart | None:
    """Return a chart of counted votes; a show of hands has no numbers."""
    votes = list(_objects(rows))
    counted = [
        (title, cast)
        for row in votes
        if (title := _text(row.get("titel"))) and any(cast := _cast(row))
    ]
    if not counted:
        return None
    left_out = len(votes) - len(counted)
    return Chart(
        "stacked",
        words.VOTES,
        words.VOTE,
        tuple(title for title, _ in counted),
        tuple(
            Series(name, tuple(cast[place] for _, cast in counted))
            for place, (name, _) in enumerate(VOTES)
        ),
        words.VOTES_CAST,
        subject=item.datum,
        notes=(Note(words.NOT_COUNTED, left_out),) if left_out else (),
        asked_by=words.ASKED_BY[words.VOTES],
    )


def _cast(row: JsonObject) -> tuple[float | None, ...]:
    numbers = _object(row.get("zahlen"))
    return tuple(
        next((n for key in keys if (n := _number(numbers.get(key))) is not None), None)
        for _, keys in VOTES
    )


def _objects(value: Json) -> Iterator[JsonObject]:
    items: Iterable[Json] = value if isinstance(value, list) else ()
    return (item for item in items if isinstance(item, dict))


def _object(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _text(value: Json) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _number(value: Json) -> float | None:
    """Return a finite number from 0; `None` for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return value if math.isfinite(value) and value >= 0 else None
    except OverflowError:  # too large for a float
        return None
