"""The person's choices, stored on the device. Rule: no conversation; a key only on request."""

import json

from tabloop.browser.bridge import bridge
from tabloop.core.json_text import Json, read_json

__all__ = ["forget", "recall", "remember"]

PREFIX = "tabloop."


def recall(name: str) -> Json:
    """Return the stored JSON value, `None` if there is none or it cannot be read."""
    text = bridge.recall(PREFIX + name)
    try:
        return read_json(text) if isinstance(text, str) else None  # JavaScript's null is not None
    except ValueError:  # written by other code
        return None


def remember(name: str, value: object) -> bool:
    """Store a JSON value; return whether the browser allowed it."""
    return bool(bridge.remember(PREFIX + name, json.dumps(value)))


def forget(name: str) -> None:
    """Remove a stored value."""
    bridge.forget(PREFIX + name)
