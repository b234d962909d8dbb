"""Searches the site. Rule: what is found may be read afterwards, and nothing else."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from tabloop.agent.errors import ToolError
from tabloop.core.german_text import fold
from tabloop.tools.site.collection import Collection, page_passages
from tabloop.tools.site.ports import Passage
from tabloop.tools.site.ranking import Term, prepared, ranked, terms, words_of
from tabloop.tools.site.reader import SiteReader

__all__ = ["SiteSearch"]

MAX_HITS = 8
PER_PAGE = 2  # sections of one page
TO_QUOTE = 5  # pages that are read for one search, if the index has no text
MAX_SINGLE = 4  # words that are searched alone, if Pagefind finds no page with all


class SiteSearch:
    """`search` is Pagefind's folder (it ends with "/") or another index's address, or blank."""

    def __init__(self, reader: SiteReader, collection: Collection, search: str) -> None:
        self._reader = reader
        self._collection = collection
        self._bundle = search if search.endswith("/") else ""

    async def find(self, query: str) -> list[Passage]:
        """Return at most 8 passages with absolute addresses, the best first. Raises `ToolError`."""
        wanted = terms(query)
        if not wanted:
            raise ToolError("invalid_arguments", "The query has no words.")
        if self._bundle:
            found = await self._by_pagefind(words_of(query), wanted)
        else:
            found = _spread(await ranked(wanted, await self._collection.passages()))
            found = await self._quoted(found[: 2 * MAX_HITS], wanted)
        found = found[:MAX_HITS]
        self._reader.named |= {_page(one) for one in found}
        return found

    async def _by_pagefind(self, words: Sequence[str], wanted: Sequence[Term]) -> list[Passage]:
        """Return the pages in Pagefind's order, of each the sections with most of the words.

        Pagefind wants all words on one page. For a word that is nowhere it takes others that
        begin alike. So if no page has all words, they are searched alone and ranked here.
        """
        bundle = await self._reader.own_setting("search", self._bundle)
        port = self._reader.port
        found = await port.pagefind(bundle, " ".join(words))
        together = len(words) == 1 or _is_on_one_page(found, wanted)
        if not together:
            for word in words[:MAX_SINGLE]:
                found = [*found, *await port.pagefind(bundle, word)]
            found = list(dict.fromkeys(found))
        urls = await port.resolve([one.url for one in found], bundle)
        pairs = zip(found, urls, strict=True)
        own = [replace(one, url=url, text=_body(one)) for one, url in pairs if url]
        best = await ranked(wanted, await prepared(own)) or own
        if together:
            pages = list(dict.fromkeys(map(_page, own)))
            best = sorted(best, key=lambda one: pages.index(_page(one)))
        return _spread(best)

    async def _quoted(self, found: Sequence[Passage], wanted: Sequence[Term]) -> list[Passage]:
        """Replace passages without text by the best sections of their pages."""
        quoted, done = list[Passage](), set[str]()
        for one in found:
            page = _page(one)
            if one.text or (page not in done and len(done) >= TO_QUOTE):
                quoted.append(one)
            elif page not in done:
                done.add(page)
                quoted += await self._sections(one, wanted)
        return quoted

    async def _sections(self, one: Passage, wanted: Sequence[Term]) -> list[Passage]:
        try:
            page = await self._reader.page(_page(one))
        except ToolError:
            return [one]
        parts = page_passages(page, _page(one))
        return (await ranked(wanted, await prepared(parts)))[:PER_PAGE] or parts[:1] or [one]


def _is_on_one_page(found: Sequence[Passage], wanted: Sequence[Term]) -> bool:
    """Return whether one of the pages has all words."""
    pages = {_page(one): "" for one in found}
    for one in found:
        pages[_page(one)] += fold(f" {one.title} {one.section} {one.text}")
    return any(all(term.count(text) for term in wanted) for text in pages.values())


def _body(passage: Passage) -> str:
    """Return the text without its heading, with which Pagefind's excerpts begin."""
    return passage.text.removeprefix(f"{passage.section or passage.title}. ")


def _page(passage: Passage) -> str:
    return passage.url.partition("#")[0]


def _spread(found: Sequence[Passage]) -> list[Passage]:
    """Return each address once, and at most `PER_PAGE` sections of a page."""
    kept, often, seen = list[Passage](), Counter[str](), set[str]()
    for one in found:
        if one.url not in seen and often[_page(one)] < PER_PAGE:
            kept.append(one)
            often[_page(one)] += 1
            seen.add(one.url)
    return kept
