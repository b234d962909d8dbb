"""Serves `dist/` like a static host. Rule: it never writes to `dist/`."""

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from aiohttp import web

from tests.standins.base import StandIn
from tests.standins.toml_overlay import TomlValue, overlay

__all__ = ["StaticSite"]

SETTINGS_FILE = "pyscript.toml"
FIRST_SCRIPT = "first.js"  # no file of dist has this name
TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".ico": "image/x-icon",
    ".js": "text/javascript",
    ".json": "application/json",
    ".map": "application/json",
    ".md": "text/markdown",
    ".mjs": "text/javascript",
    ".png": "image/png",
    ".py": "text/x-python",
    ".svg": "image/svg+xml",
    ".toml": "application/toml",
    ".txt": "text/plain",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
    ".zip": "application/zip",
}
TEXT = frozenset({".css", ".html", ".js", ".md", ".mjs", ".py", ".toml", ".txt"})
COMPRESSED = TEXT | {".json", ".map", ".svg", ".wasm", ".webmanifest"}  # as most hosts do
ENCODINGS = {".br": "br", ".gz": "gzip"}  # the smaller one first


@dataclass(slots=True)
class _File:
    stamp: tuple[int, int]
    body: bytes
    etag: str
    zipped: bytes | None = field(default=None)


class StaticSite(StandIn):
    """The folder `dist` below `prefix` ("/" or "/some/where/"), without CORS headers.

    `overlaid` are changed settings of the page (see `toml_overlay`). `first_script` is a script
    that runs before all others, like one of a browser extension. Both take effect at once.
    `compress`: send the usual types gzipped to clients that accept it. `precompressed`: send the
    `.br` or `.gz` file beside a file to clients that accept it, as `gzip_static` of nginx does.
    """

    name = "page"
    cors = False

    def __init__(self, dist: Path, prefix: str = "/", *, compress: bool = False) -> None:
        super().__init__()
        if not (dist / "index.html").is_file():
            raise FileNotFoundError(f"{dist} holds no index.html; build the page first")
        self.overlaid: Mapping[str, TomlValue] = {}
        self.first_script = b""
        self.precompressed = False
        self._root = dist.resolve()
        self._prefix = f"/{prefix.strip('/')}/".replace("//", "/")
        self._compress = compress
        self._files: dict[Path, _File] = {}

    @property
    def page_url(self) -> str:
        """The address to open."""
        return self.url + self._prefix

    def routes(self, router: web.UrlDispatcher) -> None:
        if self._prefix != "/":
            router.add_get(self._prefix.rstrip("/"), self._add_slash)
        router.add_get(f"{self._prefix}{{path:.*}}", self._file)

    def error(self, status: int, message: str) -> web.Response:
        text = f"<h1>{status} {message}</h1>\n"
        return web.Response(text=text, status=status, content_type="text/html")

    async def _add_slash(self, _request: web.Request) -> web.Response:
        raise web.HTTPMovedPermanently(self._prefix)

    async def _file(self, request: web.Request) -> web.Response:
        if request.match_info["path"] == FIRST_SCRIPT and self.first_script:
            return web.Response(body=self.first_script, content_type="text/javascript")
        path = self._path(request)
        file = self._read(path)
        headers = {"Cache-Control": "no-cache", "ETag": file.etag}
        if file.etag in request.headers.get("If-None-Match", ""):
            return web.Response(status=304, headers=headers)
        headers["Content-Type"] = _content_type(path)
        body = file.body
        for suffix, encoding in ENCODINGS.items() if self.precompressed else ():
            beside = path.with_name(path.name + suffix)
            if beside.is_file():
                headers["Vary"] = "Accept-Encoding"
                if encoding in request.headers.get("Accept-Encoding", ""):
                    headers["Content-Encoding"] = encoding
                    return web.Response(body=self._read(beside).body, headers=headers)
        if self._compress and path.suffix in COMPRESSED:
            headers["Vary"] = "Accept-Encoding"
            if "gzip" in request.headers.get("Accept-Encoding", ""):
                headers["Content-Encoding"] = "gzip"
                file.zipped = file.zipped or gzip.compress(body, 6, mtime=0)
                body = file.zipped
        return web.Response(body=body, headers=headers)

    def _path(self, request: web.Request) -> Path:
        """Return the file below the root; for all else 404, or the redirect to a folder's "/"."""
        try:
            path = (self._root / request.match_info["path"].lstrip("/")).resolve()
            inside = path.is_relative_to(self._root)
            is_folder = inside and path.is_dir()
            found = path / "index.html" if is_folder else path
            exists = inside and found.is_file() and is_folder >= request.path.endswith("/")
        except (OSError, ValueError):  # no name that a file can have
            raise web.HTTPNotFound from None
        if is_folder and not request.path.endswith("/"):
            raise web.HTTPMovedPermanently(f"{request.rel_url.raw_path}/")
        if not exists:
            raise web.HTTPNotFound
        return found

    def _read(self, path: Path) -> _File:
        """Return the current file, so that a new build is served at once."""
        if path == self._root / SETTINGS_FILE:
            text = overlay(path.read_bytes().decode(), self.overlaid)
            return _File((0, 0), text.encode(), _etag(text.encode()))
        if path == self._root / "index.html" and self.first_script:
            tag = f'<head>\n<script src="./{FIRST_SCRIPT}"></script>'.encode()
            body = path.read_bytes().replace(b"<head>", tag, 1)
            return _File((0, 0), body, _etag(body))
        status = path.stat()
        stamp = (status.st_mtime_ns, status.st_size)
        file = self._files.get(path)
        if file is None or file.stamp != stamp:
            body = path.read_bytes()
            file = self._files[path] = _File(stamp, body, _etag(body))
        return file


def _content_type(path: Path) -> str:
    kind = TYPES.get(path.suffix, "application/octet-stream")
    return f"{kind}; charset=utf-8" if path.suffix in TEXT else kind


def _etag(body: bytes) -> str:
    return f'"{hashlib.sha256(body).hexdigest()[:16]}"'
