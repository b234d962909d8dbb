"""Deposits: each is listed with its ways out, and asked back on its own network."""

import base64
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from tabloop.core.http import HttpResponse, TransportError, send
from tabloop.payments.channels import Channel, Withdrawal, current_channel, read_channels
from tabloop.payments.errors import PaymentError, PaymentErrorCode
from tabloop.payments.offers import Challenge, read_offer
from tabloop.payments.ports import Payment
from tabloop.payments.refund import Refunds

from tests.unit.fake_transport import FakeTransport
from tests.unit.paying import (
    ORIGIN,
    PAYEE,
    REQUEST,
    FakeSigner,
    Locks,
    asks,
    channel_offer,
    encoded,
    shop,
)

CHANNEL = Channel("0xc0", "eip155:10", PAYEE, 900, 496_500)
CONFIG = {"receiver": PAYEE, "withdrawDelay": 900}


def entry(**changes: Any) -> Any:
    state = {"balance": "500000", "chargedCumulativeAmount": "3500"}
    usual: dict[str, Any] = {"id": "0xc0", "network": "eip155:10", "config": CONFIG, "own": True}
    return {**usual, "state": state, "withdrawal": None, **changes}


def test_what_the_chain_has_taken_is_read_as_a_number_or_as_nothing() -> None:
    states = ({"totalClaimed": "12000"}, {"totalClaimed": "-1"}, {"totalClaimed": [1]}, None)
    long = [{"totalClaimed": "1" * digits} for digits in (40, 41)]
    kept, dropped = read_channels(entry(state=state) for state in long)
    assert (kept.claimed, dropped.claimed) == (int("1" * 40), 0)
    found = read_channels(entry(state=state) for state in states)
    assert [channel.claimed for channel in found] == [12_000, 0, 0, 0]


def test_a_channel_is_read_with_what_is_left() -> None:
    announced = {"amount": "300000", "initiatedAt": 1000}
    found = read_channels(
        [
            entry(),
            entry(state=None, own=False),
            entry(withdrawal=announced),
            entry(state={"balance": "1", "chargedCumulativeAmount": "2"}),
            entry(network=7),
            entry(config=None),
            "noise",
            entry(withdrawal={"amount": "300000"}),
            entry(withdrawal={"initiatedAt": 1000}),
        ]
    )
    assert found[0] == CHANNEL
    assert (found[1].left, found[1].own) == (None, False)
    assert found[2].withdrawal == Withdrawal(300_000, 1900)
    *found, without_day, without_amount = found
    assert (without_day.withdrawal, without_amount.withdrawal) == (None, None)
    assert (found[3].left, found[3].in_use) == (0, False)
    assert len(found) == 4


@pytest.mark.parametrize(
    ("channel", "ways"),
    [
        (Channel("", "", "", 900, 5), ("refund", "announce")),
        (Channel("", "", "", 900, 5, own=False), ("announce",)),
        (Channel("", "", "", 900, None, own=False), ("announce",)),
        (Channel("", "", "", 900, 0), ()),
        (Channel("", "", "", 900, 5, withdrawal=Withdrawal(5, 101)), ("refund",)),
        (Channel("", "", "", 900, 5, withdrawal=Withdrawal(5, 100)), ("refund", "finish")),
        (Channel("", "", "", 900, 0, withdrawal=Withdrawal(5, 100)), ("finish",)),
    ],
)
def test_only_a_way_out_that_is_open_is_offered(channel: Channel, ways: tuple[str, ...]) -> None:
    assert channel.ways(100) == ways


def test_the_next_message_is_paid_from_the_channel_of_its_recipient_and_network() -> None:
    other = Channel("0xc1", "eip155:8453", PAYEE, 900, 1)
    foreign = Channel("0xc2", "eip155:10", PAYEE, 900, 9, own=False)
    assert current_channel([CHANNEL, other, foreign], "eip155:8453", PAYEE.upper()) == other
    assert current_channel([CHANNEL, other, foreign], "eip155:10", PAYEE) == CHANNEL
    assert current_channel([CHANNEL], "eip155:10", "0xsomebody") is None
    nearly_empty = replace(CHANNEL, id="0xb0", left=5)
    for channels in ([nearly_empty, CHANNEL], [CHANNEL, nearly_empty]):
        assert current_channel(channels, "eip155:10", PAYEE) == CHANNEL
    assert current_channel([foreign], "eip155:10", "") is None


@dataclass
class Signer:
    """Signs for the offer on the channel's network."""

    resyncs: bool = True
    done: list[str] = field(default_factory=list[str])

    async def refund_payment(self, challenge: Challenge, channel: str) -> Payment | None:
        for entry in challenge.accepts:
            offer = read_offer(entry)
            if offer and offer.network == CHANNEL.network:
                return Payment("voucher", offer, {"type": "refund"}, channel=channel)
        return None

    async def resync(self, payment: Payment, challenge: Challenge) -> bool:
        self.done.append("resync")
        return self.resyncs


def receipt(success: bool = True) -> HttpResponse:
    document = {"success": success, "amount": "496500", "transaction": "0x1"}
    return HttpResponse(200, {"payment-response": encoded(document)}, b"{}")


BASE = channel_offer(network="eip155:8453")


async def test_a_refund_is_asked_for_on_the_channels_own_network() -> None:
    transport, signer, locks = (
        FakeTransport([asks(BASE, channel_offer()), receipt()]),
        Signer(),
        Locks(),
    )
    assert await Refunds(transport, signer, locks).ask(ORIGIN, CHANNEL)
    assert locks.names == [f"x402 eip155:10 {PAYEE}"]  # no payment runs meanwhile
    assert [request.follow_redirects for request in transport.requests] == [False, False]
    assert "payment-signature" in transport.requests[1].headers


async def test_a_server_that_counts_differently_is_asked_once_more() -> None:
    stale = asks(error="cumulative_amount_mismatch")
    signer = Signer()
    transport = FakeTransport([asks(channel_offer()), stale, receipt()])
    assert await Refunds(transport, signer, Locks()).ask(ORIGIN, CHANNEL)
    assert signer.done == ["resync"]


async def test_a_server_may_say_that_nothing_is_left() -> None:
    transport = FakeTransport([asks(channel_offer()), asks(error="refund_no_balance")])
    assert not await Refunds(transport, Signer(), Locks()).ask(ORIGIN, CHANNEL)


@pytest.mark.parametrize(
    ("answers", "code"),
    [
        ([HttpResponse(200, {}, b"")], "refund_failed"),
        ([TransportError("redirected", "h")], "refund_failed"),
        ([asks(BASE)], "refund_not_offered"),
        ([asks(channel_offer()), *[asks(error="cumulative_amount_mismatch")] * 2], "refund_failed"),
        ([asks(channel_offer()), HttpResponse(500, {}, b"")], "refund_failed"),
        ([asks(channel_offer()), HttpResponse(200, {}, b"")], "refund_unclear"),
        ([asks(channel_offer()), receipt(success=False)], "refund_unclear"),
    ],
)
async def test_a_refund_that_does_not_come_says_who_did_not_pay(
    answers: list[Any], code: PaymentErrorCode
) -> None:
    with pytest.raises(PaymentError) as failed:
        await Refunds(FakeTransport(answers), Signer(), Locks()).ask(ORIGIN, CHANNEL)
    assert (failed.value.code, failed.value.host) == (code, "paid.example")


# the clock, which is looked at before the wallet signs

NOW = 1_800_000_000.0
LONG = "9" * 5000


@pytest.mark.parametrize(
    ("block", "date", "code"),
    [
        (NOW + 120, "", "clock_slow"),
        (NOW - 1200, "", "clock_fast"),
        (0, "Fri, 15 Jan 2027 08:20:00 GMT", "clock_slow"),
        (0, "Fri, 15 Jan 2027 07:40:00 GMT", "clock_fast"),
    ],
)
async def test_a_wrong_clock_is_named_before_the_wallet_signs(
    block: float, date: str, code: PaymentErrorCode
) -> None:
    first = asks()
    first = HttpResponse(first.status, {**first.headers, "date": date}, first.body)
    stand = shop(first, signer=FakeSigner(clock=int(block)), now=NOW)
    with pytest.raises(PaymentError) as failed:
        await send(stand.paid, REQUEST)
    assert failed.value.code == code
    assert failed.value.facts["minutes_off"] in ("2", "20")
    assert stand.signer.signed == []


@pytest.mark.parametrize(
    "date",
    [
        "",
        "yesterday",
        "Fri, 15 Jan 2027 08:00:10 GMT",
        "Fri, 15 Jan 2038 08:00:00 GMT",  # by the chain, only the endpoint's clock is wrong
    ],
)
async def test_a_clock_that_is_right_or_not_known_is_no_obstacle(date: str) -> None:
    first = asks()
    first = HttpResponse(first.status, {**first.headers, "date": date}, first.body)
    paid = HttpResponse(200, {}, b"{}")
    stand = shop(first, paid, signer=FakeSigner(clock=int(NOW) - 3), now=NOW)
    assert (await send(stand.paid, REQUEST)).status == 200


async def test_the_tabs_own_key_needs_no_right_clock() -> None:
    first = asks()
    first = HttpResponse(
        first.status, {**first.headers, "date": "Fri, 15 Jan 2027 09:00:00 GMT"}, b""
    )
    stand = shop(first, HttpResponse(200, {}, b"{}"), signer=FakeSigner(["voucher"]), now=NOW)
    assert (await send(stand.paid, REQUEST)).status == 200


@pytest.mark.parametrize(
    ("deposit", "code"), [(f'"{LONG}"', "offer_refused"), (LONG, "unreadable_challenge")]
)
async def test_a_number_of_thousands_of_digits_is_the_endpoints_fault(
    deposit: str, code: PaymentErrorCode
) -> None:
    refused = asks(channel_offer(extra_minDeposit=2))
    text = base64.b64decode(refused.headers["payment-required"]).decode()
    text = text.replace('"minDeposit": 2', f'"minDeposit": {deposit}')
    header = base64.b64encode(text.encode()).decode()
    stand = shop(HttpResponse(402, {"payment-required": header}, b"{}"))
    with pytest.raises(PaymentError) as failed:
        await send(stand.paid, REQUEST)
    assert failed.value.code == code
    assert stand.signer.signed == []
