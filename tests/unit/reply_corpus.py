"""The corpus `replies/`: one file for each quirk of an endpoint, its expected reading beside it.

Rule: a file holds exactly what goes over the wire; all of it was written for this project.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["QUIRKS", "Quirk"]

FOLDER = Path(__file__).parent / "replies"
TYPES = {".sse": "text/event-stream", ".html": "text/html", ".txt": "text/plain"}


@dataclass(frozen=True, slots=True)
class Quirk:
    """One response. `expected` has the reading: `text`, `calls` (id, name, arguments), ...

    ... `finish_reason`, `usage`, `notes`; or `error` (its code), `says` (a part of its words),
    `retryable`, `facts`, and `kept` (the text that was shown before it). `about` says who does
    such a thing.
    """

    name: str
    body: bytes
    content_type: str
    expected: Mapping[str, Any] = field(repr=False)

    @property
    def status(self) -> int:
        return self.expected.get("status", 200)

    @property
    def headers(self) -> Mapping[str, str]:
        return self.expected.get("headers", {})

    @property
    def streams(self) -> bool:
        return self.content_type == "text/event-stream" and self.status == 200


def _load(expected: Path) -> Quirk:
    (body,) = (path for path in FOLDER.glob(f"{expected.stem}.*") if path != expected)
    content_type = TYPES.get(body.suffix, "application/json")
    return Quirk(expected.stem, body.read_bytes(), content_type, json.loads(expected.read_text()))


QUIRKS: Mapping[str, Quirk] = {path.stem: _load(path) for path in sorted(FOLDER.glob("*.expected"))}
