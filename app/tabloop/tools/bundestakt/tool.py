"""The tools for Bundestakt's sessions and fact-checks.

Rule: they fetch everything and return little of it, because each later hop pays for a result.
"""

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Annotated, Literal, TypedDict

from pydantic import BeforeValidator, Field

from tabloop.agent.errors import ToolError
from tabloop.agent.tools import Source, Tool, ToolOutput, tool
from tabloop.core.german_text import fold, shorten, word_matcher, words
from tabloop.core.json_text import compact
from tabloop.tools.bundestakt.api import BundestaktApi, Claim, Sitzung, Sitzungen
from tabloop.tools.bundestakt.charts import claim_charts, session_charts
from tabloop.tools.bundestakt.words import CLAIMS, CLAIMS_BRIEF, SESSIONS, SESSIONS_BRIEF

__all__ = ["SOURCE", "Bewertung", "ClaimHit", "SitzungEntry", "bundestakt_tools", "select_claims"]

SOURCE = "bundestakt"
MAX_LIST_SOURCES = 3  # an answer does not rest on the sessions of a longer list
MAX_HITS = 10
MAX_RESULT_BYTES = 7_950  # of 8,000; the status is added later
MAX_AUSSAGE = 1_000  # characters; no statement is longer so far
BEGRUENDUNG_LENGTHS = (400, 340, 280, 220, 160, 100)  # characters; the longest that fits

Bewertung = Literal["belegt", "teilweise", "irrefuehrend", "falsch", "unbelegbar"]


class SitzungEntry(TypedDict):
    """A session in the list; enough to choose one."""

    slug: str
    datum: str
    kernthema: str
    schlagzeilen: list[str]
    url: str


class ClaimHit(TypedDict):
    """A checked statement without its references."""

    aussage: str
    sprecher: str
    fraktion: str
    bewertung: str
    sitzungDatum: str
    url: str
    begruendung: str


def _blank_is_none(value: object) -> object:
    """Return None for blank text, which models use to omit an optional argument."""
    return None if isinstance(value, str) and not value.strip() else value


def _verdict_spelling(value: object) -> object:
    """Return the code for what models write, such as "irreführend" or "Falsch"."""
    return fold(value) or None if isinstance(value, str) else value


_Optional = BeforeValidator(_blank_is_none)


def bundestakt_tools(api: BundestaktApi) -> tuple[Tool, Tool]:
    """Return `get_sitzungen` and `search_claims`, both free and read-only."""

    @tool(source=SOURCE, presentation=SESSIONS, brief=SESSIONS_BRIEF)
    async def get_sitzungen(
        slug: Annotated[
            str | None, _Optional, Field(description="From the list: gives all of that session.")
        ] = None,
        von: Annotated[date | None, _Optional, Field(description="First day (ISO).")] = None,
        bis: Annotated[date | None, _Optional, Field(description="Last day (ISO).")] = None,
    ) -> ToolOutput:
        """Sessions of the German Bundestag: topics, votes, speaking times, interjections.
        Call it first without slug to list sessions (filter with von/bis), then with the slug of
        the one you need. AI-assisted analysis of the official transcripts by Bundestakt, not an
        official record: say so, and link the session's `url`."""
        if slug is not None:
            return _detail((await api.sitzungen()).items, slug)
        if von and bis and von > bis:
            raise ToolError("invalid_arguments", f"von ({von}) is later than bis ({bis}).")
        return _list(await api.sitzungen(), von, bis)

    @tool(source=SOURCE, presentation=CLAIMS, brief=CLAIMS_BRIEF)
    async def search_claims(
        query: Annotated[
            str | None, _Optional, Field(description="German words or names; every one must occur.")
        ] = None,
        fraktion: Annotated[
            str | None, _Optional, Field(description="Part of a group's or office's name.")
        ] = None,
        bewertung: Annotated[
            Bewertung | None, BeforeValidator(_verdict_spelling), Field(description="Verdict.")
        ] = None,
    ) -> ToolOutput:
        """Fact-checked statements from Bundestag debates, each with verdict and reasoning.
        Search with one to three German words, fewer when nothing is found. AI-assisted analysis
        by Bundestakt, not an official record: say so, and link the hit's `url`."""
        found = select_claims(
            await api.claims(), query=query or "", fraktion=fraktion or "", bewertung=bewertung
        )
        return _hits(found, " · ".join(filter(None, (query, fraktion, bewertung))))

    return get_sitzungen, search_claims


def select_claims(
    claims: Iterable[Claim], *, query: str = "", fraktion: str = "", bewertung: str | None = None
) -> list[Claim]:
    """Return the claims with all words; first those with more in the statement or its speaker."""
    wanted, group = [word_matcher(word) for word in words(query)], fold(fraktion)
    found = [
        claim
        for claim in claims
        if (bewertung is None or claim.bewertung == bewertung)
        and group in claim.folded_fraktion
        and all(has(claim.folded_said) or has(claim.folded_begruendung) for has in wanted)
    ]
    return sorted(found, key=lambda claim: -sum(has(claim.folded_said) for has in wanted))


def _list(sitzungen: Sitzungen, von: date | None, bis: date | None) -> ToolOutput:
    # ISO dates are compared as text, so that no time zone changes them.
    first, last = von.isoformat() if von else "0", bis.isoformat() if bis else "9999-12-31"
    unfiltered = von is None and bis is None
    chosen = [item for item in sitzungen.items if unfiltered or first <= item.datum <= last]
    entries = [
        SitzungEntry(
            slug=item.slug,
            datum=item.datum,
            kernthema=item.kernthema,
            schlagzeilen=list(item.schlagzeilen),
            url=item.url,
        )
        for item in chosen
    ]
    sources = [_sitzung_source(item) for item in chosen]
    if len(sources) > MAX_LIST_SOURCES:
        # The site that the data names, so that sample data never cites the real site.
        sources = [Source(sitzungen.quelle, "Bundestakt")]
    return ToolOutput({"sitzungen": entries}, sources=_usable(sources))


def _detail(sitzungen: Sequence[Sitzung], slug: str) -> ToolOutput:
    # Models also send the URL, which ends with the slug.
    wanted = slug.strip().partition("#")[0].rstrip("/").rsplit("/", 1)[-1]
    for item in sitzungen:
        if item.slug == wanted:
            return ToolOutput(
                item.whole, session_charts(item) or None, _usable([_sitzung_source(item)])
            )
    raise ToolError(
        "not_found",
        f"No session has the slug {shorten(slug, 60)!r}. "
        "Call get_sitzungen without slug for the list.",
    )


def _hits(found: Sequence[Claim], subject: str) -> ToolOutput:
    hits: list[ClaimHit] = []
    for length in BEGRUENDUNG_LENGTHS:
        hits = [_hit(claim, length) for claim in found[:MAX_HITS]]
        if _size(hits) <= MAX_RESULT_BYTES:
            break
    while _size(hits) > MAX_RESULT_BYTES:
        hits.pop()
    return ToolOutput(
        {"claims": hits, "weitereTreffer": len(found) - len(hits)},
        claim_charts(found, shown=len(hits), subject=subject) or None,
        sources=_usable(_claim_source(claim) for claim in found[: len(hits)]),
    )


def _hit(claim: Claim, length: int) -> ClaimHit:
    return ClaimHit(
        aussage=shorten(claim.aussage, MAX_AUSSAGE),
        sprecher=claim.sprecher,
        fraktion=claim.fraktion,
        bewertung=claim.bewertung,
        sitzungDatum=claim.datum,
        url=claim.url,
        begruendung=shorten(claim.begruendung, length),
    )


def _size(hits: Sequence[ClaimHit]) -> int:
    return len(compact(hits).encode())


def _sitzung_source(item: Sitzung) -> Source:
    number = " ".join(filter(None, ("Bundestag", item.dokumentnummer)))
    when = ", ".join(filter(None, (number, item.datum)))
    return Source(item.url, f"{when}: {item.kernthema}" if item.kernthema else when)


def _claim_source(claim: Claim) -> Source:
    said = ", ".join(filter(None, (claim.sprecher or "Bundestag", claim.datum)))
    return Source(claim.url, f"{said}: „{shorten(claim.aussage, 90)}“")


def _usable(sources: Iterable[Source]) -> tuple[Source, ...]:
    """Return sources with a web address: it may be missing or malformed in the data."""
    return tuple(item for item in sources if item.url.startswith(("https://", "http://")))
