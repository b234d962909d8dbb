"""The group "Picture service". Rule: a key is kept in memory unless the person asks to store it,
and is never sent to another address than the one that it was entered for.
"""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from tabloop.browser.page import Page
from tabloop.browser.remember_box import RememberBox
from tabloop.core.addresses import is_endpoint
from tabloop.core.json_text import Json
from tabloop.tools.images.generations import PictureEndpoint
from tabloop.ui.endpoint import address_remark
from tabloop.ui.strings import Strings

__all__ = ["PictureServicePanel"]

NAME = "pictures"
FIELDS = ("url", "model", "key")


class PictureServicePanel:
    """Address, model and key; a change takes effect with the next card.

    A blank address means `default`, the service of the site's owner.
    """

    def __init__(self, page: Page, strings: Strings, default: PictureEndpoint) -> None:
        self._page = page
        self._strings = strings
        self._default = default
        self.on_change: Callable[[], None] = lambda: None
        self._remember = RememberBox(
            page, strings, "picture-remember", NAME, lambda: asdict(self._entered)
        )
        self._entered = _entered_in(self._remember.stored())
        self._note = page.element("picture-note")
        self._usual_note = self._note.textContent
        self._show()
        for name in FIELDS:
            page.listen(page.element(f"picture-{name}"), "change", self._changed)

    @property
    def chosen(self) -> PictureEndpoint:
        """The service of the next card, with a blank address if there is none."""
        entered = self._entered
        if entered.url:
            return entered
        return PictureEndpoint(self._default.url, entered.model or self._default.model, entered.key)

    def _show(self) -> None:
        for name in FIELDS:
            self._page.element(f"picture-{name}").value = getattr(self._entered, name)

    def _changed(self, _event: Any) -> None:
        url, model, key = (self._page.element(f"picture-{name}").value.strip() for name in FIELDS)
        url = url.rstrip("/")
        invalid = bool(url) and not is_endpoint(url)
        self._page.element("picture-url").setAttribute("aria-invalid", str(invalid).lower())
        self._note.textContent = address_remark(self._strings) if invalid else self._usual_note
        if invalid:
            return
        if url != self._entered.url and key == self._entered.key:
            key = ""
        self._entered = PictureEndpoint(url, model, key)
        self._remember.save()
        self._show()
        self.on_change()


def _entered_in(stored: Json) -> PictureEndpoint:
    match stored:
        case {"url": str(url), "model": str(model), "key": str(key)} if not url or is_endpoint(url):
            return PictureEndpoint(url, model, key)
        case _:
            return PictureEndpoint("")
