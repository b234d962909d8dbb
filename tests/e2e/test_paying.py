"""Paying from the tab: the official server and facilitator, a chain, and a wallet that signs."""

import gzip
import json
from pathlib import Path
from threading import Event
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Route, expect
from tabloop.core.money import to_micro, to_usdc

from tests.conftest import Tried
from tests.e2e.conftest import built
from tests.e2e.paid_page import NEEDS_PAID_SERVER, OPTIMISM, PaidPage, asks
from tests.standins.faults import Delay, Drop, Hang, Reply, Truncate
from tests.standins.paid_servers import POOR_KEYS
from tests.unit.paying import PREFIX, STRANGER, channel_offer, encoded

QUESTION = "What did the Bundestag debate on 9 September 2026?"
SMALL = "Hello"
DEPOSIT = "ReceiveWithAuthorization"
CEILING = 10_000  # of a message, in millionths
POOR, LATER_RICH = 2, 3  # accounts of the test wallet
YEARS = 10 * 365 * 86400
ANSWER = {"choices": [{"message": {"role": "assistant", "content": "A paid answer."}}]}

# the place stores nothing until `mend`
BREAK = """([owner, name]) => {
    const place = globalThis[owner].prototype, kept = place[name];
    globalThis.mend = () => { place[name] = kept; };
    place[name] = () => { throw new DOMException("full", "QuotaExceededError"); };
}"""

pytestmark = NEEDS_PAID_SERVER


# one signature, and then none


def test_one_signature_opens_the_channel_and_ten_more_messages_need_none(
    paid_page: PaidPage,
) -> None:
    paid_page.connect()
    before = paid_page.micro("spent")
    paid_page.ask_and_wait(SMALL)
    assert paid_page.prompts == [DEPOSIT]
    for _ in range(10):
        paid_page.ask_and_wait(SMALL)
    assert paid_page.prompts == [DEPOSIT]
    assert paid_page.alerts == []
    total = paid_page.charged()
    paid_page.check_amount("spent", before + total)
    paid_page.check_amount("channel", 500_000 - total)
    expect(paid_page.fact("pays")).to_have_text(paid_page.paid.paid_server.facts["payTo"])
    expect(paid_page.fact("perMessage")).to_have_text("0.01 USDC")


def test_the_signing_module_is_small() -> None:
    # hosts use gzip or Brotli; gzip gives the larger file
    assert len(gzip.compress(built("x402.js").read_bytes(), 9)) <= 70 * 1024


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
    with paid_page.page.expect_download() as download:
        paid_page.page.get_by_role("button", name="Export").click()
    seen = [
        saved,
        Path(download.value.path()).read_text(),
        paid_page.page.url,
        paid_page.page.content(),
    ]
    seen.append(paid_page.page.evaluate("JSON.stringify({...sessionStorage})"))
    seen += [*map(str, paid_page.requested), *paid_page.all_said]
    assert "payerAuthorizer" in saved
    assert SMALL in seen[1]
    secret = key.removeprefix("0x").lower()
    assert len(secret) == 64
    assert not [text[:80] for text in seen if secret in text.lower()]


def test_a_question_without_a_wallet_can_connect_one_and_goes_on(paid_page: PaidPage) -> None:
    article = paid_page.ask_and_wait(SMALL)
    expect(paid_page.ways(article)).to_contain_text("no wallet is connected")
    article.get_by_role("button", name="Connect wallet").click()
    expect(paid_page.fact("account")).to_be_visible()
    paid_page.wait_for_end()
    assert paid_page.charged() > 0
    assert paid_page.alerts == []


def test_two_tabs_at_once_both_get_their_answers(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    other = PaidPage(paid_page.page.context.new_page(), paid_page.standins)
    other.open()
    other.wallet("w.connected = true")  # a wallet remembers the page
    for _ in range(2):
        paid_page.ask(QUESTION)
        other.ask(QUESTION)
        paid_page.wait_for_end()
        other.wait_for_end()
    assert paid_page.alerts + other.alerts == []
    for tab in (paid_page, other):
        expect(tab.sources(tab.answers.last).first).to_be_visible()
    assert other.prompts == []
    other.page.close()


# what a hostile endpoint asks

HOSTILE = {
    "cap": (channel_offer(amount="10001"), "0.010001 USDC"),
    "million": (channel_offer(amount="1000000000000"), "1,000,000.00 USDC"),
    "token": (channel_offer(asset=STRANGER), f"the token {STRANGER}"),
    "network": (channel_offer(network="eip155:1"), "paid on eip155:1"),
    "validity": (channel_offer(maxTimeoutSeconds=YEARS), f"{YEARS} s"),
    "permit2": (channel_offer(extra_assetTransferMethod="permit2"), "permit2"),
    "deposit": (channel_offer(extra_minDeposit="1000000000"), "1,000.00 USDC"),
    "month": (channel_offer(extra_withdrawDelay=2592000), "locked for 2592000 s"),
    "decade": (channel_offer(extra_withdrawDelay=YEARS), f"locked for {YEARS} s"),
    "name": (channel_offer(extra_name="Tether"), "Tether 2"),
    "version": (channel_offer(extra_version="1"), "USD Coin 1"),
    "nobody": (channel_offer(extra_receiverAuthorizer="0x" + "0" * 40), "who may settle"),
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


def test_an_older_version_is_refused(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.paid.gate.behave(asks(channel_offer(), version=1), always=True)
    article = paid_page.ask_and_wait(SMALL)
    expect(paid_page.problem(article)).to_contain_text("version 1 of x402")
    assert (paid_page.prompts, paid_page.payments()) == ([], [])


def test_another_recipient_or_authorizer_than_the_first_is_paid_only_if_accepted(
    paid_page: PaidPage,
) -> None:
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    honest = paid_page.offer()
    for other in (
        {**honest, "extra": {**honest["extra"], "receiverAuthorizer": STRANGER}},
        {**honest, "payTo": STRANGER},
    ):
        paid_page.paid.gate.requests.clear()
        paid_page.paid.gate.behave(asks(other))
        article = paid_page.ask_and_wait(SMALL)
        expect(paid_page.problem(article)).to_contain_text("other terms than those you have paid")
        for shown in (STRANGER, "0.01 USDC", "a new deposit of 0.50 USDC", "Nothing was signed"):
            expect(paid_page.problem(article)).to_contain_text(shown)
        assert (len(paid_page.prompts), paid_page.payments()) == (1, [])
    expect(paid_page.problem(article)).to_contain_text(honest["payTo"])
    accept = article.get_by_role("button", name="Accept these terms")
    paid_page.paid.gate.behave(asks({**other, "amount": "9999"}))
    accept.click()  # these are not the terms that were shown
    expect(paid_page.problem(article)).to_contain_text("0.009999 USDC")
    assert len(paid_page.prompts) == 1
    answer = {"payment-response": encoded({"success": True, "extra": {"chargedAmount": "2000"}})}
    paid_page.paid.gate.behave(asks({**other, "amount": "9999"}))
    paid_page.paid.gate.answered_by.append(Reply(ANSWER, headers=answer))
    accept.click()
    paid_page.wait_for_end()
    expect(article).to_contain_text("A paid answer.")
    assert paid_page.prompts == [DEPOSIT, DEPOSIT]
    expect(paid_page.fact("pays")).to_have_text(STRANGER)


def test_a_withdrawal_delay_that_grows_brings_no_second_deposit(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    honest = paid_page.offer()
    for more in range(1, 4):
        extra = {**honest["extra"], "withdrawDelay": honest["extra"]["withdrawDelay"] + more}
        paid_page.paid.gate.behave(asks({**honest, "extra": extra}))
        article = paid_page.ask_and_wait(SMALL)
        expect(paid_page.problem(article)).to_contain_text("so far 15 minutes")
        expect(paid_page.problem(article)).to_contain_text(f"now 16 minutes ({900 + more} s)")
    assert paid_page.prompts == [DEPOSIT]


def test_where_the_browser_keeps_no_pins_another_recipient_is_refused_all_the_same(
    paid_page: PaidPage, tried: Tried
) -> None:
    paid_page.connect()
    honest = paid_page.offer()
    paid_page.page.evaluate(BREAK, ["Storage", "setItem"])
    paid_page.ask_and_wait(SMALL)
    paid_page.page.evaluate("mend()")
    paid_page.paid.gate.behave(asks({**honest, "payTo": STRANGER}))
    article = paid_page.ask_and_wait(SMALL)
    expect(paid_page.problem(article)).to_contain_text(STRANGER)
    assert paid_page.prompts == [DEPOSIT]
    tried("offers", 1)
    paid_page.page.reload()  # forgets what lives in memory
    paid_page.wait_until("ready")


def test_a_payment_does_not_follow_a_redirect_to_another_origin(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    other = paid_page.standins.proxy
    other.requests.clear()
    away = Reply(b"", 307, headers={"location": f"{other.url}/openapi.json"})
    for faults in (paid_page.paid.gate.after_paying, None):
        # the address gives the same answer to the harmless request that finds out where it leads
        if faults is None:
            paid_page.paid.gate.behave(away, always=True)
        else:
            faults.append(away)
        article = paid_page.ask_and_wait(SMALL)
        expect(paid_page.problem(article)).to_contain_text("sends the request on to")
        if faults is None:
            expect(paid_page.problem(article)).to_contain_text(other.url)
    assert not [r for r in other.requests if r.body or "payment-signature" in r.headers]
    paid_page.paid.gate.behave()
    paid_page.ask_and_wait(SMALL)
    assert paid_page.prompts == [DEPOSIT]


def test_an_honest_offer_behind_hostile_ones_is_taken(paid_page: PaidPage) -> None:
    paid_page.connect()
    hostile = [offer for offer, _ in HOSTILE.values()]
    paid_page.paid.gate.behave(asks(*hostile, paid_page.offer()))
    paid_page.ask_and_wait(SMALL)
    assert paid_page.alerts == []
    assert paid_page.charged() > 0


def test_a_second_402_after_paying_is_not_paid(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    paid_page.paid.gate.requests.clear()
    paid_page.paid.gate.after_paying.append(asks(paid_page.offer(amount="9999")))
    article = paid_page.ask_and_wait(SMALL)
    expect(paid_page.problem(article)).to_contain_text("a second time for the same message")
    assert (len(paid_page.payments()), len(paid_page.prompts)) == (1, 1)


# what a wallet does


def test_a_voucher_that_was_answered_by_a_402_may_have_been_charged(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    before = paid_page.micro("uncertain")
    paid_page.expected.append("402")
    again = encoded({"x402Version": 2, "resource": {}, "accepts": [], "error": "no"})
    paid_page.paid.gate.after_paying.append(Reply({}, 402, headers={"payment-required": again}))
    article = paid_page.ask_and_wait(SMALL)
    expect(paid_page.problem(article)).to_contain_text("This may have cost up to 0.01 USDC.")
    expect(article).not_to_contain_text("Nothing was")
    paid_page.check_amount("uncertain", before + CEILING)


def test_a_declined_signature_shows_no_alert_and_keeps_the_draft(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.wallet("w.declines = 1")
    article = paid_page.ask(SMALL)
    paid_page.composer.fill("a draft that must survive")
    paid_page.wait_for_end()
    expect(article).to_contain_text("You declined in your wallet")
    assert paid_page.alerts == []
    expect(paid_page.composer).to_have_value("a draft that must survive")
    assert paid_page.payments() == []
    paid_page.try_again()
    assert paid_page.prompts == [DEPOSIT]
    paid_page.composer.fill("")


def test_a_locked_wallet_is_said_to_be_locked(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.wallet("w.locked = true")  # it says -32002, as with a request that is open already
    article = paid_page.ask_and_wait(SMALL)
    expect(paid_page.problem(article)).to_contain_text("Open your wallet")
    assert (paid_page.prompts, paid_page.payments()) == ([], [])
    paid_page.wallet("w.locked = false")
    paid_page.try_again()
    assert paid_page.prompts == [DEPOSIT]


@pytest.mark.parametrize("wrapped", ["false", "true"])
def test_an_unknown_network_is_added_to_the_wallet(paid_page: PaidPage, wrapped: str) -> None:
    paid_page.connect()
    paid_page.wallet(f"(w.chain = 1, w.known = [1], w.wrapsCodes = {wrapped})")
    paid_page.ask_and_wait(SMALL)
    assert "wallet_addEthereumChain" in paid_page.wallet("w.requests")
    assert paid_page.wallet("w.chain") == 10
    assert paid_page.prompts == [DEPOSIT]


def test_a_network_switched_right_before_the_signature_is_switched_back(
    paid_page: PaidPage,
) -> None:
    paid_page.connect()
    paid_page.wallet("w.afterRead = () => w.tell.chain(1)")
    paid_page.ask_and_wait(SMALL)
    assert paid_page.alerts == []
    [signed] = paid_page.wallet("w.signed.map((one) => one.domain.chainId)")
    assert int(signed) == 10


def test_a_wallet_that_stays_on_another_network_signs_nothing(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.wallet("(w.switches = false, w.afterRead = () => w.tell.chain(1))")
    article = paid_page.ask_and_wait(SMALL)
    expect(paid_page.problem(article)).to_contain_text("not on the network")
    assert (paid_page.prompts, paid_page.payments()) == ([], [])


@pytest.mark.parametrize("switch", ["w.tell.account(1)", "w.account = 1"], ids=["told", "silent"])
def test_an_account_switched_before_the_signature_pays_nothing(
    paid_page: PaidPage, switch: str
) -> None:
    paid_page.connect()
    paid_page.wallet(f"w.afterRead = () => {{ w.afterRead = () => {{}}; {switch}; }}")
    article = paid_page.ask_and_wait(SMALL)
    expect(paid_page.problem(article)).to_contain_text("switched to another account")
    expect(paid_page.problem(article)).to_contain_text("Nothing was paid")
    assert (paid_page.prompts, paid_page.payments()) == ([], [])
    expect(paid_page.fact("account")).to_contain_text(paid_page.address[:6])
    paid_page.try_again()  # now the person has pressed the button
    assert paid_page.payers() == {paid_page.address}


def test_an_account_switched_under_an_open_request_never_pays_for_the_other(
    paid_page: PaidPage,
) -> None:
    paid_page.connect()
    first = paid_page.address
    paid_page.wallet("w.slow = 1e9")
    paid_page.ask(SMALL)
    expect(paid_page.status).to_contain_text("sign")
    paid_page.wait_until_asked()
    paid_page.wallet("w.tell.account(1)")
    paid_page.wallet("w.slow = 0")
    paid_page.wait_for_end()
    assert paid_page.alerts == []
    assert paid_page.payers() == {first}  # the account that was asked and agreed
    expect(paid_page.fact("account")).to_contain_text(paid_page.address[:6])
    expect(paid_page.fact("channel")).to_have_text("no channel yet")
    paid_page.ask_and_wait(SMALL)
    assert paid_page.prompts == [DEPOSIT, DEPOSIT]
    assert paid_page.payers() == {first, paid_page.address}


def test_many_switches_at_once_are_one_change(paid_page: PaidPage) -> None:
    """Else each of them looks for the account's channels, which blocks the tab for seconds."""
    paid_page.connect()
    before = paid_page.wallet("w.requests.length")
    paid_page.wallet("Array.from({ length: 300 }, (_, i) => w.tell.account(i % 2))")
    expect(paid_page.fact("account")).to_contain_text(paid_page.address[:6])
    paid_page.ask_and_wait(SMALL)
    assert paid_page.payers() == {paid_page.address}
    assert paid_page.wallet("w.requests.length") - before < 100


# the same wallet announces itself by another object each time
ANEW = """() => {
    let real;
    addEventListener("eip6963:announceProvider", ({ detail }) => { real ??= detail.provider; });
    globalThis.anew = () => {
        const provider = globalThis.announced = {
            request: (asked) => real.request(asked),
            on(event, listener) { provider[event] = listener; },
        };
        const info = { uuid: "anew", name: "Test wallet", icon: "", rdns: "test.wallet0" };
        dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: { info, provider } }));
    };
    addEventListener("eip6963:requestProvider", anew);
}"""


def test_a_switch_is_noticed_in_a_wallet_that_was_connected_again(paid_page: PaidPage) -> None:
    paid_page.page.evaluate(ANEW)
    for _ in range(2):
        paid_page.connect()
        paid_page.wallet("w.account = 1")
        paid_page.page.evaluate("announced.accountsChanged([testWallet.addresses[1]])")
        expect(paid_page.fact("account")).to_contain_text(paid_page.address[:6])
        paid_page.panel.get_by_role("button", name="Disconnect").click()
    paid_page.page.evaluate("removeEventListener('eip6963:requestProvider', anew)")


def test_a_person_who_took_too_long_is_told_and_nothing_is_sent(paid_page: PaidPage) -> None:
    paid_page.connect()
    # a signature must be good for some seconds more when it is sent
    paid_page.paid.gate.behave(asks(paid_page.offer(maxTimeoutSeconds=20)))
    paid_page.wallet("w.slow = 300000")
    article = paid_page.ask(SMALL)
    paid_page.wait_until_asked()
    paid_page.page.evaluate(
        "() => { globalThis.realNow ??= Date.now; Date.now = () => realNow.call(Date) + 15e3 }"
    )
    paid_page.wallet("w.slow = 0")
    paid_page.wait_for_end()
    paid_page.page.evaluate("void (Date.now = globalThis.realNow)")
    expect(paid_page.problem(article)).to_contain_text("The signature came later")
    assert (paid_page.prompts, paid_page.payments()) == ([DEPOSIT], [])
    paid_page.wallet("w.slow = 0")
    paid_page.try_again()
    assert paid_page.prompts == [DEPOSIT, DEPOSIT]
    assert paid_page.alerts == []


def test_several_wallets_are_a_list(paid_page: PaidPage) -> None:
    paid_page.wallet('w.names = ["First wallet", "Second wallet"]')
    paid_page.page.get_by_role("button", name="Connect wallet").click()
    paid_page.panel.get_by_role("button", name="Second wallet").click()
    expect(paid_page.fact("account")).to_be_visible()
    expect(paid_page.panel.get_by_role("button", name="First wallet")).to_have_count(0)
    paid_page.ask_and_wait(SMALL)
    assert paid_page.prompts == [DEPOSIT]


# what an account and a channel have


def test_an_account_with_too_little_is_told_before_the_wallet_asks(paid_page: PaidPage) -> None:
    paid_page.connect(POOR)
    article = paid_page.ask_and_wait(SMALL)
    problem = paid_page.problem(article)
    expect(problem).to_contain_text("0.00 USDC on OP Mainnet and 0.10 are needed")
    expect(problem).to_contain_text("Only native USDC counts")
    assert (paid_page.prompts, paid_page.payments()) == ([], [])


def test_a_short_channel_is_topped_up_which_is_said_before_the_wallet_asks(
    paid_page: PaidPage,
) -> None:
    paid_page.paid_server("mint", {"key": POOR_KEYS[1], "amount": "100000"})
    paid_page.connect(LATER_RICH)
    paid_page.paid_server("charge", {"amount": 40_000})  # the ceiling cuts it
    for _ in range(10):
        paid_page.ask_and_wait(SMALL)
    paid_page.paid_server("charge", {"amount": None})
    assert paid_page.alerts == []
    expect(paid_page.fact("channel")).to_have_text("0.00 USDC")
    article = paid_page.ask_and_wait(SMALL)
    expect(paid_page.problem(article)).to_contain_text("Your account has 0.00 USDC")
    assert paid_page.prompts == [DEPOSIT]
    paid_page.paid_server("mint", {"key": POOR_KEYS[1], "amount": "500000"})
    paid_page.wallet("w.slow = 1e9")
    article.get_by_role("button", name="Try again").click()
    expect(paid_page.status).to_contain_text("Topping up the channel with 0.50 USDC")
    assert paid_page.prompts == [DEPOSIT]
    paid_page.wallet("w.slow = 0")
    paid_page.wait_for_end()
    assert paid_page.prompts == [DEPOSIT, DEPOSIT]
    assert paid_page.alerts == []
    rest = to_usdc(600_000 - paid_page.charged())
    expect(paid_page.fact("channel")).to_have_text(f"{rest} USDC")


def test_a_channel_that_the_tab_lost_sight_of_is_read_again(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    paid_page.ask_and_wait(SMALL)
    paid_page.forget_channels()
    paid_page.paid.gate.requests.clear()
    paid_page.ask_and_wait(SMALL)
    assert len(paid_page.payments()) == 2  # by the old count, and by the server's
    assert paid_page.prompts == [DEPOSIT]
    assert paid_page.alerts == []
    rest = to_usdc(500_000 - paid_page.charged())
    expect(paid_page.fact("channel")).to_have_text(f"{rest} USDC")


def test_a_busy_channel_is_waited_for_and_said(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    busy = asks(paid_page.offer(), error=f"{PREFIX}channel_busy")
    paid_page.paid.gate.after_paying += [busy, busy]
    paid_page.record_status()
    paid_page.ask_and_wait(SMALL)
    assert any("Waiting for another payment to end" in text for text in paid_page.said)
    assert paid_page.prompts == [DEPOSIT]
    assert len(paid_page.payments()) == 3
    assert paid_page.alerts == []


def test_another_network_than_the_chosen_one_is_used_and_said(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.panel.get_by_label("Network").select_option("Base")
    assert paid_page.page.evaluate("localStorage['tabloop.network']") == '"eip155:8453"'
    paid_page.ask_and_wait(SMALL)
    expect(paid_page.note).to_contain_text("not paid on the network you chose")
    assert paid_page.alerts == []
    assert paid_page.prompts == [DEPOSIT]
    paid_page.panel.get_by_label("Network").select_option("OP Mainnet")
    expect(paid_page.note).to_have_count(0)


# what may go wrong after paying


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
    sent = paid_page.signatures()
    assert (len(sent), len(set(sent))) == (3, 1)
    assert paid_page.alerts == []


@pytest.mark.parametrize("opened", [False, True])
def test_after_an_answer_that_was_charged_is_lost_the_person_decides(
    paid_page: PaidPage, opened: bool
) -> None:
    paid_page.connect()
    if opened:
        paid_page.ask_and_wait(SMALL)
    paid_page.expected.append("ERR_")
    paid_page.paid.gate.after_paying.append(Truncate(after=1))
    article = paid_page.ask_and_wait(SMALL)
    expect(paid_page.problem(article)).to_contain_text("may have cost up to 0.01 USDC")
    paid_page.try_again()
    assert paid_page.prompts == [DEPOSIT]
    assert paid_page.alerts == []


def test_a_servers_error_after_paying_is_said_and_its_payment_sent_again(
    paid_page: PaidPage,
) -> None:
    paid_page.connect()
    paid_page.expected.append("status of 500")
    before = paid_page.micro("uncertain")
    paid_page.paid.gate.after_paying.append(Reply({}, 500))
    article = paid_page.ask_and_wait(SMALL)
    expect(paid_page.problem(article)).to_contain_text("failed (HTTP 500)")
    expect(paid_page.problem(article)).to_contain_text("may have cost up to 0.01 USDC")
    paid_page.check_amount("uncertain", before + CEILING)
    paid_page.try_again()
    assert paid_page.alerts == []
    sent = paid_page.signatures()
    assert (len(sent), len(set(sent)), paid_page.prompts) == (2, 1, [DEPOSIT])
    paid_page.check_amount("uncertain", before)


def test_a_stop_in_the_middle_of_paying_says_what_it_may_have_cost(paid_page: PaidPage) -> None:
    paid_page.connect()
    before = paid_page.micro("uncertain")
    paid_page.paid.gate.after_paying.append(Hang())
    article = paid_page.ask(SMALL)
    paid_page.paid.gate.wait_until(lambda: bool(paid_page.payments()))
    paid_page.stop.click()
    paid_page.wait_for_end()
    expect(article).to_contain_text("You stopped this answer. This may have cost up to 0.01 USDC.")
    paid_page.check_amount("uncertain", before + CEILING)
    paid_page.try_again()
    sent = paid_page.signatures()
    assert (len(sent), len(set(sent)), paid_page.prompts) == (2, 1, [DEPOSIT])
    paid_page.check_amount("uncertain", before)


CLOCKS = {"a day later": 86_400_000, "a day earlier": -86_400_000}


@pytest.mark.parametrize("fault", ["New chat", *CLOCKS])
def test_after_a_fault_in_mid_payment_the_cost_is_right_and_the_conversation_goes_on(
    paid_page: PaidPage, fault: str, held: Tried
) -> None:
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    spent, before = paid_page.micro("spent"), paid_page.micro("uncertain")
    sent = len(paid_page.payments())
    paid_page.paid.gate.after_paying.append(Hang())
    article = paid_page.ask(SMALL)
    paid_page.paid.gate.wait_until(lambda: len(paid_page.payments()) == sent + 1)
    paid_page.composer.fill("my draft")
    if shift := CLOCKS.get(fault):
        paid_page.page.evaluate(
            "by => { globalThis.realNow ??= Date.now; const real = globalThis.realNow;"
            "Date.now = () => real() + by }",
            shift,
        )
        paid_page.stop.click()
        paid_page.wait_for_end()
        expect(article).to_contain_text("This may have cost up to 0.01 USDC.")
    else:
        paid_page.page.get_by_role("button", name="New chat").click()
        paid_page.page.get_by_role("button", name="Discard it").click()
        paid_page.wait_for_end()
        expect(paid_page.questions).to_have_count(0)
    paid_page.check_amount("uncertain", before + CEILING)
    paid_page.check_amount("spent", spent)
    expect(paid_page.composer).to_have_value("my draft")
    paid_page.page.evaluate("Date.now = globalThis.realNow ?? Date.now; undefined")
    paid_page.composer.press("Enter")
    paid_page.wait_for_end()
    expect(paid_page.problem(paid_page.answers.last)).to_have_count(0)
    assert (paid_page.alerts, paid_page.prompts) == ([], [DEPOSIT])
    held("payment, in mid message", 1)


def test_a_false_receipt_costs_no_more_than_was_allowed(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    spent, uncertain = paid_page.micro("spent"), paid_page.micro("uncertain")
    receipt = {"success": True, "transaction": "", "extra": {"chargedAmount": "2000000"}}
    header = {"payment-response": encoded(receipt)}
    paid_page.paid.gate.after_paying.append(Reply(ANSWER, headers=header))
    article = paid_page.ask_and_wait(SMALL)
    expect(article).to_contain_text("A paid answer.")
    expect(paid_page.note).to_contain_text("says that it charged 2.00 USDC. You allowed 0.01")
    paid_page.check_amount("uncertain", uncertain + CEILING)
    paid_page.check_amount("spent", spent)
    paid_page.ask_and_wait(SMALL)
    assert paid_page.prompts == [DEPOSIT]
    assert paid_page.alerts == []


def test_a_hidden_receipt_asks_for_no_second_deposit(paid_page: PaidPage) -> None:
    paid_page.connect()
    before = paid_page.micro("uncertain")
    paid_page.paid.gate.hides = ("payment-response",)
    for _ in range(3):
        paid_page.ask_and_wait(SMALL)
    assert paid_page.prompts == [DEPOSIT]
    paid_page.check_amount("uncertain", before + 3 * CEILING)
    assert paid_page.alerts == []


def test_a_reload_in_the_middle_of_a_payment_takes_up_its_channel(paid_page: PaidPage) -> None:
    """The first payment is the deposit, the second one a voucher: neither answer ever comes."""
    paid_page.connect()
    for left in (0, 1):
        charged = paid_page.charged() if left else 0
        paid_page.standins.proxy.behave(Delay(0.3))
        paid_page.paid.gate.requests.clear()
        paid_page.ask(SMALL)
        paid_page.paid.gate.wait_until(lambda: bool(paid_page.payments()))
        paid_page.standins.proxy.wait_until(lambda: not paid_page.standins.proxy.unused)
        paid_page.page.reload()
        paid_page.wait_until("ready")
        paid_page.wallet("w.connected = true")  # a wallet remembers the page
        # the endpoint takes one payment of a channel at a time
        paid_page.standins.proxy.wait_until(
            lambda: paid_page.standins.proxy.requests[-1].state != "open"
        )
        paid_page.ask_and_wait(SMALL)
        assert paid_page.alerts == []
        assert paid_page.prompts == []
        expect(paid_page.fact("account")).to_be_visible()
        assert paid_page.charged() > charged


KEPT_COST = "JSON.parse(sessionStorage['tabloop.conversation']).answers[0].cost"


def test_a_kept_answer_that_a_reload_interrupts_shows_what_it_may_have_cost(
    paid_page: PaidPage,
) -> None:
    paid_page.connect()
    paid_page.page.get_by_role("checkbox", name="Survive a reload").check()
    paid_page.paid.gate.after_paying.append(Hang())
    paid_page.ask(SMALL)
    paid_page.paid.gate.wait_until(lambda: bool(paid_page.payments()))
    # at once, because Python may end in such a way that nothing is stored when the page is left
    assert paid_page.page.evaluate(KEPT_COST)["uncertain"] == 10_000
    paid_page.end_python()
    paid_page.composer.fill("my draft")
    paid_page.page.once("dialog", lambda dialog: dialog.accept())
    paid_page.page.reload()
    paid_page.wait_until("ready")
    expect(paid_page.answers.last).to_contain_text("The reload interrupted this answer")
    expect(paid_page.answers.last.locator('[data-part="cost"]')).to_contain_text("up to 0.01 USDC")
    expect(paid_page.composer).to_have_value("my draft")
    paid_page.page.get_by_role("checkbox", name="Survive a reload").uncheck()


# the way out


def test_what_is_paid_back_is_said_as_the_chain_has_it(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    paid_page.expected.append("status of 500")
    paid_page.paid.gate.answered_by.append(Reply({}, 500))  # charged, which the page cannot know
    paid_page.ask_and_wait(SMALL)
    expect(paid_page.fact("channel")).to_contain_text("USDC")
    balance = f"balance/{paid_page.address}"
    before = int(paid_page.paid_server(balance)["balance"])
    paid_page.panel.get_by_text("Get the deposit back").click()
    paid_page.panel.get_by_role("button", name="Ask for it").click()
    expect(paid_page.note).to_contain_text("were paid back")
    back = int(paid_page.paid_server(balance)["balance"]) - before
    assert to_micro(paid_page.note.inner_text().split(" ")[0]) == back
    expect(paid_page.panel.get_by_role("button", name="Ask for it")).to_have_count(0)
    expect(paid_page.panel).not_to_contain_text("Get the deposit back")


def test_a_withdrawal_that_the_wallet_never_answers_is_left_by_disconnecting(
    paid_page: PaidPage,
) -> None:
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    paid_page.wallet("w.swallows = true")
    paid_page.announce_withdrawal()
    expect(paid_page.status).to_have_text("Waiting for your wallet")
    paid_page.wait_until_asked()
    paid_page.panel.get_by_role("button", name="Disconnect").click()
    expect(paid_page.panel.get_by_role("button", name="Connect wallet")).to_be_enabled()
    expect(paid_page.status).to_have_text("Answered")
    expect(paid_page.note).to_have_count(0)


def test_disconnecting_while_the_chain_is_read_is_no_fault(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    leave = paid_page.panel.get_by_role("button", name="Disconnect")
    leave.click()
    node, held = f"{paid_page.paid.paid_server.facts['rpcs'][OPTIMISM]}/**", Event()

    def read(route: Route) -> None:
        if "eth_call" in (route.request.post_data or ""):
            held.set()  # and no answer comes
        else:
            route.continue_()

    paid_page.page.route(node, read)
    paid_page.connect()
    while not held.is_set():
        paid_page.page.wait_for_timeout(10)
    leave.click()
    expect(paid_page.panel.get_by_role("button", name="Connect wallet")).to_be_enabled()
    paid_page.page.unroute(node)
    paid_page.ask_and_wait(SMALL)  # a fault of the page would stand in the console


def test_the_rest_can_be_taken_without_the_server(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    balance = f"balance/{paid_page.address}"
    before = int(paid_page.paid_server(balance)["balance"])
    paid_page.panel.get_by_text("Get the deposit back").click()
    expect(paid_page.panel).to_contain_text("wait 15 minutes")
    paid_page.panel.get_by_role("button", name="Announce withdrawal").click()
    expect(paid_page.note).to_contain_text("The withdrawal is announced.")
    expect(paid_page.panel).to_contain_text("A withdrawal of 0.50 USDC is announced.")
    for gone in ("Announce withdrawal", "Take it"):  # not twice, and not too early
        expect(paid_page.panel.get_by_role("button", name=gone)).to_have_count(0)
    now = "Date.now = ((real) => () => real() + 901e3)(Date.now)"
    paid_page.paid_server("chain", {"method": "evm_increaseTime", "params": [901]})
    paid_page.paid_server("chain", {"method": "evm_mine"})
    paid_page.page.evaluate(f"globalThis.realNow = Date.now; {now}")
    paid_page.page.evaluate("testWallet.tell.chain(testWallet.chain)")  # shows the panel anew
    paid_page.panel.get_by_role("button", name="Take it").click()
    expect(paid_page.note).to_contain_text("The withdrawal is in your account.")
    paid_page.page.evaluate("void (Date.now = globalThis.realNow)")
    expect(paid_page.panel.get_by_text("Get the deposit back")).to_have_count(0)
    after = int(paid_page.paid_server(balance)["balance"])
    assert after - before == 500_000  # nothing was claimed yet


def test_what_the_panel_says_of_the_channel_can_be_checked_in_its_data(
    paid_page: PaidPage,
) -> None:
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    paid_page.panel.get_by_text("Get the deposit back").click()
    with paid_page.page.expect_download() as download:
        paid_page.panel.get_by_role("button", name="Save channel data").click()
    [channel] = json.loads(Path(download.value.path()).read_text())
    assert channel["config"]["payer"] == paid_page.address
    assert channel["config"]["receiver"] == paid_page.fact("pays").inner_text()
    assert int(channel["state"]["chargedCumulativeAmount"]) == paid_page.charged()


# what this browser, or the way to this page, does not give


@pytest.mark.parametrize("breaks", ["{ throw new Error('no') }", "{ return {} }"])
def test_a_browser_that_opens_no_database_pays_from_memory_and_says_so(
    paid_page: PaidPage, breaks: str
) -> None:
    page = paid_page.page
    page.reload()  # the database of the earlier test is still open
    paid_page.wait_until("ready")
    page.evaluate(f"void (IDBFactory.prototype.open = function () {breaks})")
    paid_page.connect()
    for _ in range(3):
        paid_page.ask_and_wait(SMALL)
    expect(paid_page.panel).to_contain_text("This browser stores nothing for this page")
    assert (paid_page.prompts, paid_page.alerts) == ([DEPOSIT], [])
    page.reload()
    paid_page.wait_until("ready")


def test_a_full_store_is_said_and_its_channel_lives_in_memory(paid_page: PaidPage) -> None:
    paid_page.connect()
    for owner, name in (("Storage", "setItem"), ("IDBObjectStore", "put")):
        paid_page.page.evaluate(BREAK, [owner, name])
        paid_page.ask_and_wait(SMALL)
        assert paid_page.alerts == []
    expect(paid_page.panel).to_contain_text("This browser stores nothing for this page")
    paid_page.page.evaluate("mend()")
    assert paid_page.prompts == [DEPOSIT]
    paid_page.page.reload()  # forgets what lives in memory
    paid_page.wait_until("ready")


STORE_INSTEAD = """(value) => new Promise((done) => {
    indexedDB.open("tabloop-x402").onsuccess = ({ target: { result: database } }) => {
        const changed = database.transaction("channels", "readwrite");
        const table = changed.objectStore("channels");
        table.put({ a: 1 }, "config:<b>");
        table.getAllKeys().onsuccess = (event) => {
            // without the signature of the last voucher, the person would have to decide
            const damaged = event.target.result.filter((name) => !name.startsWith("signed:"));
            for (const name of damaged) table.put(value, name);
        };
        changed.oncomplete = () => done(database.close());
    };
})"""


@pytest.mark.parametrize("value", [None, "x", {"config": {}, "network": "eip155:10"}])
def test_what_another_page_stored_in_the_place_of_channels_counts_as_nothing(
    paid_page: PaidPage, value: object
) -> None:
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    paid_page.page.evaluate(STORE_INSTEAD, value)
    paid_page.ask_and_wait(SMALL)
    paid_page.page.evaluate("testWallet.tell.chain(testWallet.chain)")  # reads the channels again
    paid_page.check_amount("channel", 500_000 - paid_page.charged())
    assert paid_page.alerts + paid_page.note.all_inner_texts() == []
    assert paid_page.prompts == [DEPOSIT]


def test_a_tabs_key_that_another_page_has_damaged_is_made_anew(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    paid_page.page.evaluate("""() => {
        for (const name of Object.keys(localStorage))
            if (name.startsWith("tabloop:x402:key:")) localStorage.setItem(name, "0x00");
    }""")
    paid_page.ask_and_wait(SMALL)
    assert paid_page.alerts == []
    assert paid_page.prompts == [DEPOSIT, DEPOSIT]  # of a second channel


def test_without_locks_over_all_tabs_nothing_is_paid(paid_page: PaidPage) -> None:
    paid_page.connect()
    gone = "Object.defineProperty(navigator, 'locks', {value: undefined, configurable: true})"
    paid_page.page.evaluate(f"void {gone}")
    article = paid_page.ask_and_wait(SMALL)
    paid_page.page.evaluate("void delete navigator.locks")
    expect(paid_page.problem(article)).to_contain_text("cannot keep two tabs from paying at once")
    assert (paid_page.prompts, paid_page.payments()) == ([], [])


FRAME = """(address) => {
    const frame = document.createElement("iframe");
    Object.assign(frame, { src: address, width: 1250, height: 650 });
    document.body.append(frame);
}"""


def test_in_a_frame_of_another_site_no_wallet_is_used(paid_page: PaidPage) -> None:
    address = urlsplit(paid_page.page.url)
    other = paid_page.page.context.new_page()
    other.bring_to_front()  # a page behind another one is not painted
    other.goto(f"{address.scheme}://localhost:{address.port}/licences.txt")  # another origin
    other.evaluate(FRAME, address.geturl())
    inner = other.frame_locator("iframe")
    # not `click`, which waits for a frame to be painted: among many windows that may never be
    inner.get_by_role("button", name="Connect wallet").first.dispatch_event("click")
    expect(inner.locator("#wallet-note")).to_contain_text("Open this page in a tab of its own")
    other.close()


# presses before the panel's own module is loaded
PRESS_WHEN_READY = """new MutationObserver((changes, watching) => {
    if (document.documentElement.dataset.app !== "ready") return;
    watching.disconnect();
    document.querySelector("[data-action=wallet-connect]").click();
}).observe(document.documentElement, { attributeFilter: ["data-app"] })"""


def test_a_signing_module_that_does_not_come_is_named_and_asked_for_again(
    paid_page: PaidPage,
) -> None:
    paid_page.expected.append("ERR_FAILED")
    page = paid_page.page
    page.route("**/x402.js*", lambda route: route.abort())
    page.reload(wait_until="commit")
    page.evaluate(PRESS_WHEN_READY)
    expect(paid_page.note).to_contain_text("The file x402.js, which signs payments")
    page.unroute("**/x402.js*")
    paid_page.connect()


def test_a_press_counts_although_the_panel_is_painted_anew_before_the_release(
    paid_page: PaidPage,
) -> None:
    mouse = paid_page.page.mouse
    paid_page.page.get_by_role("button", name="Connect wallet").hover()
    mouse.down()
    paid_page.page.evaluate("document.getElementById('wallet').innerHTML += ''")
    mouse.up()
    expect(paid_page.page.locator('[data-fact="account"]')).to_contain_text("0x")


# what a wallet that misbehaves does


def test_an_error_object_that_throws_when_read_ends_the_answer(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.wallet(
        "w.afterRead = () => { throw new Proxy({}, { get() { throw new Error('no'); } }); }"
    )
    article = paid_page.ask_and_wait(SMALL)
    expect(paid_page.problem(article)).to_contain_text("could not reach the network")
    assert (paid_page.prompts, paid_page.payments()) == ([], [])


def test_a_wallet_that_ignores_a_request_is_asked_again_after_stop(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.wallet("w.swallows = true")
    paid_page.ask(SMALL)
    expect(paid_page.status).to_contain_text("sign")
    paid_page.wait_until_asked()
    paid_page.stop.click()
    paid_page.wait_for_end()
    article = paid_page.ask_and_wait(SMALL)  # the first request is still open
    expect(paid_page.problem(article)).to_contain_text("has another request open")
    paid_page.wallet("Object.assign(w, { swallows: false, open: 0 })")
    paid_page.try_again()
    assert paid_page.prompts == [DEPOSIT]
    assert paid_page.alerts == []


DEAD = """addEventListener("eip6963:requestProvider", globalThis.dead = () => {
    const info = { uuid: "dead", name: "Silent wallet", icon: "", rdns: "silent.wallet" };
    const provider = { request: () => new Promise(() => {}), on() {} };
    dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: { info, provider } }));
})"""


def test_while_a_wallet_never_answers_another_can_be_chosen(
    paid_page: PaidPage,
) -> None:
    paid_page.page.evaluate(DEAD)
    button = paid_page.panel.get_by_role("button", name="Connect wallet")
    silent = paid_page.panel.get_by_role("button", name="Silent wallet")
    cancel = paid_page.panel.get_by_role("button", name="Cancel")
    button.click()
    silent.click()
    expect(paid_page.panel).to_contain_text("Please answer there")
    expect(silent).to_be_disabled()
    expect(cancel).to_be_focused()
    cancel.press("Enter")
    expect(cancel).to_have_count(0)
    expect(silent).to_be_enabled()
    # the keyboard focus is not lost
    expect(paid_page.panel.locator("button:focus")).to_have_count(1)
    silent.click()
    expect(cancel).to_be_visible()
    paid_page.panel.get_by_role("button", name="Test wallet").click()
    expect(paid_page.fact("account")).to_contain_text(paid_page.address[:6])
    assert paid_page.alerts == []
    paid_page.page.evaluate("removeEventListener('eip6963:requestProvider', dead)")


def test_disconnecting_ends_the_wait_for_the_wallet(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.wallet("w.slow = 1e9")
    article = paid_page.ask(SMALL)
    expect(paid_page.status).to_contain_text("sign")
    paid_page.wait_until_asked()
    paid_page.record_status()
    group = paid_page.page.get_by_role("group", name="Model endpoint")
    group.get_by_role("button", name="Check").click()
    expect(paid_page.status).to_have_text("Endpoint checked")
    expect(paid_page.status).to_contain_text("sign")  # the person is not left without a word
    assert not [said for said in paid_page.said if "Checking" in said]
    paid_page.panel.get_by_role("button", name="Disconnect").click()
    paid_page.wait_for_end()
    expect(paid_page.ways(article)).to_contain_text("no wallet is connected")
    paid_page.wallet("Object.assign(w, { slow: 0, open: 0 })")
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    assert paid_page.prompts == [DEPOSIT]
