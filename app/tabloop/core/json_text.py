"""JSON from strangers. Nothing that they send may be more than a `ValueError`.

`json.loads` is not for them: in a page, deep nesting overflows the stack of WebAssembly and ends
Python for good, where elsewhere it raises `RecursionError`. pydantic's reader counts the depth.
"""

import json
import re

from pydantic_core import from_json

__all__ = ["read_json"]

# An escape in a string: a proper pair of surrogates, one without its other half, or anything else.
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(?P<lone>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


def read_json(text: str | bytes) -> object:
    """Return the value. Half surrogates, which nobody could encode again, become U+FFFD.

    Raises `ValueError` for what is no JSON, and for what is nested deeper than 200. NaN and
    infinities are read as floats, as `json.loads` does.
    """
    if isinstance(text, bytes):
        text = text.decode(json.detect_encoding(text), "replace").removeprefix("\ufeff")
    data = text.encode("utf-8", "replace")
    try:
        return from_json(data)
    except ValueError:
        mended = _ESCAPE.sub(_whole, data.decode()).encode()
        if mended == data:
            raise
    return from_json(mended)


def _whole(escape: re.Match[str]) -> str:
    return r"\ufffd" if escape["lone"] else escape[0]
