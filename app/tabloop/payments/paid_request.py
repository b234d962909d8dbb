"""One request, and all payments that are signed and sent until it is answered.

Rule: the wallet is asked at most once to sign the same payment, and an error has the most that all
payments for this request may have cost.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from tabloop.core.http import HttpRequest, host_of
from tabloop.core.json_text import JsonObject
from tabloop.core.money import to_usdc
from tabloop.payments.clock import check_clock, server_time
from tabloop.payments.delivery import Delivery, Refused
from tabloop.payments.errors import PaymentError
from tabloop.payments.ledger import PaymentRecord, max_cost
from tabloop.payments.limits import Purpose
from tabloop.payments.offers import Challenge, Offer, is_challenge, read_challenge, same_address
from tabloop.payments.policy import SpendingPolicy
from tabloop.payments.ports import (
    ChannelLock,
    Payment,
    PaymentPhase,
    PaymentView,
    Plan,
    Signer,
    lock_name,
)
from tabloop.payments.recovery import Recovery
from tabloop.payments.sending import Opener, OpenResponse
from tabloop.payments.terms import confirmed_price_refusals

__all__ = ["PaidRequest", "origin_of"]

MARGIN = 6  # seconds for which a signature must still be valid when it is sent again


def origin_of(url: str) -> str:
    """Return scheme, host and port of a URL; a recipient is pinned for such an origin."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower()


async def _read_402(response: OpenResponse) -> Challenge | None:
    """Return the challenge if the response asks for a payment. Raises `PaymentError`."""
    if response.status != 402:
        return None
    body = await response.peek()
    if not is_challenge(response.headers, body):
        return None
    return read_challenge(response.headers, body)


@dataclass(slots=True, kw_only=True)
class PaidRequest:
    """Answers a request. `sent` has the records of the payments that were sent for it."""

    request: HttpRequest = field(kw_only=False)
    opener: Opener = field(kw_only=False)
    purpose: Purpose
    policy: SpendingPolicy
    locks: ChannelLock
    delivery: Delivery
    now: Callable[[], float]
    sent: list[PaymentRecord] = field(default_factory=list[PaymentRecord])

    @property
    def signer(self) -> Signer:
        """The wallet and the tab's own key."""
        return self.delivery.signer

    @property
    def view(self) -> PaymentView:
        """Shows the person what is paid."""
        return self.delivery.view

    async def answer(self) -> OpenResponse:
        """Return the response with its cost. Raises `PaymentError` and `TransportError`."""
        try:
            with self._named_host():
                response = await self._answer()
        except PaymentError as error:
            error.may_have_cost(max_cost(self.sent))
            raise
        response.cost = max_cost(self.sent)
        return response

    async def quote(self) -> Offer | None:
        """Return the offer that would be paid, `None` if the response asks for no payment."""
        with self._named_host():
            challenge = await _read_402(await self.opener.open(self.request))
            return self._choose(challenge) if challenge else None

    @contextmanager
    def _named_host(self) -> Generator[None, None, None]:
        """Name the endpoint in each error, since what raises it does not know the address."""
        try:
            yield
        except PaymentError as error:
            error.host = host_of(self.request.url)
            raise

    def _choose(self, challenge: Challenge) -> Offer:
        confirmed, origin = self.request.confirmed_price, origin_of(self.request.url)
        return self.policy.choose(challenge, origin, self.purpose, confirmed_price=confirmed)

    async def _answer(self) -> OpenResponse:
        if response := await self._send_kept():
            return response
        response = await self.opener.open(self.request)
        challenge = await _read_402(response)
        if challenge is None:
            return response
        offer = self._choose(challenge)
        async with self.locks.hold(lock_name(offer.network, offer.pay_to)):
            return await self._pay(challenge.resource, offer, time=server_time(response.headers))

    async def _pay(
        self,
        resource: JsonObject | None,
        offer: Offer,
        *,
        time: int = 0,
        payment: Payment | None = None,
    ) -> OpenResponse:
        recovery = Recovery(self.now)
        sent_before: bool | None = None
        while True:
            payment = payment or await self._sign(offer, time)
            # Of the first payment only: a second one may repeat the voucher of this request.
            sent_before = payment.repeated if sent_before is None else sent_before
            self.view.show(PaymentPhase("paying", offer, offer.amount))
            record = self.policy.ledger.record(payment, resource, self.purpose)
            answer = await self._deliver(record)
            if not isinstance(answer, Refused):
                return answer
            step, wait = recovery.next(payment, answer.challenge, sent_before=sent_before)
            if step == "wait":
                self.view.show(PaymentPhase("channel_busy", offer))
                await self._wait(wait, record)
            elif step == "resync":
                if not await self.signer.resync(payment, answer.challenge):
                    raise PaymentError("channel_unproven")
            else:
                await self.signer.forget(payment)
            # The tab's own key can sign a new voucher without asking. What the wallet signed is
            # sent again unchanged.
            if not payment.by_wallet:
                payment = None

    async def _wait(self, seconds: float, record: PaymentRecord) -> None:
        """Wait for a busy channel. After a Stop the next request waits with the same signature."""
        if record.payment.by_wallet:
            self.delivery.kept[self.request.url] = record
        await self.delivery.sleep(seconds)
        self.delivery.kept.pop(self.request.url, None)

    async def _deliver(self, record: PaymentRecord) -> OpenResponse | Refused:
        if record not in self.sent:
            self.sent.append(record)
        return await self.delivery.deliver(record, self.request, self.opener)

    async def _sign(self, offer: Offer, time: int) -> Payment:
        self.policy.check_session(offer)
        if self.purpose == "message":
            self.policy.check_question(offer)
        plan = await self._plan(offer)
        deposit = self.policy.deposit(plan, offer)
        if plan.kind != "voucher":
            check_clock(self.now(), plan.clock or time)  # an endpoint may state any time
        if deposit:
            self.view.show(PaymentPhase("topping_up", offer, deposit))
        elif plan.kind == "exact":
            self.view.show(PaymentPhase("wallet", offer, offer.amount))
        payment = await self.signer.sign(offer, plan, deposit=deposit)
        payment = replace(payment, payer=plan.payer)
        if payment.deposit > deposit:
            raise PaymentError("wallet_failed", detail="signed more than was asked")
        self.policy.pin(offer, origin_of(self.request.url))
        if payment.deposit:
            self.policy.ledger.deposit(payment.deposit)
        return payment

    async def _plan(self, offer: Offer) -> Plan:
        """Name the price in the error, because the person decides by it whether to connect."""
        try:
            return await self.signer.plan(offer)
        except PaymentError as error:
            terms = {"asked": to_usdc(offer.amount), "pay_to": offer.pay_to}
            error.facts = {**terms, "network": offer.network, **error.facts}
            raise

    async def _send_kept(self) -> OpenResponse | None:
        """Before a new payment is signed, send the one whose outcome is open, if there is one."""
        kept, url = self._usable(), self.request.url
        if kept is None:
            return None
        offer = kept.payment.offer
        async with self.locks.hold(lock_name(offer.network, offer.pay_to)):
            if self._usable() is not kept:
                return None  # meanwhile it expired, or another request has sent it
            self.view.show(PaymentPhase("resending", offer, offer.amount))
            # In these states an error has told the person that the outcome is open.
            person_knows = kept.state in ("unanswered", "disputed")
            del self.delivery.kept[url]
            if kept.state == "refused":  # the channel was busy
                return await self._pay(kept.resource, offer, payment=kept.payment)
            answer = await self._deliver(kept)
            if not isinstance(answer, Refused):
                return answer
            self.delivery.kept[url] = (
                kept  # kept, in case of a stop before the channel is corrected
            )
            await self.delivery.recover_channel(kept.payment, answer.challenge)
            del self.delivery.kept[url]
        if person_knows:
            return None
        raise PaymentError("answer_lost")

    def _usable(self) -> PaymentRecord | None:
        """Return the kept payment if it can be sent for this request; it stays in `kept`."""
        kept, confirmed = self.delivery.kept.get(self.request.url), self.request.confirmed_price
        if kept is None or not kept.sendable:
            return None
        payment = kept.payment
        if payment.valid_until and payment.valid_until <= self.now() + MARGIN:
            return None
        if confirmed and any(confirmed_price_refusals(payment.offer, confirmed)):
            return None  # it does not match the price that the person confirmed now
        # a payment of an account that is no longer connected is not used
        return kept if same_address(payment.payer, self.signer.account) else None
