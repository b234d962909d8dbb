"""What a picture would cost now, asked without buying one.

Rule: no request that is sent to find out can make a picture, whoever answers it. So the question
is a request for a picture without a prompt: `images/v1` refuses one, but who takes money names the
price first, whatever the body says. The service's own description, `GET /openapi.json` of its
origin, is read before:

    x-service-type "images/v1" and x-price "0"   free, by its own word; nothing else is sent
    anything else, or no description             the 402 says what it costs; no 402 says nothing

The person has not confirmed yet, so the prompt stays here: the price does not depend on it.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol, cast
from urllib.parse import urlsplit

from tabloop.core.http import HttpRequest, Transport, TransportError, host_of, send
from tabloop.core.json_text import read_json
from tabloop.core.pricing import Price, PriceError
from tabloop.tools.images.service import image_request

__all__ = ["ImagePricing", "Prices"]

SERVICE_TYPE = "images/v1"
TIMEOUT = 15.0  # seconds; neither request makes anything
_ZERO = re.compile(r"0+(\.0+)?")


class Prices(Protocol):
    """Whoever can read a 402."""

    async def price(self, request: HttpRequest) -> Price | None:
        """Return what the answer to an unpaid request asks, if anything. Raises `PriceError`."""
        ...


class ImagePricing:
    """Asks the service itself. `network` gives the one (CAIP-2) that the payer is on."""

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
        """Return the service's own name, blank where it gives none, and whether it is free."""
        parts = urlsplit(self._url)
        url = f"{parts.scheme}://{parts.netloc}/openapi.json"
        try:
            response = await send(self._transport, HttpRequest(url, timeout=TIMEOUT))
            document = read_json(response.body) if response.status == 200 else None
        except (TransportError, ValueError):
            document = None
        described = _object(document)
        if described.get("x-service-type") != SERVICE_TYPE:
            return "", False
        title = _object(described.get("info")).get("title")
        free = _ZERO.fullmatch(str(described.get("x-price", "")).strip()) is not None
        return (title[:120] if isinstance(title, str) else ""), free


def _object(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}
