"""Terms that differ from the pinned ones: shown, and paid by only after a person has accepted."""

from typing import Any

import pytest
from tabloop.agent.events import RunFinished
from tabloop.core.http import send
from tabloop.core.networks import NETWORKS
from tabloop.payments.errors import OfferRefused, PaymentError
from tabloop.payments.pins import ChangedTerms, Pin
from tabloop.ui.answer_state import AnswerState, reduce
from tabloop.ui.payment import payment_sentence
from tabloop.ui.problems import problem_html, problem_of
from tabloop.ui.status import status_kind, status_line
from tabloop.ui.strings import load_strings

from tests.unit.paying import (
    AUTHORIZER,
    ORIGIN,
    PAYEE,
    PAYER,
    REQUEST,
    STRANGER,
    FakeSigner,
    Shop,
    answers,
    asks,
    channel_offer,
    exact_offer,
    policy,
    shop,
)

OPTIMISM, BASE = "eip155:10", "eip155:8453"
ON_BASE = {"network": BASE, "asset": NETWORKS[BASE].usdc.address}
CHANGES: dict[str, dict[str, Any]] = {
    "recipient": {"payTo": STRANGER},
    "authorizer": {"extra_receiverAuthorizer": STRANGER},
    "delay": {"extra_withdrawDelay": 86400},
    "network": ON_BASE,
    "all": {**ON_BASE, "payTo": STRANGER, "extra_withdrawDelay": 1000},
}


def paid_once(**more: Any) -> Shop:
    """A page that has paid this origin by the usual terms."""
    return shop(asks(), answers(), signer=FakeSigner(kinds=["deposit"]), **more)


def shown(language: str, error: OfferRefused) -> str:
    """What the answer shows of the refusal, as HTML."""
    ended = RunFinished("error", error=error)
    problem = problem_of(load_strings(language), ended, has_text=False, hops=4, model="m")
    assert problem
    assert (problem.kind, problem.actions) == ("notice", ("accept-terms",))
    state = reduce(AnswerState(), ended)
    assert (status_kind(state), status_line(load_strings(language), state, 4)) == (
        "ok",
        load_strings(language)("status.offer"),
    )
    return str(problem_html(load_strings(language), problem))


async def refusal(stand: Shop, *offers: object) -> OfferRefused:
    stand.transport.answers = [asks(*offers)]
    with pytest.raises(OfferRefused) as refused:
        await send(stand.paid, REQUEST)
    return refused.value


async def changed(stand: Shop, **changes: Any) -> ChangedTerms:
    await send(stand.paid, REQUEST)
    found = (await refusal(stand, channel_offer(**changes))).changed
    assert found
    return found


@pytest.mark.parametrize("name", CHANGES)
async def test_accepted_terms_are_paid_by_and_kept_from_then_on(name: str) -> None:
    stand = paid_once()
    offer = channel_offer(**CHANGES[name])
    stand.policy.accept(await changed(stand, **CHANGES[name]))
    stand.transport.answers = [asks(offer), answers(), asks(offer), answers()]
    await send(stand.paid, REQUEST)
    await send(stand.paid, REQUEST)  # without another word
    [last] = [paid["accepted"] for paid in stand.payments()[-1:] if paid]
    assert last == offer
    assert (await refusal(stand, channel_offer())).changed  # the old ones are foreign now


@pytest.mark.parametrize("name", CHANGES)
async def test_nothing_is_signed_for_them_before(name: str) -> None:
    stand = paid_once()
    await changed(stand, **CHANGES[name])
    await refusal(stand, channel_offer(**CHANGES[name]))
    assert len(stand.signer.signed) == 1


@pytest.mark.parametrize(
    "other",
    [
        {"payTo": PAYER},
        {"payTo": STRANGER, "amount": "9999"},
        {"payTo": STRANGER, "extra_withdrawDelay": 901},
        {"payTo": STRANGER, "extra_receiverAuthorizer": PAYER},
        {"payTo": STRANGER, "extra_minDeposit": "100001"},
        {"payTo": STRANGER, **ON_BASE},
    ],
    ids=str,
)
async def test_other_terms_than_the_shown_ones_are_shown_anew(other: dict[str, Any]) -> None:
    stand = paid_once()
    stand.policy.accept(await changed(stand, payTo=STRANGER))
    again = (await refusal(stand, channel_offer(**other))).changed
    assert again
    assert again.offer.raw == channel_offer(**other)
    assert len(stand.signer.signed) == 1
    pin = stand.policy.pins.get(ORIGIN)
    assert pin
    assert pin.pay_to == PAYEE
    # and what was accepted before is no longer
    assert (await refusal(stand, channel_offer(payTo=STRANGER))).changed


async def test_an_agreement_ends_when_the_usual_terms_come_back() -> None:
    stand = paid_once()
    stand.policy.accept(await changed(stand, payTo=STRANGER))
    stand.transport.answers = [asks(), answers()]
    await send(stand.paid, REQUEST)
    assert (await refusal(stand, channel_offer(payTo=STRANGER))).changed


@pytest.mark.parametrize(
    "bad",
    [
        {"amount": "10001"},
        {"extra_minDeposit": "1000001"},
        {"extra_withdrawDelay": 30 * 86400},
        {"maxTimeoutSeconds": 3601},
        {"asset": STRANGER},
        {"network": "eip155:1"},
        {"extra_name": "Tether"},
    ],
    ids=str,
)
async def test_what_a_limit_forbids_cannot_be_accepted(bad: dict[str, Any]) -> None:
    stand = paid_once()
    await send(stand.paid, REQUEST)
    assert (await refusal(stand, channel_offer(payTo=STRANGER, **bad))).changed is None


async def test_the_sessions_limit_holds_for_accepted_terms() -> None:
    stand = paid_once(judge=policy(session=500_000, deposit=500_000))
    stand.policy.accept(await changed(stand, payTo=STRANGER))
    stand.transport.answers = [asks(channel_offer(payTo=STRANGER))]
    with pytest.raises(PaymentError, match="deposit_limit"):
        await send(stand.paid, REQUEST)


async def test_a_recipient_that_the_owner_has_fixed_is_never_replaced() -> None:
    stand = paid_once(judge=policy(pay_to={ORIGIN: PAYEE}))
    await send(stand.paid, REQUEST)
    assert (await refusal(stand, channel_offer(payTo=STRANGER))).changed is None
    # the terms of its channel can still be accepted
    assert (await refusal(stand, channel_offer(extra_withdrawDelay=901))).changed


async def test_before_the_first_payment_nothing_has_changed() -> None:
    stand = shop(asks(channel_offer(amount="10001")))
    assert (await refusal(stand, channel_offer(amount="10001"))).changed is None


async def test_a_new_recipient_of_single_payments_leaves_the_channels_terms_pinned() -> None:
    stand = paid_once()
    await send(stand.paid, REQUEST)
    single = exact_offer(amount="5000", payTo=STRANGER)
    found = (await refusal(stand, single)).changed
    assert found
    assert found.deposit == 0
    more = channel_offer(payTo=STRANGER, extra_minDeposit="700000")
    assert (dearer := (await refusal(stand, more)).changed)
    assert dearer.deposit == 700_000
    stand.policy.accept(found)
    stand.transport.answers = [asks(single), answers()]
    await send(stand.paid, REQUEST)
    assert stand.policy.pins.get(ORIGIN) == Pin(STRANGER, AUTHORIZER, OPTIMISM, {OPTIMISM: 900})


@pytest.mark.parametrize("language", ["en", "de"])
async def test_old_and_new_stand_side_by_side_with_what_it_costs(language: str) -> None:
    strings = load_strings(language)
    stand = paid_once()
    await changed(stand, **CHANGES["all"])
    error = await refusal(stand, channel_offer(**CHANGES["all"]))
    html = shown(language, error)
    for text in (PAYEE, STRANGER, "OP Mainnet", "Base", strings("terms.accept")):
        assert text in html
    for amount in ("0.01", "0.50"):
        assert amount.replace(".", strings("format.decimal")) in html
    assert "(1000 s)" in html  # 17 minutes are not exactly what is asked
    assert strings("pay.unsigned") in payment_sentence(strings, error)
    delay = shown(language, await refusal(stand, channel_offer(extra_withdrawDelay=86400)))
    assert strings("wallet.minutes", n=15) in delay
    assert strings("wallet.hours", n=24) in delay
