"""Pictures that cost something: the official server, a chain, and a wallet that asks.

Rule: every test ends with as many payments at the service as confirmations that were to be paid,
and none of them signed for more, or for others, than the card showed.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.accessibility import check_accessibility
from tests.e2e.paid_page import NEEDS_PAID_SERVER, PaidPage
from tests.e2e.picture_card import (
    PROMPT,
    WISH,
    Card,
    calls,
    check_can_continue,
    says,
    tool_results,
)
from tests.standins.faults import Drop, Reply, Truncate
from tests.standins.llm_proxy import SEARCH
from tests.standins.paid_gate import PaidImages
from tests.standins.paid_servers import PaidStandins
from tests.standins.servers import Running
from tests.unit.paying import channel_offer, encoded, exact_offer

DIST = Path(__file__).resolve().parents[2] / "dist"
USDC_SIGNATURE = "TransferWithAuthorization"

pytestmark = NEEDS_PAID_SERVER


class PaidCard(Card):
    """The card of a service that charges; counts the confirmations that were to be paid."""

    def __init__(self, page: PaidPage) -> None:
        super().__init__(page)
        self.page = page
        self.paid = 0
        self.gate: PaidImages = page.paid.image_gate
        self.pay_to = page.paid.paid_server.facts["payTo"]

    def confirm(self, *, pays: bool = True) -> None:
        self.generate.click()
        self.paid += pays

    def check(self) -> None:
        assert len(self.signatures) == self.paid
        for signed in self.page.wallet("w.signed"):
            assert signed["primaryType"] == USDC_SIGNATURE
            assert signed["message"]["to"] == self.pay_to
            assert int(signed["message"]["value"]) <= 70_000

    @property
    def signatures(self) -> set[str]:
        """The payments that reached the service; one that was sent again is the same."""
        return {request.headers["payment-signature"] for request in self.gate.payments}

    def stage(self, name: str) -> Locator:
        return self.region.locator(f'[data-stage="{name}"]')

    def result(self) -> dict[str, Any]:
        """What the model read of the one picture."""
        [result] = tool_results(self.chat)
        return result

    def asks(self, **changes: Any) -> None:
        """Let the service ask for something else from now on, once the card has its price."""
        usual = {"payTo": self.pay_to, "maxTimeoutSeconds": 300}
        document = {"x402Version": 2, "accepts": [exact_offer(**{**usual, **changes})]}
        reply = Reply({}, 402, headers={"payment-required": encoded(document)})
        self.gate.behave(reply, path="/")


@pytest.fixture(scope="module")
def shop(shop: Running) -> Running:
    """Pictures for money; the model is free, so that what is signed was signed for a picture."""
    shop.overlay({"llm_url": shop.proxy.url, "llm_model": SEARCH})
    return shop


@pytest.fixture(scope="module")
def warm_page(browser: Browser, shop: Running) -> Iterator[PaidPage]:
    context = browser.new_context(locale="en-GB", timezone_id="Europe/Berlin")
    page = PaidPage(context.new_page(), shop)
    page.open()
    yield page
    context.close()


@pytest.fixture
def card(warm_page: PaidPage) -> Iterator[PaidCard]:
    """An empty conversation, a wallet that says yes, a service that works at once."""
    warm_page.reset()
    warm_page.connect()
    for server in (warm_page.standins.proxy, warm_page.standins.images, warm_page.paid.image_gate):
        server.behave()
        server.requests.clear()
    warm_page.paid.image_gate.after_paying.clear()
    warm_page.standins.images.seconds = 0
    card = PaidCard(warm_page)
    yield card
    card.check()
    warm_page.check_console()


def watched(card: PaidCard) -> None:
    """Record each text of the card from now on, also one that is shown briefly."""
    card.page.page.evaluate(
        """() => {
          window.said = new Set();
          window.watching?.disconnect();
          window.watching = new MutationObserver(() => {
            const items = document.querySelectorAll('.card [data-stage]');
            items.forEach(({dataset, textContent}) =>
              window.said.add(`${dataset.stage} ${dataset.state} ${textContent}`));
          });
          const log = document.getElementById('log');
          window.watching.observe(log, {childList: true, subtree: true});
        }"""
    )


def said(card: PaidCard) -> Sequence[str]:
    return cast("list[str]", card.page.page.evaluate("[...window.said]"))


# --- the whole path ------------------------------------------------------------------------------


def test_a_picture_is_paid_for_as_the_card_said(card: PaidCard) -> None:
    card.page.wallet("w.slow = 1e9")
    card.images.seconds = 1e9
    article = card.request_picture()
    expect(card.generate).to_have_accessible_name("Generate for 0.07 USDC")
    for fact in ("0.07 USDC", "OP Mainnet", card.pay_to, "Paid practice drawings", "mints an NFT"):
        expect(card.region).to_contain_text(fact)
    asked = [request.json for request in card.gate.requests if request.method == "POST"]
    assert asked == [{"size": "1792x1024", "network": "eip155:10"}]  # no picture comes of that
    card.confirm()
    expect(card.stage("signing")).to_have_attribute("data-state", "now")
    expect(card.page.status).to_contain_text("sign in your wallet")
    expect(card.region.get_by_role("button")).to_have_count(0)
    card.page.wallet("w.slow = 0")
    expect(card.stage("generating")).to_have_attribute("data-state", "now")
    expect(card.stage("paid")).to_contain_text("Payment sent: 0.07 USDC")
    expect(card.stage("generating")).to_contain_text("second")
    expect(card.page.status).to_contain_text("Making the picture")
    card.images.seconds = 0
    card.chat.wait_for_end()
    expect(article.get_by_role("img", name=PROMPT)).to_be_visible()
    [signed] = card.page.wallet("w.signed")
    assert int(signed["message"]["value"]) == 70_000
    assert card.result() == {"status": "ok", "prompt": PROMPT, "size": "1792x1024"}
    assert len(card.images.ordered) == 1
    expect(card.page.fact("spent")).to_have_text("0.07 USDC")
    check_can_continue(card.chat)


def test_a_service_without_a_description_is_asked_by_a_request_that_makes_nothing(
    card: PaidCard,
) -> None:
    card.page.expected.append("status of 404")
    card.gate.behave(Reply({}, 404), path="/openapi.json")
    article = card.request_picture()
    expect(card.generate).to_have_accessible_name("Generate for 0.07 USDC")
    expect(card.region).to_contain_text("not named")
    assert card.images.ordered == []
    card.confirm()
    card.chat.wait_for_end()
    expect(article.get_by_role("img", name=PROMPT)).to_be_visible()


# --- what the person did not agree to ------------------------------------------------------------


def test_a_price_that_rose_since_the_card_is_not_signed(card: PaidCard) -> None:
    article = card.request_picture()
    card.asks(amount="90000")
    card.confirm(pays=False)
    card.chat.wait_for_end()
    problem = card.chat.problem(article)
    expect(problem).to_contain_text("0.09 USDC now, and the card said 0.07 USDC")
    expect(problem).to_contain_text("Nothing was signed")
    assert card.page.prompts == []
    assert card.result()["status"] == "payment_refused"
    assert "0.09" in card.result()["reason"]
    assert "0.07" in card.result()["reason"]
    expect(card.chat.steps(article)).to_have_attribute("data-state", "failed")
    check_can_continue(card.chat)


def test_another_recipient_than_the_cards_is_not_paid(card: PaidCard) -> None:
    article = card.request_picture()
    card.asks(payTo="0x" + "cd" * 20)
    card.confirm(pays=False)
    card.chat.wait_for_end()
    expect(card.chat.problem(article)).to_contain_text("cdcd")
    expect(card.chat.problem(article)).to_contain_text(card.pay_to)
    assert card.page.prompts == []
    assert card.result()["status"] == "payment_refused"


def test_a_channel_instead_of_the_price_on_the_card_is_not_opened(card: PaidCard) -> None:
    article = card.request_picture()
    terms = channel_offer()["extra"]
    card.asks(scheme="batch-settlement", **{f"extra_{key}": terms[key] for key in terms})
    card.confirm(pays=False)
    card.chat.wait_for_end()
    expect(card.chat.problem(article)).to_contain_text("batch-settlement; allowed here: exact")
    expect(card.chat.problem(article)).to_contain_text("Nothing was signed")
    assert card.page.prompts == []
    assert card.result()["status"] == "payment_refused"


def test_a_picture_that_the_card_called_free_is_not_paid(card: PaidCard) -> None:
    described = Reply({"x-service-type": "images/v1", "x-price": "0"})
    card.gate.behave(described, path="/openapi.json")
    article = card.request_picture()
    expect(card.generate).to_have_accessible_name("Generate, free of charge")
    card.confirm(pays=False)
    card.chat.wait_for_end()
    expect(card.chat.problem(article)).to_contain_text("the card said 0.00 USDC")
    assert card.page.prompts == []


def test_a_lower_price_is_paid_without_asking_again(card: PaidCard) -> None:
    card.gate.behave()
    article = card.request_picture()
    card.asks(amount="50000", maxTimeoutSeconds=60)
    picture = {"url": card.images.add(PROMPT)}
    card.gate.after_paying.append(Reply({"created": 1, "data": [picture]}))
    card.confirm()
    card.chat.wait_for_end()
    expect(article.get_by_role("img", name=PROMPT)).to_be_visible()
    [signed] = card.page.wallet("w.signed")
    assert int(signed["message"]["value"]) == 50_000


# --- what the wallet says ------------------------------------------------------------------------


def test_a_person_who_declines_in_the_wallet_has_paid_nothing(card: PaidCard) -> None:
    card.page.wallet("w.declines = 1")
    article = card.request_picture()
    card.confirm(pays=False)
    card.chat.wait_for_end()
    assert card.result()["status"] == "user_declined"
    expect(card.chat.steps(article)).to_have_attribute("data-state", "declined")
    expect(article).to_contain_text(
        "You declined in your wallet. Nothing was paid for this request."
    )
    expect(card.chat.problem(article)).to_have_count(0)  # declining is no error, so no alert
    check_can_continue(card.chat)


def test_a_wallet_that_stays_on_another_network_pays_nothing(card: PaidCard) -> None:
    card.page.wallet("(w.chain = 1, w.switches = false)")
    article = card.request_picture()
    card.confirm(pays=False)
    card.chat.wait_for_end()
    assert card.result()["status"] == "wrong_network"
    expect(card.chat.problem(article)).to_contain_text("not on the network")
    assert card.page.prompts == []


def test_without_a_wallet_one_can_be_connected_and_the_card_comes_again(card: PaidCard) -> None:
    card.page.panel.get_by_role("button", name="Disconnect").click()
    article = card.request_picture()
    card.confirm(pays=False)
    card.chat.wait_for_end()
    assert card.result()["status"] == "payment_refused"
    expect(card.chat.problem(article)).to_contain_text("no wallet is connected")
    article.get_by_role("button", name="Connect wallet").click()
    expect(card.page.fact("account")).to_be_visible()
    expect(card.generate).to_be_enabled()  # the question was asked again
    card.confirm()
    card.chat.wait_for_end()
    expect(article.get_by_role("img", name=PROMPT)).to_be_visible()
    expect(card.chat.problem(article)).to_have_count(0)


def test_a_double_press_asks_the_wallet_once(card: PaidCard) -> None:
    card.page.wallet("w.slow = 700")
    article = card.request_picture()
    card.generate.dblclick()
    card.paid = 1
    card.chat.wait_for_end()
    expect(article.get_by_role("img")).to_have_count(1)
    assert card.page.prompts == [USDC_SIGNATURE]


def test_stop_while_the_wallet_asks_sends_nothing(card: PaidCard) -> None:
    card.page.wallet("w.slow = 1e9")
    article = card.request_picture()
    card.confirm(pays=False)
    card.page.wait_until_asked()
    card.chat.stop.click()
    card.chat.wait_for_end()
    expect(card.region).to_have_count(0)
    expect(card.chat.steps(article)).to_have_attribute("data-state", "interrupted")
    card.page.wallet("w.slow = 0")
    card.page.page.wait_for_function("testWallet.signed.length === 1")  # too late
    check_can_continue(card.chat)


# --- what the service does with the payment ------------------------------------------------------


def test_a_failure_before_anything_was_signed_is_not_said_to_cost_anything(card: PaidCard) -> None:
    card.page.expected.append("status of 429")
    article = card.request_picture()
    card.gate.behave(Reply({"error": "too many pictures"}, 429), path="/")
    card.confirm(pays=False)
    card.chat.wait_for_end()
    expect(card.chat.problem(article)).to_contain_text("HTTP 429")
    expect(card.chat.problem(article)).not_to_contain_text("USDC")
    assert card.page.prompts == []


def test_a_failure_after_paying_is_said_and_the_next_one_begins_with_the_same_payment(
    card: PaidCard,
) -> None:
    card.page.expected.append("status of 500")
    card.gate.after_paying.append(Reply({"error": "out of paint"}, 500))
    article = card.request_picture()
    card.confirm()
    card.chat.wait_for_end()
    expect(card.chat.problem(article)).to_contain_text("may have cost up to 0.07 USDC")
    assert card.result()["status"] == "generation_failed"
    assert "may have been charged" in card.result()["reason"]
    again = card.request_picture()
    card.confirm(pays=False)  # it is paid already
    card.chat.wait_for_end()
    expect(again.get_by_role("img", name=PROMPT)).to_be_visible()
    assert card.page.prompts == [USDC_SIGNATURE]


def test_a_kept_payment_is_not_sent_after_the_wallet_disconnected(card: PaidCard) -> None:
    card.page.expected.append("status of 500")
    card.gate.after_paying.append(Reply({"error": "out of paint"}, 500))
    card.request_picture()
    card.confirm()
    card.chat.wait_for_end()
    sent = len(card.gate.payments)
    card.page.panel.get_by_role("button", name="Disconnect").click()
    again = card.request_picture()
    card.confirm(pays=False)
    card.chat.wait_for_end()
    expect(card.chat.problem(again)).to_contain_text("no wallet is connected")
    assert len(card.gate.payments) == sent
    card.page.connect()  # the same account: its payment is good again
    again = card.request_picture()
    card.confirm(pays=False)
    card.chat.wait_for_end()
    expect(again.get_by_role("img", name=PROMPT)).to_be_visible()
    assert card.page.prompts == [USDC_SIGNATURE]


def test_a_signature_that_was_refused_is_not_said_to_cost_nothing(card: PaidCard) -> None:
    card.page.expected.append("status of 402")
    card.gate.after_paying.append(Reply({"error": "no reason"}, 402))
    before = card.page.micro("uncertain")
    article = card.request_picture()
    card.confirm()
    card.chat.wait_for_end()
    expect(card.chat.problem(article)).to_contain_text("did not accept the payment")
    expect(card.chat.problem(article)).to_contain_text(
        "0.07 USDC may still be charged within 5 min"
    )
    assert "may have been charged" in card.result()["reason"]
    card.page.check_amount("uncertain", before + 70_000)


def test_an_answer_that_is_lost_is_asked_for_with_the_same_payment(card: PaidCard) -> None:
    watched(card)
    card.page.expected.append("ERR_")
    # Chromium repeats the first one by itself, so that only the second one is lost for the page
    card.gate.after_paying += [Drop(), Drop()]
    article = card.request_picture()
    card.confirm()
    card.chat.wait_for_end()
    expect(article.get_by_role("img", name=PROMPT)).to_be_visible()
    assert card.page.prompts == [USDC_SIGNATURE]
    assert len(card.gate.payments) == 3
    assert any("Asking again, with the same payment" in line for line in said(card))
    assert card.result()["status"] == "ok"


def test_an_answer_that_is_lost_after_it_was_charged_is_said(card: PaidCard) -> None:
    card.page.expected.append("ERR_")
    card.gate.after_paying.append(Truncate(after=1))
    article = card.request_picture()
    card.confirm()
    card.chat.wait_for_end()
    expect(card.chat.problem(article)).to_contain_text("may have cost up to 0.07 USDC")
    assert card.result()["status"] == "generation_failed"
    assert card.page.prompts == [USDC_SIGNATURE]
    check_can_continue(card.chat)


# --- more than one page --------------------------------------------------------------------------


def test_after_a_reload_nothing_is_paid_again_and_the_budget_counts_anew(card: PaidCard) -> None:
    card.images.seconds = 1e9
    card.request_picture()
    card.confirm()
    card.gate.wait_until(lambda: bool(card.gate.payments))
    card.page.standins.overlay({"max_paid_calls": 1})
    card.page.page.reload(wait_until="domcontentloaded")
    card.page.wait_until("ready")
    card.page.wallet("w.connected = true")  # a wallet remembers the page
    card.images.seconds = 0
    expect(card.region).to_have_count(0)
    assert len(card.gate.payments) == 1
    card.chat.standins.proxy.behave(calls("a cat"), calls("a dog"), says("One."))
    article = card.request_picture()
    card.confirm()
    card.chat.wait_for_end()
    expect(article.get_by_role("img")).to_have_count(1)
    statuses = [result["status"] for result in tool_results(card.chat)]
    assert statuses == ["ok", "budget_exhausted"]


def _tab_to(page: Page, button: Locator) -> None:
    """Press Tab until the button has the focus."""
    expect(button).to_be_visible()
    for _ in range(80):
        if button.evaluate("button => button === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {button}")


def _press(page: Page, button: Locator) -> None:
    _tab_to(page, button)
    page.keyboard.press("Enter")


def test_a_whole_session_by_keyboard_alone_pays_for_model_and_picture(
    browser: Browser, shop: Running
) -> None:
    """Nothing is clicked; and axe finds nothing while the picture is paid."""
    standins = cast("PaidStandins", shop.standins)
    shop.overlay({"llm_url": standins.gate.url, "max_paid_calls": 6})
    standins.images.seconds = 1e9
    context = browser.new_context(locale="en-GB", viewport={"width": 360, "height": 740})
    page = PaidPage(context.new_page(), shop)
    page.expected.append("status of 402")
    page.open()
    card, keyboard = PaidCard(page), page.page.keyboard
    keyboard.type(WISH)  # the composer has the focus from the start
    keyboard.press("Enter")
    article = page.answers.last
    _press(page.page, page.ways(article).get_by_role("button", name="Connect wallet"))
    expect(card.generate).to_have_attribute("aria-disabled", "false")
    page.wallet("w.slow = 1e9")
    _press(page.page, card.generate)
    expect(card.stage("signing")).to_have_attribute("data-state", "now")
    check_accessibility(page.page, "dark")
    check_accessibility(page.page, "light")
    page.wallet("w.slow = 0")
    expect(card.stage("generating")).to_have_attribute("data-state", "now")
    standins.images.seconds = 0
    page.wait_for_end()
    expect(article.get_by_role("img", name=PROMPT)).to_be_visible()
    assert page.prompts == ["ReceiveWithAuthorization", USDC_SIGNATURE]
    _press(page.page, article.get_by_role("button", name="How this answer came about"))
    drawing = article.get_by_role("img", name="Drawing of the run")
    expect(drawing).to_contain_text("Picture service")
    expect(drawing).to_contain_text("0.07 USDC")
    check_accessibility(page.page)
    _press(page.page, page.page.get_by_role("button", name="New chat"))
    expect(page.questions).to_have_count(0)
    keyboard.type("Thanks")  # the composer has the focus again
    expect(page.composer).to_have_value("Thanks")
    page.check_console()
    context.close()
