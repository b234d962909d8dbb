"""The button "Find a model on this computer". Rule: nothing is asked before it is pressed."""

from typing import Any, get_args

from tabloop.browser.markup import set_html
from tabloop.browser.page import Page
from tabloop.browser.web import JsException, js_object, window
from tabloop.core.addresses import is_loopback
from tabloop.core.http import Transport
from tabloop.endpoint.local_servers import find_models
from tabloop.ui.html import fragment, h
from tabloop.ui.local_models import Access, access_line, chosen_of, found_html
from tabloop.ui.strings import Strings

__all__ = ["LocalFinder"]

# the first is newer; a browser without such a permission knows neither
PERMISSIONS = ("loopback-network", "local-network-access")


class LocalFinder:
    """Shows what was found below the button; a press on a model enters it in the panel."""

    def __init__(self, page: Page, strings: Strings, transport: Transport) -> None:
        self._page = page
        self._strings = strings
        self._transport = transport
        page.on_action({"use-local": self._use})

    async def look(self) -> None:
        """Look for servers, and show the result."""
        button, shown = self._page.element("endpoint-find"), self._page.element("endpoint-found")
        button.disabled = True
        try:
            access, looking = await _access(), self._strings("local.looking")
            line = access_line(self._strings, access)
            told = h("p", {"class": "note told"}, line) if line else None
            set_html(shown, fragment(h("p", {"class": "note"}, looking), told))
            with self._page.temporary_status(looking):
                found = await find_models(self._transport, _reachable)
            access = await _access()  # the person may have decided meanwhile
            origin = str(window.location.origin)
            set_html(shown, found_html(self._strings, found, origin=origin, access=access))
            self._mark()
            shown.focus()  # the pressed button lost the focus while it was disabled
            shown.scrollIntoView(js_object({"block": "nearest"}))
        finally:
            button.disabled = False

    def _use(self, button: Any) -> None:
        url, model = chosen_of(button.dataset.value)
        self._page.element("endpoint-url").value = url
        self._page.element("endpoint-model").value = model
        # as if it had been typed: the panel forgets a key and tells everybody
        for name in ("input", "change"):
            self._page.element("endpoint-url").dispatchEvent(window.Event.new(name))
        self._mark()

    def _mark(self) -> None:
        """Mark the button of the model that is entered."""
        entered = tuple(self._page.element(f"endpoint-{name}").value for name in ("url", "model"))
        for button in self._page.element("endpoint-found").querySelectorAll("[data-value]"):
            pressed = chosen_of(button.dataset.value) == entered
            button.setAttribute("aria-pressed", "true" if pressed else "false")


async def _reachable(url: str) -> bool:
    """Return whether anything answers there, also what the page may not read."""
    options = {"mode": "no-cors", "credentials": "omit", "cache": "no-store"}
    try:
        await window.fetch(url, js_object(options))
    except JsException:
        return False
    return True


async def _access() -> Access:
    """Return how this browser treats a request of this page to this computer."""
    if is_loopback(str(window.location.hostname)):
        return "own"
    if not window.isSecureContext:
        return "insecure"
    for name in PERMISSIONS:
        try:
            state = await window.navigator.permissions.query(js_object({"name": name}))
        except (JsException, AttributeError):
            continue
        known = {"denied": "denied", "granted": "own", "prompt": "asks"}
        access = known.get(str(state.state), "asks")
        return next(one for one in get_args(Access) if one == access)
    return "asks"
