"""What a person is shown of an offer and a payment: what was asked, what is allowed, for how much.

Rule: a refusal that names the wrong limit sends its reader to the wrong setting.
"""

import json
from typing import Any

import pytest
from tabloop.core.http import HttpResponse, TransportError, send
from tabloop.core.networks import NETWORKS
from tabloop.payments.errors import OfferRefused, PaymentError
from tabloop.payments.limits import Purpose
from tabloop.payments.offers import is_challenge, read_challenge, read_offer
from tabloop.payments.pins import Pin
from tabloop.payments.ports import Payment
from tabloop.payments.receipt import read_receipt

from tests.unit.paying import (
    AUTHORIZER,
    ORIGIN,
    PAYEE,
    PREFIX,
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
)

LOST = TransportError("unreachable", "paid.example")
USDC = NETWORKS["eip155:10"].usdc.address
SHOWN: dict[str, tuple[dict[str, Any], str, str, str]] = {
    "network": (channel_offer(network="eip155:1"), "network", "eip155:1", ", ".join(NETWORKS)),
    "asset": (channel_offer(asset=STRANGER), "asset", STRANGER, USDC),
    "amount": (channel_offer(amount="10001"), "amount", "0.010001", "0.01"),
    "recipient": (channel_offer(payTo=STRANGER), "recipient", STRANGER, PAYEE),
    "scheme": (channel_offer(scheme="upto"), "scheme", "upto", "exact, batch-settlement"),
    "validity": (channel_offer(maxTimeoutSeconds=9999), "validity", "9999 s", "20 to 3600 s"),
    "method": (
        channel_offer(extra_assetTransferMethod="permit2"),
        *("transfer_method", "permit2", "eip3009"),
    ),
    "flow": (channel_offer(extra_paymentFlow="escrow"), "flow", "escrow", "authorization"),
    "domain": (channel_offer(extra_name="Tether"), "token_domain", "Tether 2", "USD Coin 2"),
    "pinned": (
        channel_offer(extra_receiverAuthorizer=STRANGER),
        *("authorizer", STRANGER, AUTHORIZER),
    ),
    "authorizer": (
        channel_offer(extra_receiverAuthorizer="me"),
        *("authorizer", "me", "an address"),
    ),
    "delay": (
        channel_offer(extra_withdrawDelay=899),
        *("withdraw_delay", "899 s", "900 to 604800 s"),
    ),
    "deposit": (channel_offer(extra_minDeposit="1000001"), "min_deposit", "1.000001", "1.00"),
    "a deposit in words": (channel_offer(extra_minDeposit="1e9"), "min_deposit", "1e9", "1.00"),
}


def refused(offer: dict[str, Any], purpose: Purpose = "message", *, pinned: bool) -> OfferRefused:
    judge = policy()
    if pinned:
        judge.pins.put(ORIGIN, Pin(PAYEE, AUTHORIZER))
    with pytest.raises(OfferRefused) as caught:
        judge.choose(challenge(offer), ORIGIN, purpose)
    return caught.value


@pytest.mark.parametrize("name", SHOWN)
def test_a_refusal_says_what_was_asked_and_what_is_allowed(name: str) -> None:
    offer, reason, asked, allowed = SHOWN[name]
    error = refused(offer, pinned=name in ("pinned", "recipient"))
    assert error.facts == {"reason": reason, "asked": asked, "allowed": allowed}


@pytest.mark.parametrize(
    "supported",
    [
        channel_offer(maxTimeoutSeconds=20),
        channel_offer(maxTimeoutSeconds=3600),
        channel_offer(extra_withdrawDelay=900),
        channel_offer(extra_withdrawDelay=604_800),
    ],
)
def test_a_limit_belongs_to_what_is_allowed(supported: dict[str, Any]) -> None:
    assert policy().choose(challenge(supported), ORIGIN, "message").raw == supported


@pytest.mark.parametrize("usual", [{}, {"scheme": "upto"}, {"network": "eip155:1"}])
def test_the_common_alternative_offer_is_named_last(usual: dict[str, Any]) -> None:
    unusual = channel_offer() | usual if usual else {}
    with pytest.raises(OfferRefused) as caught:
        policy().choose(challenge(unusual, channel_offer(amount="10001")), ORIGIN, "message")
    assert caught.value.refusals[0].code == "amount"


async def test_a_refused_offer_of_an_endpoint_names_its_host() -> None:
    stand = shop(asks(channel_offer(amount="10001")))
    with pytest.raises(OfferRefused) as caught:
        await send(stand.paid, REQUEST)
    assert caught.value.host == "paid.example"


def test_an_unknown_version_is_shortened_for_display() -> None:
    body = json.dumps({"x402Version": "9" * 30, "accepts": []}).encode()
    with pytest.raises(PaymentError) as caught:
        read_challenge({}, body)
    assert caught.value.facts == {"version": "9" * 20}


@pytest.mark.parametrize("document", [{"accepts": []}, {"x402Version": 1}])
def test_one_word_of_the_protocol_makes_a_402_a_challenge(document: dict[str, Any]) -> None:
    assert is_challenge({}, json.dumps(document).encode())
    assert not is_challenge({}, b'{"error": "no credit left"}')


async def test_each_phase_says_for_which_offer_and_how_much() -> None:
    busy = asks(error="channel_busy")
    stand = shop(asks(), busy, answers(), signer=FakeSigner(["voucher"]))
    await send(stand.paid, REQUEST)
    assert [(phase.name, phase.amount) for phase in stand.phases] == [
        ("paying", 10_000),
        ("lost", 10_000),
        ("channel_busy", 0),
        ("paying", 10_000),
        ("paid", 3000),
    ]
    assert [phase.offer and phase.offer.pay_to for phase in stand.phases] == [PAYEE] * 5


async def test_a_payment_that_is_sent_again_is_shown_with_its_amount() -> None:
    stand = shop(asks(), *[LOST] * 3, answers(), signer=FakeSigner(["voucher"]))
    with pytest.raises(PaymentError, match="answer_lost"):
        await send(stand.paid, REQUEST)
    await send(stand.paid, REQUEST)
    assert [(phase.name, phase.amount) for phase in stand.phases] == [
        ("paying", 10_000),
        *[("resending", 10_000)] * 2,
        ("lost", 10_000),
        ("resending", 10_000),
        ("paid", 3000),
    ]
    assert [phase.offer and phase.offer.pay_to for phase in stand.phases] == [PAYEE] * 6


async def test_the_signer_reads_why_a_kept_payment_is_refused() -> None:
    stale = asks(error="cumulative_amount_mismatch")
    stand = shop(asks(), *[LOST] * 3, stale, asks(), answers(), signer=FakeSigner(["voucher"]))
    with pytest.raises(PaymentError, match="answer_lost"):
        await send(stand.paid, REQUEST)
    await send(stand.paid, REQUEST)
    [reason] = stand.signer.reasons
    assert reason["error"] == PREFIX + "cumulative_amount_mismatch"


async def test_a_deposit_is_shown_before_the_wallet_asks_for_it() -> None:
    stand = shop(asks(), answers())
    await send(stand.paid, REQUEST)
    first = stand.phases[0]
    assert (first.name, first.amount, first.offer is not None) == ("topping_up", 500_000, True)


async def test_a_picture_is_shown_with_its_price_before_the_wallet_asks() -> None:
    stand = shop(asks(exact_offer()), answers(), purpose="image")
    await send(stand.paid, REQUEST)
    first = stand.phases[0]
    assert (first.name, first.amount, first.offer is not None) == ("wallet", 70_000, True)


async def test_a_request_that_is_refused_by_400_is_answered_and_its_payment_kept() -> None:
    stand = shop(asks(), HttpResponse(400, {}, b"{}"), answers(), signer=FakeSigner(["voucher"]))
    assert (await send(stand.paid, REQUEST)).status == 400
    assert stand.shown[-1] == "lost"
    assert (await send(stand.paid, REQUEST)).status == 200
    assert len(stand.signer.signed) == 1


async def test_the_signer_hears_which_payment_was_charged() -> None:
    heard: list[Payment] = []

    class Listens(FakeSigner):
        async def settled(self, payment: Payment, receipt: object) -> None:
            heard.append(payment)

    stand = shop(asks(), answers(), signer=Listens(["voucher"]))
    await send(stand.paid, REQUEST)
    assert [payment.payload["voucher"] for payment in heard] == [{"signature": "0x01"}]


def test_texts_of_a_receipt_are_shortened_for_display() -> None:
    offer = read_offer(exact_offer())
    assert offer
    receipt = {"success": True, "transaction": "0x" + "f" * 300}
    read = read_receipt({"payment-response": encoded(receipt)}, Payment("exact", offer, {}))
    assert read.transaction == ("0x" + "f" * 300)[:200]
    failed = {"payment-response": encoded(receipt | {"success": False})}
    assert read_receipt(failed, Payment("exact", offer, {})).transaction == read.transaction
