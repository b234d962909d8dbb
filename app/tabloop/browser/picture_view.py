"""Pictures of the conversation: failed loads and downloads. Rule: a failure is always shown."""

from typing import Any

from tabloop.browser.files import save
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
        page.on_action({"picture-download": self._download_pressed})

    def _load_failed(self, event: Any) -> None:
        figure = event.target.closest("figure.picture")
        if not figure:  # JavaScript's null is not None
            return
        event.target.hidden = True
        figure.querySelector(".broken").hidden = False
        figure.querySelector("figcaption .row").hidden = True

    def _download_pressed(self, button: Any) -> None:
        prompt = button.closest("figure").querySelector("img").alt
        self._page.start(self._download(button.dataset.value, prompt))

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
        media_type = response.headers.get("content-type", "")
        save(file_name(url, prompt, media_type), response.body, media_type)
        self._page.status(self._strings("status.downloaded"))
