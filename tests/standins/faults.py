"""The faults of a stand-in, as values. Rule: a fault describes what is sent, not why."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

__all__ = [
    "Delay",
    "Drop",
    "Fault",
    "Hang",
    "NoCors",
    "Reply",
    "Truncate",
    "garbage",
    "html_502",
]


@dataclass(frozen=True, slots=True)
class Reply:
    """Send exactly this response. A `body` of bytes or text is unchanged, others become JSON."""

    body: object = b""
    status: int = 200
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Hang:
    """Never respond; ends when the client disconnects or the stand-in stops."""


@dataclass(frozen=True, slots=True)
class Delay:
    """Wait `seconds`, then do `then` (`None`: the usual response)."""

    seconds: float
    then: "Fault | None" = None


@dataclass(frozen=True, slots=True)
class Truncate:
    """Announce the full length, send only the first `after` bytes (`None`: half), hang up."""

    after: int | None = None


@dataclass(frozen=True, slots=True)
class Drop:
    """Hang up without sending anything.

    Chromium silently repeats such a request on a reused connection: use `always=True`, or stop
    the stand-in.
    """


@dataclass(frozen=True, slots=True)
class NoCors:
    """The usual response without CORS headers; a preflight fails, too."""


Fault: TypeAlias = Reply | Hang | Delay | Truncate | Drop | NoCors


def html_502() -> Reply:
    """Return a gateway's response when its service is down."""
    page = (
        "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n"
        "<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx</center>\r\n"
        "</body>\r\n</html>\r\n"
    )
    return Reply(page, status=502, content_type="text/html")


def garbage() -> Reply:
    """Return a response with status 200 and media type JSON that is not JSON."""
    return Reply(b'{"choices": [{"message": \x00\xff')
