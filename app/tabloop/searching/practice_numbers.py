"""A session's numbers by group: interjections, speaking time, speeches, votes.

Rule: the numbers are the record's own; nothing is summed up or estimated.
"""

from collections.abc import Iterator

from tabloop.core.json_text import JsonObject, as_list, as_object, as_text
from tabloop.searching.practice_answers import bullets, paragraphs, result_of, say, source
from tabloop.searching.practice_dates import long_date
from tabloop.searching.practice_phrases import VOTES
from tabloop.searching.practice_words import Aspect, Language

__all__ = ["numbers"]

# list, number in each of its items, number of the whole session
_FIELDS: dict[Aspect, tuple[str, str, str]] = {
    "interjections": ("zwischenrufeJeFraktion", "anzahl", "anzahlZwischenrufe"),
    "speaking": ("redezeitJeFraktion", "minuten", ""),
    "speeches": ("redezeitJeFraktion", "anzahlReden", "anzahlReden"),
}


def numbers(language: Language, aspect: Aspect, found: JsonObject, *, least: bool = False) -> str:
    """Answer from a whole session, with its link. `least`: who did so least is asked for."""
    datum = long_date(as_text(found.get("datum")), language)
    zahlen = as_object(found.get("zahlen"))
    told = (
        _votes(language, datum, zahlen)
        if aspect == "votes"
        else _ranking(language, aspect, datum, zahlen, least=least)
    )
    return paragraphs(told, source(language, found, as_text(found.get("kernthema"))))


def _ranking(
    language: Language, aspect: Aspect, datum: str, zahlen: JsonObject, *, least: bool
) -> str:
    listed, field, whole = _FIELDS[aspect]
    rows = [
        (count, as_text(row.get("fraktion")))
        for row in map(as_object, as_list(zahlen.get(listed)))
        if isinstance(count := row.get(field), int | float)
    ]
    total = as_text(zahlen.get(whole))
    if not rows:
        in_all = say(language, "in_all", total=total) if total else ""
        return paragraphs(say(language, "no_ranking", datum=datum), in_all)
    rows.sort(key=lambda row: row[0] if least else -row[0])
    lead = say(
        language,
        f"{aspect}_least" if least else f"{aspect}_most",
        datum=datum,
        first=", ".join(name for count, name in rows if count == rows[0][0]),
        count=rows[0][0],
        whole=say(language, "whole", total=total) if total else "",
    )
    unit = " min" if aspect == "speaking" else ""
    ranking = bullets(f"{name}: {count}{unit}" for count, name in rows)
    return paragraphs(lead, say(language, "ranking"), ranking)


def _votes(language: Language, datum: str, zahlen: JsonObject) -> str:
    votes = [as_object(item) for item in as_list(zahlen.get("abstimmungen"))]
    if not votes:
        return say(language, "no_votes", datum=datum)
    lines = (" · ".join(_vote(language, vote)) for vote in votes)
    return paragraphs(say(language, "votes_of", datum=datum), bullets(lines))


def _vote(language: Language, vote: JsonObject) -> Iterator[str]:
    """Yield how it ended, then who is behind each answer, by number or by name."""
    yield result_of(language, vote)
    counted = as_object(vote.get("zahlen"))
    groups: dict[str, list[str]] = {}
    for item in map(as_object, as_list(vote.get("stimmverhalten"))):
        groups.setdefault(as_text(item.get("votum")), []).append(as_text(item.get("fraktion")))
    for code in dict.fromkeys([*VOTES, *groups]):
        said = [as_text(counted.get(code)), ", ".join(groups.get(code, ()))]
        if any(said):
            both = VOTES.get(code, (code, code))
            word = both[1 if language == "de" else 0]
            yield f"{word}: {' – '.join(filter(None, said))}"  # noqa: RUF001 -- a dash
