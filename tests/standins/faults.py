"""How a stand-in may misbehave, as values. Rule: a fault says what goes over the wire, not why."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

__all__ = [
    "Cut",
    "Delay",
    "Drop",
    "Fault",
    "Hang",
    "NoCors",
    "Reply",
    "garbage",
    "html_502",
]


@dataclass(frozen=True, slots=True)
class Reply:
    """Exactly this answer. `body` is sent as it is (bytes, text) or as JSON (anything else)."""

    body: object = b""
    status: int = 200
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Hang:
    """Never answer; ends when the client goes away or the stand-in stops."""


@dataclass(frozen=True, slots=True)
class Delay:
    """Wait `seconds`, then do `then` (nothing given: the usual answer)."""

    seconds: float
    then: "Fault | None" = None


@dataclass(frozen=True, slots=True)
class Cut:
    """Promise the whole usual answer, send its first `after` bytes (None: half), hang up."""

    after: int | None = None


@dataclass(frozen=True, slots=True)
class Drop:
    """Hang up without a byte.

    Chromium silently repeats a request that dies so on a reused connection: plan it with
    `always=True`, or take the stand-in down instead.
    """


@dataclass(frozen=True, slots=True)
class NoCors:
    """The usual answer without CORS headers; the preflight, if there is one, fails already."""


Fault: TypeAlias = Reply | Hang | Delay | Cut | Drop | NoCors


def html_502() -> Reply:
    """What a gateway says when the service behind it is gone."""
    page = (
        "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n"
        "<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx</center>\r\n"
        "</body>\r\n</html>\r\n"
    )
    return Reply(page, status=502, content_type="text/html")


def garbage() -> Reply:
    """Status 200, announced as JSON, and no JSON."""
    return Reply(b'{"choices": [{"message": \x00\xff')
