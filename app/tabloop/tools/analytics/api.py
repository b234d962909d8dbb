"""The analytics service's wire format. Rule: invalid numbers are refused, never corrected.

The service's messages are never passed on: they could repeat the token, which would then be in a
tool result.
"""

import re
from collections.abc import Mapping
from datetime import date
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from tabloop.agent.errors import ToolError
from tabloop.core.http import HttpRequest, HttpResponse, Transport, TransportError, host_of, send
from tabloop.core.json_text import read_json
from tabloop.tools.analytics.sign_in import SignIn

__all__ = ["AnalyticsApi", "Day", "Stats"]

TIMEOUT = 30.0  # seconds
MAX_HITS = 10**15  # hits; a larger number is implausible, and not exact as a double
_ISO_DAY = re.compile(r"[12][0-9]{3}-[0-9]{2}-[0-9]{2}")


def _is_day(text: str) -> str:
    if not _ISO_DAY.fullmatch(text):
        raise ValueError("no ISO date")
    date.fromisoformat(text)  # a ValueError where the calendar has no such day
    return text


Count: TypeAlias = Annotated[int, Field(ge=0, le=MAX_HITS)]
IsoDay: TypeAlias = Annotated[str, AfterValidator(_is_day)]


class Day(BaseModel):
    """One day in UTC. `source` is the tool that counted; the two count differently."""

    model_config = ConfigDict(strict=True, frozen=True)

    hits: Count
    pages: Mapping[str, Count]
    source: Literal["beacon", "umami"] | None = None


class Stats(BaseModel):
    """The whole document. A day from `first` to `last` that is not in `days` had no hits."""

    model_config = ConfigDict(strict=True, frozen=True)

    site: str
    first_day: IsoDay = Field(alias="from")
    last_day: IsoDay = Field(alias="to")
    days: Mapping[IsoDay, Day]

    @model_validator(mode="after")
    def _in_order(self) -> "Stats":
        if self.first_day > self.last_day:
            raise ValueError("it ends before it begins")
        return self

    @property
    def first(self) -> date:
        """The first day that the service covers."""
        return date.fromisoformat(self.first_day)

    @property
    def last(self) -> date:
        """The last day that the service covers; all periods end with it."""
        return date.fromisoformat(self.last_day)


class AnalyticsApi:
    """Reads the visitor numbers of one site, signed in as its owner."""

    def __init__(self, transport: Transport, base_url: str, sign_in: SignIn) -> None:
        self._transport = transport
        self._url = f"{base_url.rstrip('/')}/stats"
        self._sign_in = sign_in

    async def stats(self) -> Stats:
        """Return the whole document, from `<base_url>/stats`.

        Raises `ToolError`: `user_declined`, `fetch_failed`, `invalid_response`; the last two name
        the host.
        """
        token = await self._sign_in.token()
        response = await self._send(token.bearer)
        if response.status == 401 and self._sign_in.refused(token):
            token = await self._sign_in.token()
            response = await self._send(token.bearer)
            if response.status == 401:
                self._sign_in.refused(token)
        return _document(response, host_of(self._url))

    async def _send(self, bearer: str) -> HttpResponse:
        headers = {"Authorization": f"Bearer {bearer}"}
        try:
            request = HttpRequest(
                self._url, headers=headers, timeout=TIMEOUT, follow_redirects=False
            )
            return await send(self._transport, request)
        except TransportError as error:
            reason = f"{error.host} gave no answer ({error.kind})."
            raise ToolError("fetch_failed", reason) from error


def _document(response: HttpResponse, host: str) -> Stats:
    if response.status == 401:
        reason = f"{host} refused the signature (status 401). Is this device's clock right?"
        raise ToolError("fetch_failed", reason)
    if response.status != 200:
        raise ToolError("fetch_failed", f"{host} answered with status {response.status}.")
    try:
        return Stats.model_validate(read_json(response.body))
    except ValidationError as error:
        wrong = ".".join(str(part) for part in error.errors()[0]["loc"][:1]) or "whole"
        reason = f"{host} sent no statistics: its {wrong} is missing or wrong."
        raise ToolError("invalid_response", reason) from None
    except ValueError as error:
        raise ToolError("invalid_response", f"{host} sent no JSON.") from error
