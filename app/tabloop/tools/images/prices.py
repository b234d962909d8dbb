"""Finds out the current price of a picture.

Rule: asking for the price can never make a picture. So the request has no prompt: a paid service
answers with its price before it looks at the body, and a free one refuses a request without a
prompt. First the service's description is read, `GET /openapi.json` of its origin:

    x-service-type "images/v1" and x-price "0"   the service is free; nothing else is sent
    anything else, or no description             the 402 has the price; without a 402 it is unknown

The prompt is not sent also because the person has not confirmed it yet.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol
from urllib.parse import urlsplit

from tabloop.core.http import HttpRequest, Transport, TransportError, host_of, send
from tabloop.core.json_text import as_object
from tabloop.core.pricing import Price, PriceError
from tabloop.tools.images.response import document_of
from tabloop.tools.images.service import image_request

__all__ = ["ImagePricing", "Prices"]

SERVICE_TYPE = "images/v1"
TIMEOUT = 15.0  # seconds; neither request makes a picture
_ZERO = re.compile(r"0+(\.0+)?")


class Prices(Protocol):
    """Reads the price in a 402."""

    async def price(self, request: HttpRequest) -> Price | None:
        """Return the price of a request, `None` if it asks for none. Raises `PriceError`."""
        ...


class ImagePricing:
    """Asks the service for its price. `network` gives the payer's network (CAIP-2)."""

    def __init__(
        self, transport: Transport, prices: Prices, url: str, network: Callable[[], str]
    ) -> None:
        self._transport = transport
        self._prices = prices
        self._url = url
        self._network = network

    async def price(self, arguments: Mapping[str, Any]) -> Price:
        """Return the price of `generate_image` with these arguments. Raises `PriceError`."""
        seller, free = await self._described()
        if free:
            return Price(0, seller=seller)
        request = image_request(self._url, None, arguments["size"], self._network())
        price = await self._prices.price(replace(request, timeout=TIMEOUT))
        if price is None:
            raise PriceError("no_price", host_of(self._url))
        return replace(price, seller=seller)

    async def _described(self) -> tuple[str, bool]:
        """Return the service's name (blank if it gives none), and whether it is free."""
        parts = urlsplit(self._url)
        url = f"{parts.scheme}://{parts.netloc}/openapi.json"
        try:
            response = await send(self._transport, HttpRequest(url, timeout=TIMEOUT))
        except TransportError:
            return "", False
        described = document_of(response)
        if response.status != 200 or described.get("x-service-type") != SERVICE_TYPE:
            return "", False
        title = as_object(described.get("info")).get("title")
        free = _ZERO.fullmatch(str(described.get("x-price", "")).strip()) is not None
        return (title[:120] if isinstance(title, str) else ""), free
