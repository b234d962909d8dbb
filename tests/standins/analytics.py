"""The site owner's analytics service. Rule: it trusts no stated address, only its signature.

The function `recover` finds the signer. It comes from outside, because it needs the paid server's
packages.
"""

import base64
import binascii
import json
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias, cast

from aiohttp import web

from tests.standins.base import StandIn
from tests.standins.recording import json_bytes
from tests.standins.sample_visits import COVERED, CountedDay, visits
from tests.standins.toml_overlay import TomlValue

__all__ = ["Analytics", "Recover"]

ACCEPTED_FOR = 300.0  # seconds
AHEAD = 60.0  # seconds that a visitor's clock may be fast
MESSAGE = re.compile(r"analytics-api:([0-9]{1,12})")
SITE = "practice.example"

# (message, signature) -> the address that signed by `personal_sign`, blank if invalid
Recover: TypeAlias = Callable[[str, str], Awaitable[str]]


class Analytics(StandIn):
    """`GET /stats` with a bearer token, for the `owners` (addresses in upper or lower case).

    A test may replace `days`, and `clock`, which returns the service's Unix time.
    """

    name = "analytics stand-in"
    description = "invented visits of a year, for an owner's signature"
    allow_headers = "authorization"

    def __init__(self, owners: tuple[str, ...] = (), recover: Recover | None = None) -> None:
        super().__init__()
        self.owners = owners
        self.recover = recover
        self.clock: Callable[[], float] = time.time
        self.last = datetime.now(UTC).date()
        self.days: Mapping[str, CountedDay] = visits(self.last)

    def settings(self) -> Mapping[str, TomlValue]:
        return {"analytics_url": self.url, "analytics_owners": list(self.owners)}

    def routes(self, router: web.UrlDispatcher) -> None:
        router.add_get("/stats", self._stats)

    async def _stats(self, request: web.Request) -> web.Response:
        refused = await self._refusal(request.headers.get("Authorization", ""))
        if refused:
            return self.error(401, refused)
        document: dict[str, Any] = {
            "site": SITE,
            "from": (self.last - timedelta(days=COVERED - 1)).isoformat(),
            "to": self.last.isoformat(),
            "days": self.days,
        }
        return web.Response(body=json_bytes(document), content_type="application/json")

    async def _refusal(self, authorization: str) -> str:
        """Return what is wrong with a token, blank if it is valid."""
        shown = _shown(authorization)
        if not shown:
            return "a bearer token is needed"
        address, signature, message = shown
        stated = MESSAGE.fullmatch(message)
        if not stated:
            return "the message is not one of this service"
        if not -AHEAD <= self.clock() - int(stated[1]) <= ACCEPTED_FOR:
            return "the signature is too old"
        if address.lower() not in {owner.lower() for owner in self.owners}:
            return "not an owner"
        signer = await self.recover(message, signature) if self.recover else ""
        return "" if signer.lower() == address.lower() else "the signature is not by this address"


def _shown(authorization: str) -> tuple[str, str, str] | None:
    scheme, _, token = authorization.partition(" ")
    try:
        document = json.loads(base64.b64decode(token, validate=True))
    except (binascii.Error, ValueError):
        return None
    fields = cast("dict[str, Any]", document) if isinstance(document, dict) else {}
    match [scheme, fields.get("address"), fields.get("signature"), fields.get("message")]:
        case ["Bearer", str(address), str(signature), str(message)]:
            return address, signature, message
        case _:
            return None
