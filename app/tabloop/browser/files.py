"""Downloads and the clipboard. Rule: called only after the person has pressed a button."""

from tabloop.browser.bridge import bridge
from tabloop.browser.web import (
    create_once_callable,
    document,
    js_array,
    js_object,
    window,
)

__all__ = ["copy", "save"]


def save(name: str, content: str | bytes, media_type: str) -> None:
    """Let the browser save `content` as a file called `name`."""
    options = js_object({"type": media_type})
    address = window.URL.createObjectURL(window.Blob.new(js_array([content]), options))
    anchor = document.createElement("a")
    anchor.href, anchor.download = address, name
    anchor.click()
    window.setTimeout(create_once_callable(lambda: window.URL.revokeObjectURL(address)), 10_000)


async def copy(text: str, html: str = "") -> bool:
    """Copy the text, or for some programs `html`; return whether the browser allowed it."""
    return bool(await (bridge.copyRich(text, html) if html else bridge.copyText(text)))
