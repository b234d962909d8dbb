"""The wire format of OpenAI's `images/generations`, with the person's own key.

Rule: one confirmed card is one request, without retries, since the account of the key is billed for
each. A request has only the fields that all such services know.
"""

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tabloop.agent.displays import NoPicture, Picture
from tabloop.agent.errors import ModelError, ToolError
from tabloop.core.http import HttpRequest, HttpResponse, Transport, TransportError, host_of, send
from tabloop.core.json_text import compact
from tabloop.core.pricing import UnknownPrice
from tabloop.tools.images.response import document_of, first_picture, may_load, words_of

__all__ = ["PATH", "Generations", "PictureEndpoint", "generations_url"]

PATH = "/images/generations"
WIDE = "1792x1024"  # as the tool calls it
TIMEOUT = 300.0  # seconds; the best quality takes up to two minutes, a local model longer
# OpenAI's newer models have another wide size
_WIDE: Mapping[str, str] = {"gpt-image": "1536x1024", "chatgpt-image": "1536x1024"}
# Only pictures that cannot hold a script.
_KINDS: Mapping[bytes, str] = {
    rb"\x89PNG\r\n\x1a\n": "image/png",
    rb"\xff\xd8\xff": "image/jpeg",
    rb"RIFF....WEBP": "image/webp",
}


@dataclass(frozen=True, slots=True)
class PictureEndpoint:
    """Where pictures come from; `model` and `key` may be blank, `url` too for no service."""

    url: str
    model: str = ""
    key: str = ""


def generations_url(address: str) -> str:
    """Return the URL to POST to, blank if the address is that of another kind of service.

    An address that ends with a version (`https://api.openai.com/v1`) is the base of such a service.
    """
    address = address.rstrip("/")
    if address.endswith(PATH):
        return address
    return address + PATH if re.search(r"/v\d+\w*$", address) else ""


class Generations:
    """Makes pictures; raises `ToolError` as `ImageService` does."""

    def __init__(self, transport: Transport, endpoint: PictureEndpoint) -> None:
        self._transport = transport
        self._endpoint = endpoint
        self._url = generations_url(endpoint.url)

    def price(self) -> UnknownPrice:
        """Return what is known of the price of a picture, without asking anybody."""
        seller, with_key = host_of(self._url), bool(self._endpoint.key)
        return UnknownPrice(0, seller=seller, with_key=with_key, wide=self._size(WIDE))

    async def generate(self, prompt: str, size: str) -> Picture:
        """Return a picture of about `size`. Raises `ToolError` with `NoPicture`."""
        host, size = host_of(self._url), self._size(size)
        try:
            response = await send(self._transport, self._request(prompt, size))
        except TransportError as error:
            reason = f"{host} gave no answer ({error.kind})."
            raise ToolError("generation_failed", reason, display=NoPicture(host)) from error
        except ModelError as error:
            reason = f"Nothing was sent to {host}: the key has a character that cannot be sent."
            shown = NoPicture(host, error=error)
            raise ToolError("generation_failed", reason, display=shown) from error
        document = document_of(response)
        said = words_of(document, self._endpoint.key)
        try:
            if not 200 <= response.status < 300:
                reason = f"{host} answered with status {response.status}. {said}"
                raise ToolError("generation_failed", reason)
            url = _address(response, host)
        except ToolError as error:
            error.display = NoPicture(host, response.status, said, by_key=True)
            raise
        width, _, height = size.partition("x")
        return Picture(url, prompt, int(width), int(height), self._endpoint.model)

    def _size(self, size: str) -> str:
        if size != WIDE:
            return size
        named = (wide for kind, wide in _WIDE.items() if self._endpoint.model.startswith(kind))
        return next(named, size)

    def _request(self, prompt: str, size: str) -> HttpRequest:
        """Return the request for one picture. Raises `ModelError` for a key that cannot be sent."""
        endpoint = self._endpoint
        if wrong := re.search(r"[^\x21-\x7e]", endpoint.key):
            facts = {"sign": f"U+{ord(wrong[0]):04X}", "place": str(wrong.start() + 1)}
            raise ModelError("bad_key", host=host_of(self._url), retryable=False, facts=facts)
        body: dict[str, Any] = {"prompt": prompt, "size": size}
        if endpoint.model:
            body["model"] = endpoint.model
        headers = {"content-type": "application/json", "accept": "application/json"}
        if endpoint.key:
            headers["authorization"] = f"Bearer {endpoint.key}"
        raw = compact(body).encode()
        return HttpRequest(self._url, "POST", headers, raw, TIMEOUT, follow_redirects=False)


def _address(response: HttpResponse, host: str) -> str:
    """Return the picture's address, which holds the picture itself if it came as base64."""
    document = document_of(response)
    if encoded := first_picture(document, "b64_json"):
        kind = _kind(encoded)
        if kind:
            return f"data:{kind};base64,{encoded}"
    elif may_load(url := first_picture(document, "url")):
        return url
    raise ToolError("invalid_response", f"{host} sent no picture.")


def _kind(encoded: str) -> str:
    """Return the media type of a picture in base64, blank if it is none that the page shows."""
    try:
        begin = base64.b64decode(encoded, validate=True)[:16]
    except (binascii.Error, ValueError):
        return ""
    kinds = (kind for sign, kind in _KINDS.items() if re.match(sign, begin, re.DOTALL))
    return next(kinds, "")
