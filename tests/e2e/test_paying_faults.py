"""Paying while something fails: the wallet, its node, the clock, the endpoint's words.

Rule: as in `test_paying`; each fault is a switch of a stand-in or of the test wallet.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from playwright.sync_api import FilePayload, expect
from tabloop.core.money import to_micro

from tests.e2e.paid_page import BASE, NEEDS_PAID_SERVER, OPTIMISM, PaidPage, asks
from tests.e2e.test_paying import CEILING, DEPOSIT, SMALL
from tests.standins.faults import Reply
from tests.unit.paying import PREFIX, encoded

ASKS = ("eth_requestAccounts", "wallet_switchEthereumChain", DEPOSIT)

pytestmark = NEEDS_PAID_SERVER


# the tab's own key


@pytest.mark.parametrize("fault", ["w.tell.away(true)", "w.tell.chain(1)", "w.locked = true"])
def test_a_channel_pays_while_the_wallet_is_locked_away_or_elsewhere(
    paid_page: PaidPage, fault: str
) -> None:
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    paid_page.wallet(f"({fault}, w.switches = false, w.requests.length = 0)")
    for _ in range(2):
        paid_page.ask_and_wait(SMALL)
    assert (paid_page.alerts, paid_page.prompts) == ([], [DEPOSIT])
    assert not [asked for asked in paid_page.wallet("w.requests") if asked in ASKS]
    if "away" in fault:
        expect(paid_page.panel).to_contain_text("Your wallet is locked or away")
    expect(paid_page.fact("signs")).to_contain_text("own key")
    paid_page.wallet("w.tell.away(false)")


def test_after_a_reload_the_panel_says_what_pays_before_anything_is_asked(
    paid_page: PaidPage,
) -> None:
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    expect(paid_page.fact("channel")).to_contain_text("USDC")
    left = paid_page.fact("channel").inner_text()
    for connected in ("true", "false"):
        paid_page.page.add_init_script("globalThis.wasConnected = true")
        paid_page.page.reload()
        paid_page.wait_until("ready")
        expect(paid_page.fact("signs")).to_contain_text("own key")
        expect(paid_page.fact("channel")).to_have_text(left)
        paid_page.wallet(f"w.connected = {connected}")
    paid_page.ask_and_wait(SMALL)
    assert (paid_page.alerts, paid_page.prompts) == ([], [])
    expect(paid_page.panel).to_contain_text("Your wallet is locked or away")


def test_a_locked_wallet_that_is_needed_has_a_true_sentence(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.wallet("w.tell.away(true)")
    article = paid_page.ask_and_wait(SMALL)
    expect(paid_page.problem(article)).to_contain_text("Your wallet is locked")
    expect(article).not_to_contain_text("no wallet is connected")
    paid_page.wallet("w.tell.away(false)")
    paid_page.try_again()
    assert paid_page.prompts == [DEPOSIT]


# who is to blame


@pytest.mark.parametrize(
    ("signs", "said"),
    [
        ("'0x'", "empty or of another account"),
        ("'0x' + '11'.repeat(64) + '1b'", "empty or of another account"),
        ("'0x' + '22'.repeat(300)", "Your wallet is a contract"),
    ],
)
def test_a_signature_that_is_none_is_never_sent(paid_page: PaidPage, signs: str, said: str) -> None:
    paid_page.connect()
    paid_page.wallet(f"w.signs = () => {signs}")
    article = paid_page.ask_and_wait(SMALL)
    expect(paid_page.problem(article)).to_contain_text(said)
    expect(paid_page.problem(article)).to_contain_text("Nothing was paid")
    assert paid_page.payments() == []


def test_a_node_that_does_not_answer_is_not_the_endpoints_fault(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.wallet("w.offline = ['eth_call']")
    article = paid_page.ask_and_wait(SMALL)
    expect(paid_page.problem(article)).to_contain_text("Your wallet could not reach the network")
    assert (paid_page.prompts, paid_page.payments()) == ([], [])


def test_a_wrong_checksum_is_the_endpoints_typing_error(paid_page: PaidPage) -> None:
    paid_page.connect()
    honest = paid_page.offer()
    authorizer = honest["extra"]["receiverAuthorizer"]
    wrong = "0x" + authorizer[2:].swapcase()
    paid_page.paid.gate.behave(
        asks({**honest, "extra": {**honest["extra"], "receiverAuthorizer": wrong}})
    )
    article = paid_page.ask_and_wait(SMALL)
    expect(paid_page.problem(article)).to_contain_text("has a typing error")
    assert (paid_page.prompts, paid_page.payments()) == ([], [])


def test_a_forged_count_of_the_channel_is_not_believed(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    honest = paid_page.offer()
    forged = {
        **honest["extra"],
        "channelState": {"chargedCumulativeAmount": "400000"},
        "voucherState": {"signedMaxClaimable": "400000", "signature": "0x" + "33" * 65},
    }
    error = f"{PREFIX}cumulative_amount_mismatch"
    paid_page.paid.gate.after_paying.append(asks({**honest, "extra": forged}, error=error))
    article = paid_page.ask_and_wait(SMALL)
    expect(paid_page.problem(article)).to_contain_text("shows no valid proof")
    assert (len(paid_page.payments()), paid_page.prompts) == (1, [DEPOSIT])


def test_a_402_that_is_a_web_page_is_not_said_to_be_the_wallets_fault(paid_page: PaidPage) -> None:
    paid_page.connect()
    page = Reply("<html><h1>Payment Required</h1></html>", 402, content_type="text/html")
    paid_page.paid.gate.behave(page, always=True)
    article = paid_page.ask_and_wait(SMALL)
    expect(paid_page.problem(article)).to_contain_text("in no way that this page can pay")
    expect(article).not_to_contain_text("no wallet is connected")
    assert paid_page.prompts == []


@pytest.mark.parametrize(
    ("behind", "said"), [(150, "slow by about [12] "), (1200, "slow by about (19|20) ")]
)
def test_a_slow_clock_is_named_before_the_wallet_asks(
    paid_page: PaidPage, behind: int, said: str
) -> None:
    paid_page.connect()
    slow = f"Date.now = ((real) => () => real() - {behind * 1000})(Date.now)"
    paid_page.page.evaluate(f"globalThis.realNow = Date.now; {slow}; undefined")
    article = paid_page.ask_and_wait(SMALL)
    # measured by the chain's newest block, which may be some seconds old
    expect(paid_page.problem(article)).to_contain_text(re.compile(said))
    assert (paid_page.prompts, paid_page.payments()) == ([], [])
    paid_page.page.evaluate("Date.now = globalThis.realNow; undefined")
    paid_page.try_again()
    assert paid_page.prompts == [DEPOSIT]


# deposits


def test_a_deposit_whose_key_is_lost_is_found_by_the_chain(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    paid_page.forget_all()
    paid_page.page.reload()
    paid_page.wait_until("ready")
    paid_page.wallet("w.connected = true")
    paid_page.connect()
    paid_page.panel.get_by_text("Get the deposit back").click()
    expect(paid_page.panel.get_by_role("listitem")).to_contain_text("0.50 USDC")
    expect(paid_page.panel.get_by_role("button", name="Ask for it")).to_have_count(0)
    paid_page.panel.get_by_role("button", name="Announce withdrawal").click()
    expect(paid_page.panel).to_contain_text("A withdrawal of 0.50 USDC is announced.")


def test_saved_channel_data_can_be_loaded_again(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    left = paid_page.micro("channel")
    paid_page.panel.get_by_text("Get the deposit back").click()
    with paid_page.page.expect_download() as download:
        paid_page.panel.get_by_role("button", name="Save channel data").click()
    saved = Path(download.value.path()).read_text()
    paid_page.forget_channels()
    paid_page.wallet("w.offline = ['eth_getLogs', 'eth_call']")
    field = paid_page.panel.get_by_label("Load saved channel data")

    def load(text: str) -> None:
        file = {"name": "c.json", "mimeType": "application/json", "buffer": text.encode()}
        field.set_input_files(cast("FilePayload", file))

    changed = json.loads(saved)
    changed[0]["config"]["receiver"] = paid_page.address  # then it has another id
    load(json.dumps(changed))
    expect(paid_page.note).to_contain_text("has no channel data")
    load(saved)
    expect(paid_page.note).to_contain_text("One channel was loaded.")
    load("[]")
    expect(paid_page.note).to_contain_text("has no channel data")
    load(saved)
    expect(paid_page.note).to_contain_text("One channel was loaded.")
    gone = "() => Promise.reject(new DOMException('it was moved', 'NotFoundError'))"
    paid_page.page.evaluate(f"void (File.prototype.text = {gone})")
    load(saved)
    expect(paid_page.note).to_contain_text("has no channel data")
    paid_page.page.evaluate("delete File.prototype.text")
    assert to_micro(paid_page.panel.locator("li strong").inner_text().split(" ")[0]) == left


def test_a_withdrawal_without_ether_for_the_fee_is_not_sent(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    params = [paid_page.address, "0x0"]
    paid_page.paid_server("chain", {"method": "anvil_setBalance", "params": params})
    paid_page.announce_withdrawal()
    expect(paid_page.note).to_contain_text("has no ether")
    assert paid_page.prompts == [DEPOSIT]


def test_a_node_that_does_not_answer_is_no_refusal_of_the_contract(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    paid_page.wallet("w.offline = ['eth_estimateGas']")
    paid_page.announce_withdrawal()
    expect(paid_page.note).to_contain_text("could not reach the network")
    assert paid_page.prompts == [DEPOSIT]


# presses a button that the panel of another tab would still show
PRESS_OLD = """([action, channel]) => {
    const old = document.createElement("button");
    Object.assign(old.dataset, { action, value: channel });
    document.querySelector("#wallet").append(old);
    old.click();
}"""


def test_a_withdrawal_of_what_was_paid_back_meanwhile_moves_nothing(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    paid_page.wallet("w.slow = 1e9")
    paid_page.panel.get_by_text("Get the deposit back").click()
    channel = paid_page.panel.locator("[data-channel]").get_attribute("data-channel")
    paid_page.panel.get_by_role("button", name="Announce withdrawal").click()
    paid_page.wait_until_asked()
    paid_page.page.evaluate(PRESS_OLD, ["wallet-refund", channel])
    gate = paid_page.paid.gate
    gate.wait_until(lambda: [sent.state for sent in gate.payments][1:] == ["answered"])
    paid_page.wallet("w.slow = 0")
    expect(paid_page.note).to_have_text(
        "The transaction was sent, but it failed on the network and moved nothing."
    )
    expect(paid_page.panel).not_to_contain_text("Get the deposit back")


# what the chain says to a call by the wallet's node
CALL = """async (call) => {
    let provider;
    addEventListener("eip6963:announceProvider", (event) => { provider = event.detail.provider; });
    dispatchEvent(new Event("eip6963:requestProvider"));
    try {
        await provider.request({ method: "eth_call", params: [call, "latest"] });
        return "accepted";
    } catch ({ message }) { return message; }
}"""


def test_a_withdrawal_is_announced_once_and_not_taken_early_by_the_page_or_the_chain(
    paid_page: PaidPage,
) -> None:
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    paid_page.panel.get_by_text("Get the deposit back").click()
    channel = paid_page.panel.locator("[data-channel]").get_attribute("data-channel")

    def press_old(action: str) -> None:
        paid_page.page.evaluate(PRESS_OLD, [f"wallet-{action}", channel])

    press_old("finish")
    expect(paid_page.note).to_contain_text("Announce it first")
    before = paid_page.chain("evm_snapshot")
    paid_page.panel.get_by_role("button", name="Announce withdrawal").click()
    expect(paid_page.note).to_contain_text("The withdrawal is announced.")
    press_old("announce")
    expect(paid_page.note).to_contain_text("is announced already")
    press_old("finish")
    expect(paid_page.note).to_contain_text("has not passed yet")
    assert paid_page.prompts == [DEPOSIT, "transaction"]
    # the stand-in chain refuses the same, so that a page without these checks would be seen
    announced = paid_page.wallet("w.signed.at(-1).message")
    nothing = {**announced, "data": announced["data"][:-64] + 64 * "0"}
    assert "revert" in paid_page.page.evaluate(CALL, announced)
    paid_page.chain("evm_revert", before)
    assert paid_page.page.evaluate(CALL, announced) == "accepted"
    assert "revert" in paid_page.page.evaluate(CALL, nothing)


def test_a_hash_that_the_chain_never_had_is_no_announcement(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    paid_page.wallet(f"w.invents = '0x{'ab' * 32}'")
    paid_page.announce_withdrawal()
    expect(paid_page.panel).to_contain_text("the network has not confirmed it yet: 0xabab")
    expect(paid_page.panel).not_to_contain_text("announced")
    paid_page.wallet("w.receipt = { status: '0x0' }")  # ends the wait for it
    expect(paid_page.note).to_contain_text("it failed on the network")


def test_a_deposit_that_settled_before_a_refusal_is_found(paid_page: PaidPage) -> None:
    paid_page.connect()
    honest = paid_page.offer()
    # the endpoint takes the deposit, and its answer says that it did not
    refusal = asks(honest, error=f"{PREFIX}insufficient_balance")
    paid_page.paid.gate.answered_by.append(refusal)
    article = paid_page.ask_and_wait(SMALL)
    expect(paid_page.problem(article)).to_contain_text("up to 0.01 USDC")
    expect(paid_page.fact("channel")).to_have_text("0.50 USDC")
    paid_page.ask_and_wait(SMALL)
    assert paid_page.prompts == [DEPOSIT]


def test_what_an_endpoint_took_without_a_receipt_is_spent_once_the_chain_has_it(
    paid_page: PaidPage,
) -> None:
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    spent, before = paid_page.micro("spent"), paid_page.micro("uncertain")
    paid_page.paid_server("charge", {"amount": CEILING})
    paid_page.paid.gate.answered_by.append(asks(paid_page.offer(), error="no"))
    article = paid_page.ask_and_wait(SMALL)
    expect(article).to_contain_text("This may have cost up to 0.01 USDC.")
    paid_page.check_amount("uncertain", before + CEILING)
    channel = paid_page.panel.locator("[data-channel]").get_attribute("data-channel")
    paid_page.paid_server("claim", {"channel": channel})
    paid_page.paid_server("charge", {"amount": None})
    paid_page.wallet("w.tell.chain(w.chain)")  # the panel reads the chain anew
    paid_page.check_amount("spent", spent + CEILING)
    paid_page.check_amount("uncertain", before)


@pytest.fixture
def small_deposit(paid_page: PaidPage) -> Iterator[PaidPage]:
    """A site whose owner allows a deposit of 0.12 USDC, which a few messages use up."""
    overlaid = dict(paid_page.standins.site.overlaid)
    paid_page.standins.overlay({"payment.max_deposit": "0.12"})
    yield cast("PaidPage", paid_page.open())
    paid_page.standins.site.overlaid = overlaid
    paid_page.open()


def test_an_almost_empty_channel_is_said_before_the_wallet_asks(small_deposit: PaidPage) -> None:
    small_deposit.connect()
    small_deposit.paid_server("charge", {"amount": CEILING})
    for _ in range(12):
        small_deposit.ask_and_wait(SMALL)
        expect(small_deposit.fact("channel")).to_contain_text("USDC")  # painted after the answer
        if small_deposit.micro("channel") < 10 * CEILING:
            break
        expect(small_deposit.panel).not_to_contain_text("almost empty")
    expect(small_deposit.panel).to_contain_text("almost empty")
    small_deposit.paid_server("charge", {"amount": None})
    assert small_deposit.prompts == [DEPOSIT]


@pytest.mark.parametrize("answer", ["paid back", "nothing left"])
def test_an_endpoint_that_only_says_that_it_paid_back_hides_no_deposit(
    paid_page: PaidPage, answer: str
) -> None:
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    paid_page.panel.get_by_text("Get the deposit back").click()
    left = paid_page.panel.locator("li strong").inner_text()
    receipt = {"success": True, "transaction": "0x1", "amount": "999999999999"}
    said = {
        "paid back": Reply({}, headers={"payment-response": encoded(receipt)}),
        "nothing left": asks(paid_page.offer(), error=f"{PREFIX}refund_no_balance"),
    }
    paid_page.paid.gate.after_paying.append(said[answer])
    paid_page.panel.get_by_role("button", name="Ask for it").click()
    expect(paid_page.note).to_contain_text("The endpoint says that nothing is left")
    expect(paid_page.note).to_contain_text(f"so {left} stay listed")
    expect(paid_page.panel.get_by_role("button", name="Announce withdrawal")).to_be_enabled()


# two networks


def test_the_channels_of_two_networks_are_listed_and_each_is_paid_back_on_its_own(
    paid_page: PaidPage,
) -> None:
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    paid_page.paid.gate.networks = (OPTIMISM, BASE)
    paid_page.panel.get_by_label("Network").select_option("Base")
    paid_page.ask_and_wait(SMALL)
    assert (paid_page.prompts, paid_page.alerts) == ([DEPOSIT, DEPOSIT], [])
    paid_page.panel.get_by_text("Get the deposit back").click()
    rows = paid_page.panel.get_by_role("listitem")
    expect(rows).to_have_count(2)
    base = rows.filter(has_text="Base")
    base.get_by_role("button", name="Ask for it").click()
    expect(paid_page.note).to_contain_text("were paid back")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("OP Mainnet")
    channel = rows.get_attribute("data-channel")
    rows.get_by_role("button", name="Ask for it").click()
    expect(paid_page.note).to_contain_text("The endpoint says that nothing is left")
    expect(rows).to_have_count(1)  # the wallet is on the other network, which does not show it
    paid_page.wallet("w.tell.chain(10)")
    expect(paid_page.panel).to_contain_text("There is no deposit")
    paid_page.page.evaluate(PRESS_OLD, ["wallet-refund", channel])
    expect(paid_page.note).to_contain_text("There is nothing left in this channel")
    paid_page.panel.get_by_label("Network").select_option("OP Mainnet")


def test_a_server_that_changes_the_network_by_itself_gets_no_second_deposit(
    paid_page: PaidPage,
) -> None:
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    paid_page.paid.gate.networks = (BASE,)
    article = paid_page.ask_and_wait(SMALL)
    expect(paid_page.problem(article)).to_contain_text("so far OP Mainnet")
    expect(paid_page.problem(article)).to_contain_text("now Base")
    assert paid_page.prompts == [DEPOSIT]
