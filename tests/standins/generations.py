"""A stand-in for OpenAI's `images/generations`.

Rule: it is as strict as the service: it refuses a missing or wrong key, a field that the model does
not know, and a size that it does not make.
"""

import base64
import json
import struct
import zlib
from collections.abc import Iterator, Mapping
from typing import Any, cast

from aiohttp import web

from tests.standins.base import StandIn
from tests.standins.recording import Recorded

__all__ = ["KEY", "Generations"]

KEY = "sk-only-for-tests"
PATH = "/v1/images/generations"
FIELDS = {"model", "prompt", "n", "size", "quality", "user"}
SIZES: Mapping[str, tuple[str, ...]] = {
    "dall-e-3": ("1024x1024", "1792x1024", "1024x1792"),
    "gpt-image-1": ("1024x1024", "1536x1024", "1024x1536", "auto"),
}
MORE_FIELDS: Mapping[str, set[str]] = {
    "dall-e-3": {"response_format", "style"},
    "gpt-image-1": {"background", "moderation", "output_format", "output_compression"},
}
LONGEST: Mapping[str, int] = {"dall-e-3": 4_000, "gpt-image-1": 32_000}
REFUSED = "a forbidden thing"  # a prompt with these words is refused by the content filter


class Generations(StandIn):
    """dall-e-3 answers with an address, gpt-image-1 with the picture in base64."""

    name = "picture service with keys"
    description = f"OpenAI's images/generations, key {KEY}"
    allow_methods = "POST, OPTIONS"
    allow_headers = "authorization, content-type"

    @property
    def made(self) -> list[Recorded]:
        """The requests that were billed."""
        return [one for one in self.requests if one.method == "POST" and one.status == 200]

    def routes(self, router: web.UrlDispatcher) -> None:
        router.add_post(PATH, self._generate)
        router.add_get("/pictures/{size}.png", self._picture)

    async def _generate(self, request: web.Request) -> web.Response:
        if request.headers.get("authorization") != f"Bearer {KEY}":
            return _refusal("Incorrect API key provided.", "invalid_api_key", status=401)
        try:
            asked = cast("Mapping[str, Any]", json.loads(await request.read()))
        except ValueError:
            return _refusal("We could not parse the JSON body of your request.", None)
        for refusal in _wrong(asked):
            return refusal
        model, size = asked.get("model", "dall-e-3"), asked.get("size", "1024x1024")
        if model == "dall-e-3":
            entry = {"url": f"{self.url}/pictures/{size}.png", "revised_prompt": "A drawing."}
            return web.json_response({"created": 1_788_912_000, "data": [entry]})
        encoded = base64.b64encode(_png(*map(int, size.split("x")))).decode()
        body = {"created": 1_788_912_000, "data": [{"b64_json": encoded}], "size": size}
        return web.json_response({**body, "output_format": "png", "usage": {"total_tokens": 1}})

    async def _picture(self, request: web.Request) -> web.Response:
        width, height = map(int, request.match_info["size"].split("x"))
        return web.Response(body=_png(width, height), content_type="image/png")


def _wrong(asked: Mapping[str, Any]) -> Iterator[web.Response]:
    """Yield a refusal for each wrong field; only the first is sent."""
    model = asked.get("model", "dall-e-3")
    if model not in SIZES:
        yield _refusal(f"The model '{model}' does not exist.", "model_not_found", "model")
        return
    for field in sorted(set(asked) - FIELDS - MORE_FIELDS[model]):
        yield _refusal(f"Unknown parameter: '{field}'.", "unknown_parameter", field)
    prompt, size = asked.get("prompt"), asked.get("size", "1024x1024")
    if not isinstance(prompt, str) or not 1 <= len(prompt) <= LONGEST[model]:
        yield _refusal("Invalid 'prompt': wrong length.", "invalid_value", "prompt")
    elif REFUSED in prompt:
        yield _refusal("Your request was rejected by the safety system.", "moderation_blocked")
    if size not in SIZES[model]:
        yield _refusal(f"Invalid value: '{size}'.", "invalid_value", "size")


def _refusal(
    message: str, code: str | None, param: str | None = None, *, status: int = 400
) -> web.Response:
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
    return web.json_response({"error": error}, status=status)


def _png(width: int, height: int) -> bytes:
    """Return a picture of one grey."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    rows = zlib.compress((b"\0" + b"\x7f" * width) * height)
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
