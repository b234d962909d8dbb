"""Reverse proxies in front of the paid server. Rule: they only add CORS and planned faults.

Requests are recorded and faults planned here, as with any other stand-in.
"""

import base64
import json
from collections.abc import Mapping

import aiohttp
from aiohttp import web
from aiohttp.typedefs import Handler

from tests.standins.base import StandIn
from tests.standins.faults import Fault, Reply
from tests.standins.llm_proxy import SEARCH
from tests.standins.paid_server import PaidServer
from tests.standins.recording import Recorded, json_bytes
from tests.standins.toml_overlay import TomlValue

__all__ = ["PaidChat", "PaidGate", "PaidImages"]

PASSED_ON = ("content-type", "payment-signature")
RESPONSE_HEADERS = ("content-type", "payment-required", "payment-response")


class PaidGate(StandIn):
    """A proxy for one route of the paid server; subclasses define the route."""

    route = ""
    service_type = ""
    title = ""
    summary = ""
    allow_methods = "GET, HEAD, POST, OPTIONS"
    allow_headers = "content-type, authorization, payment-signature"
    expose_headers = "payment-required, payment-response, retry-after"

    def __init__(self, paid_server: PaidServer) -> None:
        super().__init__()
        self.paid_server = paid_server
        self.networks: tuple[str, ...] = ("eip155:10",)  # of the offers that are shown
        self.hides: tuple[str, ...] = ()  # response headers that are removed
        self.after_paying: list[Fault] = []  # faults for the next requests with a payment
        self.answered_by: list[Reply] = []  # answers in place of those of payments that were taken
        self._session: aiohttp.ClientSession | None = None

    @property
    def payments(self) -> list[Recorded]:
        """The requests with a payment."""
        return [request for request in self.requests if "payment-signature" in request.headers]

    def routes(self, router: web.UrlDispatcher) -> None:
        router.add_route("*", "/", self._pass_on)
        router.add_get("/openapi.json", self._openapi)

    def error(self, status: int, message: str) -> web.Response:
        return web.Response(
            body=json_bytes({"error": {"message": message, "type": "server_error"}}),
            status=status,
            content_type="application/json",
        )

    async def started(self) -> None:
        await self.paid_server.start()
        self._session = aiohttp.ClientSession()

    async def stop(self) -> None:
        await super().stop()
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def _answer(
        self, fault: Fault | None, request: web.Request, handler: Handler
    ) -> web.StreamResponse:
        if fault is None and self.after_paying and "payment-signature" in request.headers:
            fault = self.after_paying.pop(0)
        return await super()._answer(fault, request, handler)

    async def _pass_on(self, request: web.Request) -> web.Response:
        assert self._session
        headers = {name: request.headers[name] for name in PASSED_ON if name in request.headers}
        url, body = f"{self.paid_server.facts['url']}/{self.route}", await request.read()
        async with self._session.request(
            request.method, url, headers=headers, data=body
        ) as response:
            if self.answered_by and "payment-signature" in headers:
                await response.read()
                reply = self.answered_by.pop(0)
                body = json_bytes(reply.body)
                return web.Response(body=body, status=reply.status, headers=dict(reply.headers))
            kept = [name for name in RESPONSE_HEADERS if name not in self.hides]
            shown = {n: response.headers[n] for n in kept if n in response.headers}
            if asked := shown.get("payment-required"):
                shown["payment-required"] = self._some_networks(asked)
            return web.Response(body=await response.read(), status=response.status, headers=shown)

    def _some_networks(self, header: str) -> str:
        asked = json.loads(base64.b64decode(header))
        asked["accepts"] = [o for o in asked["accepts"] if o["network"] in self.networks]
        return base64.b64encode(json_bytes(asked)).decode()

    async def _openapi(self, _request: web.Request) -> web.Response:
        document = {
            "openapi": "3.1.0",
            "x-service-type": self.service_type,
            "info": {
                "title": self.title,
                "version": "1",
                "contact": {"name": "Tabloop's stand-ins on this machine", "url": self.url},
            },
            "servers": [{"url": self.url}],
            "paths": {"/": {"post": {"summary": self.summary}}},
        }
        return web.Response(body=json_bytes(document), content_type="application/json")


class PaidChat(PaidGate):
    """Chat completions, each paid by usage through a channel."""

    name = "paid proxy"
    description = "x402's own server and facilitator, on a temporary chain"
    route = "llm"
    service_type = "llm/v1"
    title = "Paid search mode (local, test money)"
    summary = "Chat completions"

    def settings(self) -> Mapping[str, TomlValue]:
        return {"llm_url": self.url, "llm_model": SEARCH, "stream": False}


class PaidImages(PaidGate):
    """Pictures, each paid by the scheme `exact`."""

    name = "paid pictures"
    description = "the practice drawings, for test money of the same chain"
    route = "image"
    service_type = "images/v1"
    title = "Paid practice drawings (local, test money)"
    summary = "Draw a picture"

    def settings(self) -> Mapping[str, TomlValue]:
        return {"image_url": self.url}
