"""Runs the page's server together with its services. Rule: no server outlives its block."""

import asyncio
import threading
from collections.abc import Coroutine, Generator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from tabloop.agent.ports import ChatModel

from tests.standins.analytics import Analytics
from tests.standins.any_search import AnySearch
from tests.standins.base import StandIn
from tests.standins.bundestakt import Bundestakt
from tests.standins.images import Images
from tests.standins.llm_proxy import LlmProxy
from tests.standins.quirks import Quirks
from tests.standins.static_site import StaticSite
from tests.standins.toml_overlay import TomlValue

__all__ = [
    "WITHOUT_WORKER",
    "Running",
    "ServerGroup",
    "Standins",
    "in_a_thread",
    "running_standins",
]

PORTS_TRIED = 50
# For tests: a service worker would load all files once more after each start, and these would
# count as requests. tests/e2e/test_offline.py tests it.
WITHOUT_WORKER: Mapping[str, TomlValue] = {"offline": False}
START_WITHIN = 90.0  # seconds; the paid server starts a chain first

Result = TypeVar("Result")


class ServerGroup:
    """A context manager that runs a site and its services, each on its own origin.

    The services' settings replace the page's, and `settings` replace both. `port` is the page's
    (0: any free one), and the services use the ports after it; each takes the next free port if
    its own is in use.
    """

    def __init__(
        self,
        site: StaticSite,
        services: Sequence[StandIn],
        settings: Mapping[str, TomlValue] | None = None,
        port: int = 0,
    ) -> None:
        self.site = site
        self.services = tuple(services)
        self._settings = dict(settings or {})
        self._port = port
        self._stack = AsyncExitStack()

    @property
    def page_url(self) -> str:
        """The address to open."""
        return self.site.page_url

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            for number, server in enumerate(self.services, start=1):
                await _start(server, self._port and self._port + number)
                stack.push_async_callback(server.stop)
            addresses: dict[str, TomlValue] = {}
            for server in self.services:
                addresses |= server.settings()
            # before the page's server starts, so that nobody gets other addresses
            self.site.overlaid = {**addresses, **self._settings}
            await _start(self.site, self._port)
            stack.push_async_callback(self.site.stop)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._stack.aclose()


class Standins(ServerGroup):
    """The built page with all its stand-ins.

    `prefix` is the page's folder on its host. `model` answers instead of search mode.
    """

    def __init__(
        self,
        dist: Path,
        *,
        prefix: str = "/",
        model: ChatModel | None = None,
        settings: Mapping[str, TomlValue] | None = None,
        compress: bool = False,
        port: int = 0,
    ) -> None:
        self.proxy = LlmProxy(model or AnySearch())
        self.bundestakt = Bundestakt()
        self.quirks = Quirks()
        self.images = Images()
        self.analytics = Analytics()
        # add a new stand-in above and here
        services = (self.proxy, self.bundestakt, self.quirks, self.images, self.analytics)
        super().__init__(StaticSite(dist, prefix, compress=compress), services, settings, port)


class Running:
    """`Standins` in their own thread, for tests that are not async.

    Tests plan faults and read requests directly (`running.proxy.behave(...)`). `down`, `up` and
    `run` work in the servers' event loop.
    """

    def __init__(self, standins: Standins, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self.standins = standins
        self.proxy = standins.proxy
        self.bundestakt = standins.bundestakt
        self.quirks = standins.quirks
        self.images = standins.images
        self.analytics = standins.analytics
        self.site = standins.site

    @property
    def page_url(self) -> str:
        """The address to open."""
        return self.standins.page_url

    def overlay(self, settings: Mapping[str, TomlValue]) -> None:
        """Change more settings of the page, from its next load on."""
        self.site.overlaid = {**self.site.overlaid, **settings}

    def down(self, stand_in: StandIn) -> None:
        """Stop a stand-in: its connections end, new ones are refused."""
        self.run(stand_in.stop())

    def up(self, stand_in: StandIn) -> None:
        """Start a stand-in again at the same address."""
        self.run(stand_in.start())

    def run(self, work: Coroutine[Any, Any, Result], within: float = 10) -> Result:
        """Return a coroutine's result from the servers' loop, after at most `within` seconds."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout=within)


@contextmanager
def running_standins(
    dist: Path,
    *,
    prefix: str = "/",
    model: ChatModel | None = None,
    settings: Mapping[str, TomlValue] | None = None,
    compress: bool = False,
) -> Generator[Running, None, None]:
    """Run `Standins` (same arguments) in a thread until the block ends."""
    standins = Standins(dist, prefix=prefix, model=model, settings=settings, compress=compress)
    with in_a_thread(standins) as running:
        yield running


@contextmanager
def in_a_thread(standins: Standins) -> Generator[Running, None, None]:
    """Run `standins` in a thread until the block ends."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="stand-ins", daemon=True)
    thread.start()
    running = Running(standins, loop)
    try:
        running.run(standins.__aenter__(), within=START_WITHIN)
        try:
            yield running
        finally:
            running.run(standins.__aexit__(None, None, None))
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(timeout=10)
        loop.close()


async def _start(server: StandIn, port: int) -> None:
    for candidate in range(port, port + PORTS_TRIED) if port else (0,):
        try:
            return await server.start(candidate)
        except OSError:
            if not port:
                raise
    raise OSError(f"no port is free from {port} to {port + PORTS_TRIED - 1}")
