"""The current price of a request, to be shown to a person.

Rule: the offer has passed the same checks as for a payment, so that a person cannot confirm a price
that would be refused afterwards.
"""

from tabloop.core.http import HttpRequest, TransportError, host_of
from tabloop.core.pricing import Price, PriceError
from tabloop.payments.errors import PaymentError
from tabloop.payments.paid_transport import PaidTransport

__all__ = ["LivePrices"]


class LivePrices:
    """Sends the request without a payment; only for requests that then have no effect."""

    def __init__(self, transport: PaidTransport) -> None:
        self._transport = transport

    async def price(self, request: HttpRequest) -> Price | None:
        """Return the price in the response, `None` if it asks for none. Raises `PriceError`."""
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
