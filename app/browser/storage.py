# pyright: standard
"""What a person chose, kept on the device. Never a conversation, and a key only when asked to."""

import json
from typing import Any

from app.browser.web import JsException, window

__all__ = ["forget", "recall", "remember"]

PREFIX = "tabloop."


def recall(name: str) -> Any:
    """Return what was remembered, `None` where nothing was, or where it cannot be read."""
    try:
        text = window.localStorage.getItem(PREFIX + name)
        return json.loads(text) if isinstance(text, str) else None  # JavaScript's null is no None
    except (JsException, ValueError):  # storage forbidden, or not ours
        return None


def remember(name: str, value: object) -> None:
    """Keep a JSON value; where storage is forbidden or full, it lasts as long as the tab."""
    try:
        window.localStorage.setItem(PREFIX + name, json.dumps(value))
    except JsException:
        return


def forget(name: str) -> None:
    """Remove it."""
    try:
        window.localStorage.removeItem(PREFIX + name)
    except JsException:
        return
