"""JSON from strangers, read with types. Every helper answers for any value and none raises."""

import json
import math
from collections.abc import Mapping
from typing import TypeAlias, cast

from tabloop.core.json_text import read_json

__all__ = ["Json", "JsonObject", "as_list", "as_object", "as_text", "compact", "parsed"]

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
JsonObject: TypeAlias = Mapping[str, Json]


def parsed(text: bytes | str) -> tuple[Json] | None:
    """Return the value in a tuple (it may be null), or `None` when the text is no JSON."""
    try:
        return (cast("Json", read_json(text)),)
    except ValueError:
        return None


def as_object(value: Json) -> JsonObject:
    """Return the object, or an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: Json) -> list[Json]:
    """Return the list; one object alone counts as a list of it, anything else as empty."""
    if isinstance(value, dict):
        return [value]
    return value if isinstance(value, list) else []


def as_text(value: Json) -> str:
    """Return text, or a number as text; anything else is blank."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    try:
        return compact(value) if math.isfinite(value) else ""
    except (OverflowError, ValueError):  # more digits than Python writes
        return ""


def compact(value: object) -> str:
    """Return JSON without spaces; letters stand as themselves, which is a third fewer bytes.

    NaN and infinities, which JSON does not have, become null: `1e999` is read as one.
    """
    try:
        return _written(value)
    except ValueError:
        return _written(_finite(value))


def _written(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _finite(value: object) -> object:
    if isinstance(value, dict):
        fields = cast("dict[object, object]", value)
        return {key: _finite(item) for key, item in fields.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in cast("list[object]", value)]
    return value if not isinstance(value, float) or math.isfinite(value) else None
