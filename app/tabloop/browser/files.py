"""Downloads and the clipboard. Rule: called only after the person has pressed a button."""

from tabloop.browser.bridge import bridge
from tabloop.browser.web import (
    JsException,
    create_once_callable,
    document,
    js_array,
    js_object,
    window,
)

__all__ = ["copy", "open_in_tab", "save"]


def save(name: str, content: str | bytes, media_type: str) -> bool:
    """Let the browser save `content` as a file called `name`; return whether it made the file."""
    address = _address(content, media_type, kept_for=10)
    anchor = document.createElement("a")
    anchor.href, anchor.download = address, name
    if address:
        anchor.click()
    return bool(address)


def open_in_tab(content: bytes, media_type: str) -> bool:
    """Show `content` in a new tab; return whether the browser made a file of it."""
    address = _address(content, media_type, kept_for=60)
    if address:
        window.open(address, "_blank", "noopener")
    return bool(address)


def _address(content: str | bytes, media_type: str, *, kept_for: int) -> str:
    """Return an address of the content in this browser, valid for some seconds; blank if none."""
    options = js_object({"type": media_type})
    try:
        address = window.URL.createObjectURL(window.Blob.new(js_array([content]), options))
    except JsException:  # no memory or disk is left, or an extension forbids it
        return ""
    forget = create_once_callable(lambda: window.URL.revokeObjectURL(address))
    window.setTimeout(forget, kept_for * 1000)
    return str(address)


async def copy(text: str, html: str = "") -> bool:
    """Copy the text, or for some programs `html`; return whether the browser allowed it."""
    return bool(await (bridge.copyRich(text, html) if html else bridge.copyText(text)))
