"""JSON: the one parser, the one compact writer, and typed access to what was read.

Rule: input from outside can raise nothing but `ValueError`. `json.loads` must not read it: in a
page, deep nesting overflows WebAssembly's stack and Python cannot continue, where elsewhere it
raises `RecursionError`. pydantic's parser limits the depth.
"""

import json
import math
import re
from collections.abc import Mapping
from typing import TypeAlias, cast

from pydantic_core import from_json

__all__ = [
    "Json",
    "JsonObject",
    "as_list",
    "as_object",
    "as_text",
    "compact",
    "parsed",
    "read_json",
]

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
JsonObject: TypeAlias = Mapping[str, Json]

# An escape in a string: a pair of surrogates, a lone one, or anything else.
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(?P<lone>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


def read_json(text: str | bytes) -> Json:
    """Return the value. Lone surrogates, which cannot be encoded again, become U+FFFD.

    NaN and infinities are read as floats, as `json.loads` does.

    Raises:
        ValueError: The text is no JSON, or is nested deeper than 200 levels.
    """
    if isinstance(text, bytes):
        text = text.decode(json.detect_encoding(text), "replace").removeprefix("\ufeff")
    data = text.encode("utf-8", "replace")
    try:
        return from_json(data)
    except ValueError:
        repaired = _ESCAPE.sub(_replace_lone, data.decode()).encode()
        if repaired == data:
            raise
    return from_json(repaired)


def parsed(text: bytes | str) -> tuple[Json] | None:
    """Return the value in a tuple, since it may be null; `None` when the text is no JSON."""
    try:
        return (read_json(text),)
    except ValueError:
        return None


def as_object(value: Json) -> JsonObject:
    """Return the object; anything else gives an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: Json) -> list[Json]:
    """Return the list; an object gives a list of it, anything else an empty list."""
    if isinstance(value, dict):
        return [value]
    return value if isinstance(value, list) else []


def as_text(value: Json) -> str:
    """Return a text, or a number as text; `""` for anything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    try:
        return compact(value) if math.isfinite(value) else ""
    except (OverflowError, ValueError):  # more digits than Python writes
        return ""


def compact(value: object) -> str:
    """Return JSON without spaces; letters are not escaped, which saves a third of the bytes.

    NaN and infinities become null, because JSON has none; reading `1e999` gives an infinity.
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


def _replace_lone(escape: re.Match[str]) -> str:
    return r"\ufffd" if escape["lone"] else escape[0]
