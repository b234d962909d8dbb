"""Paying in words: every code has its sentence, and no amount is left out or rounded."""

from dataclasses import replace
from typing import Any, get_args

import pytest
from tabloop.agent.errors import ModelError
from tabloop.agent.events import RunFinished
from tabloop.core.networks import COLLECTOR, ESCROW
from tabloop.payments.channels import Channel, Withdrawal
from tabloop.payments.errors import (
    OfferRefused,
    PaymentError,
    PaymentErrorCode,
    Refusal,
    RefusalCode,
)
from tabloop.payments.offers import Offer
from tabloop.payments.ports import PaymentPhase
from tabloop.ui.announced import Announced
from tabloop.ui.channels import Deposits
from tabloop.ui.money import amount
from tabloop.ui.payment import WalletState, payment_sentence, phase_line, wallet_html
from tabloop.ui.problems import problem_of
from tabloop.ui.strings import LANGUAGES, load_strings
from tabloop.ui.wallet_notice import connecting_html, signing_html

EN = load_strings("en")
ACCOUNT = "0x1563915e194D8CfBA1943570603F7606A3115508"
ANNOUNCED = Announced("0.01", "0.04", "0.50", steps=4)
CHANNEL = Channel("0x" + "ab" * 32, "eip155:10", "0x" + "cd" * 20, 900, 496_500)
CONNECTED = WalletState(
    account=ACCOUNT,
    network="eip155:10",
    networks=("eip155:10", "eip155:8453"),
    channel="0.4965",
    pays="0x" + "cd" * 20,
    deposits=Deposits([CHANNEL]),
    spent="0.0035",
    announced=ANNOUNCED,
    per_session="2.00",
)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("code", get_args(PaymentErrorCode))
def test_every_code_has_a_sentence(language: str, code: PaymentErrorCode) -> None:
    error = PaymentError(code, host="paid.example", maybe_charged=10_000)
    if code == "offer_refused":
        error = OfferRefused([], host="paid.example")
    strings = load_strings(language)
    sentence = payment_sentence(strings, error)
    assert "{" not in sentence
    assert error.maybe_charged == 0 or f"0{strings('format.decimal')}01 USDC" in sentence


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("code", get_args(RefusalCode))
def test_every_refusal_has_a_reason_and_says_that_nothing_was_signed(
    language: str, code: RefusalCode
) -> None:
    error = OfferRefused([Refusal(code, "ASKED", "ALLOWED")], host="paid.example")
    sentence = payment_sentence(load_strings(language), error)
    assert code == "unreadable" or "ASKED" in sentence
    assert "paid.example" in sentence
    assert ("Nothing was signed" if language == "en" else "nichts unterschrieben") in sentence


@pytest.mark.parametrize("code", ["rejected", "asked_again", "signature_expired"])
def test_a_refused_signature_that_is_out_is_not_said_to_cost_nothing(
    code: PaymentErrorCode,
) -> None:
    error = PaymentError(code, host="h", facts={"minutes": "5"}, maybe_charged=70_000)
    sentence = payment_sentence(EN, error)
    assert "up to 0.07 USDC may still be charged within 5 min" in sentence
    assert "Nothing" not in sentence


@pytest.mark.parametrize("code", get_args(PaymentErrorCode))
def test_what_was_sent_is_never_said_to_cost_nothing(code: PaymentErrorCode) -> None:
    error = PaymentError(code, host="h", maybe_charged=20_000)
    sentence = payment_sentence(EN, error)
    assert sentence.endswith("This may have cost up to 0.02 USDC.")
    assert "Nothing" not in sentence


@pytest.mark.parametrize(
    ("code", "end"),
    [
        ("session_limit", "Nothing was signed for this request."),
        ("question_limit", "Nothing was signed for this request."),
        ("deposit_limit", "Nothing was signed for this request."),
        ("wrong_version", "Nothing was signed for this request."),
        ("declined", "Nothing was paid for this request."),
        ("account_changed", "Nothing was paid for this request."),
        ("clock_slow", "Nothing was signed for this request."),
        ("bad_address", "Nothing was signed for this request."),
        ("locked", "Nothing was paid for this request."),
        ("rpc_failed", "Nothing was paid for this request."),
        ("bad_signature", "Nothing was paid for this request."),
        ("contract_wallet", "Nothing was paid for this request."),
        ("signature_expired", "Nothing was paid for this request."),
    ],
)
def test_where_nothing_was_sent_the_sentence_says_so(code: PaymentErrorCode, end: str) -> None:
    assert payment_sentence(EN, PaymentError(code, host="h")).endswith(f" {end}")


def test_an_endpoints_error_after_paying_says_what_it_may_have_cost() -> None:
    def said(uncertain: str) -> str:
        failed = RunFinished("error", error=ModelError("rate_limited", host="h", status=429))
        problem = problem_of(EN, failed, has_text=False, hops=4, model="m", uncertain=uncertain)
        assert problem
        return problem.sentence

    assert said("0.01") == f"{said('')} This may have cost up to 0.01 USDC."


@pytest.mark.parametrize(
    ("error", "end"),
    [
        (ValueError("a fault of the page"), "This may have cost up to 0.01 USDC."),
        (PaymentError("declined"), "What was asked before it may have cost up to 0.01 USDC."),
        (PaymentError("answer_lost", maybe_charged=20_000), "up to 0.02 USDC."),
    ],
)
def test_however_a_run_fails_what_it_may_have_cost_is_said(error: Exception, end: str) -> None:
    failed = RunFinished("error", error=error)
    problem = problem_of(EN, failed, has_text=False, hops=4, model="m", uncertain="0.01")
    assert problem
    assert problem.sentence.endswith(end)


def test_networks_are_called_by_their_names() -> None:
    facts = {"needed": "0.50", "balance": "0.00", "network": "eip155:10"}
    sentence = payment_sentence(EN, PaymentError("insufficient_balance", facts=facts))
    assert "0.00 USDC on OP Mainnet and 0.50" in sentence


def ended(error: PaymentError) -> RunFinished:
    return RunFinished("error", error=error)


def test_declining_is_quiet_and_can_be_tried_again() -> None:
    problem = problem_of(EN, ended(PaymentError("declined")), has_text=False, hops=4, model="m")
    assert problem
    assert (problem.kind, problem.actions) == ("quiet", ("try-again",))


def test_a_stopped_answer_says_what_it_may_have_cost() -> None:
    def said(uncertain: str) -> str:
        problem = problem_of(
            EN, RunFinished("stopped"), has_text=False, hops=4, model="m", uncertain=uncertain
        )
        assert problem
        return problem.sentence

    assert said("0.01") == "You stopped this answer. This may have cost up to 0.01 USDC."
    assert said("") == "You stopped this answer."


def test_without_a_wallet_one_can_be_connected() -> None:
    error = PaymentError("not_connected", host="paid.example")
    problem = problem_of(EN, ended(error), has_text=False, hops=4, model="m")
    assert problem
    assert problem.actions == ("connect", "search", "own-key")


def test_a_refusal_cannot_be_tried_again_and_a_servers_words_are_quoted() -> None:
    refused = OfferRefused([Refusal("amount", "9.00", "0.01")], host="paid.example")
    problem = problem_of(EN, ended(refused), has_text=False, hops=4, model="m")
    assert problem
    assert (problem.kind, problem.actions, problem.words) == ("error", (), "")
    rejected = PaymentError("rejected", detail="invalid_exact_evm_signature")
    problem = problem_of(EN, ended(rejected), has_text=False, hops=4, model="m")
    assert problem
    assert problem.words == "invalid_exact_evm_signature"


def test_every_phase_has_a_line() -> None:
    for name in get_args(PaymentPhase.__annotations__["name"]):
        if name not in ("paid", "lost"):
            line = phase_line(EN, name, 500_000, opening=False)
            assert line
    assert "sign once" in phase_line(EN, "topping_up", 500_000, opening=True)
    assert "0.50 USDC" in phase_line(EN, "topping_up", 500_000, opening=False)


def test_the_panel_shows_what_a_wallet_cannot() -> None:
    html = str(wallet_html(EN, CONNECTED))
    for shown in (ACCOUNT, "0.4965 USDC", "0.0035 USDC", "0.01 USDC", "2.00 USDC", CONNECTED.pays):
        assert shown in html.replace("<wbr>", "")
    assert "15 minutes" in html
    assert '<option value="eip155:10" selected>OP Mainnet</option>' in html


def test_each_deposit_shows_its_own_amount_network_and_ways_out() -> None:
    due = 1_800_000_000
    channels = (
        replace(CHANNEL, id="0xa1"),
        replace(CHANNEL, id="0xa2", network="eip155:8453", left=None, own=False, delay=86_400),
        replace(CHANNEL, id="0xa3", withdrawal=Withdrawal(300_000, due)),
    )
    early = Deposits(channels, now=due - 1, complete=False, keeps=False)
    html = str(wallet_html(EN, replace(CONNECTED, deposits=early)))
    for shown in ("0.4965 USDC", "Base", "not known yet", "24 hours", "15 minutes", "0.30 USDC"):
        assert shown in html
    assert "could not be searched" in html
    assert "stores nothing for this page" in html
    assert "You can take it from" in html
    assert html.count('data-action="wallet-refund"') == 2  # not without the key
    assert html.count('data-action="wallet-announce"') == 2  # not twice
    assert 'data-action="wallet-finish"' not in html
    due_now = replace(early, now=due, sent={"0xa1": "0xfeed"})
    html = str(wallet_html(EN, replace(CONNECTED, deposits=due_now)))
    assert "you can take it now" in html
    assert html.count('data-action="wallet-finish"') == 1
    assert html.count('data-action="wallet-announce"') == 1  # one is on its way
    assert "has not confirmed it yet" in html


def test_without_a_deposit_no_way_out_is_offered() -> None:
    html = str(wallet_html(EN, replace(CONNECTED, deposits=Deposits())))
    assert "There is no deposit" in html
    assert [
        way for way in ("refund", "announce", "finish", "save") if f"wallet-{way}" in html
    ] == []


def test_who_never_paid_this_way_finds_the_words_explained() -> None:
    for state in (WalletState(announced=ANNOUNCED), CONNECTED):
        html = str(wallet_html(EN, state))
        assert "1 USDC is worth 1 US dollar" in html
        assert "A channel is a deposit" in html
        assert html.count('target="_blank"') == 2


def test_a_locked_wallet_is_said_to_be_locked_beside_what_pays() -> None:
    html = str(wallet_html(EN, replace(CONNECTED, away=True, low=True)))
    assert "locked or away" in html
    assert "own key" in html
    assert "almost empty" in html
    assert 'data-action="wallet-connect"' in html


def test_what_may_have_been_spent_is_a_line_of_its_own() -> None:
    assert 'data-fact="uncertain"' not in str(wallet_html(EN, CONNECTED))
    state = WalletState(account=ACCOUNT, uncertain="0.02", announced=ANNOUNCED, per_session="2.00")
    assert '<dd data-fact="uncertain">0.02 USDC</dd>' in str(wallet_html(EN, state))
    assert "no channel yet" in str(wallet_html(EN, state))


def test_a_wallets_name_is_text() -> None:
    wallets = (("a", "<img src=x>"), ('b"><b', "Second"))
    html = str(wallet_html(EN, WalletState(wallets=wallets, note="<b>")))
    assert "<img" not in html
    assert "<b>" not in html
    assert html.count("data-value=") == 2


@pytest.mark.parametrize("name", ["", " ", "\u202e\u200b", "\ud800"])
def test_a_wallet_whose_name_nobody_can_see_has_its_id(name: str) -> None:
    html = str(wallet_html(EN, WalletState(wallets=(("org.first", name), ("b", "N" * 5_000)))))
    assert ">org.first</button>" in html
    assert len(html) < 1_000


def test_what_was_spent_stays_in_sight_without_a_wallet() -> None:
    assert "0.01 USDC" in str(wallet_html(EN, WalletState(spent="0.01")))
    assert "at most: 0.02 USDC" in str(wallet_html(EN, WalletState(uncertain="0.02")))
    assert "spent" not in str(wallet_html(EN, WalletState(announced=ANNOUNCED)))


def test_amounts_have_the_languages_own_decimal_sign() -> None:
    german = load_strings("de")
    assert "0,4965" in str(wallet_html(german, CONNECTED))
    assert "0,01" in str(wallet_html(german, WalletState(announced=ANNOUNCED)))
    assert "0,50" in phase_line(german, "topping_up", 500_000, opening=False)
    refused = OfferRefused([Refusal("amount", "9.00", "0.01")], host="paid.example")
    sentence = payment_sentence(german, refused)
    assert "9,00" in sentence
    assert "paid.example" in sentence


def test_while_one_wallet_is_asked_another_can_be_chosen_or_all_given_up() -> None:
    wallets = (("a", "First"), ("b", "Second"))
    html = str(wallet_html(EN, WalletState(wallets=wallets, connecting="a")))
    assert 'data-value="a" disabled>' in html
    assert 'data-value="b">' in html
    assert 'data-action="wallet-cancel">' in html
    alone = str(wallet_html(EN, WalletState(connecting="a")))
    assert 'data-action="wallet-connect" disabled>' in alone
    assert 'data-action="wallet-cancel">' in alone
    assert "cancel" not in str(wallet_html(EN, WalletState(wallets=wallets)))


def test_an_amount_is_written_alike_on_the_card_and_in_the_panel() -> None:
    german = load_strings("de")
    for strings, text in ((EN, "1,234.50"), (german, "1.234,50")):
        assert amount(strings, "1234.50") == amount(strings, 1_234_500_000) == text
        panel = str(wallet_html(strings, replace(CONNECTED, channel="1234.50")))
        assert text in panel
    assert amount(EN, "version 2.00") == "version 2.00"


# the box above the composer

PAYEE = "0x" + "cd" * 20
OFFER = Offer("batch-settlement", "eip155:10", "0x" + "11" * 20, 10_000, PAYEE, 60)


def test_what_is_signed_for_a_channel_is_named_in_full() -> None:
    html = str(signing_html(EN, PaymentPhase("topping_up", OFFER, 500_000), CONNECTED))
    shown = (PAYEE, "0.50", "0.01", "0.0035", "2.00", "OP Mainnet", "stays yours")
    for part in (*shown, COLLECTOR, ESCROW):
        assert part in html


def test_what_is_signed_for_one_payment_is_no_deposit() -> None:
    html = str(signing_html(EN, PaymentPhase("wallet", OFFER, 10_000), CONNECTED))
    assert PAYEE in html
    assert "Deposit" not in html


@pytest.mark.parametrize("name", ["paying", "channel_busy", "resending", "paid", "lost"])
def test_nothing_is_asked_of_the_wallet_in_other_phases(name: Any) -> None:
    assert not signing_html(EN, PaymentPhase(name, OFFER, 10_000), CONNECTED)


@pytest.mark.parametrize(
    ("state", "parts"),
    [
        (WalletState(), ()),
        (CONNECTED, ()),
        (WalletState(note="Not found."), ("Not found.", "Close")),
        (WalletState(connecting="a"), ("Please answer there", "Cancel")),
        (WalletState(wallets=(("a", "First"), ("b", "Second"))), ("First", "Second", "Cancel")),
    ],
)
def test_the_way_to_a_wallet_is_said_outside_the_panel(
    state: WalletState, parts: tuple[str, ...]
) -> None:
    html = str(connecting_html(EN, state))
    assert bool(html) == bool(parts)
    for part in parts:
        assert part in html
