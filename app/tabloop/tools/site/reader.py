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
_NO_TYPE = ("", "application/octet-stream", "binary/octet-stream")
_FOLDER = re.compile(r"/[^/.?]+$")
# Each character is read once, also in a line of a megabyte: a link begins at its last "[".
_HEADING = re.compile(r"(#{1,6})[ \t]+(.*)")
_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\([^)\[\n]*\)")
_DECLARATION = re.compile(rb"<(?:meta|\?xml)\b[^<>]*>", re.IGNORECASE)
_DECLARED_WITHIN = 1024  # bytes, as in the HTML standard
_NAMED = re.compile(
    r"(?:charset|encoding)\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.ASCII | re.IGNORECASE
)
# charsets whose text may be valid UTF-8
_LIKE_UTF8 = re.compile(r"utf-?16|ucs-?2|2022", re.IGNORECASE)
UNNAMED = "windows-1252"  # of a page that names none, in most browsers


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
        return await self._decoded(response.body, kind), kind.partition(";")[0].strip().lower()

    async def _decoded(self, body: bytes, content_type: str) -> str:
        charset = _charset(body, content_type)
        if not _LIKE_UTF8.search(charset):
            # some hosts name one charset for all files, and no other one looks like UTF-8 by chance
            with suppress(UnicodeDecodeError):
                return body.decode("utf-8-sig")
        return await self.port.decoded(body, charset)

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
            reason = error.__cause__
            slow = isinstance(reason, TransportError) and reason.kind == "timeout"
            if error.code == "fetch_failed" and not slow and _FOLDER.search(url):
                for ending in ("/", ".html"):
                    with suppress(ToolError):
                        return await self._read_at(url + ending)
            raise

    async def _read_at(self, url: str) -> PageText:
        text, kind = await self.text(url, "The page", MAX_PAGE)
        if kind in _NO_TYPE and url.endswith((".md", ".txt")):  # many hosts do not know ".md"
            return markdown_page(text)
        if kind in ("text/html", "application/xhtml+xml", ""):
            return await self.port.page(text, url)
        if kind.startswith("text/"):
            return markdown_page(text)
        raise ToolError("invalid_response", f"The page {url} is no text ({kind}).")


def _charset(body: bytes, content_type: str) -> str:
    """Return the charset that a file's BOM, media type or HTML names, else the one to guess."""
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16le" if body.startswith(codecs.BOM_UTF16_LE) else "utf-16be"
    if named := _NAMED.search(content_type):
        return named[1]
    if not (start := body[:_DECLARED_WITHIN].lstrip()).startswith(b"<"):
        return "utf-8"
    named = _NAMED.search(b"".join(_DECLARATION.findall(start)).decode("ascii", "replace"))
    if named and named[1].lower().startswith("utf-16"):  # then the tag could not have been read
        return "utf-8"
    return named[1] if named else UNNAMED


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
