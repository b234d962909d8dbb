"""What a stand-in was asked, as it came over the wire. Rule: nothing is parsed or tidied here."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["Recorded", "json_bytes"]


def json_bytes(value: object) -> bytes:
    """Return `value` as the services write JSON: compact, UTF-8 unescaped."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


@dataclass(slots=True)
class Recorded:
    """One request as it arrived. Header names are in lower case.

    `state` is `open` while the answer is not out, `aborted` when the client went away before.
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
        """The body as JSON. Raises `ValueError` when it is none."""
        return json.loads(self.body)
