# pyright: standard
"""What a person chose, kept on the device. Never a conversation, and a key only when asked to."""

import json
from contextlib import suppress
from typing import Any

from tabloop.browser.web import JsException, window
from tabloop.core.json_text import read_json

__all__ = ["forget", "recall", "remember"]

PREFIX = "tabloop."


def recall(name: str) -> Any:
    """Return what was remembered, `None` where nothing was, or where it cannot be read."""
    storage = _storage()
    if storage is None:
        return None
    try:
        text = storage.getItem(PREFIX + name)
        return read_json(text) if isinstance(text, str) else None  # JavaScript's null is no None
    except (JsException, ValueError):  # forbidden after all, or not ours
        return None


def remember(name: str, value: object) -> None:
    """Keep a JSON value; where storage is forbidden or full, it lasts as long as the tab."""
    if (storage := _storage()) is not None:
        with suppress(JsException):
            storage.setItem(PREFIX + name, json.dumps(value))


def forget(name: str) -> None:
    """Remove it."""
    if (storage := _storage()) is not None:
        with suppress(JsException):
            storage.removeItem(PREFIX + name)


def _storage() -> Any:
    """Return the browser's storage, `None` where it is forbidden or, as in some apps, null."""
    try:
        storage = window.localStorage
    except (JsException, AttributeError):
        return None
    return storage if hasattr(storage, "getItem") else None
