"""Bundestakt's two lists. Rule: each is fetched once an hour and tab; errors are not cached.

Service: https://www.bundestakt.de/api/v1 (CC BY 4.0, attribution "Bundestakt"). Parsed with
`read_json` and a few fields per item: a pydantic model reads the 912 KB as fast (4 ms in CPython),
but its schema takes 20 ms to build at the page's start, and three times as long in a browser.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from tabloop.agent.errors import ToolError
from tabloop.core.german_text import fold, fold_letters
from tabloop.core.http import MAX_BODY, HttpRequest, Transport, TransportError, host_of, send
from tabloop.core.json_text import Json, JsonObject, read_json

__all__ = ["BundestaktApi", "Claim", "Sitzung", "Sitzungen"]

CACHE_SECONDS = 3600.0  # seconds; Bundestakt itself caches for as long
TIMEOUT = 30.0  # seconds

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Sitzung:
    """One session of the Bundestag. `whole` has all fields of Bundestakt."""

    slug: str
    url: str
    datum: str  # ISO date
    kernthema: str
    dokumentnummer: str
    schlagzeilen: tuple[str, ...]
    whole: JsonObject


@dataclass(frozen=True, slots=True)
class Sitzungen:
    """All sessions, newest first; `quelle` is the URL of the site that the data names."""

    quelle: str
    items: tuple[Sitzung, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """One checked statement. The `folded` texts are for the search."""

    aussage: str
    sprecher: str
    fraktion: str
    bewertung: str
    datum: str  # ISO date of the session
    url: str
    begruendung: str  # Markdown
    folded_said: str  # speaker, group and statement
    folded_begruendung: str
    folded_fraktion: str


class BundestaktApi:
    """Both endpoints, with a cache. Create one per tab; `clock` counts seconds.

    The methods raise `ToolError`: `fetch_failed` without a usable response, `invalid_response` if
    it does not have the list; both name the host.
    """

    def __init__(
        self, transport: Transport, base_url: str, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._transport = transport
        self._base_url = base_url.rstrip("/")
        self._sitzungen = _CachedFetch(self._fetch_sitzungen, clock)
        self._claims = _CachedFetch(self._fetch_claims, clock)

    async def sitzungen(self) -> Sitzungen:
        """Return all sessions."""
        return await self._sitzungen.get()

    async def claims(self) -> tuple[Claim, ...]:
        """Return all checked statements, newest first."""
        return await self._claims.get()

    async def _fetch_sitzungen(self) -> Sitzungen:
        document, items = await self._items("sitzungen", required="slug")
        newest_first = sorted(map(_sitzung, items), key=lambda item: item.datum, reverse=True)
        return Sitzungen(_text(document, "quelle"), tuple(newest_first))

    async def _fetch_claims(self) -> tuple[Claim, ...]:
        _, items = await self._items("claims", required="aussage")
        return tuple(sorted(map(_claim, items), key=lambda item: item.datum, reverse=True))

    async def _items(self, name: str, *, required: str) -> tuple[JsonObject, list[JsonObject]]:
        """Return the document, and its items that have the required field."""
        url = f"{self._base_url}/{name}"
        host = host_of(url)
        try:
            response = await send(self._transport, HttpRequest(url, timeout=TIMEOUT))
        except TransportError as error:
            raise ToolError("fetch_failed", f"{host} gave no answer ({error.kind}).") from error
        if response.status != 200:
            raise ToolError("fetch_failed", f"{host} answered with status {response.status}.")
        if len(response.body) >= MAX_BODY:
            size = MAX_BODY // 1_048_576
            raise ToolError(
                "invalid_response", f"{host} sent {size} MB or more, which is too much."
            )
        try:
            document = read_json(response.body)
        except (ValueError, RecursionError) as error:
            raise ToolError("invalid_response", f"{host} sent no JSON.") from error
        await asyncio.sleep(0)  # in a browser, two short tasks block the page less than a long one
        whole = document if isinstance(document, dict) else {}
        listed = whole.get(name)
        if not isinstance(listed, list):
            raise ToolError("invalid_response", f"{host} sent no list called {name}.")
        items = [item for item in listed if isinstance(item, dict) and _text(item, required)]
        if listed and not items:
            raise ToolError("invalid_response", f"{host} sent {name} without {required}.")
        return whole, list[JsonObject](items)


class _CachedFetch(Generic[T]):
    """One fetch for all concurrent callers, whose result is cached."""

    def __init__(self, fetch: Callable[[], Awaitable[T]], clock: Callable[[], float]) -> None:
        self._fetch = fetch
        self._clock = clock
        self._task: asyncio.Task[T] | None = None
        self._waiting = 0
        self._value: tuple[T] | None = None
        self._fetched_at = 0.0

    async def get(self) -> T:
        if self._value and self._clock() - self._fetched_at < CACHE_SECONDS:
            return self._value[0]
        if self._task is None:
            self._task, self._waiting = asyncio.ensure_future(self._run()), 0
        return await self._wait(self._task)

    async def _run(self) -> T:
        try:
            value = await self._fetch()
            self._value, self._fetched_at = (value,), self._clock()
            return value
        finally:
            if self._task is asyncio.current_task():
                self._task = None

    async def _wait(self, task: "asyncio.Task[T]") -> T:
        # Shielded, because a stopped caller must not cancel the fetch of the others;
        # counted, because a fetch without callers is cancelled.
        self._waiting += 1
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if self._task is task and self._waiting == 1:
                self._task = None
                task.cancel()
            raise
        finally:
            if self._task is task:
                self._waiting -= 1


def _sitzung(item: JsonObject) -> Sitzung:
    return Sitzung(
        slug=_text(item, "slug"),
        url=_text(item, "url"),
        datum=_text(item, "datum")[:10],
        kernthema=_text(item, "kernthema"),
        dokumentnummer=_text(item, "dokumentnummer"),
        schlagzeilen=tuple(_titles(item.get("in30Sekunden"))),
        whole={key: value for key, value in item.items() if key != "protokollPdf"},
    )


def _claim(item: JsonObject) -> Claim:
    aussage, begruendung = _text(item, "aussage"), _text(item, "begruendung")
    sprecher, fraktion = _text(item, "sprecher"), _text(item, "fraktion")
    return Claim(
        aussage=aussage,
        sprecher=sprecher,
        fraktion=fraktion,
        bewertung=_text(item, "bewertung"),
        datum=_text(item, "sitzungDatum")[:10],
        url=_text(item, "url"),
        begruendung=begruendung,
        folded_said=fold_letters(f"{sprecher} {fraktion} {aussage}"),
        folded_begruendung=fold_letters(begruendung),
        folded_fraktion=fold(fraktion),
    )


def _text(item: JsonObject, key: str) -> str:
    value = item.get(key)
    return value.strip() if isinstance(value, str) else ""


def _titles(points: Json) -> Iterator[str]:
    for point in points if isinstance(points, list) else ():
        if isinstance(point, dict) and (title := _text(point, "titel")):
            yield title
