"""Forced colours, keyboard, zoom, text spacing, print and screen readers: what axe does not see."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.chat_page import ANSWER_WITHIN_MS, ChatPage
from tests.e2e.picture_card import calls, calls_tool, says
from tests.standins.faults import Hang, html_502
from tests.standins.quirks import spoken
from tests.standins.servers import Running

QUESTION = "Who interrupted most on 9 September 2026?"
SLUG = "21-92-2026-09-09"
TEXT = "As the chart shows.\n\n| Name | Number |\n|---|---|\n| A | 1 |\n\n```\ncode\n```\n" + (
    "A long paragraph, to be scrolled.\n\n" * 12
)
# WCAG 1.4.12, in a style sheet that the page's policy allows
SPACED = """() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`* { line-height: 1.5 !important; letter-spacing: 0.12em !important;
        word-spacing: 0.16em !important; } p { margin-bottom: 2em !important; }`);
    document.adoptedStyleSheets = [sheet];
}"""
# texts that are cut off: their own box hides what does not fit
CLIPPED = """() => [...document.querySelectorAll('body *')].filter(element => {
    const style = getComputedStyle(element);
    const own = [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim());
    const hides = /hidden|clip/.test(style.overflowX + style.overflowY);
    if (!own || !hides || element.closest('.unseen') || !element.offsetParent) return false;
    return element.scrollWidth > element.clientWidth + 1
        || element.scrollHeight > element.clientHeight + 1;
}).map(element => element.outerHTML.slice(0, 160))"""
# buttons and fields without an edge in forced colours, and texts in the colour of the ground
FAINT = """() => {
    const all = [...document.querySelectorAll('body *')];
    const seen = all.filter(element => element.checkVisibility());
    const ground = getComputedStyle(document.documentElement).backgroundColor;
    const styles = seen.map(element => [element, getComputedStyle(element)]);
    const plain = styles.filter(([element, style]) => element.matches('button, input, textarea')
        && !element.matches('.link, .examples button, .box textarea, [type=checkbox]')
        && style.borderTopStyle === 'none');
    const unread = styles.filter(([element, style]) =>
        element.matches('text, p, li, td, th, dt, dd, h2, h3')
        && element.textContent.trim()
        && (element.matches('text') ? style.fill : style.color) === ground);
    return [...plain, ...unread].map(([element]) => element.outerHTML.slice(0, 160));
}"""
# the element that has the focus, if its middle is covered or outside of the window; else blank
COVERED = """() => {
    const element = document.activeElement;
    if (!element || element === document.body) return '';
    const box = element.getBoundingClientRect();
    const [x, y] = [box.left + box.width / 2, box.top + Math.min(box.height, innerHeight) / 2];
    const seen = document.elementFromPoint(x, y);
    const held = seen && (element.contains(seen) || seen.contains(element) ||
        element.labels && [...element.labels].some(label => label.contains(seen)));
    return held ? '' : `${element.outerHTML.slice(0, 120)} at ${Math.round(y)}`;
}"""


def _answer(chat: ChatPage) -> None:
    chat.standins.proxy.behave(calls_tool("get_sitzungen", {"slug": SLUG}), says(TEXT))
    chat.ask_and_wait(QUESTION)


def test_forced_colours_leave_the_composer_its_border_its_focus_and_its_ground(
    warm_chat: ChatPage,
) -> None:
    page = warm_chat.page
    page.emulate_media(forced_colors="active")
    warm_chat.composer.focus()
    box = page.locator(".box").evaluate(
        "box => { const { borderStyle, borderWidth, outlineStyle, outlineWidth } ="
        " getComputedStyle(box); return [borderStyle, borderWidth, outlineStyle, outlineWidth]; }"
    )
    assert box == ["solid", "1px", "solid", "3px"]
    ground = page.locator("#composer").evaluate("form => getComputedStyle(form).backgroundColor")
    assert ground not in ("transparent", "rgba(0, 0, 0, 0)")
    for name in ("New chat", "Send"):
        button = page.get_by_role("button", name=name)
        assert button.evaluate("button => getComputedStyle(button).borderTopStyle") == "solid"
    _answer(warm_chat)
    opener = page.get_by_role("button", name="How this answer came about")
    opener.click()
    page.locator(".run svg").first.wait_for()
    assert page.evaluate(FAINT) == []
    page.emulate_media(forced_colors="none")


def test_an_open_sheet_holds_the_focus_and_escape_gives_it_back(warm_chat: ChatPage) -> None:
    page = warm_chat.page
    page.set_viewport_size({"width": 390, "height": 664})
    menu = page.get_by_role("button", name="Options")
    menu.click()
    sheet = page.get_by_role("dialog", name="Options")
    expect(sheet).to_be_focused()
    inside = "() => document.activeElement.closest('#side, #menu') !== null"
    for key in ["Tab"] * 25 + ["Shift+Tab"] * 25:
        page.keyboard.press(key)
        assert page.evaluate(inside)
        assert page.evaluate(COVERED) == ""
    page.keyboard.press("Escape")
    expect(menu).to_be_focused()
    expect(menu).to_have_attribute("aria-expanded", "false")
    warm_chat.composer.fill("x")  # what lies behind can be used again
    page.set_viewport_size({"width": 1280, "height": 720})


@pytest.mark.parametrize("window", [(1280, 720), (390, 664), (320, 256)], ids=str)
def test_nothing_that_has_the_focus_is_covered(
    warm_chat: ChatPage, window: tuple[int, int]
) -> None:
    page = warm_chat.page
    page.set_viewport_size({"width": window[0], "height": window[1]})
    _answer(warm_chat)
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    covered: list[str] = []
    for key in ["Tab"] * 40 + ["Shift+Tab"] * 40:
        page.keyboard.press(key)
        covered.append(page.evaluate(COVERED))
    assert not [found for found in covered if found]
    page.set_viewport_size({"width": 1280, "height": 720})


@pytest.fixture(scope="module")
def german_phone(browser: Browser, servers: Running) -> Iterator[Page]:
    """A German page, 320 pixels wide, that is started once."""
    context = browser.new_context(locale="de-DE", viewport={"width": 320, "height": 568})
    page = context.new_page()
    ChatPage(page, servers).open()
    yield page
    context.close()


def _ready(page: Page, standins: Running) -> None:
    pass


def _answered(page: Page, standins: Running) -> None:
    standins.proxy.behave(calls_tool("get_sitzungen", {"slug": SLUG}), says(TEXT))
    page.locator("#message").fill(QUESTION)
    page.locator("#message").press("Enter")
    page.locator(".sources").wait_for(timeout=ANSWER_WITHIN_MS)


def _card(page: Page, standins: Running) -> None:
    standins.proxy.behave(calls("a cat"))
    page.locator("#message").fill("Draw it")
    page.locator("#message").press("Enter")
    page.locator("[data-action=card-confirm][aria-disabled=false]").wait_for()


def _run(page: Page, standins: Running) -> None:
    _answered(page, standins)
    page.locator("[data-action=run]").click()
    page.locator(".run [data-action=chart-table]").click()
    page.locator(".run summary").last.click()


def _problem(page: Page, standins: Running) -> None:
    standins.proxy.behave(html_502())
    page.locator("#message").fill(QUESTION)
    page.locator("#message").press("Enter")
    page.locator(".problem").wait_for(timeout=ANSWER_WITHIN_MS)


def _options(page: Page, standins: Running) -> None:
    page.locator("#menu").click()


@pytest.mark.parametrize("state", [_ready, _answered, _run, _card, _problem, _options])
def test_german_at_320_pixels_and_with_spaced_text_is_not_cut_off(
    german_phone: Page, standins: Running, state: Callable[[Page, Running], None]
) -> None:
    page = german_phone
    state(page, standins)
    for prepare in ("() => {}", SPACED):
        page.evaluate(prepare)
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
        assert page.evaluate(CLIPPED) == []
    page.evaluate("document.adoptedStyleSheets = []")
    page.keyboard.press("Escape")  # closes the options
    page.evaluate("document.dispatchEvent(new CustomEvent('tabloop:stop'))")  # closes the card
    page.locator("html:not([data-busy])").wait_for()
    if page.locator("article").count():
        page.locator("#new-chat").click()
    expect(page.locator("article")).to_have_count(0)


def test_paper_has_answers_tables_and_addresses_and_no_controls(warm_chat: ChatPage) -> None:
    page = warm_chat.page
    _answer(warm_chat)
    page.emulate_media(media="print")
    expect(warm_chat.composer).to_be_hidden()
    for button in page.get_by_role("button").all():
        expect(button).to_be_hidden()
    expect(warm_chat.questions.last).to_be_visible()
    expect(warm_chat.answers.last.get_by_role("figure").first.get_by_role("table")).to_be_visible()
    after = warm_chat.sources(warm_chat.answers.last).first.evaluate(
        "link => [getComputedStyle(link, '::after').content, link.href]"
    )
    assert after[1] in after[0]
    page.emulate_media(media="screen")


def test_a_run_speaks_at_most_three_times_and_once_at_its_end(warm_chat: ChatPage) -> None:
    page = warm_chat.page
    page.evaluate(
        """() => {
          window.spoken = [];
          const status = document.querySelector('[role="status"]');
          window.listening = new MutationObserver(() => {
            if (status.getAttribute('aria-live') !== 'off') spoken.push(status.textContent);
          });
          listening.observe(status, { childList: true, characterData: true, subtree: true });
        }"""
    )
    _answer(warm_chat)
    spoken = page.evaluate("listening.disconnect(), spoken")
    assert len(spoken) <= 3
    assert sum("Answered" in said for said in spoken) == 1
    expect(page.get_by_role("article", name=f"Answer to: {QUESTION}")).to_be_visible()


def test_enter_while_an_answer_is_written_is_told(warm_chat: ChatPage) -> None:
    warm_chat.standins.proxy.behave(Hang())
    warm_chat.ask(QUESTION)
    warm_chat.composer.fill("And then?")
    warm_chat.composer.press("Enter")
    expect(warm_chat.page.get_by_role("alert")).to_contain_text("Wait for this answer")
    expect(warm_chat.composer).to_have_value("And then?")
    warm_chat.stop.click()
    warm_chat.wait_for_end()
    expect(warm_chat.page.locator("#hint")).not_to_have_attribute("role", "alert")


# the shifts of the layout that no press or key has caused, as parts of the window (0 to 1)
SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput, sources } of list.getEntries()) {
    if (!hadRecentInput) shifts.push([value, ...sources.map(({ node }) => node && node.outerHTML)]);
  }
}).observe({ type: 'layout-shift', buffered: true });
"""


@pytest.mark.parametrize("window", [(1280, 800), (390, 664)], ids=str)
def test_nothing_moves_by_itself_from_the_start_to_the_end_of_an_answer(
    chat: ChatPage, window: tuple[int, int]
) -> None:
    chat.page.set_viewport_size({"width": window[0], "height": window[1]})
    chat.page.add_init_script(SHIFTS)
    endpoint = chat.standins.quirks
    endpoint.reset()
    chat.standins.overlay({"llm_url": f"{endpoint.url}/v1", "stream": True})
    chat.open()
    endpoint.play(spoken(TEXT, hold_after=8))
    article = chat.ask(QUESTION)
    expect(article).to_contain_text("As the chart")
    endpoint.release()
    chat.wait_for_end()
    shifts = chat.page.evaluate("shifts")
    assert sum(value for value, *_ in shifts) <= 0.02, shifts
