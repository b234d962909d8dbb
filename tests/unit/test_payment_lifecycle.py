"""The life of a payment: every state and event, and what counts in each of them."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tabloop.core.json_text import Json
from tabloop.core.pricing import Cost
from tabloop.payments.ledger import Ledger, PaymentRecord
from tabloop.payments.lifecycle import TRANSITIONS, PaymentEvent, PaymentState, next_state
from tabloop.payments.meter import Meter
from tabloop.payments.offers import read_offer
from tabloop.payments.ports import Payment
from tabloop.payments.receipt import Receipt

from tests.unit.paying import channel_offer

STATES: tuple[PaymentState, ...] = get_args(PaymentState)
EVENTS: tuple[PaymentEvent, ...] = get_args(PaymentEvent)
ENDS = {"unreceipted", "charged"}
CEILING = 10_000
CHARGED = 3_000
CHANNEL = "0xc0"


def record(
    state: PaymentState = "signed", signature: str = "0x01", upto: int = 0, **terms: str
) -> PaymentRecord:
    """A payment; by its voucher, `upto` may be taken in all through its channel."""
    offer = read_offer(channel_offer(**terms))
    assert offer
    voucher: dict[str, Json] = {"signature": signature, "maxClaimableAmount": str(upto)}
    return PaymentRecord(Payment("voucher", offer, {"voucher": voucher}, CHANNEL), state=state)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("event", EVENTS)
def test_each_event_in_each_state_has_an_entry_or_is_refused(
    state: PaymentState, event: PaymentEvent
) -> None:
    payment = record(state)
    if (state, event) in TRANSITIONS:
        payment.apply(event)
        assert payment.state == TRANSITIONS[state, event] == next_state(state, event)
    else:
        with pytest.raises(ValueError, match=f"{state} cannot have the event {event}"):
            payment.apply(event)
        assert payment.state == state


def test_the_table_says_what_the_rules_of_paying_say() -> None:
    answered = {"no_answer", "refusal", "request_failed", "answer", "receipt"}
    for state in STATES:
        events = {event for known, event in TRANSITIONS if known == state}
        # the chain can have taken all of what was sent, and no answer is awaited for any more
        may_be_claimed = state not in ("signed", "sent", "resent", "charged")
        assert ("claim" in events) == may_be_claimed
        events -= {"claim"}
        if state in ENDS:
            assert events == set()
        elif state in ("sent", "resent"):
            assert events == answered
        else:  # the only possible event of a payment that was not sent yet is that it is sent
            assert events == ({"send", "resend"} if state == "unanswered" else {"send"})
    assert set(TRANSITIONS.values()) == set(STATES) - {"signed"}
    assert {event for (_, event), now in TRANSITIONS.items() if now == "charged"} == {
        "receipt",
        "claim",
    }
    # after a lost answer, a refusal is uncertain: the first try may have been charged
    assert next_state("resent", "refusal") == "disputed"


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from(EVENTS)), max_size=40))
def test_a_sent_payment_counts_at_its_ceiling_until_a_receipt_comes(
    moves: list[tuple[int, PaymentEvent]],
) -> None:
    ledger = Ledger([record(signature=f"0x{number}") for number in range(3)])
    sent, receipts = set[int](), set[int]()
    for number, event in moves:
        one = ledger.records[number]
        if (one.state, event) not in TRANSITIONS:
            continue
        if event == "claim":
            continue  # see below
        if event == "receipt":
            one.settle(Receipt("charged", CHARGED))
            receipts.add(number)
        else:
            one.apply(event)
        sent.add(number)
        open_now = len(sent - receipts) * CEILING
        assert ledger.committed == open_now + len(receipts) * CHARGED
        assert ledger.charged == len(receipts) * CHARGED
        in_flight = sum(CEILING for each in ledger.records if each.in_flight)
        assert ledger.uncertain == open_now - in_flight


@pytest.mark.parametrize("state", ["hidden", "unclear", "too_high"])
def test_only_a_clear_receipt_lowers_what_counts(state: str) -> None:
    one = record("sent")
    one.settle(Receipt(state, 1))  # type: ignore[arg-type]  # each state in turn
    assert (one.state, one.max_cost, Ledger([one]).uncertain) == ("unreceipted", CEILING, CEILING)


def test_one_voucher_counts_once_however_often_it_was_signed() -> None:
    ledger = Ledger([record("unreceipted"), record("signed"), record("refused", "0x02")])
    assert (ledger.uncertain, ledger.committed) == (2 * CEILING, 2 * CEILING)


# what the chain has


@pytest.mark.parametrize("state", ["unanswered", "refused", "disputed", "unused", "unreceipted"])
def test_an_uncertain_payment_is_spent_once_the_chain_has_all_of_it(state: PaymentState) -> None:
    ledger = Ledger([record(state, upto=25_000)])
    ledger.claimed("another channel", 10**6)
    ledger.claimed(CHANNEL, 24_999)
    assert (ledger.charged, ledger.uncertain) == (0, CEILING)
    ledger.claimed(CHANNEL, 25_000)
    assert (ledger.charged, ledger.uncertain) == (CEILING, 0)
    ledger.claimed(CHANNEL, 0)  # another node, which is behind: nothing is released
    assert (ledger.charged, ledger.committed) == (CEILING, CEILING)


@pytest.mark.parametrize("state", ["signed", "sent", "resent"])
def test_the_chain_decides_nothing_about_a_payment_whose_answer_is_awaited(
    state: PaymentState,
) -> None:
    ledger = Ledger([record(state, upto=CEILING)])
    ledger.claimed(CHANNEL, 10**6)
    assert (ledger.records[0].state, ledger.charged) == (state, 0)


def test_what_later_receipts_explain_is_not_counted_a_second_time() -> None:
    lost, paid = record("unanswered", upto=CEILING), record("sent", "0x02", upto=CEILING)
    paid.settle(Receipt("charged", 7_000))
    ledger = Ledger([lost, paid])
    ledger.claimed(CHANNEL, 16_999)
    assert (ledger.charged, ledger.uncertain) == (7_000, CEILING)
    ledger.claimed(CHANNEL, 17_000)
    assert (ledger.charged, ledger.uncertain) == (17_000, 0)


def test_a_voucher_that_was_signed_twice_is_taken_once() -> None:
    ledger = Ledger([record("unreceipted", upto=CEILING), record("refused", upto=CEILING)])
    ledger.claimed(CHANNEL, 10**6)
    assert (ledger.charged, ledger.uncertain) == (CEILING, 0)


@given(
    st.lists(
        st.tuples(
            st.integers(1, 3),  # the voucher
            st.sampled_from(("lost", "paid")),
            st.integers(0, CEILING),
        ),
        max_size=8,
    ),
    st.lists(st.integers(0, 60_000), max_size=4),
)
def test_no_reading_of_the_chain_releases_anything_or_counts_more_than_it_has(
    moves: list[tuple[int, str, int]], readings: list[int]
) -> None:
    ledger, taken = Ledger(), 0
    for number, (voucher, answer, charged) in enumerate(moves):
        amount = CEILING * voucher // 3
        one = record("sent", f"0x{number}", upto=taken + amount, amount=str(amount))
        ledger.records.append(one)
        if answer == "lost":
            one.apply("no_answer")
        else:
            one.settle(Receipt("charged", min(charged, amount)))
            taken += min(charged, amount)
    for total in sorted(readings):
        before = ledger.committed, ledger.charged
        ledger.claimed(CHANNEL, total)
        assert ledger.committed >= before[0]
        assert before[1] <= ledger.charged <= max(before[1], taken, total)


def test_a_run_is_told_what_its_own_payments_may_have_cost() -> None:
    lost = record("unanswered")
    ledger = Ledger([lost])
    meter = Meter(ledger)
    assert meter.cost().uncertain == 0
    lost.apply("send")
    lost.apply("no_answer")
    assert meter.cost().uncertain == CEILING  # this run has sent it too
    meter = Meter(ledger)
    lost.apply("resend")
    lost.apply("no_answer")
    assert meter.cost().uncertain == CEILING
    lost.apply("send")
    lost.settle(Receipt("charged", CHARGED))
    assert meter.cost().uncertain == 0
    ledger.records.append(record("unanswered", "0x02"))
    assert meter.cost().uncertain == CEILING  # the one that was settled does not make up for it


def test_a_run_is_told_what_it_has_paid_by_receipts_and_no_other_run_is() -> None:
    ledger = Ledger()
    first = Meter(ledger)
    assert first.cost() == Cost()
    paid, lost = record("sent"), record("unanswered", "0x02")
    paid.sends = lost.sends = 1
    ledger.records += [paid, lost]
    paid.settle(Receipt("charged", CHARGED))
    assert first.cost() == Cost(CHARGED, CEILING, 2)
    first.close()
    second = Meter(ledger)
    lost.apply("send")
    lost.settle(Receipt("charged", CHARGED))
    assert first.cost() == Cost(CHARGED, 0, 1)
    assert second.cost() == Cost(CHARGED, 0, 1)
    assert first.cost() + second.cost() == Cost(ledger.charged, ledger.uncertain, 2)


def test_a_payment_in_flight_is_uncertain_for_a_page_that_is_left() -> None:
    ledger = Ledger()
    meter = Meter(ledger)
    ledger.records.append(record("signed"))
    assert meter.cost(left=True) == Cost()  # nothing was sent
    ledger.records[0].apply("send")
    assert meter.cost() == Cost(payments=1)
    assert meter.cost(left=True) == Cost(0, CEILING, 1)
    ledger.records[0].settle(Receipt("charged", CHARGED))
    assert meter.cost(left=True) == meter.cost() == Cost(CHARGED, 0, 1)
