"""Paying for a request: one signature, one answer, and a clear error in all other cases."""

import asyncio
from dataclasses import replace

import pytest
from tabloop.agent.messages import UserMessage
from tabloop.agent.ports import ModelRequest
from tabloop.core.errors import AgentError
from tabloop.core.http import HttpRequest, HttpResponse, TransportError, send
from tabloop.endpoint.chat_completions import ChatCompletionsModel
from tabloop.payments.errors import PaymentError, PaymentErrorCode, wallet_error
from tabloop.payments.offers import read_offer
from tabloop.payments.ports import Payment
from tabloop.payments.receipt import read_receipt
from tabloop.payments.recovery import BUSY_WAITS

from tests.unit.fake_transport import Pieces
from tests.unit.paying import (
    ORIGIN,
    PAYER,
    PREFIX,
    REQUEST,
    STRANGER,
    FakeSigner,
    Shop,
    answers,
    asks,
    channel_offer,
    encoded,
    exact_offer,
    policy,
    shop,
)

LOST = TransportError("unreachable", "paid.example")
CEILING = 10_000
STREAMED = replace(REQUEST, buffered=False)


async def fails(
    stand: Shop, code: PaymentErrorCode, request: HttpRequest = REQUEST
) -> PaymentError:
    with pytest.raises(PaymentError) as failed:
        await send(stand.paid, request)
    assert failed.value.code == code
    return failed.value


async def test_an_endpoint_that_asks_for_nothing_gets_the_request_as_it_is() -> None:
    stand = shop(HttpResponse(200, {}, b"free"))
    assert (await send(stand.paid, REQUEST)).body == b"free"
    assert stand.transport.requests == [REQUEST]
    assert (stand.phases, stand.signer.signed) == ([], [])


async def test_the_first_message_opens_a_channel_and_ten_more_take_vouchers() -> None:
    exchange = [part for _ in range(11) for part in (asks(), answers())]
    stand = shop(*exchange)
    for _ in range(11):
        assert (await send(stand.paid, REQUEST)).status == 200
    assert stand.signer.signed == [("deposit", 500_000), *[("voucher", 0)] * 10]
    assert stand.ledger.charged == 11 * 3000 == sum(r.charged for r in stand.receipts)
    assert (stand.ledger.uncertain, stand.ledger.deposited) == (0, 500_000)
    assert stand.shown[:3] == ["topping_up", "paying", "paid"]
    assert "topping_up" not in stand.shown[3:]
    assert stand.signer.done == ["settled 3000"] * 11


async def test_the_paid_request_is_the_same_request_with_the_payment() -> None:
    stand = shop(asks(), answers())
    await send(stand.paid, REQUEST)
    unpaid, paid = stand.transport.requests
    assert unpaid == REQUEST
    assert {**paid.headers, "payment-signature": ""} == {**REQUEST.headers, "payment-signature": ""}
    assert (paid.body, paid.method, paid.url) == (REQUEST.body, REQUEST.method, REQUEST.url)
    sent = stand.payments()[1]
    assert sent
    assert sent["accepted"] == channel_offer()
    assert sent["resource"] == {"url": ORIGIN}


async def test_a_picture_costs_what_was_signed() -> None:
    receipt = encoded({"success": True, "transaction": "0xabc", "network": "eip155:10"})
    stand = shop(
        asks(exact_offer()),
        HttpResponse(200, {"payment-response": receipt}, b"{}"),
        purpose="image",
    )
    await send(stand.paid, REQUEST)
    assert stand.ledger.charged == 70_000
    assert stand.receipts[0].transaction == "0xabc"
    assert stand.shown == ["wallet", "paying", "paid"]


@pytest.mark.parametrize("status", [200, 400, 402, 429, 500, 503])
async def test_an_answer_to_an_unpaid_request_cost_nothing(status: int) -> None:
    stand = shop(HttpResponse(status, {}, b"{}"), purpose="image")
    assert (await send(stand.paid, REQUEST)).cost == 0


@pytest.mark.parametrize(
    ("answered", "cost"),
    [(answers(), 3000), (answers(None), CEILING), (HttpResponse(422, {}, b"{}"), CEILING)],
)
async def test_an_answer_to_a_paid_request_says_what_it_cost_at_most(
    answered: HttpResponse, cost: int
) -> None:
    assert (await send(shop(asks(), answered).paid, REQUEST)).cost == cost


async def test_a_failed_request_that_was_charged_is_booked_and_its_payment_not_kept() -> None:
    charged = replace(answers(), status=422)
    stand = shop(asks(), charged, asks(), answers(), signer=FakeSigner(["voucher"]))
    assert (await send(stand.paid, REQUEST)).cost == 3000
    assert stand.shown[-1] == "paid"
    assert (await send(stand.paid, REQUEST)).status == 200
    assert stand.vouchers() == ["0x01", "0x02"]


@pytest.mark.parametrize(("status", "sends"), [(431, 1), (400, 3), (413, 3)])
async def test_a_payment_whose_header_is_refused_is_not_sent_for_ever(
    status: int, sends: int
) -> None:
    refused = HttpResponse(status, {}, b"{}")
    stand = shop(asks(), *[refused] * sends, asks(), answers(), signer=FakeSigner(["voucher"]))
    for _ in range(sends):
        assert (await send(stand.paid, REQUEST)).status == status
    assert (await send(stand.paid, REQUEST)).status == 200
    assert stand.vouchers() == ["0x01"] * sends + ["0x02"]
    assert (stand.ledger.charged, stand.ledger.uncertain) == (3000, CEILING)


async def test_a_quote_signs_nothing() -> None:
    stand = shop(asks(exact_offer()), HttpResponse(200, {}, b""), purpose="image")
    offer = await stand.paid.quote(REQUEST)
    assert offer
    assert offer.amount == 70_000
    assert await stand.paid.quote(REQUEST) is None
    assert stand.signer.signed == []


async def test_an_error_of_a_wallet_names_the_service_that_was_to_be_paid() -> None:
    stand = shop(asks(), signer=FakeSigner(fails=wallet_error("4001", "no")))
    assert (await fails(stand, "declined")).host == "paid.example"


async def test_a_declined_signature_costs_nothing_and_can_be_tried_again() -> None:
    stand = shop(asks(), asks(), answers(), signer=FakeSigner(fails=wallet_error("4001", "no")))
    error = await fails(stand, "declined")
    assert error.retryable
    assert stand.ledger.committed == 0
    stand.signer.fails = None
    assert (await send(stand.paid, REQUEST)).status == 200


@pytest.mark.parametrize(
    ("code", "means"),
    [
        ("4001", "declined"),
        ("-32002", "wallet_locked"),
        ("4902", "wrong_network"),
        ("account_changed", "account_changed"),
        ("contract_wallet", "contract_wallet"),
        ("4100", "locked"),
        ("-32603", "wallet_failed"),
        ("", "wallet_failed"),
    ],
)
def test_the_error_code_of_a_wallet_is_translated_to_ours(code: str, means: str) -> None:
    error = wallet_error(code, "said\nso")
    assert (error.code, error.detail, error.facts) == (means, "said so", {"wallet_code": code})


# after paying: the same signature again, never a new one


async def test_a_lost_answer_is_asked_for_with_the_same_payment() -> None:
    stand = shop(asks(), LOST, LOST, answers())
    assert (await send(stand.paid, REQUEST)).status == 200
    assert stand.vouchers() == ["0x01"] * 3
    assert len(stand.signer.signed) == 1
    assert stand.slept == [1.0, 3.0]
    assert (stand.ledger.charged, stand.ledger.uncertain) == (3000, 0)


async def test_an_answer_that_stays_lost_says_what_may_have_been_charged() -> None:
    stand = shop(asks(), LOST)
    error = await fails(stand, "answer_lost")
    assert (error.maybe_charged, error.facts["maybe_charged"]) == (CEILING, "0.01")
    assert len(stand.signer.signed) == 1
    assert (stand.ledger.charged, stand.ledger.uncertain) == (0, CEILING)


async def test_trying_again_begins_with_the_payment_that_was_lost() -> None:
    stand = shop(asks(), LOST)
    await fails(stand, "answer_lost")
    stand.transport.answers = [answers()]
    assert (await send(stand.paid, replace(REQUEST, body=b"other"))).status == 200
    assert len(stand.signer.signed) == 1
    assert stand.transport.requests[-1].body == b"other"
    assert (stand.ledger.charged, stand.ledger.uncertain) == (3000, 0)


async def test_a_lost_payment_that_was_charged_stays_booked_and_a_new_one_needs_a_press() -> None:
    stand = shop(asks(), LOST)
    await fails(stand, "answer_lost")
    stand.transport.answers = [asks(error="cumulative_amount_mismatch"), asks(), answers()]
    assert (await send(stand.paid, REQUEST)).status == 200
    assert stand.signer.done == ["forget", "settled 3000"]
    assert (stand.ledger.charged, stand.ledger.uncertain) == (3000, CEILING)


async def test_a_lost_deposit_is_looked_for_on_the_chain() -> None:
    stand = shop(asks(), LOST, asks(error="deposit_simulation_failed"))
    await fails(stand, "answer_lost")
    assert (stand.signer.signed, stand.signer.done) == ([("deposit", 500_000)], ["forget"])
    assert [payload["type"] for payload in stand.signer.corrected] == ["deposit"]
    stand.transport.answers = [asks(error="deposit_simulation_failed"), asks(), answers()]
    assert (await send(stand.paid, REQUEST)).status == 200
    assert stand.signer.signed[1:] == [("voucher", 0)]


async def test_a_payment_that_is_refused_only_when_sent_again_is_not_signed_anew() -> None:
    mismatch = asks(error="cumulative_amount_mismatch")
    stand = shop(asks(), LOST, mismatch, signer=FakeSigner(["voucher"]))
    error = await fails(stand, "answer_lost")
    assert error.maybe_charged == CEILING
    assert len(stand.signer.signed) == 1
    assert stand.signer.done == ["resync"]


async def test_a_lost_payment_that_is_too_old_is_not_sent_again() -> None:
    signer = FakeSigner(valid_until=100)
    stand = shop(asks(), LOST, signer=signer, now=95)
    await fails(stand, "answer_lost")
    stand.transport.answers = [asks(), answers()]
    await send(stand.paid, REQUEST)
    assert stand.vouchers() == ["0x01"] * 3 + ["0x02"]


async def test_a_stop_while_paying_keeps_the_payment_for_the_next_message() -> None:
    stand = shop(asks(), answers())
    stand.transport.gate = asyncio.Event()
    stand.transport.gate.set()
    task = asyncio.create_task(send(stand.paid, REQUEST))
    while len(stand.transport.requests) < 2:
        stand.transport.gate.clear() if stand.signer.signed else None
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert stand.ledger.uncertain == CEILING
    assert (stand.phases[-1].name, stand.phases[-1].amount) == ("lost", CEILING)
    stand.transport.gate = None
    stand.transport.answers = [answers()]
    assert (await send(stand.paid, REQUEST)).status == 200
    assert len(stand.signer.signed) == 1
    assert stand.ledger.uncertain == 0


async def test_a_stop_while_another_tab_pays_loses_no_kept_payment() -> None:
    stand = shop(asks(), LOST)
    await fails(stand, "answer_lost")
    stand.transport.answers = [answers()]
    async with stand.locks.hold(stand.locks.names[0]):
        task = asyncio.create_task(send(stand.paid, REQUEST))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert (await send(stand.paid, REQUEST)).status == 200
    assert len(stand.signer.signed) == 1
    assert (stand.ledger.charged, stand.ledger.uncertain) == (3000, 0)
    assert len(set(stand.locks.names)) == 1  # a kept payment holds the lock of the first one


@pytest.mark.parametrize("account", ["", STRANGER])
async def test_a_kept_payment_waits_for_the_account_that_signed_it(account: str) -> None:
    stand = shop(asks(), LOST)
    await fails(stand, "answer_lost")
    paid = stand.vouchers()
    stand.signer.account, stand.signer.fails = account, PaymentError("not_connected")
    stand.transport.answers = [asks()]
    await fails(stand, "not_connected")  # the ordinary way, which asks
    assert stand.vouchers() == paid
    stand.signer.account, stand.signer.fails = PAYER.upper().replace("X", "x"), None
    stand.transport.answers = [answers()]
    assert (await send(stand.paid, REQUEST)).status == 200
    assert len(stand.signer.signed) == 1


async def test_disconnecting_while_another_tab_pays_sends_no_kept_payment() -> None:
    stand = shop(asks(), LOST)
    await fails(stand, "answer_lost")
    stand.signer.fails = PaymentError("not_connected")
    stand.transport.answers = [asks()]
    async with stand.locks.hold(stand.locks.names[0]):
        task = asyncio.create_task(send(stand.paid, REQUEST))
        await asyncio.sleep(0)
        stand.signer.account = ""
    paid = stand.vouchers()
    with pytest.raises(PaymentError, match="not_connected"):
        await task
    assert stand.vouchers() == paid


async def test_a_lock_that_fails_loses_no_kept_payment() -> None:
    stand = shop(asks(), LOST)
    await fails(stand, "answer_lost")
    stand.transport.answers = [answers()]
    stand.locks.fails = RuntimeError("the signing module did not load")
    with pytest.raises(RuntimeError):
        await send(stand.paid, REQUEST)
    stand.locks.fails = None
    assert (await send(stand.paid, REQUEST)).status == 200
    assert len(stand.signer.signed) == 1


async def test_a_stop_while_the_channel_is_put_right_loses_no_kept_payment() -> None:
    class Slow(FakeSigner):
        async def resync(self, payment: Payment, challenge: object) -> bool:
            await asyncio.Event().wait()
            return False

    stand = shop(asks(), HttpResponse(429, {}, b"{}"), signer=Slow(["voucher"]))
    await send(stand.paid, REQUEST)
    stand.transport.answers = [asks(error="cumulative_amount_mismatch")]
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(send(stand.paid, REQUEST), 60)
    stand.transport.answers = [answers()]
    assert (await send(stand.paid, REQUEST)).status == 200
    assert stand.vouchers() == ["0x01"] * 3


async def test_two_requests_at_once_never_send_one_kept_payment_twice() -> None:
    stand = shop(asks(), LOST)
    await fails(stand, "answer_lost")
    before = len(stand.transport.requests)
    stand.transport.answers = [answers(), asks(), answers()]
    await asyncio.gather(send(stand.paid, REQUEST), send(stand.paid, REQUEST))
    signatures = [
        paid["payload"]["voucher"]["signature"] for paid in stand.payments()[before:] if paid
    ]
    assert signatures == ["0x01", "0x02"]


async def test_a_payment_follows_no_redirect_and_is_not_sent_again() -> None:
    there = TransportError("redirected", "paid.example", "https://other.example")
    stand = shop(asks(), there, answers())
    with pytest.raises(PaymentError) as failed:
        await send(stand.paid, REQUEST)
    assert (failed.value.code, failed.value.facts["where"]) == ("redirected", there.detail)
    assert failed.value.maybe_charged == CEILING
    assert [paid.follow_redirects for paid in stand.transport.requests[1:]] == [False]


@pytest.mark.parametrize("status", [502, 503, 504])
async def test_an_error_of_a_gateway_after_paying_counts_as_a_lost_answer(status: int) -> None:
    stand = shop(asks(), HttpResponse(status, {}, b"<h1>Bad gateway</h1>"), answers())
    assert (await send(stand.paid, REQUEST)).status == 200
    assert stand.vouchers() == ["0x01", "0x01"]


async def test_a_servers_error_after_paying_is_said_and_its_payment_kept() -> None:
    stand = shop(asks(), HttpResponse(500, {}, b"oh"))
    error = await fails(stand, "server_error")
    assert (error.facts["status"], error.maybe_charged) == ("500", CEILING)
    stand.transport.answers = [answers()]
    await send(stand.paid, REQUEST)
    assert stand.vouchers() == ["0x01", "0x01"]
    assert stand.ledger.uncertain == 0


async def test_a_refused_request_keeps_the_payment_for_the_next() -> None:
    stand = shop(asks(), HttpResponse(429, {"retry-after": "1"}, b"{}"), answers())
    assert (await send(stand.paid, REQUEST)).status == 429
    assert (await send(stand.paid, REQUEST)).status == 200
    assert stand.vouchers() == ["0x01", "0x01"]
    assert len(stand.signer.signed) == 1


async def test_nothing_is_signed_by_itself_when_a_kept_payment_is_refused() -> None:
    stand = shop(asks(), HttpResponse(429, {}, b"{}"), asks(error="cumulative_amount_mismatch"))
    await send(stand.paid, REQUEST)
    await fails(stand, "answer_lost")
    assert len(stand.signer.signed) == 1


async def test_a_pending_settlement_is_waited_for_with_the_same_payment() -> None:
    said = encoded({"success": False, "errorReason": "settlement_pending", "transaction": "0x1"})
    hidden = HttpResponse(402, {"payment-response": said}, b"{}")
    stand = shop(asks(), hidden, answers())
    assert (await send(stand.paid, REQUEST)).status == 200
    assert stand.vouchers() == ["0x01", "0x01"]


@pytest.mark.parametrize(("error", "code"), [("", "asked_again"), ("no_such_code", "rejected")])
async def test_a_second_402_after_paying_is_not_paid(error: str, code: PaymentErrorCode) -> None:
    stand = shop(asks(), asks(channel_offer(amount="9999"), error=error))
    failed = await fails(stand, code)
    assert failed.detail == (PREFIX + error if error else "")  # quoted as the server says it
    assert len(stand.signer.signed) == 1


@pytest.mark.parametrize(("valid_until", "minutes"), [(0, "5"), (1100, "2"), (1005, "1")])
async def test_a_signature_that_was_refused_still_counts_as_spent(
    valid_until: int, minutes: str
) -> None:
    signer = FakeSigner(valid_until=valid_until)
    refused = asks(exact_offer(), error="whatever")
    stand = shop(asks(exact_offer()), refused, signer=signer, purpose="image", now=1000)
    error = await fails(stand, "rejected")
    assert error.maybe_charged == stand.ledger.uncertain == 70_000
    assert error.facts["minutes"] == minutes


async def test_a_signature_that_has_run_out_may_have_been_used_before() -> None:
    refused = asks(exact_offer(), error="payload_authorization_valid_before")
    signer = FakeSigner(valid_until=900)
    stand = shop(asks(exact_offer()), refused, signer=signer, purpose="image", now=1000)
    error = await fails(stand, "signature_expired")
    assert error.maybe_charged == stand.ledger.uncertain == 70_000
    assert "minutes" not in error.facts  # it cannot be used any more


@pytest.mark.parametrize(
    ("error", "code"),
    [
        ("whatever", "rejected"),
        ("", "asked_again"),
        ("channel_busy", "channel_busy"),
        ("cumulative_amount_mismatch", "channel_unproven"),
        ("insufficient_balance", "insufficient_balance"),
    ],
)
async def test_a_refused_voucher_counts_at_its_ceiling(error: str, code: PaymentErrorCode) -> None:
    signer = FakeSigner(["voucher"], same="0xaa", resyncs=False)
    stand = shop(asks(), asks(error=error), signer=signer)
    failed = await fails(stand, code)
    assert failed.maybe_charged == stand.ledger.uncertain == stand.ledger.committed == CEILING
    assert failed.facts["maybe_charged"] == "0.01"
    assert "minutes" not in failed.facts  # a voucher can be claimed as long as its channel lives


@pytest.mark.parametrize("charged", ["0", "3000", "10000"])
async def test_a_402_that_carries_a_receipt_of_success_releases_nothing(charged: str) -> None:
    refused = asks(error="whatever")
    receipt = encoded({"success": True, "extra": {"chargedAmount": charged}})
    both = HttpResponse(402, {**refused.headers, "payment-response": receipt}, b"{}")
    stand = shop(asks(), both, signer=FakeSigner(["voucher"]))
    assert (await fails(stand, "rejected")).maybe_charged == CEILING
    assert (stand.ledger.uncertain, stand.ledger.charged) == (CEILING, 0)


async def test_five_vouchers_that_were_claimed_and_answered_by_402_count_five_times() -> None:
    stand = shop(*[asks(), asks(error="whatever")] * 5, signer=FakeSigner(["voucher"]))
    told = [(await fails(stand, "rejected")).maybe_charged for _ in range(5)]
    assert told == [CEILING] * 5
    assert len(set(stand.vouchers())) == 5
    assert stand.ledger.uncertain == 5 * CEILING


async def test_the_same_voucher_signed_for_each_question_counts_once() -> None:
    signer = FakeSigner(["voucher"], same="0xaa")
    stand = shop(*[asks(), asks(error="whatever")] * 3, asks(), answers(), signer=signer)
    for _ in range(3):
        await fails(stand, "rejected")
    assert stand.ledger.uncertain == CEILING
    assert (await send(stand.paid, REQUEST)).cost == 3000
    assert (stand.ledger.charged, stand.ledger.uncertain) == (3000, 0)  # its receipt has come
    stand.transport.answers = [asks(), answers()]
    await send(stand.paid, REQUEST)
    assert stand.ledger.charged == 6000  # each receipt counts


async def test_two_vouchers_of_one_question_count_both() -> None:
    stale = asks(error="cumulative_amount_mismatch")
    stand = shop(asks(), stale, answers(), signer=FakeSigner(["voucher"]))
    assert (await send(stand.paid, REQUEST)).cost == CEILING + 3000
    assert (stand.ledger.charged, stand.ledger.uncertain) == (3000, CEILING)
    refused = shop(asks(), stale, asks(error="whatever"), signer=FakeSigner(["voucher"]))
    assert (await fails(refused, "rejected")).maybe_charged == 2 * CEILING


async def test_a_deposit_that_is_declined_after_a_refused_voucher_is_not_said_to_cost_nothing() -> (
    None
):
    class Declines(FakeSigner):
        async def forget(self, payment: Payment) -> None:
            self.fails = wallet_error("4001", "no")

    short = asks(error="cumulative_exceeds_balance")
    stand = shop(asks(), short, signer=Declines(["voucher", "deposit"]))
    assert (await fails(stand, "declined")).maybe_charged == CEILING


async def test_a_stop_while_a_busy_channel_is_waited_for_counts_what_was_sent() -> None:
    busy = asks(error="channel_busy")
    stand = shop(asks(), busy, signer=FakeSigner(["voucher"]), stopped=True)
    with pytest.raises(asyncio.CancelledError):
        await send(stand.paid, REQUEST)
    assert stand.ledger.uncertain == CEILING


async def test_a_stop_while_a_busy_channel_is_waited_for_asks_the_wallet_only_once() -> None:
    busy = asks(error="channel_busy")
    stand = shop(asks(), busy, stopped=True)
    with pytest.raises(asyncio.CancelledError):
        await send(stand.paid, REQUEST)
    stand.transport.answers = [busy, answers()]
    with pytest.raises(asyncio.CancelledError):  # it waits with the same signature
        await send(stand.paid, REQUEST)
    stand.transport.answers = [answers()]
    assert (await send(stand.paid, REQUEST)).status == 200
    assert stand.signer.signed == [("deposit", 500_000)]
    assert len(set(stand.vouchers())) == 1
    assert {paid["resource"]["url"] for paid in stand.payments() if paid} == {ORIGIN}


async def test_a_stop_after_the_receipt_sends_that_payment_no_more() -> None:
    class Slow(FakeSigner):
        async def settled(self, payment: Payment, receipt: object) -> None:
            raise asyncio.CancelledError

    stand = shop(asks(), answers(), signer=Slow(["voucher"]))
    with pytest.raises(asyncio.CancelledError):
        await send(stand.paid, REQUEST)
    stand.transport.answers = [asks(), answers()]
    with pytest.raises(asyncio.CancelledError):
        await send(stand.paid, REQUEST)
    assert stand.vouchers() == ["0x01", "0x02"]
    assert (stand.ledger.charged, stand.ledger.uncertain) == (6000, 0)
    assert stand.shown.count("paid") == 2  # so that the page shows what was spent


async def test_a_service_that_refuses_every_signature_gets_no_more_than_the_sessions_limit() -> (
    None
):
    exchange = [asks(exact_offer()), asks(exact_offer(), error="whatever")]
    stand = shop(*exchange * 28, asks(exact_offer()), purpose="image")
    for _ in range(28):
        await fails(stand, "rejected")
    assert (await fails(stand, "session_limit")).facts["spent"] == "1.96"
    assert len(stand.signer.signed) == 28


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (
            b'{"error": "no", "reason": "invalid_exact_evm_insufficient_balance"}',
            "insufficient_balance",
        ),
        (b'{"error": "Payment verification failed"}', "rejected"),
        (b'{"error": {"code": 1}}', "asked_again"),
        (b"<h1>Pay!</h1>", "asked_again"),
    ],
)
async def test_a_refusal_without_a_new_challenge_still_has_a_code(
    body: bytes, code: PaymentErrorCode
) -> None:
    stand = shop(asks(), HttpResponse(402, {}, body))
    await fails(stand, code)
    assert len(stand.signer.signed) == 1


# what a channel needs


async def test_a_busy_channel_is_waited_for_with_growing_waits() -> None:
    busy = asks(error="channel_busy")
    stand = shop(asks(), busy, busy, answers(), signer=FakeSigner(["voucher"]))
    assert (await send(stand.paid, REQUEST)).status == 200
    assert stand.slept == list(BUSY_WAITS[:2])
    assert stand.shown.count("channel_busy") == 2
    assert stand.ledger.charged == 3000


async def test_a_busy_channel_never_makes_the_wallet_sign_twice() -> None:
    busy = asks(error="channel_busy")
    stand = shop(asks(), busy, answers(), signer=FakeSigner(["deposit"]))
    assert (await send(stand.paid, REQUEST)).status == 200
    assert stand.signer.signed == [("deposit", 500_000)]
    assert stand.vouchers() == ["0x01", "0x01"]
    assert (stand.ledger.charged, stand.ledger.uncertain) == (3000, 0)


async def test_a_channel_that_stays_busy_ends_the_waiting() -> None:
    stand = shop(asks(), asks(error="channel_busy"), signer=FakeSigner(["voucher"]))
    await fails(stand, "channel_busy")
    assert stand.slept == list(BUSY_WAITS)
    assert list(BUSY_WAITS) == sorted(BUSY_WAITS)


async def test_two_messages_at_once_pay_one_after_the_other() -> None:
    stand = shop(asks(), asks(), answers(), signer=FakeSigner(["voucher"]))
    both = await asyncio.gather(send(stand.paid, REQUEST), send(stand.paid, REQUEST))
    assert [answer.status for answer in both] == [200, 200]
    paid = [bool(payment) for payment in stand.payments()]
    assert paid == [False, False, True, True]


async def test_a_stale_channel_is_put_right_once() -> None:
    stale = asks(error="cumulative_amount_mismatch")
    stand = shop(asks(), stale, answers(), signer=FakeSigner(["voucher"]))
    assert (await send(stand.paid, REQUEST)).status == 200
    assert stand.signer.done == ["resync", "settled 3000"]
    [reason] = stand.signer.reasons
    assert reason["accepts"] == [channel_offer()]
    again = shop(asks(), stale, signer=FakeSigner(["voucher"]))
    await fails(again, "channel_out_of_step")
    assert again.signer.done == ["resync"]


async def test_a_channel_that_cannot_be_put_right_is_said_to_be_so() -> None:
    stale = asks(error="cumulative_amount_mismatch")
    stand = shop(asks(), stale, signer=FakeSigner(["voucher"], resyncs=False))
    await fails(stand, "channel_unproven")
    assert len(stand.signer.signed) == 1


async def test_a_server_that_shows_the_refused_voucher_as_taken_gets_no_second_one() -> None:
    shown = channel_offer(extra_voucherState={"signature": "0x01", "signedMaxClaimable": "10000"})
    stale = asks(shown, error="cumulative_amount_mismatch")
    stand = shop(asks(), stale, signer=FakeSigner(["voucher"]))
    error = await fails(stand, "channel_out_of_step")
    assert (error.maybe_charged, len(stand.signer.signed)) == (CEILING, 1)


async def test_a_voucher_that_paid_for_an_earlier_answer_may_be_shown_as_taken() -> None:
    shown = channel_offer(extra_voucherState={"signature": "0xaa", "signedMaxClaimable": "10000"})
    stale = asks(shown, error="cumulative_amount_mismatch")
    signer = FakeSigner(["voucher"], same="0xaa")
    stand = shop(asks(), answers(None), asks(), stale, answers(None), signer=signer)
    await send(stand.paid, REQUEST)
    assert (await send(stand.paid, REQUEST)).status == 200
    assert stand.signer.done == ["resync"]
    assert stand.ledger.uncertain == 2 * CEILING


async def test_a_voucher_whose_request_nobody_waited_for_does_not_end_the_channel() -> None:
    # the tab was loaded anew in the middle of a payment, or another tab's was stopped
    shown = channel_offer(extra_voucherState={"signature": "0xaa", "signedMaxClaimable": "10000"})
    stale = asks(shown, error="cumulative_amount_mismatch")
    signer = FakeSigner(["voucher"], same="0xaa", last="0xaa")
    stand = shop(asks(), stale, answers(), signer=signer)
    assert (await send(stand.paid, REQUEST)).status == 200
    assert stand.signer.done == ["resync", "settled 3000"]


async def test_a_voucher_that_is_signed_again_while_waiting_is_not_taken_for_an_earlier_one() -> (
    None
):
    # Chromium repeats a request by itself: the second one finds the channel busy with the first
    shown = channel_offer(extra_voucherState={"signature": "0xaa", "signedMaxClaimable": "10000"})
    stale = asks(shown, error="cumulative_amount_mismatch")
    signer = FakeSigner(["voucher"], same="0xaa")
    stand = shop(asks(), asks(error="channel_busy"), stale, signer=signer)
    error = await fails(stand, "channel_out_of_step")
    assert (error.maybe_charged, stand.signer.done) == (CEILING, [])


@pytest.mark.parametrize(
    "error", ["cumulative_exceeds_balance", "channel_not_found", "missing_channel"]
)
async def test_a_short_channel_is_read_again_and_topped_up_which_is_said_first(error: str) -> None:
    short = asks(error=error)
    stand = shop(asks(), short, answers(), signer=FakeSigner(["voucher", "deposit"]))
    assert (await send(stand.paid, REQUEST)).status == 200
    assert stand.signer.signed == [("voucher", 0), ("deposit", 500_000)]
    assert stand.signer.done[0] == "forget"
    assert stand.shown == ["paying", "lost", "topping_up", "paying", "paid"]


async def test_a_channel_that_stays_short_is_read_again_once() -> None:
    short = asks(error="cumulative_exceeds_balance")
    stand = shop(asks(), short, short, answers(), signer=FakeSigner(["voucher"]))
    await fails(stand, "channel_out_of_step")
    assert stand.signer.done == ["forget"]


async def test_a_refused_deposit_is_not_asked_for_again() -> None:
    for code in ("cumulative_exceeds_balance", "cumulative_amount_mismatch"):
        stand = shop(asks(), asks(error=code))
        await fails(stand, "channel_out_of_step")
        assert stand.signer.signed == [("deposit", 500_000)]


async def test_a_person_who_took_too_long_is_told_to_ask_anew() -> None:
    stand = shop(asks(), asks(error="payload_authorization_valid_before"))
    assert (await fails(stand, "signature_expired")).retryable
    assert len(stand.signer.signed) == 1


async def test_a_balance_that_is_found_low_after_signing_is_said_to_be_low() -> None:
    stand = shop(asks(), asks(error="insufficient_balance"))
    await fails(stand, "insufficient_balance")


async def test_a_signer_that_signs_for_more_than_was_asked_is_not_sent() -> None:
    class Greedy(FakeSigner):
        async def sign(self, offer: object, plan: object, *, deposit: int) -> Payment:
            read = read_offer(channel_offer())
            assert read
            return Payment("deposit", read, {}, deposit=deposit + 1)

    stand = shop(asks(), answers(), signer=Greedy())
    assert (await fails(stand, "wallet_failed")).detail == "signed more than was asked"
    assert len(stand.transport.requests) == 1


async def test_an_answer_that_breaks_off_is_a_lost_one_and_asked_for_again() -> None:
    refusal, answer = asks(), answers()
    broken = Pieces([b'{"choi', LOST], 200, answer.headers)
    stand = shop(Pieces([refusal.body], 402, refusal.headers), broken, answer)
    assert (await send(stand.paid, REQUEST)).body == answer.body
    assert stand.vouchers() == ["0x01", "0x01"]
    assert (stand.ledger.charged, stand.ledger.uncertain) == (3000, 0)


# receipts


async def test_a_false_receipt_counts_as_the_ceiling_and_not_more() -> None:
    stand = shop(asks(), answers("10001"))
    assert (await send(stand.paid, REQUEST)).status == 200
    assert stand.receipts[0].state == "too_high"
    assert (stand.ledger.charged, stand.ledger.uncertain) == (0, CEILING)
    assert stand.signer.done == ["forget"]


async def test_a_hidden_receipt_counts_as_the_ceiling_and_forgets_a_deposit() -> None:
    stand = shop(asks(), answers(None), asks(), answers(None))
    await send(stand.paid, REQUEST)
    await send(stand.paid, REQUEST)
    assert stand.signer.done == ["forget"]
    assert (stand.ledger.charged, stand.ledger.uncertain) == (0, 2 * CEILING)


async def test_a_fault_while_keeping_the_state_does_not_cost_the_answer(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Broken(FakeSigner):
        async def settled(self, payment: Payment, receipt: object) -> None:
            raise RuntimeError("storage is full")

        async def resync(self, payment: Payment, challenge: object) -> bool:
            raise RuntimeError("no chain")

    stand = shop(asks(), answers(), signer=Broken())
    assert (await send(stand.paid, REQUEST)).status == 200
    assert stand.ledger.charged == 3000
    mismatch = asks(error="cumulative_amount_mismatch")
    lost = shop(asks(), LOST, mismatch, signer=Broken(["voucher"]))
    await fails(lost, "answer_lost")
    assert lost.ledger.uncertain == CEILING
    assert len(caplog.records) == 2


@pytest.mark.parametrize(
    ("document", "state", "charged"),
    [
        ({"success": True, "extra": {"chargedAmount": "0"}}, "charged", 0),
        ({"success": True, "extra": {"chargedAmount": 3000}}, "unclear", 0),
        ({"success": True, "extra": {"chargedAmount": "-5"}}, "unclear", 0),
        ({"success": True, "extra": {"chargedAmount": "1e3"}}, "unclear", 0),
        ({"success": True, "amount": "500000"}, "unclear", 0),
        ({"success": True, "extra": None}, "unclear", 0),
        ({"success": False, "errorReason": "x"}, "unclear", 0),
        ({"success": "true", "extra": {"chargedAmount": "1"}}, "unclear", 0),
        ({}, "unclear", 0),
    ],
)
def test_only_a_well_formed_receipt_is_believed(document: object, state: str, charged: int) -> None:
    offer = read_offer(channel_offer())
    assert offer
    payment = Payment("voucher", offer, {})
    read = read_receipt({"payment-response": encoded(document)}, payment)
    assert (read.state, read.charged) == (state, charged)


def test_a_malformed_receipt_is_unclear() -> None:
    offer = read_offer(exact_offer())
    assert offer
    assert read_receipt({"payment-response": "%%"}, Payment("exact", offer, {})).state == "unclear"
    assert read_receipt({}, Payment("exact", offer, {})).state == "hidden"


@pytest.mark.parametrize(
    ("document", "state", "charged"),
    [
        ({"extra": {"chargedAmount": "0"}}, "charged", 70_000),  # the signature is good for all
        ({"amount": "1"}, "charged", 70_000),
        ({}, "charged", 70_000),
        ({"extra": {"chargedAmount": "70001"}}, "too_high", 70_001),
        ({"extra": {"chargedAmount": 0}}, "unclear", 0),
    ],
)
def test_a_picture_costs_what_was_signed_whatever_the_receipt_says(
    document: dict[str, object], state: str, charged: int
) -> None:
    offer = read_offer(exact_offer())
    assert offer
    header = {"payment-response": encoded({"success": True, "transaction": "0x1", **document})}
    receipt = read_receipt(header, Payment("exact", offer, {}))
    assert (receipt.state, receipt.charged, receipt.transaction) == (state, charged, "0x1")


# streams


async def test_a_stream_is_paid_before_it_begins() -> None:
    refusal, answer = asks(), answers()
    pieces = Pieces([b"da", b"ta"], 200, answer.headers)
    stand = shop(Pieces([refusal.body], 402, refusal.headers), pieces)
    async with stand.paid.stream(STREAMED) as response:
        read = [chunk async for chunk in response.chunks()]
    assert (response.status, read) == (200, [b"da", b"ta"])
    assert (stand.ledger.charged, stand.transport.aborted) == (3000, 0)


async def test_leaving_a_paid_stream_early_ends_it() -> None:
    refusal, answer = asks(), answers()
    stand = shop(
        Pieces([refusal.body], 402, refusal.headers), Pieces([b"a", b"b"], 200, answer.headers)
    )
    async with stand.paid.stream(STREAMED) as response:
        async for _ in response.chunks():
            break
    assert stand.transport.aborted == 1
    assert stand.ledger.charged == 3000


@pytest.mark.parametrize("size", [10, 40_000])
async def test_a_402_without_x402_is_passed_on_unchanged(size: int) -> None:
    pieces = [b"x" * size] * 10
    stand = shop(Pieces(pieces, 402))
    async with stand.paid.stream(STREAMED) as response:
        read = b"".join([chunk async for chunk in response.chunks()])
    assert (response.status, read) == (402, b"".join(pieces))
    assert stand.transport.aborted == 0


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"<h1>402</h1>", b'{"error": {"message": "no credit"}}']
)
async def test_a_service_that_has_run_out_of_credit_is_not_paid(body: bytes) -> None:
    stand = shop(HttpResponse(402, {}, body))
    assert (await send(stand.paid, REQUEST)).body == body
    assert await stand.paid.quote(REQUEST) is None


async def test_ten_caps_in_a_row_end_at_the_sessions_limit() -> None:
    judge = policy(session=3 * CEILING)
    exchange = [part for _ in range(4) for part in (asks(), answers(str(CEILING)))]
    stand = shop(*exchange, judge=judge, signer=FakeSigner(["voucher"]))
    for _ in range(3):
        await send(stand.paid, REQUEST)
    error = await fails(stand, "session_limit")
    assert error.facts["spent"] == "0.03"
    assert not error.retryable


ANNOUNCED_ONLY = b'{"choices": [{"message": {"content": null}, "finish_reason": "tool_calls"}]}'


@pytest.mark.parametrize(
    "response",
    [
        replace(answers(str(CEILING)), status=429),  # asked again after a pause
        replace(answers(str(CEILING)), body=ANNOUNCED_ONLY),  # asked again at once
        asks(error="cumulative_amount_mismatch"),  # another voucher for the same request
    ],
)
async def test_one_question_never_costs_more_than_was_announced(response: HttpResponse) -> None:
    exchange = [part for _ in range(20) for part in (asks(), response)]
    stand = shop(*exchange, signer=FakeSigner(["voucher"]), judge=policy(question=4 * CEILING))
    model = ChatCompletionsModel(stand.paid, url=ORIGIN, model="m", sleep=no_wait)
    for question in (1, 2):
        stand.policy.begin_question()
        errors = [await error_of(model) for _ in range(4)]
        assert stand.ledger.committed == question * 4 * CEILING
        assert isinstance(errors[-1], PaymentError)
        assert errors[-1].code == "question_limit"
        assert (errors[-1].facts["spent"], errors[-1].facts["limit"]) == ("0.04", "0.04")
        assert errors[-1].retryable


async def no_wait(_seconds: float) -> None:
    pass


async def error_of(model: ChatCompletionsModel) -> AgentError:
    """Ask the model, and return the error."""
    with pytest.raises(AgentError) as failed:
        async for _ in model.reply(ModelRequest((UserMessage("Hello"),))):
            pass
    return failed.value


async def test_pictures_have_no_part_in_what_a_question_may_cost() -> None:
    judge = policy(question=CEILING)
    judge.begin_question()
    picture = shop(asks(exact_offer()), answers(), judge=judge, purpose="image")
    await send(picture.paid, REQUEST)
    message = shop(asks(), answers(), judge=judge, signer=FakeSigner(["voucher"]))
    await send(message.paid, REQUEST)
    assert judge.ledger.charged == 70_000 + 3_000
