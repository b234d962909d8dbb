"""What the site's tools need of a browser.

Rule: only the browser decides what an address means, and what the name of a charset means.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

__all__ = ["PageText", "Passage", "Section", "SitePort"]


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the Markdown below it, until the next heading of any level.

    `level` is 1 to 6; 0 for what stands before the first heading. `anchor` may be blank.
    """

    level: int
    title: str
    anchor: str
    text: str


@dataclass(frozen=True, slots=True)
class PageText:
    """A page without navigation, scripts and links to other origins."""

    title: str
    sections: tuple[Section, ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of the site with its own address, as an index names it.

    `section` is blank for a whole page. `text` is what the page says; if it is blank, only the page
    itself can be quoted. `words` are searched, but never shown.
    """

    title: str
    section: str
    url: str
    text: str
    words: str = ""


class SitePort(Protocol):
    """The browser's part: addresses, HTML, and the scripts of Pagefind."""

    async def resolve(self, addresses: Sequence[str], base: str = "") -> list[str]:
        """Return each address as an absolute one; blank if it is not of the page's own origin.

        `base` is an absolute address; without it they are relative to the page.
        """
        ...

    async def decoded(self, body: bytes, charset: str) -> str:
        """Return the text in a charset of the web, by any of its names; an unknown one is UTF-8.

        What cannot be decoded becomes U+FFFD; a BOM is left out.
        """
        ...

    async def page(self, html: str, url: str) -> PageText:
        """Return the text of a page, without running or loading anything of it."""
        ...

    async def pagefind(self, bundle: str, query: str) -> list[Passage]:
        """Return what Pagefind finds, best first. Raises `ToolError` if it cannot be loaded."""
        ...
