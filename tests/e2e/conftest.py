"""Fixtures: a real Chromium, the built page, and stand-ins on other origins.

Rule: every test with the page ends with a check of the console, so that no error is missed.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.e2e.chat_page import ChatPage
from tests.e2e.paid_page import PaidPage
from tests.standins.paid_servers import PaidStandins
from tests.standins.servers import WITHOUT_WORKER, Running, in_a_thread, running_standins

DIST = Path(__file__).resolve().parents[2] / "dist"
# The second compiler of WebAssembly works in the background for longer than most tests take, and
# costs a quarter of their processor time. A page that starts in the process of another needs half
# of the time, because that process has compiled the same before.
QUIET = (
    "--js-flags=--liftoff-only --process-per-site --no-sandbox --disable-gpu --disable-quic "
    "--no-first-run --disable-background-networking --disable-component-update --disable-sync"
)

PROCESS = "http://127.0.0.1/"  # of the site that all pages of the stand-ins belong to
STORED = "cookies,file_systems,indexeddb,local_storage,service_workers,shared_storage"
# what app/js/boot_store.js remembers besides the snapshot itself
HAS_KEPT = "try { localStorage.setItem('tabloop:kept-start', '%s'); } catch { /* no storage */ }"
WITHIN_MS = 60_000  # long enough for a busy machine; no test needs that long
expect.set_options(timeout=WITHIN_MS)


def built(name: str) -> Path:
    """Return a file of the build's folder in `dist`."""
    [file] = DIST.glob(f"build-*/{name}")
    return file


def build_digest() -> str:
    """Return the name under which the page keeps a snapshot of this build."""
    [digest] = re.findall(r"start-snapshot/(\w+)/", built("boot.js").read_text("utf-8"))
    return digest


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    """Start the Chromium that build.py found, else Playwright's own."""
    chosen = os.environ.get("TABLOOP_CHROMIUM")
    return {"headless": True, "args": QUIET.split(), "executable_path": chosen or None}


@pytest.fixture(scope="session")
def servers() -> Iterator[Running]:
    """The stand-ins, started once: their ports stay the same through the session."""
    with running_standins(DIST, settings=WITHOUT_WORKER) as running:
        yield running


@pytest.fixture
def standins(servers: Running) -> Iterator[Running]:
    """The stand-ins without faults and with no recorded requests."""
    overlaid = dict(servers.site.overlaid)
    yield servers
    servers.site.overlaid = overlaid
    for server in (servers.proxy, servers.bundestakt, servers.images):
        server.behave()
        server.requests.clear()
        server.preflights.clear()


@pytest.fixture(scope="session")
def used_context(browser: Browser) -> Iterator[BrowserContext]:
    """A browser profile, English, in Berlin's time zone, of a person who was here before.

    It has the page's files and the snapshot that the page keeps, so a start costs half of a first
    visit's processor time. Its first tab is empty and stays: it keeps the process.
    """
    with_language = browser.new_context(locale="en-GB", timezone_id="Europe/Berlin")
    empty = with_language.new_page()
    empty.route(PROCESS, lambda route: route.fulfill(body="", content_type="text/html"))
    empty.goto(PROCESS)
    with_language.add_init_script(HAS_KEPT % build_digest())
    yield with_language
    with_language.close()


@pytest.fixture
def context(browser: Browser, request: pytest.FixtureRequest) -> Iterator[BrowserContext]:
    """A profile without cookies and storage; a new one where a test says `first_visit`."""
    if request.node.get_closest_marker("first_visit"):
        new = browser.new_context(locale="en-GB", timezone_id="Europe/Berlin")
        yield new
        new.close()
        return
    used: BrowserContext = request.getfixturevalue("used_context")
    yield used
    forget(used)


def forget(context: BrowserContext) -> None:
    """Close the other tabs of a profile; drop what they stored, but not files and snapshot."""
    empty, *tabs = context.pages
    for tab in tabs:
        tab.close()
    session: Any = context.new_cdp_session(empty)  # its types are incomplete
    session.send("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": STORED})
    session.detach()
    context.clear_permissions()
    context.clear_cookies()
    context.set_offline(False)


@pytest.fixture
def page(context: BrowserContext) -> Page:
    """An empty tab."""
    return context.new_page()


@pytest.fixture
def chat(page: Page, standins: Running) -> Iterator[ChatPage]:
    """The page, not opened yet; its console is checked at the end."""
    opened = ChatPage(page, standins)
    yield opened
    opened.check_console()


@pytest.fixture(scope="module")
def warm_page(browser: Browser, servers: Running) -> Iterator[ChatPage]:
    """A page that is started once, for tests that do not test the start."""
    context = browser.new_context(locale="en-GB", timezone_id="Europe/Berlin")
    yield ChatPage(context.new_page(), servers).open()
    context.close()


@pytest.fixture
def warm_chat(warm_page: ChatPage, standins: Running) -> Iterator[ChatPage]:
    """The started page with an empty conversation."""
    warm_page.reset()
    yield warm_page
    warm_page.check_console()


@pytest.fixture(scope="session")
def paid_standins() -> Iterator[Running]:
    """The page with paid services, started once: each start begins a chain."""
    with in_a_thread(PaidStandins(DIST, settings=WITHOUT_WORKER)) as running:
        yield running


@pytest.fixture(scope="module")
def shop(paid_standins: Running) -> Iterator[Running]:
    """The paid services and the page's own settings, which a file may change."""
    overlaid = dict(paid_standins.site.overlaid)
    yield paid_standins
    paid_standins.site.overlaid = overlaid
    for server in (paid_standins.proxy, paid_standins.images, paid_standins.analytics):
        server.behave()
        server.requests.clear()


@pytest.fixture(scope="module")
def paid_servers() -> Iterator[Running]:
    """A chain of its own, whose clock a test may set forward."""
    # all visitors of the started page are one session to it
    settings = {"payment.max_per_session": "1000", **WITHOUT_WORKER}
    with in_a_thread(PaidStandins(DIST, settings=settings)) as running:
        yield running


@pytest.fixture(scope="module")
def paid_started(browser: Browser, paid_servers: Running) -> Iterator[PaidPage]:
    """A page that was started once: each start takes seconds, and a browser's memory."""
    context = browser.new_context(locale="en-GB", timezone_id="Europe/Berlin")
    yield cast("PaidPage", PaidPage(context.new_page(), paid_servers).open())
    context.close()


@pytest.fixture
def paid_page(paid_started: PaidPage, request: pytest.FixtureRequest) -> Iterator[PaidPage]:
    """The started page with a visitor who has never paid, whose wallet is not connected."""
    failed = request.session.testsfailed
    paid_started.reset()
    yield paid_started
    if request.session.testsfailed == failed:
        paid_started.check_console()
    else:  # whatever it left in the page's memory and storage is not for the next one
        paid_started.open()
        paid_started.forget_all()
        paid_started.open()
