"""The tools with what they read: sample record, handbook, and a person who declines pictures."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import httpx
from tabloop.agent.displays import Picture
from tabloop.agent.ports import Declined
from tabloop.agent.tools import Tool
from tabloop.contrib.httpx_transport import HttpxTransport
from tabloop.prompts import system_prompt
from tabloop.settings.site import SiteSettings
from tabloop.tools.bundestakt.api import BundestaktApi
from tabloop.tools.bundestakt.tool import bundestakt_tools
from tabloop.tools.images.tool import image_tools

from tests.quality.questions import Question
from tests.standins.sample_data import claims, sitzungen
from tests.unit.site_pages import Site

__all__ = ["NOW", "Declining", "prompt_for", "tools_for"]

NOW = datetime(2026, 11, 27, 18, 0, tzinfo=timezone(timedelta(hours=1)))
ZONE = "Europe/Berlin"
API = "https://bundestakt.test/api/v1"
BUILT = Path(__file__).parents[1] / "sites" / "built"
INDEX = "/search/search_index.json"
SITES = {
    "bundestag": SiteSettings(),
    "museum": SiteSettings(
        name="Harbour museum",
        bundestakt=False,
        instructions="Answer questions about the museum from its pages, which are in English and "
        "German: search in the language of the question.",
    ),
}
DOCUMENTS: Mapping[str, Callable[[], Any]] = {"/sitzungen": sitzungen, "/claims": claims}


class Declining:
    """A person who declines everything that needs a confirmation."""

    async def decide(self, tool: Tool, arguments: Mapping[str, Any]) -> Declined:
        """Decline, whatever it is."""
        del tool, arguments
        return Declined()


class _NoPictures:
    async def generate(self, prompt: str, size: str) -> Picture:
        raise AssertionError(f"a declined picture was made: {prompt}, {size}")


def prompt_for(question: Question) -> str:
    """Return the instructions that the page would send with the question."""
    return system_prompt(NOW, ZONE, SITES[question.site])


def tools_for(question: Question) -> tuple[Tool, ...]:
    """Return the tools that the page would offer for the question."""
    if question.site == "museum":
        files = {_address(path): path.read_bytes() for path in (BUILT / "pages").glob("*.html")}
        index = {INDEX: (BUILT / "mkdocs.json").read_bytes()}
        return Site({**files, **index}, search=INDEX).tools
    client = httpx.AsyncClient(transport=httpx.MockTransport(_record))
    api = BundestaktApi(HttpxTransport(client), API)
    return (*bundestakt_tools(api), *image_tools(_NoPictures()))


def _address(page: Path) -> str:
    language, _, name = page.stem.partition("-")
    return f"/{language}/{name}/"


def _record(request: httpx.Request) -> httpx.Response:
    document = DOCUMENTS.get(request.url.path.removeprefix("/api/v1"))
    return httpx.Response(200, json=document()) if document else httpx.Response(404)
