"""Bundestakt's API and the pages it links to. Rule: all links of records lead to this server."""

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from aiohttp import web

from tests.standins.base import StandIn
from tests.standins.recording import json_bytes
from tests.standins.sample_data import claims, sitzungen
from tests.standins.sample_pages import index_page, not_found_page, sitzung_page
from tests.standins.sample_words import Record
from tests.standins.toml_overlay import TomlValue

__all__ = ["Bundestakt"]

API = "/api/v1"


@dataclass(frozen=True, slots=True)
class _Document:
    plain: bytes
    zipped: bytes
    etag: str


class Bundestakt(StandIn):
    """`/api/v1/sitzungen` and `/api/v1/claims`, free, without a key, for every origin."""

    name = "Bundestakt stand-in"
    description = "sample sessions and fact-checks, all invented"

    def __init__(self) -> None:
        super().__init__()
        self._documents: dict[str, _Document] = {}
        self._sessions: dict[str, Record] = {}
        self._claims: dict[str, list[Record]] = {}

    def settings(self) -> Mapping[str, TomlValue]:
        return {"bundestakt_url": f"{self.url}{API}"}

    def routes(self, router: web.UrlDispatcher) -> None:
        router.add_get(f"{API}/{{name}}", self._document)
        router.add_get("/sitzung/{slug}", self._sitzung)
        router.add_get("/methodik", self._index)
        router.add_get("/", self._index)

    async def started(self) -> None:
        documents = {"sitzungen": sitzungen(self.url), "claims": claims(self.url)}
        self._documents = {name: _packed(value) for name, value in documents.items()}
        self._sessions = {item["slug"]: item for item in documents["sitzungen"]["sitzungen"]}
        self._claims = {slug: [] for slug in self._sessions}
        for claim in documents["claims"]["claims"]:
            slug = claim["url"].rpartition("/")[2].partition("#")[0]
            self._claims[slug].append(claim)

    async def _document(self, request: web.Request) -> web.Response:
        document = self._documents.get(request.match_info["name"])
        if document is None:
            raise web.HTTPNotFound
        headers = {
            "Cache-Control": "public, max-age=3600",
            "ETag": document.etag,
            "Vary": "Accept-Encoding",
        }
        if document.etag in request.headers.get("If-None-Match", ""):
            return web.Response(status=304, headers=headers)
        headers["Content-Type"] = "application/json"
        if "gzip" not in request.headers.get("Accept-Encoding", ""):
            return web.Response(body=document.plain, headers=headers)
        headers["Content-Encoding"] = "gzip"
        return web.Response(body=document.zipped, headers=headers)

    async def _sitzung(self, request: web.Request) -> web.Response:
        slug = request.match_info["slug"]
        session = self._sessions.get(slug)
        if session is None:
            return _html(not_found_page(), status=404)
        return _html(sitzung_page(session, self._claims[slug]))

    async def _index(self, _request: web.Request) -> web.Response:
        return _html(index_page(list(self._sessions.values())))


def _html(text: str, status: int = 200) -> web.Response:
    return web.Response(text=text, status=status, content_type="text/html")


def _packed(value: Record) -> _Document:
    plain = json_bytes(value)
    etag = f'"{hashlib.sha256(plain).hexdigest()[:16]}"'
    return _Document(plain, gzip.compress(plain, 6, mtime=0), etag)
