"""The practice model's answers, written from tool results.

Rule: every fact in an answer stands in a result of this conversation; nothing is added.
"""

from collections.abc import Collection, Iterable, Sequence

from tabloop.core.json_text import JsonObject, as_list, as_object, as_text
from tabloop.searching.practice_dates import Days, long_date
from tabloop.searching.practice_phrases import KINDS, RESULTS, SAYINGS, VERDICTS
from tabloop.searching.practice_search import fitting, headlines_with, in_headlines
from tabloop.searching.practice_unread import Unread
from tabloop.searching.practice_words import Language

__all__ = [
    "bullets",
    "claims_answer",
    "failure",
    "found_by",
    "kinds",
    "nearest",
    "overview",
    "paragraphs",
    "picture",
    "result_of",
    "say",
    "session",
    "source",
    "which_day",
]


def say(language: Language, key: str, **facts: object) -> str:
    """Return a sentence with its facts put in."""
    return _pick(language, SAYINGS[key]).format(**facts)


def failure(language: Language, result: JsonObject) -> str:
    """Say what a failed, declined or interrupted call leaves us with."""
    status = as_text(result.get("status"))
    if status == "user_declined":
        return say(language, "declined")
    if status == "interrupted":
        return say(language, "interrupted")
    return say(language, "failed", status=status, reason=as_text(result.get("reason")))


def which_day(language: Language, unread: Unread) -> str:
    """Ask for the day that is meant, naming those that it may be."""
    if len(unread.readings) < 2:
        return say(language, "unread_day", written=unread.written)
    first, second = (long_date(day.isoformat(), language) for day in unread.readings)
    iso = unread.readings[0].isoformat()
    return say(
        language, "which_reading", written=unread.written, first=first, second=second, iso=iso
    )


def kinds(language: Language, key: str, offered: Collection[str]) -> str:
    """Say that a question is not understood, and which ones are: those with a tool for them."""
    lines = [_pick(language, line) for tool, line in KINDS if tool in offered]
    # Nothing but a picture needs a wallet here; where none is on offer a wallet is no advice.
    real = "real_or_wallet" if "generate_image" in offered else "real"
    return paragraphs(
        say(language, key),
        paragraphs(say(language, "kinds"), bullets(lines)) if lines else say(language, "no_kinds"),
        say(language, real),
    )


def session(language: Language, found: JsonObject) -> str:
    """Tell a whole session: topic, points, votes, numbers, source."""
    kernthema = as_text(found.get("kernthema"))
    datum = long_date(as_text(found.get("datum")), language)
    return paragraphs(
        say(language, "session", datum=datum, kernthema=kernthema),
        bullets(_point(as_object(item)) for item in as_list(found.get("in30Sekunden"))),
        _votes(language, as_object(found.get("zahlen"))),
        _numbers(language, as_object(found.get("zahlen"))),
        source(language, found, kernthema),
    )


def found_by(language: Language, listed: Sequence[JsonObject], words: Sequence[str]) -> str:
    """Say by which of the words sessions were chosen from a list, or that it was by none."""
    if not words:
        return ""
    best = fitting(listed, words)
    found = dict.fromkeys(word for item in best for word in in_headlines(item, words))
    key = "found_by" if found else "not_found_by"
    return say(language, key, words="*, *".join(found or words))


def overview(
    language: Language,
    entries: Sequence[JsonObject],
    words: Sequence[str] = (),
    *,
    numbers: bool = False,
) -> str:
    """List several sessions, with the headlines that have one of the words.

    `numbers` were asked for, which each session has for itself.
    """
    return paragraphs(
        say(language, "overview", count=len(entries)),
        bullets(
            "; ".join([_entry(language, item), *headlines_with(item, words)]) for item in entries
        ),
        say(language, "one_of_them") if numbers else "",
    )


def nearest(language: Language, days: Days, entries: Sequence[JsonObject]) -> str:
    """Say that a time has no session, and offer the two around it, or two on its one side."""
    von, bis = (long_date(day.isoformat(), language) for day in (days.von, days.bis))
    span = von if days.von == days.bis else say(language, "span", von=von, bis=bis)
    by_date = sorted(entries, key=lambda item: as_text(item.get("datum")))
    before = [item for item in by_date if as_text(item.get("datum")) < days.von.isoformat()]
    after = [item for item in by_date if as_text(item.get("datum")) > days.bis.isoformat()]
    close = before[-1:] + after[:1] if before and after else before[-2:] or after[:2]
    found = "nearest" if len(close) > 1 else "nearest_one" if close else "empty"
    return paragraphs(
        say(language, "none_on", days=span),
        say(language, found),
        bullets(_entry(language, item) for item in close),
    )


def claims_answer(language: Language, result: JsonObject, tried: Sequence[str]) -> str:
    """Tell up to three fact-checks, and what was searched in vain before them."""
    hits = [as_object(item) for item in as_list(result.get("claims"))]
    if not hits:
        return say(language, "no_claims", words="; ".join(f"*{words}*" for words in tried))
    others = result.get("weitereTreffer")
    more = len(hits[3:]) + (others if isinstance(others, int) else 0)
    return paragraphs(
        say(language, "fewer_words", words=tried[-1]) if len(tried) > 1 else "",
        *(_claim(language, hit) for hit in hits[:3]),
        say(language, "others", count=more) if more else "",
    )


def picture(language: Language, prompt: str, result: JsonObject) -> str:
    """Say that a picture is there; `prompt` is the one that the model asked for."""
    minted = as_text(as_object(result.get("x_nft")).get("status")) or as_text(result.get("mint"))
    return paragraphs(
        say(language, "picture", prompt=as_text(result.get("prompt")) or prompt),
        say(language, "mint_failed") if "failed" in minted else "",
    )


def _claim(language: Language, hit: JsonObject) -> str:
    code = as_text(hit.get("bewertung"))
    group = as_text(hit.get("fraktion"))
    sprecher = as_text(hit.get("sprecher")) + (f" ({group})" if group else "")
    datum = long_date(as_text(hit.get("sitzungDatum")), language)
    verdict = _pick(language, VERDICTS.get(code, (code, code)))
    return paragraphs(
        say(language, "claim", bewertung=verdict, sprecher=sprecher, datum=datum),
        f"> {as_text(hit.get('aussage'))}",
        as_text(hit.get("begruendung")),
        source(language, hit, _pick(language, SAYINGS["check"])),
    )


def source(language: Language, found: JsonObject, title: str) -> str:
    """Return the line that names a record's page; blank where it has none."""
    url = as_text(found.get("url"))
    return say(language, "source", title=title or "Bundestakt", url=url) if url else ""


def _entry(language: Language, item: JsonObject) -> str:
    datum = long_date(as_text(item.get("datum")), language)
    return f"{datum}: [{as_text(item.get('kernthema'))}]({as_text(item.get('url'))})"


def _point(point: JsonObject) -> str:
    return f"**{as_text(point.get('titel'))}**: {as_text(point.get('text'))}"


def _votes(language: Language, zahlen: JsonObject) -> str:
    votes = [as_object(item) for item in as_list(zahlen.get("abstimmungen"))]
    if not votes:
        return ""
    return paragraphs(say(language, "votes"), bullets(result_of(language, vote) for vote in votes))


def result_of(language: Language, vote: JsonObject) -> str:
    """Return what was voted on and how it ended."""
    code = as_text(vote.get("ergebnis"))
    return f"{as_text(vote.get('titel'))}: **{_pick(language, RESULTS.get(code, (code, code)))}**"


def _numbers(language: Language, zahlen: JsonObject) -> str:
    reden, rufe, minutes = (
        zahlen.get(key) for key in ("anzahlReden", "anzahlZwischenrufe", "sitzungsdauerMinuten")
    )
    if not isinstance(reden, int) or not isinstance(rufe, int) or not isinstance(minutes, int):
        return ""
    dauer = f"{minutes // 60} h {minutes % 60} min"
    return say(language, "numbers", reden=reden, zwischenrufe=rufe, dauer=dauer)


def _pick(language: Language, both: tuple[str, str]) -> str:
    return both[1 if language == "de" else 0]


def bullets(lines: Iterable[str]) -> str:
    """Return a Markdown list."""
    return "\n".join(f"- {line}" for line in lines)


def paragraphs(*parts: str) -> str:
    """Return the parts that are not blank, a blank line between them."""
    return "\n\n".join(part for part in parts if part)
