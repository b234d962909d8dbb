"""Asks an endpoint to pay the rest of a channel back: an unpaid request, then one with a proof.

Rule: it is asked for on the channel's own network, and the request follows no redirect. What the
endpoint says is no proof: only the chain shows what is left.
"""

from dataclasses import dataclass
from typing import Protocol

from tabloop.core.http import HttpRequest, Transport, TransportError, host_of
from tabloop.core.json_text import JsonObject
from tabloop.payments.channels import Channel
from tabloop.payments.delivery import read_refusal
from tabloop.payments.errors import PaymentError
from tabloop.payments.offers import Challenge, decode_header, payment_header, read_challenge
from tabloop.payments.ports import ChannelLock, Payment, lock_name
from tabloop.payments.recovery import reason_of
from tabloop.payments.sending import Opener, OpenResponse

__all__ = ["RefundSigner", "Refunds"]

PAYMENT_REQUIRED = 402
OUT_OF_STEP = ("cumulative_amount_mismatch", "cumulative_below_claimed")


class RefundSigner(Protocol):
    """Signs with the tab's own key that a channel owes nothing more. Raises `PaymentError`."""

    async def refund_payment(self, challenge: Challenge, channel: str) -> Payment | None:
        """Return the signed request for the rest, `None` if no offer is for this channel."""
        ...

    async def resync(self, payment: Payment, challenge: Challenge) -> bool:
        """See `Signer.resync`."""
        ...


@dataclass(slots=True)
class Refunds:
    """Asks for refunds; `locks` keep the channel's payments out meanwhile."""

    transport: Transport
    signer: RefundSigner
    locks: ChannelLock

    async def ask(self, url: str, channel: Channel) -> bool:
        """Return whether it says that it paid; if not, nothing is left. Raises `PaymentError`."""
        opener = Opener(self.transport)
        try:
            async with self.locks.hold(lock_name(channel.network, channel.pay_to)):
                return await self._ask(opener, url, channel)
        except TransportError as error:
            raise PaymentError("refund_failed", host=host_of(url), detail=error.detail) from None
        except PaymentError as error:
            error.host = host_of(url)
            raise
        finally:
            await opener.close()

    async def _ask(self, opener: Opener, url: str, channel: Channel) -> bool:
        challenge = await _challenge(await opener.open(HttpRequest(url, follow_redirects=False)))
        for _ in range(2):
            payment = await self.signer.refund_payment(challenge, channel.id)
            if payment is None:
                raise PaymentError("refund_not_offered", facts={"network": channel.network})
            header = payment_header(payment.offer, payment.payload, challenge.resource)
            request = HttpRequest(
                url, headers={"payment-signature": header}, follow_redirects=False
            )
            response = await opener.open(request)
            if response.status != PAYMENT_REQUIRED:
                return _paid_back(response)
            refusal = await read_refusal(response)
            if reason_of(refusal.error) == "refund_no_balance":
                return False
            if reason_of(refusal.error) not in OUT_OF_STEP:
                raise PaymentError("refund_failed", detail=refusal.error)
            if not await self.signer.resync(payment, refusal):
                break
        raise PaymentError("refund_failed")


def _paid_back(response: OpenResponse) -> bool:
    receipt: JsonObject = decode_header(response.headers.get("payment-response", "")) or {}
    if receipt.get("success") is not True:
        raise PaymentError("refund_unclear" if response.status < 400 else "refund_failed")
    return True


async def _challenge(response: OpenResponse) -> Challenge:
    if response.status != PAYMENT_REQUIRED:
        raise PaymentError("refund_failed", detail=f"HTTP {response.status}")
    return read_challenge(response.headers, await response.peek())
