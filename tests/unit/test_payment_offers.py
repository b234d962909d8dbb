"""Offers: hostile ones are refused before anything is signed, each with its own reason."""

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tabloop.core.http import HttpResponse, send
from tabloop.core.money import to_micro, to_usdc
from tabloop.core.networks import NETWORKS
from tabloop.payments.errors import OfferRefused, PaymentError
from tabloop.payments.limits import Limits, Purpose
from tabloop.payments.offers import decode_header, payment_header, read_challenge, read_offer
from tabloop.payments.pins import Pin
from tabloop.payments.ports import Plan
from tabloop.ui.payment import payment_sentence
from tabloop.ui.strings import load_strings

from tests.conftest import Tried
from tests.unit.paying import (
    AUTHORIZER,
    ORIGIN,
    PAYEE,
    PAYER,
    REQUEST,
    STRANGER,
    FakeSigner,
    answers,
    asks,
    challenge,
    channel_offer,
    encoded,
    exact_offer,
    policy,
    shop,
    spend,
)

YEARS = 10 * 365 * 86400
OPTIMISM, BASE = "eip155:10", "eip155:8453"
CHANNEL_PIN = Pin(PAYEE, AUTHORIZER, OPTIMISM, {OPTIMISM: 900})
BRIDGED = "0x7F5c764cBc14f9669B88837ca1490cCa17c31607"

HOSTILE: dict[str, tuple[dict[str, Any], str]] = {
    "just over the cap": (channel_offer(amount="10001"), "amount"),
    "a million dollars": (channel_offer(amount="1000000000000"), "amount"),
    "another recipient": (channel_offer(payTo=STRANGER), "recipient"),
    "bridged dollars": (channel_offer(asset=BRIDGED), "asset"),
    "the other network's token": (channel_offer(network="eip155:8453"), "asset"),
    "another network": (channel_offer(network="eip155:1"), "network"),
    "ten years of validity": (channel_offer(maxTimeoutSeconds=YEARS), "validity"),
    "no validity": (channel_offer(maxTimeoutSeconds=0), "validity"),
    "a validity before now": (channel_offer(maxTimeoutSeconds=-60), "validity"),
    "a second to answer": (channel_offer(maxTimeoutSeconds=1), "validity"),
    "less than a person needs": (channel_offer(maxTimeoutSeconds=19), "validity"),
    "a second for a picture": (exact_offer(maxTimeoutSeconds=1), "validity"),
    "no number of seconds": (channel_offer(maxTimeoutSeconds=1e30), "unreadable"),
    "a huge field in extra": (channel_offer(extra_note="x" * 4096), "too_large"),
    "a huge field": (channel_offer(description="x" * 40_000), "too_large"),
    "a huge name": (channel_offer(**{"x" * 4096: 1}), "too_large"),
    "permit2": (channel_offer(extra_assetTransferMethod="permit2"), "transfer_method"),
    "permit2 for a picture": (exact_offer(extra_assetTransferMethod="permit2"), "transfer_method"),
    "a thousand to open": (channel_offer(extra_minDeposit="1000000000"), "min_deposit"),
    "a deposit in words": (channel_offer(extra_minDeposit="1e9"), "min_deposit"),
    "30 days to get out": (channel_offer(extra_withdrawDelay=30 * 86400), "withdraw_delay"),
    "10 years to get out": (channel_offer(extra_withdrawDelay=YEARS), "withdraw_delay"),
    "a delay in words": (channel_offer(extra_withdrawDelay="900"), "withdraw_delay"),
    "no delay": (channel_offer(extra_withdrawDelay=None), "withdraw_delay"),
    "another token's domain": (channel_offer(extra_name="Tether USD"), "token_domain"),
    "another domain version": (exact_offer(extra_version="1"), "token_domain"),
    "no domain": (exact_offer(extra_name=None), "token_domain"),
    "a new authorizer": (channel_offer(extra_receiverAuthorizer=STRANGER), "authorizer"),
    "no authorizer": (channel_offer(extra_receiverAuthorizer="0x" + "0" * 40), "authorizer"),
    "another scheme": (channel_offer(scheme="upto"), "scheme"),
    "settled before the answer": (channel_offer(extra_paymentFlow="escrow"), "flow"),
    "a float": (channel_offer(amount=10000.0), "unreadable"),
    "a number": (channel_offer(amount=10000), "unreadable"),
    "less than nothing": (channel_offer(amount="-1"), "unreadable"),
    "in hexadecimal": (channel_offer(amount="0x2710"), "unreadable"),
    "nothing": (channel_offer(amount="0"), "unreadable"),
    "validity as a float": (channel_offer(maxTimeoutSeconds=300.0), "unreadable"),
    "nobody as recipient": (channel_offer(payTo="0x" + "0" * 40), "unreadable"),
    "a name as recipient": (channel_offer(payTo="paid.eth"), "unreadable"),
    "a float as amount": (channel_offer(amount=0.1), "unreadable"),
    "full-width digits": (channel_offer(amount="\uff11\uff10\uff10\uff10"), "unreadable"),
    "Arabic digits": (channel_offer(amount="\u0661\u0660"), "unreadable"),
    "digits with a line end": (channel_offer(amount="1000\n"), "unreadable"),
    "a network with a space": (channel_offer(network="eip155:10 "), "network"),
    "paid upfront": (channel_offer(extra_paymentFlow="upfront"), "flow"),
    "a year of validity": (channel_offer(maxTimeoutSeconds=31_536_000), "validity"),
    "validity as a truth": (channel_offer(maxTimeoutSeconds=True), "unreadable"),
    "an authorizer left out": (channel_offer(extra_receiverAuthorizer=None), "authorizer"),
    "five dollars to open": (channel_offer(extra_minDeposit="5000000"), "min_deposit"),
    "extra as a list": (channel_offer() | {"extra": []}, "unreadable"),
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_hostile_offer_is_refused_before_anything_is_signed(
    name: str, tried: Tried
) -> None:
    offer, reason = HOSTILE[name]
    purpose: Purpose = "image" if offer["scheme"] == "exact" else "message"
    stand = shop(asks(offer), purpose=purpose)
    stand.policy.pins.put(ORIGIN, Pin(PAYEE, AUTHORIZER))
    with pytest.raises(OfferRefused) as refused:
        await send(stand.paid, REQUEST)
    assert [refusal.code for refusal in refused.value.refusals] == [reason]
    assert stand.signer.signed == []
    assert len(stand.transport.requests) == 1
    assert stand.ledger.committed == 0
    tried("offers", 1)


async def test_a_resource_too_large_for_a_header_is_refused_by_host_and_name(tried: Tried) -> None:
    def huge(size: int) -> HttpResponse:
        document = {"x402Version": 2, "accepts": [channel_offer()]}
        resource = {"url": ORIGIN, "description": "ü" * size}
        return HttpResponse(402, {}, json.dumps(document | {"resource": resource}).encode())

    stand = shop(huge(2000))
    with pytest.raises(OfferRefused) as refused:
        await send(stand.paid, REQUEST)
    sentence = payment_sentence(load_strings("en"), refused.value)
    assert "paid.example" in sentence
    assert "“resource”" in sentence
    assert "Nothing was signed" in sentence
    assert stand.signer.signed == []
    stand = shop(huge(1500), answers())
    await send(stand.paid, REQUEST)
    [_, paid] = stand.transport.requests
    assert len(paid.headers["payment-signature"]) < 8192
    tried("offers", 1)


async def test_a_number_that_no_number_can_hold_is_refused(tried: Tried) -> None:
    accepts = [channel_offer(extra_n=7)]
    text = json.dumps({"x402Version": 2, "resource": None, "accepts": accepts}).replace(
        '"n": 7', '"n": 1e400'
    )
    assert "1e400" in text
    header = base64.b64encode(text.encode()).decode()
    stand = shop(HttpResponse(402, {"payment-required": header}, b"{}"))
    with pytest.raises(PaymentError) as refused:
        await send(stand.paid, REQUEST)
    assert payment_sentence(load_strings("en"), refused.value)
    assert stand.signer.signed == []
    tried("offers", 1)


@pytest.mark.parametrize("version", [1, 3, "2", 2.0, True, None])
async def test_another_version_is_refused(version: object) -> None:
    stand = shop(asks(version=version))
    with pytest.raises(PaymentError) as refused:
        await send(stand.paid, REQUEST)
    assert refused.value.code == "wrong_version"
    assert stand.signer.signed == []


@pytest.mark.parametrize(
    "response",
    [
        HttpResponse(402, {"payment-required": "%%%"}, b"[]"),
        HttpResponse(402, {"payment-required": encoded([1])}, b"no"),
        HttpResponse(402, {}, b'{"x402Version": 2, "accepts": {}}'),
        HttpResponse(402, {"payment-required": "e30="}, b"[" * 60_000),
        HttpResponse(402, {"payment-required": "A" * 100_000}, b""),
    ],
)
async def test_a_402_that_cannot_be_read_is_said_to_be_so(response: HttpResponse) -> None:
    stand = shop(response)
    with pytest.raises(PaymentError) as refused:
        await send(stand.paid, REQUEST)
    assert (refused.value.code, refused.value.host) == ("unreadable_challenge", "paid.example")


def test_the_body_counts_where_cors_hides_the_header() -> None:
    document = {"x402Version": 2, "accepts": [channel_offer()]}
    read = read_challenge({}, json.dumps(document).encode())
    assert read.accepts == (channel_offer(),)


def test_a_good_offer_behind_hostile_ones_is_taken() -> None:
    honest = channel_offer()
    entries = [offer for offer, _ in HOSTILE.values()]
    judge = policy()
    judge.pins.put(ORIGIN, Pin(PAYEE, AUTHORIZER))
    chosen = judge.choose(challenge(*entries, honest), ORIGIN, "message")
    assert chosen.raw == honest


def test_offers_are_taken_in_the_servers_order() -> None:
    first, second = channel_offer(amount="9000"), channel_offer(amount="100")
    assert policy().choose(challenge(first, second), ORIGIN, "message").amount == 9000


def test_the_preferred_network_comes_first_and_another_is_taken_without_it() -> None:
    base = channel_offer(network="eip155:8453", asset="0x833589fcd6edb6e08f4c7c32d4f71b54bda02913")
    both = challenge(channel_offer(), base)
    chosen = policy("eip155:8453").choose(both, ORIGIN, "message")
    assert chosen.network == "eip155:8453"
    other = policy("eip155:8453").choose(challenge(channel_offer()), ORIGIN, "message")
    assert other.network == "eip155:10"


def test_each_purpose_has_its_own_cap() -> None:
    picture = exact_offer()
    assert policy().choose(challenge(picture), ORIGIN, "image").amount == 70_000
    with pytest.raises(OfferRefused) as refused:
        policy().choose(challenge(picture), ORIGIN, "message")
    assert refused.value.facts == {"reason": "amount", "asked": "0.07", "allowed": "0.01"}


def test_the_most_specific_refusal_is_shown_first() -> None:
    entries = challenge(channel_offer(network="eip155:1"), channel_offer(amount="1000000000000"))
    with pytest.raises(OfferRefused) as refused:
        policy().choose(entries, ORIGIN, "message")
    assert refused.value.facts["asked"] == "1000000.00"
    assert len(refused.value.refusals) == 2


async def test_the_first_recipient_is_pinned_when_something_was_signed() -> None:
    stand = shop(asks())
    stand.signer.fails = PaymentError("declined")
    with pytest.raises(PaymentError):
        await send(stand.paid, REQUEST)
    assert stand.policy.pins.get(ORIGIN) is None
    stand.signer.fails = None
    stand.transport.answers = [asks(), answers()]
    await send(stand.paid, REQUEST)
    assert stand.policy.pins.get(ORIGIN) == CHANNEL_PIN
    judge = policy()
    offer = read_offer(channel_offer())
    assert offer
    judge.pin(offer, ORIGIN)
    judge.pin(offer, ORIGIN)
    assert judge.pins.get(ORIGIN) == CHANNEL_PIN


def test_a_picture_does_not_pin_away_the_channels_authorizer() -> None:
    judge = policy()
    picture, channel = read_offer(exact_offer()), read_offer(channel_offer())
    assert picture
    assert channel
    judge.pin(picture, ORIGIN)
    assert judge.choose(challenge(channel.raw), ORIGIN, "message") == channel
    judge.pin(channel, ORIGIN)
    judge.pin(picture, ORIGIN)
    assert judge.pins.get(ORIGIN) == CHANNEL_PIN


def test_the_owners_recipient_counts_before_the_first_use_and_before_a_pin() -> None:
    judge = policy(pay_to={ORIGIN: STRANGER})
    judge.pins.put(ORIGIN, Pin(PAYEE))
    with pytest.raises(OfferRefused) as refused:
        judge.choose(challenge(channel_offer()), ORIGIN, "message")
    assert refused.value.facts == {"reason": "recipient", "asked": PAYEE, "allowed": STRANGER}
    good = judge.choose(
        challenge(channel_offer(payTo=STRANGER.upper().replace("X", "x"))), ORIGIN, "message"
    )
    assert good.pay_to.lower() == STRANGER


def test_a_recipient_that_the_owner_named_anew_brings_an_authorizer_of_its_own() -> None:
    judge = policy(pay_to={ORIGIN: STRANGER})
    judge.pins.put(ORIGIN, Pin(PAYEE, AUTHORIZER))
    theirs = channel_offer(payTo=STRANGER, extra_receiverAuthorizer=PAYER)
    judge.pin(judge.choose(challenge(theirs), ORIGIN, "message"), ORIGIN)
    assert judge.pins.get(ORIGIN) == Pin(STRANGER, PAYER, OPTIMISM, {OPTIMISM: 900})
    with pytest.raises(OfferRefused) as refused:
        judge.choose(challenge(channel_offer(payTo=STRANGER)), ORIGIN, "message")
    assert refused.value.facts["reason"] == "authorizer"


def on_base(**changes: Any) -> dict[str, Any]:
    return channel_offer(network=BASE, asset=NETWORKS[BASE].usdc.address, **changes)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        (channel_offer(payTo=STRANGER), "recipient"),
        (channel_offer(extra_receiverAuthorizer=STRANGER), "authorizer"),
        (channel_offer(extra_withdrawDelay=901), "other_delay"),
        (on_base(), "other_network"),
        (channel_offer(asset=STRANGER), "asset"),
    ],
)
async def test_another_value_in_a_channels_identity_is_refused_without_a_new_deposit(
    changed: dict[str, Any], reason: str
) -> None:
    stand = shop(asks(), answers(), asks(changed))
    await send(stand.paid, REQUEST)
    with pytest.raises(OfferRefused) as refused:
        await send(stand.paid, REQUEST)
    assert refused.value.facts["reason"] == reason
    assert [kind for kind, _ in stand.signer.signed] == ["deposit"]


def test_a_person_may_choose_another_network_and_come_back_to_the_same_terms() -> None:
    judge = policy()
    for network, offer in ((OPTIMISM, channel_offer()), (BASE, on_base(extra_withdrawDelay=1000))):
        judge.network = network
        judge.pin(judge.choose(challenge(offer), ORIGIN, "message"), ORIGIN)
    with pytest.raises(OfferRefused):
        judge.choose(challenge(channel_offer()), ORIGIN, "message")
    judge.network = OPTIMISM
    assert judge.choose(challenge(channel_offer()), ORIGIN, "message")
    with pytest.raises(OfferRefused) as refused:
        judge.choose(challenge(channel_offer(extra_withdrawDelay=1000)), ORIGIN, "message")
    assert refused.value.facts == {"reason": "other_delay", "asked": "1000 s", "allowed": "900 s"}


def test_a_service_that_wants_only_eurc_is_refused_by_that_name() -> None:
    eurc = on_base(extra_name="EURC") | {"asset": NETWORKS[BASE].others["EURC"]}
    with pytest.raises(OfferRefused) as refused:
        policy().choose(challenge(eurc), ORIGIN, "message")
    assert refused.value.facts == {"reason": "other_token", "asked": "EURC", "allowed": "USDC"}
    sentence = payment_sentence(load_strings("en"), refused.value)
    assert "wants to be paid in EURC, and this page pays only in USDC" in sentence
    judge = policy()
    judge.network = BASE
    assert judge.choose(challenge(eurc, on_base()), ORIGIN, "message").raw == on_base()


def test_pins_belong_to_an_origin() -> None:
    judge = policy()
    judge.pins.put("https://other.example", Pin(STRANGER))
    assert judge.choose(challenge(channel_offer()), ORIGIN, "message")


def test_a_network_that_the_owner_left_out_is_refused() -> None:
    with pytest.raises(OfferRefused) as refused:
        policy(networks=("eip155:8453",)).choose(challenge(channel_offer()), ORIGIN, "message")
    assert refused.value.facts["reason"] == "network"


# deposits


@pytest.mark.parametrize(
    ("plan", "caps", "amount"),
    [
        (Plan("voucher", PAYER), {}, 0),
        (Plan("deposit", PAYER, short_by=10_000), {}, 500_000),
        (Plan("deposit", PAYER, short_by=10_000), {"deposit": 200_000}, 200_000),
        (Plan("deposit", PAYER, short_by=10_000, funds=300_000), {}, 300_000),
        (Plan("deposit", PAYER, short_by=10_000, funds=100_000), {}, 100_000),  # just enough
        (Plan("deposit", PAYER, short_by=700_000), {}, 700_000),
    ],
)
def test_a_deposit_is_the_usual_one_within_all_limits(
    plan: Plan, caps: dict[str, Any], amount: int
) -> None:
    offer = read_offer(channel_offer())
    assert offer
    assert policy(**caps).deposit(plan, offer) == amount


@pytest.mark.parametrize("least", ["1000000", 1_000_000])  # in millionths: the whole limit
def test_a_minimum_deposit_up_to_the_limit_is_made(least: object) -> None:
    judge = policy(deposit=1_000_000)
    offer = judge.choose(challenge(channel_offer(extra_minDeposit=least)), ORIGIN, "message")
    assert judge.deposit(Plan("deposit", PAYER, short_by=10_000), offer) == 1_000_000


def test_deposits_of_a_session_stay_under_its_limit_together() -> None:
    offer = read_offer(channel_offer())
    assert offer
    judge = policy(session=900_000)
    judge.ledger.deposit(500_000)
    short = Plan("deposit", PAYER, short_by=10_000)
    assert judge.deposit(short, offer) == 400_000
    judge.ledger.deposit(400_000)
    with pytest.raises(PaymentError) as refused:
        judge.deposit(short, offer)
    assert refused.value.code == "deposit_limit"
    assert refused.value.facts == {"asked": "0.10", "limit": "0.00"}


async def test_a_low_balance_is_seen_before_the_wallet_is_asked() -> None:
    stand = shop(asks(exact_offer()), purpose="image", signer=FakeSigner(funds=69_999))
    with pytest.raises(PaymentError) as refused:
        await send(stand.paid, REQUEST)
    assert refused.value.code == "insufficient_balance"
    assert refused.value.facts["balance"] == "0.069999"
    assert stand.signer.signed == []


async def test_a_low_balance_names_the_least_that_would_do() -> None:
    stand = shop(asks(), signer=FakeSigner(funds=99_999))
    with pytest.raises(PaymentError) as refused:
        await send(stand.paid, REQUEST)
    assert refused.value.facts["needed"] == "0.10"  # the offer's own least, not the usual deposit


async def test_the_sessions_limit_counts_before_signing() -> None:
    judge = policy(session=12_000)
    spend(judge.ledger, 2_001)
    stand = shop(asks(), judge=judge)
    with pytest.raises(PaymentError) as refused:
        await send(stand.paid, REQUEST)
    assert refused.value.code == "session_limit"
    assert refused.value.facts == {"asked": "0.01", "spent": "0.002001", "limit": "0.012"}
    assert stand.signer.signed == []


# money and headers


@given(st.integers(0, 10**17))
def test_an_amount_written_as_text_reads_back_equal(micro: int) -> None:
    assert to_micro(to_usdc(micro)) == micro


@pytest.mark.parametrize("text", ["", ".5", "1.", "1e3", "-1", "1.0000001", "1,5", "NaN", "\u0661"])
def test_text_that_is_not_an_amount_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not an amount"):
        to_micro(text)


def test_a_negative_difference_can_be_shown() -> None:
    assert to_usdc(-70_000) == "-0.07"


def test_settings_become_limits() -> None:
    class Written:
        networks = ("eip155:10",)
        max_per_message = "0.01"
        max_per_image = "0.10"
        max_deposit = "1.00"
        max_per_session = "2.00"
        pay_to = {ORIGIN + "/": PAYEE}  # noqa: RUF012 -- never changed

    read = Limits.of(Written(), per_question="0.04")
    assert (read.per_message, read.per_image, read.deposit) == (10_000, 100_000, 1_000_000)
    assert (read.question, read.session, read.pay_to) == (40_000, 2_000_000, {ORIGIN: PAYEE})


def test_the_offer_is_sent_back_unchanged() -> None:
    entry = channel_offer(extra_channelState={"ä": [1, None]}, unknown={"deep": True})
    offer = read_offer(entry)
    assert offer
    header = payment_header(offer, {"type": "voucher"}, {"url": ORIGIN})
    assert decode_header(header) == {
        "x402Version": 2,
        "accepted": entry,
        "payload": {"type": "voucher"},
        "resource": {"url": ORIGIN},
    }


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda x: (
            st.lists(x)
            | st.dictionaries(st.sampled_from(["scheme", "amount", "extra", "payTo"]), x)
        ),
    )
)
def test_reading_an_offer_never_fails(entry: Any) -> None:
    assert read_offer(entry) is None
