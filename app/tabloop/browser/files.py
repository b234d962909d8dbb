"""Downloads and the clipboard. Rule: called only after the person has pressed a button."""

from tabloop.browser.bridge import bridge
from tabloop.browser.web import (
    create_once_callable,
    document,
    js_array,
    js_object,
    window,
)

__all__ = ["copy", "open_in_tab", "save"]


def save(name: str, content: str | bytes, media_type: str) -> None:
    """Let the browser save `content` as a file called `name`."""
    anchor = document.createElement("a")
    anchor.href, anchor.download = _address(content, media_type, kept_for=10), name
    anchor.click()


def open_in_tab(content: bytes, media_type: str) -> None:
    """Show `content` in a new tab."""
    window.open(_address(content, media_type, kept_for=60), "_blank", "noopener")


def _address(content: str | bytes, media_type: str, *, kept_for: int) -> str:
    """Return an address of the content in this browser, valid for some seconds."""
    options = js_object({"type": media_type})
    address = window.URL.createObjectURL(window.Blob.new(js_array([content]), options))
    forget = create_once_callable(lambda: window.URL.revokeObjectURL(address))
    window.setTimeout(forget, kept_for * 1000)
    return address


async def copy(text: str, html: str = "") -> bool:
    """Copy the text, or for some programs `html`; return whether the browser allowed it."""
    return bool(await (bridge.copyRich(text, html) if html else bridge.copyText(text)))
