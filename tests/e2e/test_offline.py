"""A later visit needs no network, and a page that is open keeps its build until it is reloaded."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.chat_page import ChatPage
from tests.e2e.conftest import DIST
from tests.standins.servers import Running, running_standins

FOLDER = "/some/where/"
QUESTION = "What did the Bundestag debate on 9 September 2026?"
OLD = next(DIST.glob("build-*")).name
NEW = "build-0123456789ab"
KEPT = "performance.getEntriesByName('tabloop:offline').length > 0"
BUILDS = "caches.keys().then((all) => all.filter((name) => / build-/.test(name)).length)"
REFUSE = "navigator.serviceWorker.register = () => Promise.reject(new Error('refused'));"
FRUGAL = "Object.defineProperty(navigator, 'connection', { value: { saveData: true } });"
# an imported file of a build, as when the person presses "Connect wallet"
LATE_FILE = f"import('./{OLD}/x402.js').then((all) => Object.keys(all).length > 0)"
# seen from a page outside of the folder
CHANGED = f"""navigator.serviceWorker.getRegistration("{FOLDER}").then(
    ({{ active, waiting }}) => active.state === "activated" && !waiting)"""
LOOKED = "navigator.serviceWorker.getRegistration().then((found) => found && found.scope)"


# a tool of one's own whose modules are not among those of the start
OWN_TOOL = """
import tabloop.main as page
compose = page._compose

def with_tool(*given):
    import statistics
    return compose(*given)

page._compose = with_tool
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the build, which a test may replace by a newer one."""
    return shutil.copytree(DIST, tmp_path_factory.mktemp("host") / "dist")


@pytest.fixture(scope="module")
def host(folder: Path) -> Iterator[Running]:
    """The page below a folder of its host, with its worker."""
    with running_standins(folder, prefix=FOLDER.rstrip("/")) as running:
        yield running


@pytest.fixture
def visitor(browser: Browser, host: Running) -> Iterator[ChatPage]:
    """A new visitor; whatever the test has stopped is running again afterwards."""
    context = browser.new_context(locale="en-GB", timezone_id="Europe/Berlin")
    yield ChatPage(context.new_page(), host)
    context.close()


def publish(folder: Path) -> None:
    """Put a newer build in the place of the old one: the same files under another hash."""
    (folder / OLD).rename(folder / NEW)
    for name in ("index.html", "sw.js", "boot.js", "pyscript/core.js"):
        text = (folder / name).read_text("utf-8")
        (folder / name).write_text(text.replace(OLD, NEW), "utf-8")


def wait_until(page: Page, script: str) -> None:
    """Wait until a value, or what a promise gives, is true."""
    page.wait_for_function(f"() => {script}")


def test_a_visit_without_a_network_starts_and_says_what_needs_one(
    visitor: ChatPage, host: Running
) -> None:
    page = visitor.open().page
    wait_until(page, KEPT)
    offline = page.get_by_text("You are offline.")
    expect(offline).to_be_hidden()
    host.down(host.site)
    page.context.set_offline(True)
    try:
        visitor.expected.append("Failed to load resource")
        visitor.open()
        expect(page).to_have_title("Tabloop")
        expect(offline).to_contain_text("need the network")
        page.get_by_role("button", name="Try without paying").click()
        article = visitor.ask_and_wait(QUESTION)
        expect(article).to_contain_text("Search result")
        expect(article).to_contain_text("gave no answer")
        page.context.set_offline(False)
        expect(offline).to_be_hidden()
        article = visitor.ask_and_wait(QUESTION)
        expect(visitor.sources(article).first).to_be_visible()
    finally:
        host.up(host.site)
    visitor.check_console()


def test_the_settings_are_those_of_the_host_as_soon_as_it_answers(
    visitor: ChatPage, host: Running
) -> None:
    page = visitor.open().page
    wait_until(page, KEPT)
    before = dict(host.site.overlaid)
    host.overlay({"site.name": "Harbour Museum"})
    visitor.open()
    expect(page).to_have_title("Harbour Museum")
    host.down(host.site)
    try:
        visitor.open()
        expect(page).to_have_title("Harbour Museum")
    finally:
        host.up(host.site)
    host.overlay({"offline": False})
    visitor.open()
    wait_until(page, f"{LOOKED}.then((found) => !found)")
    wait_until(page, "caches.keys().then((all) => !all.some((name) => /tabloop-files/.test(name)))")
    host.site.overlaid = before
    visitor.check_console()


@pytest.mark.parametrize("refusal", [REFUSE, FRUGAL], ids=["refused", "Save-Data"])
def test_without_a_worker_the_page_is_as_it_was(visitor: ChatPage, refusal: str) -> None:
    visitor.page.add_init_script(refusal)
    expect(visitor.sources(visitor.open().ask_and_wait(QUESTION)).first).to_be_visible()
    visitor.page.wait_for_load_state("networkidle")
    assert visitor.page.evaluate(LOOKED) is None
    visitor.check_console()


def test_a_page_with_a_tool_of_its_own_starts_without_a_network(
    browser: Browser, tmp_path: Path
) -> None:
    """Without a network, a module that comes late cannot be loaded while the page stands still."""
    own = shutil.copytree(DIST, tmp_path / "dist")
    html, start = (own / "index.html").read_text("utf-8"), "from tabloop.main import main"
    assert html.count(start) == 1
    (own / "index.html").write_text(html.replace(start, OWN_TOOL + start), "utf-8")
    with running_standins(own, prefix="/some/where") as host:
        context = browser.new_context(locale="en-GB")
        visitor = ChatPage(context.new_page(), host).open()
        wait_until(visitor.page, KEPT)
        host.down(host.site)
        visitor.open()
        context.close()


def test_a_newer_build_waits_until_the_person_reloads(
    visitor: ChatPage, folder: Path, host: Running
) -> None:
    """The last test of this file: the host has another build afterwards."""
    page = visitor.open().page
    wait_until(page, KEPT)
    renew = page.get_by_role("button", name="New version: reload")
    expect(renew).to_be_hidden()
    visitor.ask_and_wait(QUESTION)
    publish(folder)
    page.evaluate("navigator.serviceWorker.getRegistration().then((it) => it.update())")
    expect(renew).to_be_visible()
    expect(visitor.status).to_have_text("There is a new version of this page")
    assert page.evaluate(LATE_FILE)  # the host has this build no more
    expect(visitor.sources(visitor.ask_and_wait(QUESTION)).first).to_be_visible()
    renew.click()
    page.get_by_role("button", name="Keep it").click()
    expect(visitor.answers).to_have_count(2)
    renew.click()
    page.get_by_role("button", name="Discard it").click()
    expect(visitor.answers).to_have_count(0)
    visitor.wait_until("ready")
    assert NEW in page.evaluate("document.querySelector('link[rel=stylesheet]').href")
    expect(renew).to_be_hidden()
    assert page.evaluate(BUILDS) == 2
    # No page with the worker is left, so the browser changes it. A visit in these few milliseconds
    # may hang: Chromium asks the host for the page, and shows nothing for more than 30 seconds.
    visitor.expected.append("status of 404")
    page.goto(host.page_url.replace(FOLDER, "/"))
    wait_until(page, CHANGED)
    visitor.open()
    wait_until(page, f"{BUILDS}.then((count) => count === 1)")
    host.down(host.site)
    visitor.open()
    visitor.check_console()
