"""The browser's part of the site's tools, by app/js/site.js, which is loaded when a tool is used.

Rule: every function that Python calls there is declared here; test_scripts.py compares the names.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, Protocol, cast

from tabloop.agent.errors import ToolError
from tabloop.agent.tools import Tool
from tabloop.browser.bridge import bridge, fault_of
from tabloop.browser.page_files import FileError, page_module
from tabloop.browser.transport import BrowserTransport
from tabloop.browser.web import JsException, js_array
from tabloop.core.json_text import as_list, as_object, as_text, compact, read_json
from tabloop.tools.site.ports import PageText, Passage, Section
from tabloop.tools.site.tool import site_tools

__all__ = ["SitePages", "SiteScripts", "own_tools"]

TIMEOUT = 30.0  # seconds for a search; Pagefind never answers if some of its files are missing


def own_tools(search: str, pages: str) -> tuple[Tool, ...]:
    """Return the tools for the pages of this origin; the addresses are the owner's settings."""
    return site_tools(BrowserTransport(), SitePages(), search=search, pages=pages)


class SiteScripts(Protocol):
    """The exports of app/js/site.js, which has longer comments. Objects are JSON."""

    def resolveAll(self, addresses: str, base: str) -> str:
        """Return each address of a list as an absolute one of this origin, or blank."""
        ...

    def decoded(self, body: Any, charset: str) -> str:
        """Return the text in a charset of the web."""
        ...

    def readPage(self, html: str, url: str) -> str:
        """Return `{title, sections: [{level, title, anchor, text}]}` of a page."""
        ...

    async def pagefind(self, bundle: str, query: str) -> str:
        """Return `[{title, section, url, text}]`, the best first. Raises `JsException`.

        Only one at a time.
        """
        ...


class SitePages:
    """The port of the site's tools."""

    def __init__(self) -> None:
        self._module: Any = None
        self._searching = asyncio.Lock()

    async def resolve(self, addresses: Sequence[str], base: str = "") -> list[str]:
        """See `SitePort`."""
        scripts = await self._scripts()
        given = read_json(scripts.resolveAll(compact([*addresses]), base))
        return [as_text(address) for address in as_list(given)]

    async def decoded(self, body: bytes, charset: str) -> str:
        """See `SitePort`."""
        scripts = await self._scripts()
        return scripts.decoded(js_array([body])[0], charset)

    async def page(self, html: str, url: str) -> PageText:
        """See `SitePort`."""
        scripts = await self._scripts()
        page = as_object(read_json(scripts.readPage(html, url)))
        sections = (as_object(section) for section in as_list(page.get("sections")))
        return PageText(
            as_text(page.get("title")),
            tuple(
                Section(
                    int(as_text(section.get("level"))),
                    *(as_text(section.get(key)) for key in ("title", "anchor", "text")),
                )
                for section in sections
            ),
        )

    async def pagefind(self, bundle: str, query: str) -> list[Passage]:
        """See `SitePort`."""
        await self._scripts()
        where = f"Pagefind at {bundle}pagefind.js"
        try:
            async with self._searching, asyncio.timeout(TIMEOUT):
                # the error of the bridge says which status the file has
                await bridge.importModule(f"{bundle}pagefind.js")
                found = str(await bridge.call(self._module, "pagefind", bundle, query))
        except TimeoutError:
            reason = f"{where} gave no answer within {TIMEOUT:.0f} seconds."
            raise ToolError("fetch_failed", reason) from None
        except JsException as error:
            reason = f"{where} failed: {fault_of(error).detail}"
            raise ToolError("fetch_failed", reason) from None
        hits = map(as_object, as_list(read_json(found)))
        names = ("title", "section", "url", "text")
        return [Passage(*(as_text(hit.get(name)) for name in names)) for hit in hits]

    async def _scripts(self) -> SiteScripts:
        if self._module is None:
            try:
                self._module = await page_module("site.js")
            except FileError as error:
                reason = f"{error.file} of this page could not be loaded: {error.reason}"
                raise ToolError("fetch_failed", reason) from None
        return cast("SiteScripts", self._module)
