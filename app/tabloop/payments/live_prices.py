"""What a request would be charged now, as a price for a person to look at.

Rule: the offer that is shown has passed the very checks that a payment passes, so that nothing can
be confirmed that would be refused afterwards.
"""

from tabloop.core.http import HttpRequest, TransportError, host_of
from tabloop.core.pricing import Price, PriceError
from tabloop.payments.errors import PaymentError
from tabloop.payments.paid_transport import PaidTransport

__all__ = ["LivePrices"]


class LivePrices:
    """Asks by sending the request unpaid; only for requests that do nothing without a payment."""

    def __init__(self, transport: PaidTransport) -> None:
        self._transport = transport

    async def price(self, request: HttpRequest) -> Price | None:
        """Return the price in the answer, nothing where none is asked. Raises `PriceError`."""
        host = host_of(request.url)
        try:
            offer = await self._transport.quote(request)
        except TransportError as error:
            raise PriceError("unreachable", host) from error
        except PaymentError as error:
            raise PriceError("refused", host, cause=error) from error
        if offer is None:
            return None
        return Price(offer.amount, offer.network, offer.pay_to, scheme=offer.scheme)
