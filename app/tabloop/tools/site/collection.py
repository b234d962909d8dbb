"""The passages of the site, of an index or a list of pages.

Rule: they are loaded once for a tab, a failed load is tried again, and no piece of it is so large
that it blocks the page.
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace

from tabloop.agent.errors import ToolError
from tabloop.tools.site.indexes import LINK_SUFFIX, passages_of
from tabloop.tools.site.lists import listed_pages
from tabloop.tools.site.ports import PageText, Passage
from tabloop.tools.site.ranking import Prepared, in_pieces, prepared
from tabloop.tools.site.reader import SiteReader
from tabloop.tools.site.reading import section_url

__all__ = ["Collection", "page_passages"]

MAX_READ = 40  # pages of a list that are searched in full; of others only title and address
AT_ONCE = 6  # requests

_FOLDERS = re.compile(r"BUILDER:\s*['\"]dirhtml['\"]")
_LINK_SUFFIX = re.compile(r"LINK_SUFFIX:\s*['\"]([^'\"]*)['\"]")


class Collection:
    """`search` is the address of an index, `pages` that of a list; either may be blank."""

    def __init__(self, reader: SiteReader, search: str, pages: str) -> None:
        self._reader = reader
        self._search = search
        self._pages = pages
        self._lock = asyncio.Lock()
        self._listed: list[Passage] | None = None
        self._loaded: list[Prepared] | None = None

    async def passages(self) -> list[Prepared]:
        """Return the passages with absolute addresses. Raises `ToolError`."""
        async with self._lock:
            if self._loaded is None:
                found = await (self._indexed() if self._search else self._read())
                self._loaded = await prepared(found)
            return self._loaded

    async def name_listed(self) -> None:
        """Allow to read the pages of the list. Raises `ToolError`."""
        if self._pages:
            async with self._lock:
                await self._list()

    async def _indexed(self) -> list[Passage]:
        address = await self._reader.own_setting("search", self._search)
        text, _ = await self._reader.text(address, "The search index")
        suffix = await self._link_suffix(address) if "Search.setIndex" in text[:200] else ""
        passages = passages_of(text, address, suffix or LINK_SUFFIX)
        found = [one async for one in in_pieces(passages)]
        root = ".." if address.endswith("/search/search_index.json") else "."
        [base] = await self._reader.port.resolve([root], address)
        return await self._absolute(found, base)

    async def _link_suffix(self, address: str) -> str:
        """Return how the addresses of Sphinx's pages end; blank if its options are not there."""
        [options] = await self._reader.port.resolve(["_static/documentation_options.js"], address)
        try:
            text, _ = await self._reader.text(options, "Sphinx's options")
        except ToolError:
            return ""
        found = _LINK_SUFFIX.search(text)
        return "/" if _FOLDERS.search(text) else found[1] if found else ""

    async def _list(self) -> list[Passage]:
        if self._listed is None:
            address = await self._reader.own_setting("pages", self._pages)
            text, _ = await self._reader.text(address, "The list of pages")
            self._listed = await self._absolute(listed_pages(text, address), address)
            if not self._listed:
                raise ToolError(
                    "invalid_response", f"The list {address} names no page of this site's origin."
                )
            self._reader.named |= {one.url for one in self._listed}
        return self._listed

    async def _read(self) -> list[Passage]:
        """Return the sections of the listed pages, if they are few; else the pages as listed."""
        listed, free = await self._list(), asyncio.Semaphore(AT_ONCE)
        if len(listed) > MAX_READ:
            return listed

        async def sections(one: Passage) -> list[Passage]:
            async with free:
                try:
                    page = await self._reader.page(one.url)
                except ToolError:
                    return [one]  # it can be found by its title, and get_page says what is wrong
            return [replace(part, words=one.words) for part in page_passages(page, one.url)]

        return [part for found in await asyncio.gather(*map(sections, listed)) for part in found]

    async def _absolute(self, passages: Sequence[Passage], base: str) -> list[Passage]:
        """Return the passages of this origin, each address once for a section."""
        urls = await self._reader.port.resolve([one.url for one in passages], base)
        pairs = zip(passages, urls, strict=True)
        return [replace(one, url=url) for one, url in pairs if url]


def page_passages(page: PageText, url: str) -> list[Passage]:
    """Return the sections of a page that have a text or a title."""
    found = list[Passage]()
    for section in page.sections:
        below = section.level > 1 or bool(found)
        name, anchor = (section.title, section.anchor) if below else ("", "")
        found.append(Passage(page.title, name, section_url(url, anchor), section.text))
    return found
