"""Recorded requests of a stand-in. Rule: the body is kept unchanged."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["Recorded", "json_bytes"]


def json_bytes(value: object) -> bytes:
    """Return `value` as compact JSON in UTF-8 without escapes, like the services."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


@dataclass(slots=True)
class Recorded:
    """One request. Header names are in lower case.

    `state` is "open" until the response is sent, and "aborted" if the client disconnected before.
    """

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes
    state: Literal["open", "answered", "aborted"] = "open"
    status: int | None = None

    @property
    def json(self) -> Any:
        """The body as JSON. Raises `ValueError` if it is not JSON."""
        return json.loads(self.body)
