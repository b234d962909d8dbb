# pyright: standard
"""What a person chose, kept on the device. Never a conversation, and a key only when asked to."""

import json
from typing import Any

from tabloop.browser.bridge import bridge
from tabloop.core.json_text import read_json

__all__ = ["forget", "recall", "remember"]

PREFIX = "tabloop."


def recall(name: str) -> Any:
    """Return what was remembered, `None` where nothing was, or where it cannot be read."""
    text = bridge.recall(PREFIX + name)
    try:
        return read_json(text) if isinstance(text, str) else None  # JavaScript's null is no None
    except ValueError:  # not ours
        return None


def remember(name: str, value: object) -> bool:
    """Keep a JSON value and return whether it is kept; otherwise it lasts as long as the tab."""
    return bool(bridge.remember(PREFIX + name, json.dumps(value)))


def forget(name: str) -> None:
    """Remove it."""
    bridge.forget(PREFIX + name)
