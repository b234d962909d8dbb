"""Another site's assistant: all by pyscript.toml, nothing by HTML, Python or a build."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal
from urllib.parse import unquote

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.e2e.accessibility import check_accessibility
from tests.e2e.chat_page import ChatPage
from tests.e2e.conftest import DIST
from tests.standins.faults import Reply
from tests.standins.servers import WITHOUT_WORKER, Running, running_standins
from tests.standins.toml_overlay import TomlValue, overlay

RELEASES = sorted((Path(__file__).parents[1] / "releases").glob("*.toml"))
MUSEUM: dict[str, TomlValue] = {
    "image_url": "",
    "site.name": "Harbour Museum",
    "site.language": ["en", "de", "fr"],
    "site.welcome": {"en": "What would you like to see?", "de": "Was möchten Sie sehen?"},
    "site.lead": {"en": "Ask about our ships.", "de": "Fragen Sie nach unseren Schiffen."},
    "site.questions": {"en": ["When are you open?"], "de": ["Wann ist geöffnet?"]},
    "site.instructions": "The museum is closed on Mondays.",
    "site.links": [{"text": {"en": "Privacy", "de": "Datenschutz"}, "url": "/privacy"}],
    "site.accent": "#7c2d92",
    "site.css": "owner.css",
    "site.bundestakt": False,
}
LOOKS: tuple[tuple[int, Literal["light", "dark"]], ...] = (
    (1280, "light"),
    (1280, "dark"),
    (360, "light"),
)
OWNER_CSS = ".lead { letter-spacing: 3px; }"
FRENCH = {
    "page": {"placeholder": "Posez une question", "newChat": "Nouvelle conversation", "send": 7},
    "status": {"ready": "Prêt", "lookingUp": "Recherche : {nothing}"},
    "format": {"group": "\u202f", "months": "janvier"},
}
SHIFTS = """window.shifts = [];
new PerformanceObserver(list => list.getEntries().forEach(entry => shifts.push(entry.value)))
  .observe({ type: 'layout-shift', buffered: true });"""
TOKENS = """() => ['--accent', '--paper'].map(
  name => getComputedStyle(document.documentElement).getPropertyValue(name).trim())"""


@pytest.fixture(scope="module")
def museum(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A site with its own settings, style sheet and language, none of which a build has seen."""
    folder = tmp_path_factory.mktemp("museum") / "dist"
    shutil.copytree(DIST, folder)
    (folder / "owner.css").write_text(OWNER_CSS, "utf-8")
    (folder / "owner").mkdir()
    nested = '"nested":' + "[" * 50_000 + "]" * 50_000
    (folder / "owner" / "fr.json").write_text(f"{json.dumps(FRENCH)[:-1]}, {nested}}}", "utf-8")
    with running_standins(folder, settings={**MUSEUM, **WITHOUT_WORKER}) as running:
        yield running


def visit(browser: Browser, museum: Running, locale: str) -> ChatPage:
    context = browser.new_context(locale=locale, timezone_id="Europe/Berlin")
    page = context.new_page()
    page.add_init_script(SHIFTS)
    return ChatPage(page, museum).open()


def test_a_museums_page_speaks_of_the_museum_and_never_of_the_bundestag(
    browser: Browser, museum: Running
) -> None:
    chat = visit(browser, museum, "en-GB")
    page = chat.page
    expect(page).to_have_title("Harbour Museum")
    expect(page.get_by_role("heading", level=1)).to_have_text("Harbour Museum")
    expect(page.get_by_role("heading", name="What would you like to see?")).to_be_visible()
    expect(page.get_by_role("link", name="Privacy")).to_have_attribute("href", "/privacy")
    expect(page.locator(".lead")).to_have_css("letter-spacing", "3px")
    expect(chat.composer).to_be_focused()
    logo = page.locator("#logo")
    assert "#7c2d92" in unquote(logo.get_attribute("src") or "")
    assert logo.evaluate("image => image.naturalWidth")
    for name in ("Deutsch", "Français"):
        expect(page.get_by_role("link", name=name)).to_be_visible()
    assert page.evaluate("shifts.reduce((sum, value) => sum + value, 0)") <= 0.02
    for width, scheme in LOOKS:
        page.set_viewport_size({"width": width, "height": 800})
        check_accessibility(page, scheme)
        light, _ = page.evaluate(TOKENS)
        assert (light == "#7c2d92") == (scheme == "light")
    page.set_viewport_size({"width": 1280, "height": 800})
    museum.proxy.behave(Reply(said("On Tuesday.")))
    page.get_by_role("button", name="When are you open?").click()
    expect(chat.answers.last).to_contain_text("On Tuesday.")
    chat.wait_for_end()
    sent = chat.sent(-1)
    assert "Bundes" not in json.dumps(sent)
    assert "tools" not in sent
    assert "Harbour Museum" in sent["messages"][0]["content"]
    assert "closed on Mondays.\n- Answer" in sent["messages"][0]["content"]
    assert "bundes" not in page.content().lower()
    page.get_by_role("button", name="Try without paying").click()
    expect(chat.ask_and_wait("When?")).to_contain_text("nothing to search")
    chat.check_console()
    page.context.close()


def test_before_the_settings_are_there_only_the_box_is_shown_and_takes_a_draft(
    browser: Browser, standins: Running
) -> None:
    context = browser.new_context(locale="en-GB")  # of its own, because a clock stays as it was set
    page = context.new_page()
    chat = ChatPage(page, standins)
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/pyscript.toml", hold)
    page.clock.install(time=0)
    page.clock.pause_at(1)  # else the page would be shown with its defaults some time
    page.goto(chat.standins.page_url)
    expect(chat.composer).to_be_focused()
    page.keyboard.type("When are you open?")
    for words in ("Tabloop", "What did the Bundestag debate?", "Starting.", "Send"):
        expect(page.get_by_text(words).first).to_be_hidden()
    for route in held:
        route.continue_()
    expect(page.get_by_role("heading", name="What did the Bundestag debate?")).to_be_visible()
    expect(chat.composer).to_have_value("When are you open?")
    context.close()


def said(text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {"choices": [{"message": message, "finish_reason": "stop"}]}


def test_the_museum_in_german_and_in_the_owners_french(browser: Browser, museum: Running) -> None:
    german = visit(browser, museum, "de-DE").page
    expect(german.get_by_role("heading", name="Was möchten Sie sehen?")).to_be_visible()
    expect(german.get_by_role("button", name="Wann ist geöffnet?")).to_be_visible()
    expect(german.get_by_role("link", name="Datenschutz")).to_be_visible()
    expect(german.locator("#hint")).to_contain_text("Eingabe")
    assert "bundes" not in german.content().lower()
    german.context.close()

    chat = visit(browser, museum, "fr-FR")
    french = chat.page
    expect(french.locator("html")).to_have_attribute("lang", "fr")
    expect(french.get_by_placeholder("Posez une question")).to_be_visible()
    expect(french.get_by_role("button", name="Nouvelle conversation")).to_be_visible()
    expect(french.get_by_role("status")).to_have_text("Prêt")
    # what the owner has not translated, or not rightly, is there in English
    expect(chat.send).to_be_visible()
    expect(french.get_by_role("heading", name="What would you like to see?")).to_be_visible()
    expect(french.get_by_role("link", name="English")).to_be_visible()
    chat.check_console()
    french.context.close()


def test_one_theme_for_everybody_and_a_colour_that_is_made_readable(chat: ChatPage) -> None:
    chat.standins.overlay({"site.theme": "dark", "site.accent": "#3b2f6b", "site.logo": "gone.png"})
    chat.expected.extend(["404", "site.accent", "site.logo"])
    told: list[str] = []
    chat.page.on("console", lambda message: told.append(message.text))
    chat.open(ready=False)
    # without waiting for Python
    expect(chat.page.get_by_role("heading", name="What did the Bundestag debate?")).to_be_visible()
    accent, paper = chat.page.evaluate(TOKENS)
    assert paper == "#121716"
    assert accent not in ("#3b2f6b", "#74cbbe")
    chat.wait_until("ready")
    check_accessibility(chat.page)
    assert [text for text in told if "#3b2f6b" in text and accent in text]
    assert [text for text in told if "site.logo" in text and "gone.png" in text]


@pytest.mark.parametrize("release", RELEASES, ids=lambda path: path.stem)
def test_the_settings_of_every_release_start_todays_page(chat: ChatPage, release: Path) -> None:
    text = overlay(release.read_text("utf-8"), chat.standins.site.overlaid)
    chat.standins.site.behave(
        Reply(text, 200, "application/toml"), path="/pyscript.toml", always=True
    )
    try:
        chat.open()
    finally:
        chat.standins.site.behave()
    expect(chat.page.get_by_role("heading", name="What would you like to know?")).to_be_visible()
    group = chat.page.get_by_role("group", name="What I can do")
    expect(group.get_by_role("checkbox", name="Bundestag")).to_be_checked()


@pytest.mark.first_visit  # it says how the files have come over the wire
def test_the_owner_sees_what_works_and_what_to_mend(chat: ChatPage) -> None:
    chat.expected += ["404", "401", "does not exist", "uses its default"]
    chat.standins.overlay({"colour": "red", "site.theme": "blue", "site.search": "/search/"})
    chat.open("?check")
    report = chat.page.get_by_role("region", name="Check of this page")
    for said in (
        "setting colour that does not exist",
        'site.theme in pyscript.toml is "blue"',
        "pyodide.asm.wasm is sent as application/wasm",
        "comes uncompressed",
        "ask for index.html each time",
        "frame-ancestors",
        "A file that is missing is answered with 404",
        "/sitzungen answers",
        "/search/pagefind.js answers with HTTP 404",
        "It accepts tools",
    ):
        expect(report).to_contain_text(said)
    check_accessibility(chat.page, "light")
    assert chat.answers.count() == 0


def test_search_mode_answers_from_the_start_if_the_owner_wants_it(chat: ChatPage) -> None:
    chat.standins.overlay({"site.start_with_search": True})
    chat.open()
    expect(chat.status).to_have_text("Ready. Search mode answers.")
    article = chat.ask_and_wait("What did the Bundestag debate on 9 September 2026?")
    expect(chat.sources(article).first).to_be_visible()
    assert chat.request_count == 0
    chat.page.get_by_role("button", name="Back to your model").click()
    chat.ask_and_wait("And on 10 September 2026?")
    assert chat.request_count > 0


def test_an_owner_with_only_search_shows_nothing_of_money_keys_and_models(chat: ChatPage) -> None:
    chat.standins.overlay({"llm_url": "", "site.bundestakt": False, "site.search": "/pagefind"})
    chat.open()
    expect(chat.status).to_have_text("Ready. Search mode answers.")
    options = chat.page.get_by_role("complementary", name="Options")
    expect(options.get_by_role("checkbox", name="pages of this site")).to_be_visible()
    shown = options.inner_text()
    for word in ("USDC", "allet", "odel", "Key\n", "paying", "Picture service"):
        assert word not in shown


def test_the_check_names_a_setting_that_keeps_the_page_from_starting(chat: ChatPage) -> None:
    chat.expected += ["could not start"]
    chat.standins.overlay({"payment.max_per_image": "much"})
    chat.open("?check", ready=False).wait_until("failed")
    report = chat.page.get_by_role("region", name="Check of this page")
    expect(report).to_contain_text("Mend that setting and reload.")  # the alert names it
    expect(report).not_to_contain_text("could not start")
    expect(chat.page.get_by_role("progressbar")).to_have_count(0)
