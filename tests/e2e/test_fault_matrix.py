"""The cells of the fault matrix that need a page: nothing is lost after any of them.

One started page for all; the cells of plain Python are in tests/unit/test_fault_matrix.py. A page
that is offline is in test_services_fail.py, a reload and a second tab in test_kept.py.
"""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.conftest import Tried
from tests.e2e.chat_page import ChatPage
from tests.standins.faults import Delay, Hang, Reply

FULL = "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') }"
REFUSED = (
    "Object.defineProperty(window, 'localStorage', { configurable: true, "
    "get() { throw new DOMException('no', 'SecurityError') } })"
)
NO_CLIPBOARD = "navigator.clipboard.writeText = () => Promise.reject(new DOMException('no'))"
NO_FILE = "URL.createObjectURL = () => { throw new Error('no file') }"
HIDDEN = (
    "Object.defineProperty(document, 'visibilityState', { configurable: true, value: 'hidden' });"
    "document.dispatchEvent(new Event('visibilitychange'))"
)
BROKEN: dict[str, str] = {
    "storage full": FULL,
    "storage refused": REFUSED,
    "clipboard refused": NO_CLIPBOARD,
    "file refused": NO_FILE,
    "hidden tab": HIDDEN,
    "clock a day later": "const now = Date.now; Date.now = () => now() + 86400000",
    "clock a day earlier": "const now = Date.now; Date.now = () => now() - 86400000",
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
        "delete navigator.clipboard.writeText;"
        "Object.defineProperty(window, 'localStorage', whole.local) }"
    )
