"""Sends one signed payment, with retries, and records its outcome.

Rule: retries send the same signature; nothing is signed here.
"""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from tabloop.core.http import HttpRequest, TransportError
from tabloop.payments.errors import PaymentError
from tabloop.payments.ledger import PaymentRecord
from tabloop.payments.offers import (
    Challenge,
    decode_header,
    payment_header,
    read_challenge,
    stated_reason,
)
from tabloop.payments.ports import Payment, PaymentPhase, PaymentView, Signer
from tabloop.payments.receipt import Receipt, read_receipt
from tabloop.payments.recovery import reason_of
from tabloop.payments.sending import Opener, OpenResponse

__all__ = ["Delivery", "Refused", "read_refusal"]

_log = logging.getLogger(__name__)

RESEND_WAITS = (1.0, 3.0)  # seconds
# A request, or the header of its payment, that the server does not take: 431 is the header. With a
# 400 or 413 it may be either, so the payment is sent some more times, but not for ever.
HEADER_STATUS, SUSPECT_STATUS, MAX_FAILURES = 431, (400, 413), 3
GATEWAY_STATUS = (502, 503, 504)  # the server behind the gateway may have charged the payment


@dataclass(frozen=True, slots=True)
class Refused:
    """The server answered a payment with 402. It can still charge the payment later."""

    challenge: Challenge


@dataclass(slots=True)
class Delivery:
    """Sends payments. `kept` has, by URL, a payment that the next request to it sends first."""

    signer: Signer
    view: PaymentView
    sleep: Callable[[float], Awaitable[object]]
    kept: dict[str, PaymentRecord] = field(default_factory=dict[str, PaymentRecord])

    async def deliver(
        self, record: PaymentRecord, request: HttpRequest, opener: Opener
    ) -> OpenResponse | Refused:
        """Return the paid response, or the refusal. Raises `PaymentError`."""
        payment = record.payment
        header = payment_header(payment.offer, payment.payload, record.resource)
        headers = {**request.headers, "payment-signature": header}
        paid = replace(request, headers=headers, follow_redirects=False)
        try:
            answer = await self._until_answered(record, paid, opener)
        except BaseException:
            if record.in_flight:  # the run was stopped: the payment may be charged all the same
                record.apply("no_answer")
            if record.sendable:
                self.kept[request.url] = record
                self._show_lost(payment)
            raise
        if isinstance(answer, Refused):
            self._show_lost(payment)
        return answer

    async def recover_channel(self, payment: Payment, challenge: Challenge) -> None:
        """Correct the channel's state after a refusal of an unanswered payment. Never raises."""
        try:
            if payment.kind == "deposit":
                await self.signer.forget(payment)  # then it is read from the chain
            else:
                await self.signer.resync(payment, challenge)
        except Exception:
            _log.exception("the channel could not be corrected; the next payment tries again")

    async def _until_answered(
        self, record: PaymentRecord, paid: HttpRequest, opener: Opener
    ) -> OpenResponse | Refused:
        record.apply("send")
        for wait in RESEND_WAITS:
            if answer := await self._attempt(record, paid, opener):
                return answer
            offer = record.payment.offer
            self.view.show(PaymentPhase("resending", offer, offer.amount))
            await self.sleep(wait)
            record.apply("resend")
        if answer := await self._attempt(record, paid, opener):
            return answer
        raise PaymentError("answer_lost")

    async def _attempt(
        self, record: PaymentRecord, paid: HttpRequest, opener: Opener
    ) -> OpenResponse | Refused | None:
        """Send once; return `None` if the payment's outcome is still open."""
        try:
            response = await opener.open(paid)
            challenge = await read_refusal(response) if response.status == 402 else None
        except TransportError as error:
            record.apply("no_answer")
            if error.kind == "redirected":
                raise PaymentError(
                    "redirected", facts={"where": error.detail} if error.detail else {}
                ) from None
            return None
        if challenge is None and response.status not in GATEWAY_STATUS:
            return await self._answered(record, response, paid.url)
        if challenge is None or reason_of(challenge.error) == "settlement_pending":
            record.apply("no_answer")
            return None
        record.apply("refusal")
        if record.state == "disputed":
            # Perhaps it is refused because it was charged the first time: the person decides.
            await self.recover_channel(record.payment, challenge)
            raise PaymentError("answer_lost")
        return Refused(challenge)

    async def _answered(
        self, record: PaymentRecord, response: OpenResponse, url: str
    ) -> OpenResponse:
        payment = record.payment
        receipt = read_receipt(response.headers, payment)
        if response.status >= 400 and receipt.state != "charged":
            if response.status >= 500:
                record.apply("no_answer")
                raise PaymentError("server_error", facts={"status": str(response.status)})
            # An honest server charges nothing for this; the signature can be used for a retry.
            record.apply("request_failed")
            suspect = response.status in SUSPECT_STATUS and record.failures >= MAX_FAILURES
            if response.status != HEADER_STATUS and not suspect:
                self.kept[url] = record
            self._show_lost(payment)
            return response
        record.settle(receipt)
        try:
            await self._tell_signer(payment, receipt)
        finally:  # a Stop takes nothing back: what was charged is shown
            self.view.show(PaymentPhase("paid", payment.offer, receipt.charged))
        return response

    def _show_lost(self, payment: Payment) -> None:
        self.view.show(PaymentPhase("lost", payment.offer, payment.offer.amount))

    async def _tell_signer(self, payment: Payment, receipt: Receipt) -> None:
        """Update the channel's state. Never raises, because the response is paid for."""
        try:
            if receipt.state == "charged":
                await self.signer.settled(payment, receipt.raw)
            elif payment.kind == "deposit":
                # Without a receipt the stored state lacks the deposit, and the next message would
                # ask the wallet for another one. Then the state is read from the chain.
                await self.signer.forget(payment)
        except Exception:
            _log.exception("the channel's state could not be stored; it will be read again")


async def read_refusal(response: OpenResponse) -> Challenge:
    """Read a 402 that answers a payment; if it is unreadable, the reason is blank."""
    receipt = decode_header(response.headers.get("payment-response", "")) or {}
    reason = receipt.get("errorReason")
    body = await response.peek()
    try:
        challenge = read_challenge(response.headers, body)
    except PaymentError:
        challenge = Challenge((), error=stated_reason(body))
    if not challenge.error and isinstance(reason, str):
        challenge = replace(challenge, error=reason[:200])
    return challenge
