"""One browser of each engine, one page in it, the same stand-ins for all.

`TABLOOP_ENGINES` ("chromium firefox webkit") names engines that must be there; without it those
are tested that are installed. `python build.py test --engines` installs and names all three.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engines.driver import Driver
from tests.engines.engine_page import WINDOW, EnginePage
from tests.engines.launch import ENGINES, installed, launched
from tests.standins.together import Running, running_standins

DIST = Path(__file__).resolve().parents[2] / "dist"
NONE = pytest.param("", marks=pytest.mark.skip(reason="no engine with a driver is installed"))
TESTED = os.environ.get("TABLOOP_ENGINES", "").split() or installed() or (NONE,)


@pytest.fixture(scope="session", params=TESTED)
def engine(request: pytest.FixtureRequest) -> Iterator[Driver]:
    """A browser that was started once; all its tests run before the next engine's."""
    name = str(request.param)
    assert name in installed(), f"{name} is to be tested, and it or its driver is not installed"
    with launched(name) as driver:
        driver.resize(*WINDOW)
        yield driver


@pytest.fixture(scope="session")
def servers() -> Iterator[Running]:
    """The stand-ins, started once: their ports stay the same through the session."""
    with running_standins(DIST) as running:
        yield running


@pytest.fixture
def standins(servers: Running) -> Iterator[Running]:
    """The stand-ins, behaving well, with nothing recorded."""
    overlaid = dict(servers.site.overlaid)
    servers.images.seconds = 0
    yield servers
    servers.site.overlaid = overlaid
    servers.site.first_script = b""
    servers.quirks.reset()
    for server in (servers.proxy, servers.bundestakt, servers.images):
        server.behave()
        server.requests.clear()
        server.preflights.clear()


@pytest.fixture(scope="session")
def started(engine: Driver, servers: Running) -> EnginePage:
    """The engine's page, loaded by the first test that wants it."""
    return EnginePage(engine, servers)


@pytest.fixture
def chat(
    started: EnginePage, standins: Running, request: pytest.FixtureRequest
) -> Iterator[EnginePage]:
    """The page; what a failed test leaves behind is not for the next one."""
    failed = request.session.testsfailed
    yield started
    if request.session.testsfailed != failed:
        started.forget()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how long each engine took, in front of pytest's own last line."""
    reports = [one for kind in terminalreporter.stats.values() for one in kind]
    for name in ENGINES:
        of_it = [one for one in reports if f"[{name}" in getattr(one, "nodeid", "")]
        seconds = sum(getattr(one, "duration", 0.0) for one in of_it)
        if of_it:
            terminalreporter.write_line(f"{name}: {seconds:.0f} s")
