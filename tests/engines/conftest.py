"""Fixtures: one browser of each engine, one page in it, the same stand-ins for all.

`TABLOOP_ENGINES` ("chromium firefox webkit") names the engines to test; without it, all installed
ones are tested. `python build.py test --engines` installs and names all three.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engines.driver import Driver
from tests.engines.engine_page import WINDOW, EnginePage
from tests.engines.launch import ENGINES, installed, launched
from tests.standins.servers import WITHOUT_WORKER, Running, running_standins

DIST = Path(__file__).resolve().parents[2] / "dist"
NONE = pytest.param("", marks=pytest.mark.skip(reason="no engine with a driver is installed"))
TESTED = os.environ.get("TABLOOP_ENGINES", "").split() or installed() or (NONE,)


@pytest.fixture(scope="session", params=TESTED)
def engine(request: pytest.FixtureRequest) -> Iterator[Driver]:
    """A browser, started once; all tests of an engine run before those of the next."""
    name = str(request.param)
    assert name in installed(), f"{name} is to be tested, and it or its driver is not installed"
    with launched(name) as driver:
        driver.resize(*WINDOW)
        yield driver


@pytest.fixture(scope="session")
def servers() -> Iterator[Running]:
    """The stand-ins, started once: their ports stay the same through the session."""
    with running_standins(DIST, settings=WITHOUT_WORKER) as running:
        yield running


@pytest.fixture
def standins(servers: Running) -> Iterator[Running]:
    """The stand-ins without faults and with no recorded requests."""
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
    """The engine's page, loaded by the first test that uses it."""
    return EnginePage(engine, servers)


@pytest.fixture
def chat(
    started: EnginePage, standins: Running, request: pytest.FixtureRequest
) -> Iterator[EnginePage]:
    """The page; after a failed test it is loaded again."""
    failed = request.session.testsfailed
    yield started
    if request.session.testsfailed != failed:
        started.forget()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print how long each engine took."""
    reports = [report for kind in terminalreporter.stats.values() for report in kind]
    for name in ENGINES:
        own = [report for report in reports if f"[{name}" in getattr(report, "nodeid", "")]
        seconds = sum(getattr(report, "duration", 0.0) for report in own)
        if own:
            terminalreporter.write_line(f"{name}: {seconds:.0f} s")
