"""The image service's wire format (`images/v1`), without payment.

Rule: one call is one request with the confirmed price, without retries, because each request may be
charged. The transport pays. If that fails, it raises an `AgentError`, whose code decides what the
model reads; the person gets its facts.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from tabloop.agent.displays import NoPicture, Picture
from tabloop.agent.errors import ErrorStatus, ToolError
from tabloop.core.errors import AgentError
from tabloop.core.http import HttpRequest, HttpResponse, Transport, TransportError, host_of, send
from tabloop.core.json_text import as_object, compact
from tabloop.core.pricing import Price
from tabloop.tools.images.response import document_of, first_picture, may_load, words_of

__all__ = ["TIMEOUT", "ImageService", "image_request"]

TIMEOUT = 180.0  # seconds; a minute is usual
_BY_PAYMENT_CODE: Mapping[str, ErrorStatus] = {
    "wrong_network": "wrong_network",
    "declined": "user_declined",
}


class ImageService:
    """Makes pictures. `generate` raises `ToolError`: `payment_refused`, `wrong_network`,
    `user_declined` (in the wallet), `generation_failed` or `invalid_response`.

    For each call, `network` gives the payer's network (CAIP-2), and `confirmed_price` the price
    that the person confirmed.
    """

    def __init__(
        self,
        transport: Transport,
        url: str,
        network: Callable[[], str],
        confirmed_price: Callable[[], Price],
    ) -> None:
        self._transport = transport
        self._url = url
        self._network = network
        self._confirmed_price = confirmed_price

    async def generate(self, prompt: str, size: str) -> Picture:
        """Return a picture of `size` ("1024x1024" pixels). Raises `ToolError` with `NoPicture`."""
        host, confirmed = host_of(self._url), self._confirmed_price()
        request = image_request(self._url, prompt, size, confirmed.network or self._network())
        try:
            response = await send(self._transport, replace(request, confirmed_price=confirmed))
        except TransportError as error:
            reason = f"{host} gave no answer ({error.kind})."
            raise ToolError("generation_failed", reason, display=NoPicture(host)) from error
        except AgentError as error:
            raise _not_paid(error, host) from error
        try:
            if not 200 <= response.status < 300:
                raise _refusal(response, host)
            return _picture(response, host, prompt, size)
        except ToolError as error:
            words = words_of(document_of(response))
            error.display = NoPicture(host, response.status, words, max_cost=response.cost)
            raise


def image_request(url: str, prompt: str | None, size: str, network: str) -> HttpRequest:
    """Return the request for one picture; without a prompt no picture can be made.

    It has no other fields, since the service refuses unknown ones.
    """
    body = {"size": size, "network": network}
    if prompt is not None:
        body["prompt"] = prompt
    return HttpRequest(
        url,
        method="POST",
        headers={"content-type": "application/json"},
        body=compact(body).encode(),
        timeout=TIMEOUT,
        follow_redirects=False,
    )


def _not_paid(error: AgentError, host: str) -> ToolError:
    """Return the error for a payment that failed; amounts in `facts` are in USDC."""
    code, facts = error.code, error.facts
    status = _BY_PAYMENT_CODE.get(code, "payment_refused")
    reason = f"No payment to {host}: {code}."
    if charged := facts.get("maybe_charged"):
        status = "generation_failed"
        reason = f"{host} was sent a payment and no picture came ({code}): up to {charged} USDC "
        reason += "may have been charged."
    elif facts.get("reason") == "price_rose":
        asked, seen = facts.get("asked"), facts.get("allowed")
        reason = f"{host} now asks {asked} USDC, the person confirmed {seen}. Nothing was paid."
    elif status == "user_declined":
        reason = "The person declined in the wallet. Nothing was paid."
    return ToolError(status, reason, display=NoPicture(host, error=error))


def _refusal(response: HttpResponse, host: str) -> ToolError:
    words = words_of(document_of(response))
    said = f" It says: {words}" if words else ""
    if response.status == 402:
        return ToolError("payment_refused", f"{host} was not paid.{said}")
    if response.status < 500 and re.search(r"(?i)\bnetwork\b|_network\b", words):
        return ToolError("wrong_network", f"{host} refused the network.{said}")
    return ToolError("generation_failed", f"{host} answered with status {response.status}.{said}")


def _picture(response: HttpResponse, host: str, prompt: str, size: str) -> Picture:
    document = document_of(response)
    url = first_picture(document, "url")
    if not may_load(url):
        raise ToolError("invalid_response", f"{host} sent no picture.")
    width, _, height = size.partition("x")
    model = document.get("model")
    return Picture(
        url=url,
        prompt=prompt,
        width=int(width),
        height=int(height),
        model=model[:80] if isinstance(model, str) else "",
        mint_failed=as_object(document.get("x_nft")).get("status") == "mint_failed",
    )
