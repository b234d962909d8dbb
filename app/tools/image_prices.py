"""What a picture would cost now, asked without buying one.

Rule: a request that could make a picture is sent only to a service that has said it takes money
for it. So the service's own description comes first, `GET /openapi.json` of its origin:

    x-service-type is not "images/v1"   nothing is sent; the price is unknown
    x-price is "0"                      free; nothing is sent
    otherwise                           paid by contract: a request of that size is sent unpaid, its
                                        402 says what it costs, and anything else says nothing

The person has not confirmed yet, so the prompt stays here: the price does not depend on it.
"""

import base64
import binascii
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast
from urllib.parse import urlsplit

from app.agent.json_text import read_json
from app.agent.quotes import Price, PriceError
from app.agent.transport import HttpRequest, HttpResponse, Transport, TransportError, host_of
from app.tools.image_service import image_request

__all__ = ["ImageQuote", "price_in_challenge"]

SERVICE_TYPE = "images/v1"
PATIENCE = 15.0  # seconds; neither request makes anything
MOST_BYTES = 64 * 1024
NO_PROMPT = "(asking for the price)"
# amounts are read in USDC's millionths, so another token must not pass for it
USDC: Mapping[str, str] = {
    "eip155:10": "0x0b2c639c533813f4aa9d7837caf62653d097ff85",
    "eip155:8453": "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
}
_ZERO = re.compile(r"0+(\.0+)?")
_DIGITS = re.compile(r"[0-9]{1,40}")
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")


class ImageQuote:
    """Asks the service itself. `limit` is the most that one picture may cost, in millionths."""

    def __init__(
        self,
        transport: Transport,
        url: str,
        network: Callable[[], str],
        *,
        networks: Sequence[str],
        limit: int,
    ) -> None:
        self._transport = transport
        self._url = url
        self._network = network
        self._networks = tuple(networks)
        self._limit = limit

    async def price(self, arguments: Mapping[str, Any]) -> Price:
        """Return the price of `generate_image` with these arguments. Raises `PriceError`."""
        host = host_of(self._url)
        seller, free = await self._described(host)
        if free:
            return Price(0, seller=seller)
        request = image_request(self._url, NO_PROMPT, arguments["size"], self._network())
        response = await self._sent(request, host)
        if response.status != 402:
            raise PriceError("no_price", host, status=str(response.status))
        price = price_in_challenge(
            response.headers.get("payment-required", ""), self._networks, seller=seller
        )
        if price is None:
            raise PriceError("unreadable", host)
        if price.amount > self._limit:
            raise PriceError(
                "too_expensive", host, amount=str(price.amount), limit=str(self._limit)
            )
        return price

    async def _described(self, host: str) -> tuple[str, bool]:
        """Return the service's name, and whether it is free."""
        parts = urlsplit(self._url)
        url = f"{parts.scheme}://{parts.netloc}/openapi.json"
        response = await self._sent(HttpRequest(url, timeout=PATIENCE), host)
        document = _json_object(response.body) if response.status == 200 else None
        if document is None or document.get("x-service-type") != SERVICE_TYPE:
            raise PriceError("not_described", host)
        info = document.get("info")
        title = cast("Mapping[str, Any]", info).get("title") if isinstance(info, dict) else ""
        free = _ZERO.fullmatch(str(document.get("x-price", "")).strip()) is not None
        return (title[:120] if isinstance(title, str) else ""), free

    async def _sent(self, request: HttpRequest, host: str) -> HttpResponse:
        try:
            return await self._transport.send(request)
        except TransportError as error:
            raise PriceError("unreachable", host, kind=error.kind) from error


def price_in_challenge(header: str, networks: Sequence[str], *, seller: str = "") -> Price | None:
    """Return the first offer of a `PAYMENT-REQUIRED` header that a page on `networks` can take.

    The header is base64 of x402's JSON, version 2. `None` where it holds no such offer.
    """
    document = _decoded(header)
    if document is None or document.get("x402Version") != 2:
        return None
    accepts = document.get("accepts")
    for entry in cast("list[object]", accepts) if isinstance(accepts, list) else []:
        price = _offered(cast("Mapping[str, Any]", entry), seller) if _is_table(entry) else None
        if price is not None and price.network in networks:
            return price
    return None


def _offered(offer: Mapping[str, Any], seller: str) -> Price | None:
    network, amount, pay_to = (str(offer.get(key)) for key in ("network", "amount", "payTo"))
    right = (
        offer.get("scheme") == "exact"
        and str(offer.get("asset")).lower() == USDC.get(network)
        and isinstance(offer.get("amount"), str)  # a number here may be a float
        and _DIGITS.fullmatch(amount)
        and _ADDRESS.fullmatch(pay_to)
    )
    return Price(int(amount), network, pay_to, seller) if right else None


def _is_table(value: object) -> bool:
    return isinstance(value, dict)


def _decoded(header: str) -> Mapping[str, Any] | None:
    if not header or len(header) > MOST_BYTES:
        return None
    try:
        return _json_object(base64.b64decode(header + "=" * (-len(header) % 4), validate=True))
    except (binascii.Error, ValueError):
        return None


def _json_object(body: bytes) -> Mapping[str, Any] | None:
    try:
        document = read_json(body)
    except ValueError:
        return None
    return cast("Mapping[str, Any]", document) if isinstance(document, dict) else None
