"""Pictures of the conversation: failed loads and downloads. Rule: a failure is always shown."""

from base64 import b64decode
from typing import Any

from tabloop.browser.files import open_in_tab, save
from tabloop.browser.page import Page
from tabloop.core.http import HttpRequest, Transport, TransportError, send
from tabloop.ui.pictures import file_name
from tabloop.ui.strings import Strings

__all__ = ["PictureView"]


class PictureView:
    """Handles load errors and the button "Download" of all pictures in the log."""

    def __init__(self, page: Page, strings: Strings, transport: Transport) -> None:
        self._page = page
        self._strings = strings
        self._transport = transport
        page.listen(page.element("log"), "error", self._load_failed, capture=True)
        page.on_action(
            {"picture-download": self._download_pressed, "picture-open": self._open_pressed}
        )

    def _load_failed(self, event: Any) -> None:
        figure = event.target.closest("figure.picture")
        if not figure:  # JavaScript's null is not None
            return
        event.target.hidden = True
        figure.querySelector(".broken").hidden = False
        figure.querySelector("figcaption .row").hidden = True

    def _open_pressed(self, button: Any) -> None:
        """Open a picture that came in the reply itself: browsers open no data: address in a tab."""
        content, media_type = _content(_image(button).src)
        if not open_in_tab(content, media_type):
            self._page.status(self._strings("status.notSaved"), "problem")

    def _download_pressed(self, button: Any) -> None:
        image = _image(button)
        if not image.src.startswith("data:"):
            self._page.start(self._download(image.src, image.alt))
            return
        content, media_type = _content(image.src)
        self._save(image.src, image.alt, content, media_type)

    async def _download(self, url: str, prompt: str) -> None:
        """Fetch and save it, because browsers ignore `download` on links to other origins."""
        try:
            response = await send(self._transport, HttpRequest(url))
        except TransportError:
            self._page.status(self._strings("status.notDownloaded"))
            return
        if response.status != 200:
            self._page.status(self._strings("status.notDownloaded"))
            return
        self._save(url, prompt, response.body, response.headers.get("content-type", ""))

    def _save(self, url: str, prompt: str, content: bytes, media_type: str) -> None:
        if save(file_name(url, prompt, media_type), content, media_type):
            self._page.status(self._strings("status.downloaded"))
        else:
            self._page.status(self._strings("status.notSaved"), "problem")


def _image(button: Any) -> Any:
    return button.closest("figure").querySelector("img")


def _content(url: str) -> tuple[bytes, str]:
    """Return the bytes of a picture that is its own address, and their media type."""
    head, _, encoded = url.partition(";base64,")
    return b64decode(encoded), head.removeprefix("data:")
