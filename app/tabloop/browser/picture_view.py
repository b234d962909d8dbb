# pyright: standard
"""What can be done with a picture in the conversation. Rule: one that does not load says so."""

from typing import Any

from tabloop.browser.files import save
from tabloop.browser.page import Page
from tabloop.core.http import HttpRequest, Transport, TransportError, send
from tabloop.ui.pictures import file_name
from tabloop.ui.strings import Strings

__all__ = ["PictureView"]


class PictureView:
    """Listens to all pictures of the log: their faults, and the wish to keep one."""

    def __init__(self, page: Page, strings: Strings, transport: Transport) -> None:
        self._page = page
        self._strings = strings
        self._transport = transport
        page.listen(page.element("log"), "error", self._broken, capture=True)
        page.on_action({"picture-download": self._wanted})

    def _broken(self, event: Any) -> None:
        figure = event.target.closest("figure.picture")
        if not figure:  # JavaScript's null is no None
            return
        event.target.hidden = True
        figure.querySelector(".broken").hidden = False
        figure.querySelector("figcaption .row").hidden = True

    def _wanted(self, button: Any) -> None:
        prompt = button.closest("figure").querySelector("img").alt
        self._page.start(self._download(button.dataset.value, prompt))

    async def _download(self, url: str, prompt: str) -> None:
        """Fetch and save: the browser ignores `download` on a link to another origin."""
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
