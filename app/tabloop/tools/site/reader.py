"""Loads files and pages of the page's own origin. Rule: only addresses that were named are read."""

import codecs
import re
from contextlib import suppress

from tabloop.agent.errors import ToolError
from tabloop.core.german_text import shorten
from tabloop.core.http import MAX_BODY, HttpRequest, Transport, TransportError, send
from tabloop.tools.site.ports import PageText, Section, SitePort

__all__ = ["MAX_PAGE", "SiteReader", "markdown_page"]

MAX_PAGE = 2_000_000  # bytes of a page; its text is a small part of them
TIMEOUT = 30.0  # seconds
_FOLDER = re.compile(r"/[^/.?]+$")
# Each character is read once, also in a line of a megabyte: a link begins at its last "[".
_HEADING = re.compile(r"(#{1,6})[ \t]+(.*)")
_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\([^)\[\n]*\)")
_DECLARATION = re.compile(rb"<(?:meta|\?xml)\b[^<>]*>", re.IGNORECASE)
_DECLARED_WITHIN = 1024  # bytes, as in the HTML standard
_NAMED = re.compile(
    r"(?:charset|encoding)\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.ASCII | re.IGNORECASE
)
# Charsets of the web as Python calls them; its other codecs are not for pages.
_CHARSET = re.compile(
    r"utf-(8|16(-[lb]e)?)|iso8859-\d+|cp(125\d|866|874|932|949)|koi8-[ru]|mac-(roman|cyrillic)"
    r"|gb18030|big5|euc_jp|iso2022_jp"
)
# what browsers read such a page as, because pages use more characters than the charset has
_LARGER = {
    **{"ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "gb2312": "gb18030"},
    **{"gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949"},
}


class SiteReader:
    """Pages are kept as long as the tab is open. `named` holds the addresses that may be read."""

    def __init__(self, transport: Transport, port: SitePort) -> None:
        self.port = port
        self.named = set[str]()
        self._transport = transport
        self._pages: dict[str, PageText] = {}

    async def own_setting(self, name: str, address: str) -> str:
        """Return a setting's absolute address. Raises `ToolError` if it has another origin."""
        [own] = await self.port.resolve([address])
        if not own:
            reason = f"The setting {name} ({shorten(address, 80)}) is no address of this origin."
            raise ToolError("fetch_failed", reason)
        return own

    async def text(self, url: str, what: str, limit: int = MAX_BODY) -> tuple[str, str]:
        """Return a file's text and its media type.

        Raises:
            ToolError: Its reason begins with `what` and the address; a redirect is not followed.
        """
        request = HttpRequest(url, timeout=TIMEOUT, same_origin=True)
        try:
            response = await send(self._transport, request)
        except TransportError as error:
            reason = f"{what} {url} gave no answer, or a redirect, which is not followed"
            raise ToolError("fetch_failed", f"{reason} ({error.kind}).") from error
        if response.status != 200:
            raise ToolError("fetch_failed", f"{what} {url} answered with status {response.status}.")
        if len(response.body) >= min(limit, MAX_BODY):
            raise ToolError(
                "invalid_response", f"{what} {url} is too large: {limit // 1_000_000} MB at most."
            )
        kind = response.headers.get("content-type", "")
        return _decoded(response.body, kind), kind.partition(";")[0].strip().lower()

    async def page(self, url: str) -> PageText:
        """Return the page at an address without an anchor. Raises `ToolError`."""
        if url not in self._pages:
            try:
                self._pages[url] = await self._read(url)
            except ToolError as error:  # other pages can still be read
                raise ToolError(error.code, error.reason, recoverable=True) from error
        return self._pages[url]

    async def _read(self, url: str) -> PageText:
        try:
            return await self._read_at(url)
        except ToolError as error:
            # Many hosts redirect the address of a folder to the one with a slash. Others show a
            # file at its address without ".html" (Docusaurus with `trailingSlash: false`).
            if error.code == "fetch_failed" and _FOLDER.search(url):
                for ending in ("/", ".html"):
                    with suppress(ToolError):
                        return await self._read_at(url + ending)
            raise

    async def _read_at(self, url: str) -> PageText:
        text, kind = await self.text(url, "The page", MAX_PAGE)
        if kind in ("text/html", "application/xhtml+xml", ""):
            return await self.port.page(text, url)
        if kind.startswith("text/"):
            return markdown_page(text)
        raise ToolError("invalid_response", f"The page {url} is no text ({kind}).")


def _decoded(body: bytes, content_type: str) -> str:
    """Return a file's text: UTF-8, or in the charset that its BOM, media type or HTML names.

    What cannot be decoded becomes U+FFFD.
    """
    charset = _codec(content_type)
    if not charset and (start := body[:_DECLARED_WITHIN].lstrip()).startswith(b"<"):
        charset = _codec(b"".join(_DECLARATION.findall(start)).decode("ascii", "replace"))
        if charset.startswith("utf-16"):  # then the tag could not have been read
            charset = ""
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        charset = "utf-16"
    if not charset.startswith(("utf-16", "iso2022")):
        # some hosts name one charset for all files, and no other one looks like UTF-8 by chance
        with suppress(UnicodeDecodeError):
            return body.decode("utf-8-sig")
    return body.decode(charset or "utf-8", "replace").removeprefix("\ufeff")


def _codec(text: str) -> str:
    """Return Python's name of the charset that the text names; blank if it is none of the web."""
    named = _NAMED.search(text)
    try:
        name = codecs.lookup(named[1]).name if named else ""
    except LookupError:
        return ""
    name = _LARGER.get(name, name)
    return name if _CHARSET.fullmatch(name) else ""


def markdown_page(text: str) -> PageText:
    """Return a page that is Markdown or plain text. Links become their text."""
    sections, lines = list[Section](), list[str]()
    level, title, fenced = 0, "", False

    def end() -> None:
        body = _LINK.sub(r"\1", "\n".join(lines)).strip()
        if level or body:
            sections.append(Section(level, title, "", body))
        lines.clear()

    for line in text.splitlines():
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        heading = None if fenced else _HEADING.match(line)
        if heading:
            end()
            level, title = len(heading[1]), heading[2].rstrip(" \t#")
        else:
            lines.append(line)
    end()
    first = next((section.title for section in sections if section.level), "")
    return PageText(first, tuple(sections))
