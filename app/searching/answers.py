"""Pieces of an answer, in Markdown. Rule: every fact stands in a result; nothing is added."""

from collections.abc import Iterable, Sequence

from app.models.json_reading import JsonObject, as_list, as_object, as_text
from app.searching.lookups import objects
from app.searching.reading import Word
from app.searching.words import Phrases

__all__ = [
    "bullets",
    "entry",
    "headlines",
    "hit",
    "paragraphs",
    "points",
    "rows",
    "visits",
]


def paragraphs(*parts: str) -> str:
    """Return the parts that are not blank, a blank line between them."""
    return "\n\n".join(part for part in parts if part)


def bullets(title: str, lines: Iterable[str]) -> str:
    """Return a Markdown list below its title; nothing where it is empty."""
    listed = "\n".join(f"- {line}" for line in lines)
    return f"{title}\n\n{listed}".strip() if listed else ""


def headlines(item: JsonObject) -> list[str]:
    """Return the main topic and the headlines of a session in the list."""
    return [as_text(item.get("kernthema")), *map(as_text, as_list(item.get("schlagzeilen")))]


def entry(say: Phrases, item: JsonObject, words: Sequence[Word] = ()) -> str:
    """Return a session's day and topic as a link, with the headlines that have one of the words."""
    topic, *lines = headlines(item)
    found = [line for line in lines if any(word.within(line) for word in words)]
    return "; ".join(
        [f"[{say.day(item.get('datum'))}: {topic}]({as_text(item.get('url'))})", *found]
    )


def hit(say: Phrases, item: JsonObject) -> str:
    """Return a fact-check: verdict, who said it, when, and the statement."""
    keys = ("bewertung", "sprecher", "fraktion", "url", "aussage")
    verdict, name, group, url, said = (as_text(item.get(key)) for key in keys)
    day = say.day(item.get("sitzungDatum"))
    return f"**{say.code(verdict)}** · {name} ({group}), [{day}]({url}): “{said}”"


def points(session: JsonObject, words: Sequence[Word]) -> list[str]:
    """Return the points of a session's summary that have all of the words."""
    told = (
        f"**{as_text(item.get('titel'))}**: {as_text(item.get('text'))}"
        for item in objects(session, "in30Sekunden")
    )
    return [point for point in told if all(word.within(point) for word in words)]


def rows(say: Phrases, session: JsonObject, kinds: Iterable[str]) -> str:
    """Return the record's rows of these kinds: votes, speaking, interjections."""
    counted = as_object(session.get("zahlen"))
    lists = {"votes": [_vote(say, vote) for vote in objects(counted, "abstimmungen")]}
    for kind, listed, field, unit in (
        ("speaking", "redezeitJeFraktion", "minuten", " min"),
        ("interjections", "zwischenrufeJeFraktion", "anzahl", ""),
    ):
        found = ((as_text(row.get("fraktion")), row.get(field)) for row in objects(counted, listed))
        lists[kind] = [f"{name}: {as_text(count)}{unit}" for name, count in found]
    wanted = [kind for kind in lists if kind in kinds]
    return paragraphs(*(bullets(say(kind), lists[kind] or [say("none")]) for kind in wanted))


def visits(say: Phrases, result: JsonObject) -> str:
    """Return the sum of a time, the top pages, and what cannot be compared."""
    start, end = (say.day(result.get(key)) for key in ("from", "to"))
    pages = [
        f"`{as_text(page.get('path'))}`: {say.number(page.get('hits'))}"
        for page in objects(result, "topPages")
    ]
    return paragraphs(
        say("visitors", start=start, end=end, hits=say.number(result.get("totalHits"))),
        bullets(say("pages"), pages[:5]),
        say("historic") if result.get("hasHistoric") is True else "",
    )


def _vote(say: Phrases, vote: JsonObject) -> str:
    """Return how a vote ended, and the number and groups behind each answer."""
    parts = [f"{as_text(vote.get('titel'))}: **{say.code(as_text(vote.get('ergebnis')))}**"]
    groups = [
        (row.get("votum"), as_text(row.get("fraktion"))) for row in objects(vote, "stimmverhalten")
    ]
    for code in ("ja", "nein", "enthaltung"):
        number = as_text(as_object(vote.get("zahlen")).get(code))
        names = ", ".join(name for cast, name in groups if cast == code)
        if number or names:
            parts.append(f"{say.code(code)}: {' · '.join(filter(None, (number, names)))}")
    return "; ".join(parts)
