"""A transport that pays on a 402: unpaid request, 402, offer, signature, paid request.

Rule: the policy decides before the wallet is asked; a response that asks for no payment is returned
unchanged.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

from tabloop.core.http import HttpRequest, Streaming, Transport
from tabloop.payments.delivery import Delivery
from tabloop.payments.limits import Purpose
from tabloop.payments.offers import Offer
from tabloop.payments.paid_request import PaidRequest
from tabloop.payments.policy import SpendingPolicy
from tabloop.payments.ports import ChannelLock, PaymentView, Signer
from tabloop.payments.sending import Opener

__all__ = ["PaidTransport"]


class PaidTransport:
    """Wraps a transport; `purpose` decides which limit applies.

    `sleep` waits for seconds, `now` gives Unix time in seconds. Raises `PaymentError` if a payment
    fails, and `TransportError` if nothing was paid yet.
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
        self._policy = policy
        self._locks = locks
        self._now = now
        self._delivery = Delivery(signer, view, sleep)

    @asynccontextmanager
    async def stream(self, request: HttpRequest) -> AsyncGenerator[Streaming, None]:
        """See `Transport.stream`; pays if the response asks for it. Raises `PaymentError`, too."""
        opener = Opener(self._transport)
        try:
            yield await self._paid_request(request, opener).answer()
        finally:
            await opener.close()

    async def quote(self, request: HttpRequest) -> Offer | None:
        """Return the offer that would be paid for `request` now, `None` if it is free.

        Nothing is signed, but the request is sent: use it only for endpoints that charge.
        """
        opener = Opener(self._transport)
        try:
            return await self._paid_request(request, opener).quote()
        finally:
            await opener.close()

    def _paid_request(self, request: HttpRequest, opener: Opener) -> PaidRequest:
        return PaidRequest(
            request,
            opener,
            purpose=self._purpose,
            policy=self._policy,
            locks=self._locks,
            delivery=self._delivery,
            now=self._now,
        )
