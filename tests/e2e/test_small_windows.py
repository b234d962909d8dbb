"""Phones and low windows. Rule: what waits for a person is inside what the person sees."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from playwright.sync_api import Browser, Page, expect
from tabloop.ui.strings import load_strings

from tests.e2e.in_sight import check_in_sight
from tests.e2e.paid_page import NEEDS_PAID_SERVER, PaidPage
from tests.e2e.picture_card import calls
from tests.standins.llm_proxy import SEARCH
from tests.standins.paid_servers import PaidStandins
from tests.standins.servers import Running

DIST = Path(__file__).resolve().parents[2] / "dist"
LOCALES = {"en": "en-GB", "de": "de-DE"}
ZOOMED = (320, 256)  # a window of 1280 by 1024 at 400 %
ONE_LINE = 48  # pixels
AMOUNTS = (r"0[.,]01\sUSDC", r"0[.,]50\sUSDC", r"2[.,]00\sUSDC")  # of a message, deposit, session
WINDOWS = ((390, 664), (360, 640), (320, 700), (320, 480), (740, 360), ZOOMED)
PROMPT = (
    "a watercolour of a cat that sleeps on the roof of the Reichstag at dawn, seen from the air"
)

pytestmark = NEEDS_PAID_SERVER


@pytest.fixture(scope="module")
def shop(shop: Running) -> Running:
    shop.overlay({"llm_model": SEARCH})
    return shop


@pytest.fixture(params=["en", "de"])
def phone(request: pytest.FixtureRequest, browser: Browser, shop: Running) -> Iterator[PaidPage]:
    """A phone in one language, with a wallet and a model that charges; it has never paid."""
    shop.overlay({"llm_url": cast("PaidStandins", shop.standins).gate.url})
    shop.proxy.behave()
    context = browser.new_context(
        locale=LOCALES[request.param], timezone_id="Europe/Berlin", has_touch=True
    )
    yield PaidPage(context.new_page(), shop)
    context.close()


def _open(phone: PaidPage) -> Page:
    _resize(phone.page, (390, 664))
    phone.open()
    assert phone.page.evaluate("scrollY") == 0  # the greeting is seen first
    expect(phone.page.locator("#message")).to_be_focused()
    return phone.page


def _resize(page: Page, window: tuple[int, int]) -> None:
    page.set_viewport_size({"width": window[0], "height": window[1]})


def _ask(page: Page, question: str) -> None:
    page.locator("#message").fill(question)
    page.locator("#message").press("Enter")


def test_a_card_shows_its_buttons_and_what_is_paid(phone: PaidPage) -> None:
    phone.standins.overlay({"llm_url": phone.standins.proxy.url})  # only the picture costs
    page = _open(phone)
    for window in WINDOWS:
        _resize(page, window)
        phone.standins.proxy.behave(calls(PROMPT))
        _ask(page, "Draw it")
        confirm = page.locator("[data-action=card-confirm]")
        expect(confirm).to_have_attribute("aria-disabled", "false")
        check_in_sight(confirm)
        check_in_sight(page.locator("[data-action=card-cancel]"))
        if window != ZOOMED:  # there is room for the buttons alone, which name the price
            check_in_sight(page.locator("[data-part=price]"))
        assert page.locator("#message").evaluate("field => field.offsetHeight") <= ONE_LINE
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        page.evaluate("scrollBy(0, -40)")  # as if to read the question again
        check_in_sight(confirm)
        page.locator("[data-action=card-cancel]").click()
        page.locator("html:not([data-busy])").wait_for()


def test_what_is_signed_is_in_sight_while_the_wallet_asks(phone: PaidPage) -> None:
    page = _open(phone)
    strings = load_strings(page.locator("html").get_attribute("lang") or "en")
    phone.expected += ["status of 402", "User rejected"]
    asking = page.locator("#asking")
    for window in (360, 640), (320, 480), (740, 360):
        _resize(page, window)
        phone.wallet("Object.assign(w, { slow: 1e9 })")
        _ask(page, "Hello" if window[0] != 360 else "What costs an answer? " * 4)
        if window[0] == 360:
            connect = page.locator("article [data-action=connect]")
            check_in_sight(connect)
            connect.click()
            expect(asking).to_contain_text(strings("wallet.asking"))
            check_in_sight(asking)
            # answer for the account, and then wait again
            phone.wallet("w.slow = 0")
            page.evaluate(
                "(async () => {"
                "  while (!testWallet.connected) await new Promise((go) => setTimeout(go));"
                "  testWallet.slow = 1e9; })()"
            )
        expect(asking.locator("dl")).to_be_visible()
        for shown in (phone.paid.paid_server.facts["payTo"], *AMOUNTS):
            named = asking.locator("dd").filter(has_text=re.compile(shown)).first
            check_in_sight(named)
        check_in_sight(asking)
        phone.wallet("Object.assign(w, { declines: 1, slow: 0 })")
        page.locator("html:not([data-busy])").wait_for()
        expect(asking).to_be_hidden()


def test_what_is_said_of_wallets_stands_where_the_button_was_pressed(phone: PaidPage) -> None:
    """First there is no wallet, then there are two, of which one is chosen."""
    page = _open(phone)
    phone.wallet("w.names = []")
    strings = load_strings(page.locator("html").get_attribute("lang") or "en")
    _ask(page, "Hello")
    page.locator("article [data-action=connect]").click()
    expect(page.locator("#asking")).to_contain_text(strings("wallet.none"))
    check_in_sight(page.locator("#asking"))
    page.locator("#asking [data-action=wallet-cancel]").click()
    expect(page.locator("#asking")).to_be_hidden()
    _resize(page, (320, 480))
    phone.wallet('w.names = ["First wallet", "Second wallet"]')
    _ask(page, "Hello again")
    page.locator("article [data-action=connect]").last.click()
    second = page.locator("#asking").get_by_role("button", name="Second wallet")
    check_in_sight(second)
    second.click()
    page.locator("article [data-part=text] p, article [data-part=text] li").first.wait_for()
    expect(page.locator("#asking")).to_be_hidden()
