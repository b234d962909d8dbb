"""A free stand-in for the image service. Rule: each picture says that no image model made it.

Its description (`/openapi.json`) says that it is free, so that nobody has to ask for a price by a
request that would make a picture.
"""

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any, cast

from aiohttp import web
from tabloop.core.networks import NETWORKS

from tests.standins.base import StandIn
from tests.standins.drawing import draw
from tests.standins.recording import Recorded, json_bytes
from tests.standins.toml_overlay import TomlValue

__all__ = ["Images"]

SIZES = {"1024x1024": (1024, 1024), "1792x1024": (1792, 1024)}
FIELDS = ("prompt", "size", "network")
MODEL = "practice drawing, no image model"


class Images(StandIn):
    """`images/v1` by POST to the address itself; `seconds` is how long a picture takes.

    A long one ends when `seconds` is 0 again.
    """

    name = "image stand-in"
    description = "practice drawings made from the prompt, no image model, no payment"
    allow_methods = "GET, HEAD, POST, OPTIONS"
    allow_headers = "content-type, payment-signature"
    expose_headers = "payment-required, payment-response"

    def __init__(self, seconds: float = 0.0) -> None:
        super().__init__()
        self.seconds = seconds
        self._drawn: list[str] = []

    @property
    def ordered(self) -> list[Recorded]:
        """All requests for a picture, each of which a person must have confirmed.

        A request with a 402 response, or without a prompt, only asked for the price.
        """
        return [
            request
            for request in self.requests
            if request.method == "POST"
            and request.status != 402
            and "prompt" in _fields(request.body)
        ]

    def add(self, prompt: str, size: str = "1024x1024") -> str:
        """Draw a picture and return its address."""
        self._drawn.append(draw(prompt, *SIZES[size]))
        return f"{self.url}/pictures/{len(self._drawn)}.svg"

    def settings(self) -> Mapping[str, TomlValue]:
        return {"image_url": self.url}

    def routes(self, router: web.UrlDispatcher) -> None:
        router.add_post("/", self._generate)
        router.add_get("/openapi.json", self._openapi)
        router.add_get("/pictures/{number}.svg", self._picture)

    async def _generate(self, request: web.Request) -> web.Response:
        asked = _fields(await request.read())
        for message in _wrong(asked):
            return _json({"error": {"code": "invalid_request", "message": message}}, 400)
        clock = asyncio.get_running_loop().time
        end = clock() + self.seconds
        while self.seconds and clock() < end:  # noqa: ASYNC110 -- tests set it in another thread
            await asyncio.sleep(0.02)
        url = self.add(asked["prompt"], asked["size"])
        body = {"created": 1_788_912_000, "data": [{"url": url}], "model": MODEL}
        return _json(body, 200)

    async def _picture(self, request: web.Request) -> web.Response:
        number = request.match_info["number"]
        if not number.isdigit() or not 1 <= int(number) <= len(self._drawn):
            raise web.HTTPNotFound
        return web.Response(text=self._drawn[int(number) - 1], content_type="image/svg+xml")

    async def _openapi(self, _request: web.Request) -> web.Response:
        document = {
            "openapi": "3.1.0",
            "x-service-type": "images/v1",
            "x-price": "0",
            "info": {"title": "Practice drawings (local stand-in)", "version": "1"},
            "servers": [{"url": self.url}],
            "paths": {"/": {"post": {"summary": "Draw a picture"}}},
        }
        return _json(document, 200)


def _fields(body: bytes) -> Mapping[str, Any]:
    try:
        asked = Recorded("POST", "/", "", {}, body).json
    except ValueError:
        return {}
    return cast("Mapping[str, Any]", asked) if isinstance(asked, dict) else {}


def _wrong(fields: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for each wrong field; only the first is sent."""
    if unknown := sorted(set(fields) - set(FIELDS)):
        yield f"Unknown fields: {', '.join(unknown)}"
    prompt, size, network = (fields.get(name) for name in FIELDS)
    if not isinstance(prompt, str) or not prompt.strip():
        yield "The prompt is missing."
    if size not in SIZES:
        yield f"The size must be one of {', '.join(SIZES)}."
    if network not in NETWORKS:
        yield f"Unsupported network: {network}"


def _json(body: object, status: int) -> web.Response:
    return web.Response(body=json_bytes(body), status=status, content_type="application/json")
