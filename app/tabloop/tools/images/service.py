"""The image service's wire format (`images/v1`), sans payment.

Rule: one call is one request, never sent again by itself, because each may be charged, and it
carries what the person has agreed to pay. Who pays hides behind the transport: one that pays raises
an `AgentError` with a `code` where it doesn't come to a picture, and that code decides what the
model reads. The person gets the facts beside it.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, cast
from urllib.parse import urlsplit

from tabloop.agent.displays import NoPicture, Picture
from tabloop.agent.errors import ErrorStatus, ToolError
from tabloop.core.addresses import is_safe_scheme
from tabloop.core.errors import AgentError
from tabloop.core.http import HttpRequest, HttpResponse, Transport, TransportError, host_of, send
from tabloop.core.json_text import compact, read_json
from tabloop.core.pricing import Price

__all__ = ["TIMEOUT", "ImageService", "image_request"]

TIMEOUT = 180.0  # seconds; a minute is usual
_BY_PAYMENT_CODE: Mapping[str, ErrorStatus] = {
    "wrong_network": "wrong_network",
    "declined": "user_declined",
}


class ImageService:
    """Makes pictures.

    At each call `network` gives the network (CAIP-2) that the payer is on, and `confirmed_price`
    the price that the person confirmed.
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
        """Return the picture. `size` is "width x height" in pixels, without spaces.

        Raises `ToolError`: `payment_refused`, `wrong_network`, `user_declined` (in the wallet),
        `generation_failed`, `invalid_response`; all say why, with a `NoPicture` for the person.
        """
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
            words = _words(_document(response))
            error.display = NoPicture(host, response.status, words, max_cost=response.cost)
            raise


def image_request(url: str, prompt: str | None, size: str, network: str) -> HttpRequest:
    """Return the request for one picture; the service refuses fields that it does not know.

    Of one without a prompt no picture can come.
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
    )


def _not_paid(error: AgentError, host: str) -> ToolError:
    """Say what paying came to; amounts in `facts` are in USDC."""
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
    words = _words(_document(response))
    said = f" It says: {words}" if words else ""
    if response.status == 402:
        return ToolError("payment_refused", f"{host} was not paid.{said}")
    if response.status < 500 and re.search(r"(?i)\bnetwork\b|_network\b", words):
        return ToolError("wrong_network", f"{host} refused the network.{said}")
    return ToolError("generation_failed", f"{host} answered with status {response.status}.{said}")


def _picture(response: HttpResponse, host: str, prompt: str, size: str) -> Picture:
    document = _document(response)
    listed = document.get("data")
    entries = cast("list[object]", listed) if isinstance(listed, list) else []
    urls = (_object(entry).get("url") for entry in entries)
    url = next((url for url in urls if isinstance(url, str) and _shows(url)), None)
    if url is None:
        raise ToolError("invalid_response", f"{host} sent no picture.")
    width, _, height = size.partition("x")
    model = document.get("model")
    return Picture(
        url=url,
        prompt=prompt,
        width=int(width),
        height=int(height),
        model=model[:80] if isinstance(model, str) else "",
        mint_failed=_object(document.get("x_nft")).get("status") == "mint_failed",
    )


def _shows(url: str) -> bool:
    """Whether the page may show it: https, or http on this very machine."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return False
    return bool(host) and is_safe_scheme(parts.scheme, host)


def _words(document: Mapping[str, Any]) -> str:
    """Return what an error body says: services write `{"error": "..."}` or an object in there."""
    error = document.get("error", document.get("message", ""))
    if isinstance(error, dict):
        fields = cast("Mapping[str, Any]", error)
        error = " ".join(str(fields[key]) for key in ("code", "message") if fields.get(key))
    return " ".join(error.split())[:120] if isinstance(error, str) else ""


def _document(response: HttpResponse) -> Mapping[str, Any]:
    try:
        return _object(read_json(response.body))
    except ValueError:
        return {}


def _object(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}
