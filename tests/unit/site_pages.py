"""A site for the tools on its pages: files by path, and a browser's part in plain Python."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from tabloop.agent.errors import ToolError
from tabloop.agent.results import success
from tabloop.agent.tools import Source, Tool, ToolOutput
from tabloop.core.http import HttpRequest, HttpResponse, Streaming, Transport
from tabloop.core.json_text import as_object, read_json
from tabloop.tools.site.ports import PageText, Passage, Section
from tabloop.tools.site.tool import site_tools

from tests.unit.fake_transport import FakeTransport, answer

__all__ = ["ORIGIN", "FakeBrowser", "Site", "SiteFiles"]

ORIGIN = "https://museum.test"
TYPES = {".html": "text/html", ".md": "text/markdown", ".json": "application/json"}


class _Reader(HTMLParser):
    """Headings and text of a page; the real reader (app/js/site.js) does much more."""

    def __init__(self) -> None:
        super().__init__()
        self.sections: list[Section] = []
        self.title = ""
        self._heading: tuple[int, str] | None = None
        self._hidden = 0
        self._current, self._lines = (0, "", ""), list[str]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in ("script", "nav")
        if len(tag) == 2 and tag[0] == "h" and tag[1].isdigit():
            self.end()
            self._heading, self._lines = (int(tag[1]), dict(attrs).get("id") or ""), []

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in ("script", "nav")
        if self._heading and tag == f"h{self._heading[0]}":
            text = " ".join("".join(self._lines).split())
            self._current, self._lines = (self._heading[0], text, self._heading[1]), []
            self._heading = None
        elif tag == "title":
            self.title, self._lines = "".join(self._lines).strip(), []

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self._lines.append(data)

    def end(self) -> None:
        text = " ".join("".join(self._lines).split())
        if self._current[0] or text:
            level, title, anchor = self._current
            self.sections.append(Section(level, title, anchor, text))
        self._lines = []


@dataclass
class FakeBrowser:
    """Stands on `ORIGIN`. `found` is what Pagefind finds, by query."""

    found: Mapping[str, list[Passage]] = field(default_factory=dict[str, list[Passage]])
    queries: list[str] = field(default_factory=list[str])

    async def resolve(self, addresses: Sequence[str], base: str = "") -> list[str]:
        return [self._resolve(address, base or f"{ORIGIN}/assistant/") for address in addresses]

    @staticmethod
    def _resolve(address: str, base: str) -> str:
        plain = address.translate(str.maketrans("\\", "/", "\t\n\r")).strip()
        try:
            url = urljoin(base, plain)
        except ValueError:  # "A://[": a browser finds no address in it either
            return ""
        return url if url.startswith(f"{ORIGIN}/") else ""

    async def decoded(self, body: bytes, charset: str) -> str:
        try:
            return body.decode(charset, "replace").removeprefix("\ufeff")
        except LookupError:
            return body.decode("utf-8", "replace")

    async def page(self, html: str, url: str) -> PageText:
        reader = _Reader()
        reader.feed(html)
        reader.end()
        first = next((section.title for section in reader.sections if section.level), "")
        return PageText(first or reader.title or url, tuple(reader.sections))

    async def pagefind(self, bundle: str, query: str) -> list[Passage]:
        self.queries.append(query)
        return list(self.found.get(query, ()))


@dataclass
class SiteFiles(Transport):
    """Serves files by path, 404 for all others; `asked` holds the paths in order."""

    files: dict[str, bytes | str | HttpResponse | Exception]
    asked: list[str] = field(default_factory=list[str])

    def stream(self, request: HttpRequest) -> AbstractAsyncContextManager[Streaming]:
        return self._stream(request)

    @asynccontextmanager
    async def _stream(self, request: HttpRequest) -> AsyncGenerator[Streaming, None]:
        assert request.same_origin
        assert request.url.startswith(f"{ORIGIN}/")
        path = unquote(urlsplit(request.url).path)
        self.asked.append(path)
        body = self.files.get(path)
        if isinstance(body, Exception):
            raise body
        ending = path[path.rfind(".") :] if "." in path else ".html"
        headers = {"content-type": f"{TYPES.get(ending, 'text/plain')}; charset=utf-8"}
        given = body if isinstance(body, HttpResponse) else answer(body, 200, headers)
        if body is None:
            given = answer("<h1>404</h1>", 404)
        async with FakeTransport([given]).stream(request) as response:
            yield response


class Site:
    """Both tools over a site's files."""

    def __init__(
        self,
        files: Mapping[str, bytes | str | HttpResponse | Exception],
        *,
        search: str = "",
        pages: str = "",
        browser: FakeBrowser | None = None,
    ) -> None:
        self.files = SiteFiles(dict(files))
        self.browser = browser or FakeBrowser()
        self.tools = site_tools(self.files, self.browser, search=search, pages=pages)
        self.sources: tuple[Source, ...] = ()

    async def find(self, query: str) -> list[dict[str, Any]]:
        """The hits for a query."""
        return (await self._call(self.tools[0], query=query))["hits"]

    async def paths(self, query: str) -> list[str]:
        """The addresses of the hits, without the origin."""
        return [hit["url"].removeprefix(ORIGIN) for hit in await self.find(query)]

    async def read(self, url: str, **arguments: object) -> dict[str, Any]:
        """The result of get_page."""
        return await self._call(self.tools[1], url=url, **arguments)

    async def _call(self, tool: Tool, **arguments: object) -> Any:
        output = await tool.run(tool.validate(arguments))
        assert isinstance(output, ToolOutput)
        self.sources = output.sources
        content = success(output).content
        assert tool.name != "search_site" or len(content.encode()) <= 6_000
        return as_object(read_json(content))

    async def refused(self, tool: int, **arguments: object) -> ToolError:
        """The error of a call that must fail."""
        try:
            await self._call(self.tools[tool], **arguments)
        except ToolError as error:
            return error
        raise AssertionError("the call was not refused")
