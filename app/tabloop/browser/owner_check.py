"""`?check`: the site's owner sees what works and what to mend. Rule: no question is paid for."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

from tabloop.browser.late_modules import late_modules
from tabloop.browser.markup import set_html
from tabloop.browser.shell import shell
from tabloop.browser.web import document, window
from tabloop.core.http import HttpRequest, Transport, TransportError
from tabloop.endpoint.check import CheckStep, check_endpoint
from tabloop.settings import Settings, SettingsError
from tabloop.ui.endpoint import check_html
from tabloop.ui.owner_check import (
    Finding,
    Part,
    ShippedFile,
    check_page,
    fault_finding,
    file_findings,
    index_findings,
    missing_finding,
    search_file,
    service_finding,
    settings_findings,
)
from tabloop.ui.strings import Strings

__all__ = ["OwnerCheck", "open_check", "show_fault"]

TIMEOUT = 15.0  # seconds for each address
# files that come with each start, and the types that browsers want
TYPES = {
    "pyodide/pyodide.asm.wasm": "application/wasm",
    "pyodide/pyodide.asm.js": "text/javascript",
}


class OwnerCheck:
    """Fills a section at the top of the page, part by part."""

    def __init__(self, strings: Strings, transport: Transport, settings: Settings) -> None:
        self._strings = strings
        self._transport = transport
        self._settings = settings
        self._parts: list[Part] = []

    async def run(self) -> None:
        """Check everything; the section is there at once."""
        self._section = _section(self._strings)
        notes = [str(note) for note in shell.notes()]
        self._show("settings", *settings_findings(self._strings, self._settings.problems, notes))
        self._show("host", *[finding async for finding in self._host()])
        self._show("services", *[finding async for finding in self._services()])
        if self._settings.llm_url:
            await self._endpoint()

    def _show(self, name: str, *findings: Finding) -> None:
        self._parts.append(Part(self._strings(f"ownerCheck.{name}"), findings))
        set_html(self._section, check_page(self._strings, self._parts))

    async def _host(self) -> AsyncIterator[Finding]:
        for entry, wanted in _loaded():
            answer = await self._asked(entry.name)
            kind = answer[1].get("content-type", "") if answer else ""
            if kind.startswith("application/javascript"):
                kind = kind.replace("application", "text")
            name = entry.name.rpartition("/")[2]
            sent = entry.encodedBodySize if entry.transferSize > entry.encodedBodySize else 0
            file = ShippedFile(name, kind, wanted, sent, entry.decodedBodySize)
            for finding in file_findings(self._strings, file):
                yield finding
        if index := await self._asked(document.baseURI):
            secure = bool(window.isSecureContext)
            for finding in index_findings(self._strings, index[1], secure=secure):
                yield finding
        missing = await self._asked(_beside("no-such-file.json"))
        yield missing_finding(self._strings, missing[0] if missing else 0)

    async def _services(self) -> AsyncIterator[Finding]:
        site = self._settings.site
        asked = {
            "bundestakt_url": f"{self._settings.bundestakt_url}/sitzungen"
            if site.bundestakt
            else "",
            "image_url": self._settings.llm_url
            and self._settings.image_url
            and f"{self._settings.image_url}/openapi.json",
            "analytics_url": self._settings.analytics_url
            and f"{self._settings.analytics_url}/stats",
            "site.search": site.search and _beside(search_file(site.search)),
            "site.pages": site.pages and _beside(site.pages),
        }
        if not (self._settings.llm_url or site.search or site.pages or site.bundestakt):
            yield Finding("failed", self._strings("ownerCheck.nothing"))
        for setting, address in asked.items():
            if not address:
                continue
            answer = await self._asked(address, "GET")
            status = answer[0] if answer else None
            origin = str(window.location.origin)
            yield service_finding(self._strings, setting, address, status, origin)

    async def _endpoint(self) -> None:
        title, model = self._strings("ownerCheck.endpoint"), self._settings.llm_model
        self._parts.append(Part(title))
        steps: list[CheckStep] = []
        async for step in check_endpoint(
            self._transport, url=self._settings.llm_url, model=model, key=""
        ):
            steps.append(step)
            needed = not self._settings.site.start_with_search
            html = check_html(self._strings, steps, model=model, needed=needed)
            self._parts[-1] = Part(title, html=html)
            set_html(self._section, check_page(self._strings, self._parts))

    async def _asked(self, url: str, method: str = "HEAD") -> tuple[int, dict[str, str]] | None:
        """Return status and headers, None if nothing can be read."""
        try:
            request = HttpRequest(url, method=method, timeout=TIMEOUT)
            async with self._transport.stream(request) as response:
                headers = {name.lower(): value for name, value in response.headers.items()}
                return response.status, headers
        except TransportError:
            return None


def _loaded() -> Iterator[tuple[Any, str]]:
    """Yield how the browser loaded the files in `TYPES`, each with its type."""
    for entry in window.performance.getEntriesByType("resource"):
        for name, wanted in TYPES.items():
            if entry.name.endswith(name):
                yield entry, wanted


def _section(strings: Strings) -> Any:
    section = document.createElement("section")
    section.id = "owner-check"
    section.setAttribute("aria-label", strings("ownerCheck.title"))
    document.getElementById("welcome").before(section)
    return section


def show_fault(strings: Strings, fault: SettingsError) -> None:
    """Show the one finding of a page that its settings keep from starting."""
    part = Part(strings("ownerCheck.settings"), [fault_finding(strings, fault)])
    set_html(_section(strings), check_page(strings, [part]))


def _beside(address: str) -> str:
    return str(window.URL.new(address, document.baseURI).href)


async def open_check(strings: Strings, transport: Transport, settings: Settings) -> None:
    """Run the check once its modules are there."""
    if await late_modules():
        await OwnerCheck(strings, transport, settings).run()
