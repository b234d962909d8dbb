"""The price that a card shows is the price that is paid, and no other offer is signed."""

from dataclasses import replace
from typing import Any

import pytest
from tabloop.core.http import HttpResponse, TransportError, send
from tabloop.core.pricing import Price, PriceError
from tabloop.payments.errors import OfferRefused
from tabloop.payments.live_prices import LivePrices

from tests.unit.paying import (
    PAYEE,
    REQUEST,
    STRANGER,
    answers,
    asks,
    channel_offer,
    exact_offer,
    policy,
    shop,
)

SEEN = Price(70_000, "eip155:10", PAYEE, scheme="exact")
AGREED = replace(REQUEST, confirmed_price=SEEN)
FREE = HttpResponse(200, {}, b"{}")


async def test_a_price_is_read_and_nothing_is_signed() -> None:
    stand = shop(asks(exact_offer()), purpose="image")
    assert await LivePrices(stand.paid).price(REQUEST) == SEEN
    assert stand.signer.signed == []


async def test_the_price_shown_is_the_price_of_the_offer_that_would_be_paid() -> None:
    base = exact_offer(network="eip155:8453", asset="0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913")
    judge = policy("eip155:8453")
    stand = shop(asks(exact_offer(amount="60000"), base), purpose="image", judge=judge)
    price = await LivePrices(stand.paid).price(REQUEST)
    assert price == replace(SEEN, network="eip155:8453")


async def test_a_service_that_asks_for_no_payment_has_no_price() -> None:
    assert await LivePrices(shop(FREE, purpose="image").paid).price(REQUEST) is None


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (TransportError("timeout", "x"), "unreachable"),
        (asks(exact_offer(amount="100001")), "refused"),
        (asks(exact_offer(extra_assetTransferMethod="permit2")), "refused"),
        (asks(exact_offer(), version=1), "refused"),
        (asks(channel_offer(amount="70000")), "refused"),  # the card shows no deposit
    ],
)
async def test_an_offer_that_would_not_be_paid_is_not_shown_as_a_price(
    given: HttpResponse | Exception, code: str
) -> None:
    with pytest.raises(PriceError) as raised:
        await LivePrices(shop(given, purpose="image").paid).price(REQUEST)
    assert (raised.value.code, raised.value.host) == (code, "paid.example")
    assert (raised.value.cause is not None) is (code == "refused")


@pytest.mark.parametrize(
    ("offer", "reason", "asked", "allowed"),
    [
        (exact_offer(amount="70001"), "price_rose", "0.070001", "0.07"),
        (exact_offer(amount="1000000000"), "price_rose", "1000.00", "0.07"),
        (exact_offer(payTo=STRANGER), "other_recipient", STRANGER, PAYEE),
        (channel_offer(amount="70000"), "scheme", "batch-settlement", "exact"),
        (
            exact_offer(network="eip155:8453", asset="0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"),
            "network",
            "eip155:8453",
            "eip155:10",
        ),
    ],
)
async def test_an_offer_that_differs_from_the_agreed_one_is_not_signed(
    offer: dict[str, Any], reason: str, asked: str, allowed: str
) -> None:
    stand = shop(asks(offer), purpose="image")
    with pytest.raises(OfferRefused) as raised:
        await send(stand.paid, AGREED)
    assert raised.value.facts == {"reason": reason, "asked": asked, "allowed": allowed}
    assert stand.signer.signed == []


async def test_a_message_is_paid_by_the_scheme_that_was_agreed_to() -> None:
    stand = shop(asks())  # no price was shown, so both schemes are allowed
    with pytest.raises(OfferRefused, match="scheme"):
        await send(stand.paid, AGREED)
    assert (stand.signer.signed, stand.ledger.deposited) == ([], 0)


async def test_the_agreed_offer_is_paid_among_several_offers() -> None:
    dearer = exact_offer(amount="80000")
    stand = shop(asks(dearer, exact_offer()), answers(None), purpose="image")
    await send(stand.paid, AGREED)
    [_, paid] = stand.payments()
    assert paid
    assert paid["accepted"]["amount"] == "70000"


async def test_a_call_that_was_shown_as_free_is_not_paid() -> None:
    stand = shop(asks(exact_offer(amount="1")), purpose="image")
    with pytest.raises(OfferRefused):
        await send(stand.paid, replace(REQUEST, confirmed_price=Price(0)))
    assert stand.signer.signed == []


async def test_a_stored_payment_is_not_used_for_a_lower_price() -> None:
    lost = [TransportError("unreachable", "x")] * 3
    cheaper = asks(exact_offer(amount="50000"))
    stand = shop(asks(exact_offer()), *lost, cheaper, answers(None), purpose="image")
    with pytest.raises(Exception, match="answer_lost"):
        await send(stand.paid, AGREED)
    await send(stand.paid, replace(AGREED, confirmed_price=replace(SEEN, amount=50_000)))
    amounts = [paid["accepted"]["amount"] for paid in stand.payments() if paid]
    assert amounts == ["70000"] * 3 + ["50000"]
    assert stand.ledger.uncertain == 70_000 + 50_000
