"""Hostile inputs, in `inputs.json` by the place where they arrive; tests say what is expected.

Rule: all signs that cannot be seen are written as escapes there.
"""

import json
from functools import cache
from pathlib import Path
from typing import cast

__all__ = ["inputs"]


@cache
def _all() -> dict[str, list[str]]:
    text = Path(__file__).with_name("inputs.json").read_text("utf-8")
    return cast("dict[str, list[str]]", json.loads(text))


def inputs(place: str) -> list[str]:
    """Return the inputs that arrive at a place, such as "markdown"."""
    return _all()[place]
