"""A transport that pays when it is asked to: unpaid request, 402, offer, signature, paid request.

Rule: at most one payment per request; the policy speaks before the wallet is asked; an endpoint
that asks for no payment passes through untouched.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from urllib.parse import urlsplit

from tabloop.core.http import HttpRequest, HttpResponse, Streaming, Transport, host_of
from tabloop.payments.delivery import Delivery, Kept, Refused
from tabloop.payments.errors import PaymentError
from tabloop.payments.offers import Challenge, Offer, is_challenge, read_challenge, same_address
from tabloop.payments.policy import Choice, Purpose, SpendingPolicy
from tabloop.payments.ports import ChannelLock, Payment, PaymentPhase, PaymentView, Signer
from tabloop.payments.remedies import Remedies
from tabloop.payments.sending import Opener, Seen, StreamOpener, StreamSeen, WholeOpener, WholeSeen
from tabloop.payments.terms import against_confirmed_price

__all__ = ["PaidTransport", "origin_of"]


def origin_of(url: str) -> str:
    """Return scheme, host and port: what a recipient is pinned to."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower()


class PaidTransport:
    """Wraps a transport; `purpose` decides which cap counts.

    `sleep` waits for seconds, `now` gives seconds of the epoch. Raises `PaymentError` where
    paying fails, and `TransportError` where nothing was paid yet.
    """

    def __init__(
        self,
        transport: Transport,
        *,
        purpose: Purpose,
        signer: Signer,
        policy: SpendingPolicy,
        locks: ChannelLock,
        view: PaymentView,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._transport = transport
        self._purpose: Purpose = purpose
        self._signer = signer
        self._policy = policy
        self._locks = locks
        self._view = view
        self._sleep = sleep
        self._now = now
        self._deliveries: dict[str, Delivery] = {}

    async def send(self, request: HttpRequest) -> HttpResponse:
        """Return the whole response, paid for where that was asked."""
        seen = await self._answer(request, WholeOpener(self._transport))
        assert isinstance(seen, WholeSeen)
        return replace(seen.response, cost=seen.cost)

    def stream(self, request: HttpRequest) -> AbstractAsyncContextManager[Streaming]:
        """Open a response, paid for where that was asked."""
        return self._stream(request)

    @asynccontextmanager
    async def _stream(self, request: HttpRequest) -> AsyncGenerator[Streaming, None]:
        opener = StreamOpener(self._transport)
        try:
            seen = await self._answer(request, opener)
            assert isinstance(seen, StreamSeen)
            yield seen.streaming
        finally:
            await opener.close()

    async def quote(self, request: HttpRequest) -> Choice | None:
        """Return the offer that `request` would be charged by now, or nothing where it is free.

        Nothing is signed. The request is really sent, unpaid: only for endpoints that charge.
        """
        seen = await WholeOpener(self._transport).open(request)
        challenge = await self._challenge(seen, request)
        return self._choose(challenge, request) if challenge else None

    async def _answer(self, request: HttpRequest, opener: Opener) -> Seen:
        try:
            return await self._paid_answer(request, opener)
        except PaymentError as error:
            error.host = error.host or host_of(request.url)  # a wallet does not know for whom
            raise

    async def _paid_answer(self, request: HttpRequest, opener: Opener) -> Seen:
        if seen := await self._with_kept(request, opener):
            return seen
        seen = await opener.open(request)
        challenge = await self._challenge(seen, request)
        if challenge is None:
            return seen
        offer = self._choose(challenge, request).offer
        async with self._locks.hold(f"x402 {offer.network} {offer.pay_to.lower()}"):
            return await self._pay(request, challenge, offer, opener)

    async def _challenge(self, seen: Seen, request: HttpRequest) -> Challenge | None:
        if seen.status != 402:
            return None
        body = await seen.body()
        if not is_challenge(seen.headers, body):
            return None
        return read_challenge(seen.headers, body, host=host_of(request.url))

    def _choose(self, challenge: Challenge, request: HttpRequest) -> Choice:
        host, origin = host_of(request.url), origin_of(request.url)
        return self._policy.choose(
            challenge, origin, self._purpose, confirmed_price=request.confirmed_price, host=host
        )

    async def _pay(
        self, request: HttpRequest, challenge: Challenge, offer: Offer, opener: Opener
    ) -> Seen:
        delivery, remedies = self._delivery(request), Remedies(host_of(request.url), self._now)
        payment: Payment | None = None
        was_sent: bool | None = None
        while True:
            payment = payment or await self._sign(request, offer)
            # Of the first one only: a second signature of this exchange may repeat its own.
            was_sent = payment.again if was_sent is None else was_sent
            self._view.show(PaymentPhase("paying", offer, offer.amount))
            answer = await delivery.deliver(request, payment, challenge.resource, opener)
            if not isinstance(answer, Refused):
                return answer
            try:
                step, wait = remedies.next(payment, answer.challenge, sent_before=was_sent)
            except PaymentError as error:
                if payment.by_wallet and not error.maybe_charged:  # it has run out
                    self._policy.ledger.found(delivery.origin, payment.offer.amount)
                raise
            if step == "wait":
                self._view.show(PaymentPhase("channel_busy", offer))
                await self._sleep(wait)
            elif step == "resync":
                if not await self._signer.resync(payment, answer.challenge):
                    raise PaymentError("channel_out_of_step", host=host_of(request.url))
            else:
                await self._signer.forget(payment)
            # The tab's own key signs a voucher anew without asking anyone: it replaces the old
            # one. What the wallet signed is sent again as it is.
            if payment.by_wallet:
                self._policy.ledger.found(delivery.origin, payment.offer.amount)
            else:
                payment = None

    async def _sign(self, request: HttpRequest, offer: Offer) -> Payment:
        host, origin = host_of(request.url), origin_of(request.url)
        self._policy.check_session(offer, host=host)
        plan = await self._signer.plan(offer)
        deposit = self._policy.deposit(plan, offer, host=host)
        if deposit:
            self._view.show(PaymentPhase("topping_up", offer, deposit))
        elif plan.kind == "exact":
            self._view.show(PaymentPhase("wallet", offer, offer.amount))
        payment = await self._signer.sign(offer, plan, deposit=deposit)
        payment = replace(payment, payer=plan.payer)
        if payment.deposit > deposit:
            raise PaymentError("wallet_failed", host=host, detail="signed more than was asked")
        self._policy.pin(offer, origin)
        if payment.deposit:
            self._policy.ledger.deposit(origin, payment.deposit)
        return payment

    async def _with_kept(self, request: HttpRequest, opener: Opener) -> Seen | None:
        """Try the payment that had no clear end before another one is thought of."""
        delivery = self._delivery(request)
        kept = self._usable(delivery, request)
        if kept is None:
            return None
        offer = kept.payment.offer
        async with self._locks.hold(f"x402 {offer.network} {offer.pay_to.lower()}"):
            if self._usable(delivery, request) is not kept:
                return None  # while this one waited, it ran out, or another request took it
            self._view.show(PaymentPhase("resending", offer, offer.amount))
            # From here on the delivery answers for it: what has no clear end is kept again.
            del delivery.kept[request.url]
            self._policy.ledger.found(delivery.origin, offer.amount)
            answer = await delivery.deliver(request, kept.payment, kept.resource, opener)
            if not isinstance(answer, Refused):
                return answer
            if not kept.payment.by_wallet:
                self._policy.ledger.lost(delivery.origin, offer.amount)
            delivery.kept[request.url] = kept  # a Stop may come before the channel is right
            await delivery.put_right(kept.payment, answer.challenge)
            del delivery.kept[request.url]
        if kept.told:
            return None
        raise PaymentError("answer_lost", host=host_of(request.url), maybe_charged=offer.amount)

    def _usable(self, delivery: Delivery, request: HttpRequest) -> Kept | None:
        """Return the payment that can be sent again for this request, without taking it."""
        kept = delivery.kept.get(request.url)
        if kept is None:
            return None
        payment = kept.payment
        if payment.valid_until and payment.valid_until <= self._now() + 6:
            return None
        if request.confirmed_price and any(
            against_confirmed_price(payment.offer, request.confirmed_price)
        ):
            return None  # it was signed on terms that the person has not seen this time
        # who disconnects, or takes another account, has ended what the first one would pay
        return kept if same_address(payment.payer, self._signer.account) else None

    def _delivery(self, request: HttpRequest) -> Delivery:
        origin = origin_of(request.url)
        if origin not in self._deliveries:
            self._deliveries[origin] = Delivery(
                origin, self._signer, self._policy.ledger, self._view, self._sleep
            )
        return self._deliveries[origin]
