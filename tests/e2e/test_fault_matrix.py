"""The cells of the fault matrix that need a page: nothing is lost after any of them.

Two started pages for all; the cells of plain Python are in tests/unit/test_fault_matrix.py.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, Dialog, Locator, expect

from tests.conftest import Tried
from tests.e2e.chat_page import ChatPage
from tests.standins.base import StandIn
from tests.standins.faults import Delay, Hang, Reply
from tests.standins.quirks import HELLO, quirk
from tests.standins.servers import Running

QUESTION, DRAFT = "What was debated?", "my draft"
SAID = "The Bundestag debated the Budget — für “alle”."

FULL = "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') }"
REFUSED = (
    "Object.defineProperty(window, 'localStorage', { configurable: true, "
    "get() { throw new DOMException('no', 'SecurityError') } })"
)
NO_CLIPBOARD = (
    "navigator.clipboard.write = navigator.clipboard.writeText = "
    "() => Promise.reject(new DOMException('no'))"
)
NO_FILE = "URL.createObjectURL = () => { throw new Error('no file') }"
HIDDEN = (
    "Object.defineProperty(document, 'visibilityState', { configurable: true, value: 'hidden' });"
    "document.dispatchEvent(new Event('visibilitychange'))"
)
NO_RENDER = """() => {
  const fail = (element) => { if (element.closest('#log')) throw new Error('no render'); };
  const { insertAdjacentHTML: insert } = Element.prototype;
  Element.prototype.insertAdjacentHTML = function (...given) {
    fail(this);
    return insert.apply(this, given);
  };
  const inner = Object.getOwnPropertyDescriptor(Element.prototype, 'innerHTML');
  Object.defineProperty(Element.prototype, 'innerHTML', {
    ...inner,
    set(html) { fail(this); inner.set.call(this, html); },
  });
  globalThis.rendered = () => {
    Element.prototype.insertAdjacentHTML = insert;
    Object.defineProperty(Element.prototype, 'innerHTML', inner);
  };
}"""
# what looks as if it could be used, by its name
ALIVE = """[...document.querySelectorAll("button, input, select, textarea")]
  .filter((one) => one.checkVisibility() && !one.disabled && !one.readOnly)
  .filter((one) => one.getAttribute("aria-disabled") !== "true")
  .map((one) => one.id || one.textContent)"""
BROKEN: dict[str, str] = {
    "storage full": FULL,
    "storage refused": REFUSED,
    "clipboard refused": NO_CLIPBOARD,
    "file refused": NO_FILE,
    "hidden tab": HIDDEN,
    "clock a day later": "const now = Date.now; Date.now = () => now() + 86400000",
    "clock a day earlier": "const now = Date.now; Date.now = () => now() - 86400000",
}
SAID_OF_BUTTONS = {
    ("clipboard refused", "Copy answer"): "The browser does not allow copying here",
    ("clipboard refused", "Export"): "Exported",
    ("file refused", "Export"): "The browser makes no file here",
}
AWAITS: dict[str, Callable[[ChatPage], None]] = {
    "model": lambda chat: chat.standins.proxy.behave(Delay(0.2)),
    "model that fails": lambda chat: chat.standins.proxy.behave(Reply("<html>", 502), always=True),
    "model that never answers": lambda chat: chat.standins.proxy.behave(Hang(), always=True),
}


@pytest.mark.parametrize("fault", BROKEN)
@pytest.mark.parametrize("place", AWAITS)
def test_after_any_fault_of_the_page_the_conversation_goes_on(
    warm_chat: ChatPage, place: str, fault: str, held: Tried
) -> None:
    chat, page = warm_chat, warm_chat.page
    chat.expected += ["502", "a fault of the page", "Traceback", "  File", "Error", "DOMException"]
    AWAITS[place](chat)
    page.evaluate(f"() => {{ {BROKEN[fault]} }}")
    chat.ask("What was debated?")
    chat.composer.fill("my draft")
    if place == "model that never answers":
        chat.stop.click()
    chat.wait_for_end()
    expect(chat.composer).to_have_value("my draft")
    for name in ("Copy answer", "Export"):
        for button in page.get_by_role("button", name=name).all()[-1:]:
            if button.is_visible():
                button.click()
                if said := SAID_OF_BUTTONS.get((fault, name)):
                    expect(chat.status).to_have_text(said)
    expect(page.locator("#failure")).to_be_hidden()
    chat.standins.proxy.behave()
    chat.composer.press("Enter")
    chat.wait_for_end()
    expect(chat.questions).to_have_count(2)
    expect(chat.problem(chat.answers.last)).to_have_count(0)
    expect(chat.send).to_be_enabled()
    held(f"page, {place}", 1)


@pytest.fixture(autouse=True)
def whole_again(warm_page: ChatPage) -> None:
    """Undo what the test before has broken."""
    page = warm_page.page
    if not page.evaluate("Boolean(globalThis.whole)"):
        page.evaluate(
            "globalThis.whole = { set: Storage.prototype.setItem, now: Date.now, "
            "url: URL.createObjectURL, "
            "local: Object.getOwnPropertyDescriptor(window, 'localStorage') }"
        )
    page.evaluate(
        "() => { Storage.prototype.setItem = whole.set; Date.now = whole.now;"
        "URL.createObjectURL = whole.url; delete document.visibilityState;"
        "delete navigator.clipboard.write; delete navigator.clipboard.writeText;"
        "Object.defineProperty(window, 'localStorage', whole.local) }"
    )


# in mid answer


@dataclass(frozen=True)
class Middle:
    """A page in mid answer: what leads there, and what shows that it is there."""

    begin: Callable[[ChatPage], None]
    shown: Callable[[Locator], Locator]
    served_by: Callable[[Running], StandIn]


def stream(chat: ChatPage) -> None:
    chat.standins.quirks.play(quirk("stream-plain", hold_after=3))


def lookup(chat: ChatPage) -> None:
    chat.standins.quirks.play("stream-calls-plain")
    chat.standins.bundestakt.behave(Hang())


MIDDLES = {
    "stream": Middle(
        stream,
        lambda answer: answer.get_by_text("The Bundestag debated"),
        lambda servers: servers.quirks,
    ),
    "tool": Middle(
        lookup,
        lambda answer: answer.locator('[data-state="running"]'),
        lambda servers: servers.bundestakt,
    ),
}


@pytest.fixture(scope="module")
def streaming(browser: Browser, servers: Running) -> Iterator[ChatPage]:
    """A started page whose endpoint streams; also after a reload."""
    before = dict(servers.site.overlaid)
    servers.overlay({"llm_url": f"{servers.quirks.url}/v1", "llm_model": "m", "stream": True})
    context = browser.new_context(locale="en-GB", timezone_id="Europe/Berlin")
    yield ChatPage(context.new_page(), servers).open()
    context.close()
    servers.site.overlaid = before


@pytest.fixture
def streamed(streaming: ChatPage) -> Iterator[ChatPage]:
    """The started page with an empty conversation."""
    streaming.standins.quirks.reset()
    streaming.standins.bundestakt.behave()
    streaming.reset()
    keep(streaming).uncheck()
    yield streaming
    streaming.check_console()
    streaming.standins.bundestakt.behave()


def keep(chat: ChatPage) -> Locator:
    return chat.page.get_by_role("checkbox", name="Survive a reload")


def go_on(chat: ChatPage, middle: Middle) -> None:
    """Let what is under way go on; nothing else answers a lookup that hangs than Stop."""
    if middle.served_by(chat.standins) is chat.standins.quirks:
        chat.standins.quirks.release()
    else:
        chat.stop.click()
    chat.wait_for_end()


def reload(chat: ChatPage, press: Callable[[], object]) -> list[str]:
    """Reload by `press`, agree to what the browser asks, and return its questions."""
    asked: list[str] = []

    def agree(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    chat.page.once("dialog", agree)
    with chat.page.expect_navigation(wait_until="domcontentloaded"):
        press()
    chat.wait_until("ready")
    return asked


def python_ends(chat: ChatPage, _middle: Middle) -> str:
    chat.composer.fill("an older draft")
    keep(chat).check()
    chat.end_python()
    said = chat.page.get_by_role("alert").filter(has_text="The assistant has crashed")
    assert sorted(chat.page.evaluate(ALIVE)) == ["Reload", "message"]
    chat.composer.fill(DRAFT)
    reload(chat, said.get_by_role("button", name="Reload").click)
    return "The reload interrupted this answer"


def reloaded(chat: ChatPage, _middle: Middle) -> str:
    assert reload(chat, chat.page.reload) == ["beforeunload"]
    chat.composer.fill(DRAFT)  # the person has agreed to lose it
    return ""


def reloaded_kept(chat: ChatPage, _middle: Middle) -> str:
    keep(chat).check()
    assert reload(chat, chat.page.reload) == ["beforeunload"]
    return "The reload interrupted this answer"


def another_tab(chat: ChatPage, middle: Middle) -> str:
    other = ChatPage(chat.page.context.new_page(), chat.standins).open()
    middle.begin(other)
    expect(middle.shown(other.ask(QUESTION))).to_be_visible()
    go_on(chat, middle)
    expect(other.stop).to_be_visible()
    go_on(other, middle)
    other.check_console()
    other.page.close()
    return "" if middle is MIDDLES["stream"] else "stopped"


def offline_and_back(chat: ChatPage, middle: Middle) -> str:
    chat.expected.append("net::ERR")
    server = middle.served_by(chat.standins)
    chat.page.context.set_offline(True)
    chat.standins.down(server)  # Chromium's switch leaves open connections as they are
    expect(chat.page.get_by_text("You are offline.")).to_be_visible()
    chat.wait_for_end()
    chat.standins.up(server)
    chat.page.context.set_offline(False)
    return "broke off" if middle is MIDDLES["stream"] else ""


def hidden(chat: ChatPage, middle: Middle) -> str:
    chat.page.evaluate(HIDDEN)
    go_on(chat, middle)
    return "" if middle is MIDDLES["stream"] else "stopped"


def render_fails(chat: ChatPage, middle: Middle) -> str:
    chat.expected += ["a fault of the page", "Traceback", "  File", "Error"]
    chat.page.evaluate(NO_RENDER)
    go_on(chat, middle)
    if middle is MIDDLES["stream"]:  # what can be shown is shown
        expect(chat.answers.locator('[data-part="text"]')).to_have_text(SAID)
    chat.page.evaluate("rendered()")
    return "Something went wrong inside the page"


IN_THE_MIDDLE: dict[str, Callable[[ChatPage, Middle], str]] = {
    "Python's end": python_ends,
    "reload": reloaded,
    "reload of a kept one": reloaded_kept,
    "another tab doing the same": another_tab,
    "offline and back": offline_and_back,
    "hidden tab": hidden,
    "a render that fails": render_fails,
}


@pytest.mark.parametrize("fault", IN_THE_MIDDLE)
@pytest.mark.parametrize("place", MIDDLES)
def test_after_any_fault_in_mid_answer_the_conversation_goes_on(
    streamed: ChatPage, place: str, fault: str, held: Tried
) -> None:
    chat, middle = streamed, MIDDLES[place]
    middle.begin(chat)
    expect(middle.shown(chat.ask(QUESTION))).to_be_visible()
    chat.composer.fill(DRAFT)
    said = IN_THE_MIDDLE[fault](chat, middle)
    if said:
        expect(chat.page.get_by_text(said).first).to_be_visible()
    expect(chat.composer).to_have_value(DRAFT)
    chat.composer.press("Enter")
    chat.wait_for_end()
    expect(chat.answers.last.locator('[data-part="text"]')).to_have_text(HELLO)
    expect(chat.problem(chat.answers.last)).to_have_count(0)
    for name in ("Copy answer", "Try again"):
        expect(chat.answers.last.get_by_role("button", name=name)).to_be_enabled()
    expect(chat.page.locator('[data-state="running"]')).to_have_count(0)
    held(f"page, in mid answer ({place})", 1)
