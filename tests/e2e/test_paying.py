"""Paying from the tab: the official server and facilitator, a chain, and a wallet that signs."""

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from app.payments.money import to_micro, to_usdc
from tests.e2e.chat_page import ChatPage
from tests.standins.counterparty import Counterparty
from tests.standins.faults import Cut, Drop, Reply
from tests.standins.paid_together import PaidStandins
from tests.standins.together import Running, in_a_thread
from tests.unit.paying import channel_offer, encoded

DIST = Path(__file__).resolve().parents[2] / "dist"
QUESTION = "What did the Bundestag debate on 9 September 2026?"
SMALL = "Hello"

pytestmark = pytest.mark.skipif(bool(Counterparty.missing()), reason=Counterparty.missing())


class PaidPage(ChatPage):
    """The page with its wallet."""

    @property
    def paid(self) -> PaidStandins:
        return cast("PaidStandins", self.standins.standins)

    @property
    def panel(self) -> Locator:
        return self.page.locator("#wallet")

    def fact(self, name: str) -> Locator:
        return self.panel.locator(f'[data-fact="{name}"]')

    def connect(self) -> None:
        self.page.get_by_role("button", name="Connect wallet").first.click()
        expect(self.fact("account")).to_be_visible()

    def wallet(self, script: str) -> Any:
        """Run something on `testWallet`, here called w."""
        return self.page.evaluate(f"(() => {{ const w = testWallet; return {script}; }})()")

    @property
    def prompts(self) -> list[str]:
        """What the person signed, in order."""
        return cast("list[str]", self.wallet("w.signed.map((one) => one.primaryType)"))

    def micro(self, name: str) -> int:
        return to_micro(self.fact(name).inner_text().removesuffix(" USDC"))

    def payments(self) -> list[Any]:
        """Requests that carried a payment."""
        return [r for r in self.paid.gate.requests if "payment-signature" in r.headers]


@pytest.fixture(scope="module")
def paid_servers() -> Iterator[Running]:
    with in_a_thread(PaidStandins(DIST)) as running:
        yield running


@pytest.fixture
def paid_page(browser: Browser, paid_servers: Running) -> Iterator[PaidPage]:
    """A fresh visitor, whose wallet has money and is not connected."""
    gate = cast("PaidStandins", paid_servers.standins).gate
    gate.behave()
    gate.requests.clear()
    gate.hides = ()
    gate.after_paying.clear()
    context = browser.new_context(locale="en-GB", timezone_id="Europe/Berlin")
    opened = PaidPage(context.new_page(), paid_servers)
    opened.expected += ["status of 402"]  # Chromium says so by itself
    opened.open()
    yield opened
    opened.check_quiet()
    context.close()


def asks(*offers: object, version: int = 2, **more: object) -> Reply:
    document = {"x402Version": version, "accepts": list(offers), **more}
    return Reply({}, 402, headers={"payment-required": encoded(document)})


def test_one_signature_opens_the_channel_and_ten_more_messages_need_none(
    paid_page: PaidPage,
) -> None:
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    assert paid_page.prompts == ["ReceiveWithAuthorization"]
    for _ in range(10):
        paid_page.ask_and_wait(SMALL)
    assert paid_page.prompts == ["ReceiveWithAuthorization"]
    expect(paid_page.page.get_by_role("alert")).to_have_count(0)
    [channel] = _channels(paid_page)
    total = to_usdc(int(channel["chargedCumulativeAmount"]))
    expect(paid_page.fact("spent")).to_have_text(f"{total} USDC")
    rest = to_usdc(500_000 - paid_page.micro("spent"))
    expect(paid_page.fact("channel")).to_have_text(f"{rest} USDC")
    expect(paid_page.fact("pays")).to_have_text(paid_page.paid.counterparty.facts["payTo"])


def _channels(page: PaidPage) -> list[dict[str, Any]]:
    account = page.wallet("w.addresses[w.account]").lower()
    found = page.standins.run(page.paid.counterparty.ask("channels"))
    mine = [one for one in found if one["channelConfig"]["payer"].lower() == account]
    return mine[-1:]


def test_a_free_endpoint_never_loads_the_signing_module(chat: ChatPage) -> None:
    chat.open()
    chat.ask_and_wait(QUESTION)
    assert not [url for url in chat.requested if "x402" in url]
    expect(chat.page.get_by_role("button", name="Connect wallet")).to_be_visible()


def test_the_signing_module_is_small() -> None:
    # gzip is the worse of the two compressions that hosts have
    assert len(gzip.compress((DIST / "x402.js").read_bytes(), 9)) <= 70 * 1024


def test_the_tabs_own_key_never_leaves_it(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    stored = paid_page.page.evaluate("Object.entries(localStorage)")
    [key] = [value for name, value in stored if name.startswith("tabloop:x402:key:")]
    sent = [f"{r.path}{r.query}{r.headers}{r.body!r}" for r in paid_page.paid.gate.requests]
    assert not [text for text in sent if key.removeprefix("0x") in text]
    paid_page.panel.get_by_text("Get the deposit back").click()
    with paid_page.page.expect_download() as download:
        paid_page.panel.get_by_role("button", name="Save channel data").click()
    saved = Path(download.value.path()).read_text()
    assert "payerAuthorizer" in saved
    assert key.removeprefix("0x") not in saved


def test_a_question_without_a_wallet_can_connect_one_and_goes_on(paid_page: PaidPage) -> None:
    article = paid_page.ask_and_wait(SMALL)
    expect(paid_page.problem(article)).to_contain_text("no wallet is connected")
    article.get_by_role("button", name="Connect wallet").click()
    expect(paid_page.fact("account")).to_be_visible()
    paid_page.wait_for_end()
    expect(paid_page.fact("spent")).not_to_have_text("0.00 USDC")
    expect(paid_page.page.get_by_role("alert")).to_have_count(0)


def test_a_declined_signature_is_said_calmly_and_keeps_the_draft(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.wallet("w.declines = 1")
    article = paid_page.ask(SMALL)
    paid_page.composer.fill("a draft that must survive")
    paid_page.wait_for_end()
    expect(article).to_contain_text("You declined in your wallet")
    expect(paid_page.page.get_by_role("alert")).to_have_count(0)
    expect(paid_page.composer).to_have_value("a draft that must survive")
    assert paid_page.payments() == []
    article.get_by_role("button", name="Try again").click()
    paid_page.wait_for_end()
    assert paid_page.prompts == ["ReceiveWithAuthorization"]


HOSTILE = {
    "cap": (channel_offer(amount="1000000000000"), "1000000.00 USDC"),
    "network": (channel_offer(network="eip155:1"), "eip155:1"),
    "validity": (channel_offer(maxTimeoutSeconds=315360000), "315360000 s"),
    "permit2": (channel_offer(extra_assetTransferMethod="permit2"), "permit2"),
    "deposit": (channel_offer(extra_minDeposit="1000000000"), "1000.00 USDC"),
    "delay": (channel_offer(extra_withdrawDelay=2592000), "2592000 s"),
    "domain": (channel_offer(extra_name="Tether"), "Tether"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_offer_is_refused_with_what_it_asked(paid_page: PaidPage, name: str) -> None:
    offer, shown = HOSTILE[name]
    paid_page.connect()
    paid_page.paid.gate.behave(asks(offer), always=True)
    article = paid_page.ask_and_wait(SMALL)
    expect(paid_page.problem(article)).to_contain_text("refused before your wallet saw it")
    expect(paid_page.problem(article)).to_contain_text(shown)
    assert (paid_page.prompts, paid_page.payments()) == ([], [])


def test_another_recipient_than_the_first_is_refused(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    paid_page.paid.gate.behave(asks(channel_offer()), always=True)
    article = paid_page.ask_and_wait(SMALL)
    expect(paid_page.problem(article)).to_contain_text(channel_offer()["payTo"])
    assert len(paid_page.prompts) == 1


def test_an_answer_lost_after_paying_is_asked_for_with_the_same_payment(
    paid_page: PaidPage,
) -> None:
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    paid_page.expected.append("ERR_")
    paid_page.paid.gate.requests.clear()
    # Chromium repeats the first one by itself, so that only the second one is lost for the page
    paid_page.paid.gate.after_paying += [Drop(), Drop()]
    paid_page.ask_and_wait(SMALL)
    sent = [request.headers["payment-signature"] for request in paid_page.payments()]
    assert len(sent) == 3
    assert len(set(sent)) == 1
    expect(paid_page.page.get_by_role("alert")).to_have_count(0)


@pytest.mark.parametrize("opened", [False, True])
def test_an_answer_lost_after_it_was_charged_is_the_persons_to_decide(
    paid_page: PaidPage, opened: bool
) -> None:
    paid_page.connect()
    if opened:
        paid_page.ask_and_wait(SMALL)
    paid_page.expected.append("ERR_")
    paid_page.paid.gate.after_paying.append(Cut(after=1))
    article = paid_page.ask_and_wait(SMALL)
    expect(paid_page.problem(article)).to_contain_text("may have cost up to 0.01 USDC")
    article.get_by_role("button", name="Try again").click()
    paid_page.wait_for_end()
    assert paid_page.prompts == ["ReceiveWithAuthorization"]
    expect(paid_page.page.get_by_role("alert")).to_have_count(0)


def test_a_hidden_receipt_asks_for_no_second_deposit(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.paid.gate.hides = ("payment-response",)
    for _ in range(3):
        paid_page.ask_and_wait(SMALL)
    assert paid_page.prompts == ["ReceiveWithAuthorization"]
    expect(paid_page.fact("uncertain")).to_have_text("0.03 USDC")
    expect(paid_page.page.get_by_role("alert")).to_have_count(0)


def test_a_wallet_on_another_chain_is_switched_and_an_unknown_chain_added(
    paid_page: PaidPage,
) -> None:
    paid_page.connect()
    paid_page.wallet("(w.chain = 1, w.known = [1], w.wrapsCodes = true)")
    paid_page.ask_and_wait(SMALL)
    assert paid_page.wallet("w.chain") == 10
    assert paid_page.prompts == ["ReceiveWithAuthorization"]


def test_a_wallet_that_stays_on_another_chain_signs_nothing(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.wallet("(w.chain = 1, w.switches = false)")
    article = paid_page.ask_and_wait(SMALL)
    expect(paid_page.problem(article)).to_contain_text("not on the network")
    assert paid_page.prompts == []


def test_a_locked_wallet_is_said_to_be_locked(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.wallet("w.locked = true")
    article = paid_page.ask_and_wait(SMALL)
    expect(paid_page.problem(article)).to_contain_text("Open your wallet")
    paid_page.wallet("w.locked = false")
    article.get_by_role("button", name="Try again").click()
    paid_page.wait_for_end()
    assert paid_page.prompts == ["ReceiveWithAuthorization"]


def test_an_account_switched_in_mid_run_pays_nothing(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.wallet("w.slow = 400")
    article = paid_page.ask(SMALL)
    expect(paid_page.status).to_contain_text("sign")
    paid_page.wallet("w.tell.account(1)")
    paid_page.wait_for_end()
    expect(article).to_contain_text("answer", ignore_case=True)
    expect(paid_page.fact("account")).to_contain_text(
        paid_page.wallet("w.addresses[1].slice(0, 6)")
    )


def test_a_reload_goes_on_with_the_same_channel(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    paid_page.page.reload()
    paid_page.wait_until("ready")
    paid_page.wallet("w.connected = true")  # a wallet remembers the page
    paid_page.ask_and_wait(SMALL)
    assert paid_page.prompts == []
    expect(paid_page.fact("account")).to_be_visible()
    expect(paid_page.page.get_by_role("alert")).to_have_count(0)


def test_two_tabs_at_once_both_get_their_answers(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    second: Page = paid_page.page.context.new_page()
    other = PaidPage(second, paid_page.standins)
    other.open()
    other.wallet("w.connected = true")
    for _ in range(2):
        paid_page.ask(QUESTION)
        other.ask(QUESTION)
        paid_page.wait_for_end()
        other.wait_for_end()
    for tab in (paid_page, other):
        assert tab.page.get_by_role("alert").all_inner_texts() == []
        expect(tab.sources(tab.answers.last).first).to_be_visible()
    assert other.prompts == []
    second.close()


def test_the_rest_of_a_channel_is_paid_back(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    expect(paid_page.fact("channel")).to_contain_text("USDC")
    left = paid_page.micro("channel")
    paid_page.panel.get_by_text("Get the deposit back").click()
    paid_page.panel.get_by_role("button", name="Ask for it").click()
    expect(paid_page.panel.locator("#wallet-note")).to_contain_text("were paid back")
    note = paid_page.panel.locator("#wallet-note").inner_text()
    assert to_micro(note.split(" ")[0]) == left


def test_the_rest_can_be_taken_without_the_server(browser: Browser) -> None:
    # a chain of its own, for its clock is put forward
    with in_a_thread(PaidStandins(DIST)) as running:
        context = browser.new_context(locale="en-GB")
        page = PaidPage(context.new_page(), running)
        page.expected += ["status of 402"]
        page.open()
        page.connect()
        page.ask_and_wait(SMALL)
        balance = f"balance/{page.wallet('w.addresses[0]')}"
        before = int(running.run(page.paid.counterparty.ask(balance))["balance"])
        page.panel.get_by_text("Get the deposit back").click()
        expect(page.panel).to_contain_text("wait 15 minutes")
        page.panel.get_by_role("button", name="Announce withdrawal").click()
        expect(page.panel).to_contain_text("The withdrawal is announced.")
        running.run(page.paid.counterparty.ask("wait", {"seconds": 901}))
        page.panel.get_by_role("button", name="Take it").click()
        expect(page.panel).to_contain_text("The withdrawal was sent.")
        after = int(running.run(page.paid.counterparty.ask(balance))["balance"])
        assert after - before == 500_000  # nothing was claimed yet
        page.check_quiet()
        context.close()


def test_several_wallets_are_a_list(browser: Browser) -> None:
    wallet = {"names": ["First wallet", "Second wallet"]}
    with in_a_thread(PaidStandins(DIST, wallet=wallet)) as running:
        context = browser.new_context(locale="en-GB")
        page = PaidPage(context.new_page(), running)
        page.open()
        page.page.get_by_role("button", name="Connect wallet").click()
        page.page.get_by_role("button", name="Second wallet").click()
        expect(page.fact("account")).to_be_visible()
        page.check_quiet()
        context.close()
