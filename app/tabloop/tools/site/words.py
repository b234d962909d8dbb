"""Texts about the site's tools, in both languages."""

from collections.abc import Mapping
from typing import Any

from tabloop.agent.presentation import Line, Presentation, counted
from tabloop.core.phrases import Phrase

__all__ = ["PAGE", "PAGE_BRIEF", "SEARCH", "SEARCH_BRIEF", "STOP_WORDS"]

SEARCH_BRIEF = (
    "Search the pages of this site by one to four words. Example: "
    '{"name": "search_site", "arguments": {"query": "opening hours"}}'
)
PAGE_BRIEF = (
    "Read a page that search_site has found. Example: "
    '{"name": "get_page", "arguments": {"url": "the url of a hit"}}'
)

CAPABILITY = Phrase(
    "Search and read the pages of this site", "Die Seiten dieser Website durchsuchen und lesen"
)
_SECTION = Phrase("“{section}” on the page {path}", "„{section}“ auf der Seite {path}")
_WHOLE = Phrase("page {path}", "Seite {path}")


def _page_step(given: Mapping[str, Any]) -> Line:
    """Return the path: the host is that of the page in front of the person."""
    url = str(given.get("url") or "")
    path = "/" + url.partition("://")[2].partition("/")[2] if "://" in url else url
    return Line(_SECTION if given.get("section") else _WHOLE, {**given, "path": path})


SEARCH = Presentation(
    title=Phrase("pages of this site", "Seiten dieser Website"),
    step=Phrase("pages on “{query}”", "Seiten zu „{query}“"),
    summary=counted(
        "hits", Phrase(("{n} passage", "{n} passages"), ("{n} Fundstelle", "{n} Fundstellen"))
    ),
    capability=CAPABILITY,
    search_argument="query",
)
PAGE = Presentation(
    title=Phrase("page of this site", "Seite dieser Website"),
    step=_page_step,
    summary=(Phrase("“{title}”", "„{title}“"),),
    capability=CAPABILITY,
)

# folded words of a question that say nothing about a page
STOP_WORDS = frozenset(
    "a an the of to in on at for from with and or not is are was be do does did can could i you "  # noqa: SIM905 -- a list of words
    "we it my me your our their there this that these those what when where which who how why "
    "much many get have has need about der die das den dem des ein eine einen einem einer eines "
    "und  oder ist sind war wird werden kann koennen muss darf ich du sie er es wir ihr man "
    "mich mir mein  im am zum zur von vom zu bei mit fuer auf aus an als wie was wann wo wer "
    "wen wem welche welcher  welches wieviel viel viele gibt habe haben hat ueber nach auch "
    "nicht euch habt seid uns dir dich bitte please us".split()
)
