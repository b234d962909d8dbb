"""Sends one signed payment until it is answered, and books what it cost.

Rule: the same signature is sent again as often as it takes, a new one is never made here; a
payment that left the tab is booked at its ceiling until a receipt says less.
"""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from tabloop.core.http import HttpRequest, TransportError, host_of
from tabloop.payments.errors import PaymentError
from tabloop.payments.ledger import Hold, Ledger
from tabloop.payments.offers import (
    Challenge,
    Json,
    decode_header,
    payment_header,
    read_challenge,
    stated_reason,
)
from tabloop.payments.ports import Payment, PaymentPhase, PaymentView, Signer
from tabloop.payments.receipt import read_receipt
from tabloop.payments.remedies import reason_of
from tabloop.payments.sending import Opener, Seen

__all__ = ["Delivery", "Kept", "Refused"]

_log = logging.getLogger(__name__)

RESEND_WAITS = (1.0, 3.0)  # seconds
LOST_STATUS = (502, 503, 504)  # a gateway's word: the server behind it may have taken the payment


@dataclass(frozen=True, slots=True)
class Refused:
    """The server says that it did not take the payment.

    What the wallet signed it can take all the same while that is valid: booked as uncertain.
    """

    challenge: Challenge


@dataclass(frozen=True, slots=True)
class Kept:
    """A payment without a clear end. `told`: the person knows; what comes next is their will."""

    payment: Payment
    resource: Json | None
    told: bool


@dataclass(slots=True)
class Delivery:
    """Sends payments to one origin. `kept` holds by address what had no clear end."""

    origin: str
    signer: Signer
    ledger: Ledger
    view: PaymentView
    sleep: Callable[[float], Awaitable[object]]
    kept: dict[str, Kept] = field(default_factory=dict[str, Kept])

    async def deliver(
        self, request: HttpRequest, payment: Payment, resource: Json | None, opener: Opener
    ) -> Seen | Refused:
        """Return the paid answer, or that the server refused. Raises `PaymentError`."""
        held = self.ledger.hold(self.origin, payment.offer.amount)
        header = payment_header(payment.offer, payment.payload, resource)
        paid = replace(request, headers={**request.headers, "payment-signature": header})
        try:
            return await self._until_answered(paid, payment, resource, opener, held)
        except PaymentError as error:
            if error.maybe_charged:
                self.kept[request.url] = Kept(payment, resource, told=True)
            raise
        except BaseException:  # a Stop: the request is gone, the payment is not
            self.kept[request.url] = Kept(payment, resource, told=True)
            self._lose(held, payment)
            raise

    async def _until_answered(
        self,
        paid: HttpRequest,
        payment: Payment,
        resource: Json | None,
        opener: Opener,
        held: Hold,
    ) -> Seen | Refused:
        host, lost = host_of(paid.url), False
        for wait in (*RESEND_WAITS, None):
            try:
                seen = await opener.open(paid)
                challenge = await self._refusal(seen, host) if seen.status == 402 else None
            except TransportError:
                lost = True
            else:
                if challenge is None and seen.status not in LOST_STATUS:
                    return await self._answered(seen, paid.url, payment, resource, held)
                if challenge and reason_of(challenge.error) != "settlement_pending":
                    if not lost:
                        if payment.by_wallet:
                            self._lose(held, payment)
                        else:  # the next voucher replaces this one
                            self.ledger.release(held)
                        return Refused(challenge)
                    # The lost one may be why this one is refused: it is not ours to sign again.
                    await self.put_right(payment, challenge)
                    break
                lost = True
            if wait is not None:
                self.view.show(PaymentPhase("resending", payment.offer, payment.offer.amount))
                await self.sleep(wait)
        self._lose(held, payment)
        raise PaymentError("answer_lost", host=host, maybe_charged=payment.offer.amount)

    async def _refusal(self, seen: Seen, host: str) -> Challenge:
        """Read a 402 that came after paying; one that cannot be read gives no reason."""
        said = decode_header(seen.headers.get("payment-response", "")) or {}
        reason = said.get("errorReason")
        body = await seen.body()
        try:
            challenge = read_challenge(seen.headers, body, host=host)
        except PaymentError:
            challenge = Challenge((), error=stated_reason(body))
        if not challenge.error and isinstance(reason, str):
            challenge = replace(challenge, error=reason[:200])
        return challenge

    async def _answered(
        self, seen: Seen, url: str, payment: Payment, resource: Json | None, held: Hold
    ) -> Seen:
        receipt = read_receipt(seen.headers, payment)
        clear = receipt.state == "charged"
        seen.cost = receipt.charged if clear else payment.offer.amount
        if seen.status >= 400 and not clear:
            # An honest server charges nothing for this; the signature stays good for another try.
            self._lose(held, payment)
            if seen.status >= 500:
                raise PaymentError(
                    "server_error",
                    host=host_of(url),
                    facts={"status": str(seen.status)},
                    maybe_charged=payment.offer.amount,
                )
            self.kept[url] = Kept(payment, resource, told=False)
            return seen
        self.ledger.settle(held, receipt)
        await self._tell_signer(payment, receipt.raw, clear=clear)
        self.view.show(PaymentPhase("paid", payment.offer, receipt.charged))
        return seen

    def _lose(self, held: Hold, payment: Payment) -> None:
        self.ledger.lose(held)
        self.view.show(PaymentPhase("lost", payment.offer, payment.offer.amount))

    async def put_right(self, payment: Payment, challenge: Challenge) -> None:
        """After a payment that was lost and then refused: it has probably been taken."""
        try:
            if payment.kind == "deposit":
                await self.signer.forget(payment)  # the chain knows whether it came
            else:
                await self.signer.resync(payment, challenge)
        except Exception:
            _log.exception("the channel could not be put right; the next payment tries again")

    async def _tell_signer(self, payment: Payment, receipt: Json, *, clear: bool) -> None:
        """Keep the channel's state right; the answer is paid for, so no fault may cost it."""
        try:
            if clear:
                await self.signer.settled(payment, receipt)
            elif payment.kind == "deposit":
                # Without a receipt the record lacks the deposit, and the next message would ask
                # the wallet for another one. The chain knows better.
                await self.signer.forget(payment)
        except Exception:
            _log.exception("the channel's state could not be kept; it will be read again")
