"""The browser's own language model on the page, loaded when it is asked for or was used before.

Rule: nothing is downloaded before the person has pressed a button that names the size.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tabloop.agent.ports import ChatModel
from tabloop.browser.clock import now
from tabloop.browser.language_model import BrowserModel, forbidden
from tabloop.browser.markup import set_html
from tabloop.browser.page import Page
from tabloop.browser.storage import recall, remember
from tabloop.browser.web import document, window
from tabloop.ondevice.model import OnDeviceModel
from tabloop.ondevice.ports import PromptError
from tabloop.ui.dated import dated
from tabloop.ui.device_model import (
    Device,
    Problem,
    device_label,
    place_html,
    problem_of_error,
    progress_text,
    way_html,
)
from tabloop.ui.html import Html
from tabloop.ui.strings import Strings

__all__ = ["STORED", "DevicePanel"]

STORED = "device-model"  # "there", or "chosen" where the person wants to use it


class DevicePanel:
    """The model's button, and what is said below it, here and in the offer of an answer.

    `on`: it answers the next message; `by_default`: because the endpoint would charge. `declined`:
    the person has switched it off. `changed` is called after each change.
    """

    def __init__(self, page: Page, strings: Strings, changed: Callable[[], None]) -> None:
        self._page = page
        self._strings = strings
        self._changed = changed
        self._browser = BrowserModel(str(document.documentElement.lang))
        self._model = OnDeviceModel(self._browser, dated=lambda text: dated(text, now().date()))
        self._asked_in = ""  # where the person asked for it, so that a problem is told there
        self._needs_download = True
        self._abort: Any = None
        self.device = Device()
        self.on = self.by_default = self.declined = False
        page.on_action({"device-stop": lambda _button: self._abort and self._abort.abort()})

    @property
    def model(self) -> ChatModel:
        """The model for the next run."""
        return self._model

    @property
    def is_ready(self) -> bool:
        """Whether it can answer now, without a download."""
        return self.device.known and not self.device.problem and not self._needs_download

    @property
    def offer(self) -> Html | None:
        """It as a way to go on, `None` if it cannot be used here."""
        return way_html(self._strings, self.device)

    async def look(self) -> None:
        """Ask the browser for the model's state."""
        if self.device.loading is not None:
            return
        problem: Problem | None = None
        words, state = "", "unavailable"
        if forbidden():
            problem = "policySite" if window.parent == window.self else "policyFrame"
        else:
            try:
                state = await self._browser.availability()
                problem = "unavailable" if state == "unavailable" else None
            except PromptError as error:
                problem, words = problem_of_error(error.kind, error.detail), error.detail
        there = state == "available"
        self.device = Device(
            known=True, there=there, problem=problem, words=words, listed=self._browser.listed
        )
        self._needs_download = state in ("downloadable", "downloading")
        self.show()

    async def use(self, asked_in: str) -> bool:
        """Use it, because the person wants to; download it if need be.

        `asked_in` is a CSS selector of what the pressed button is in.

        Returns:
            Whether it is on.
        """
        self._asked_in = asked_in
        if self.device.loading is not None:
            return False
        await self.look()
        if self.device.problem or (self._needs_download and not await self._download()):
            return False
        self.turn(on=True)
        return True

    def turn(self, *, on: bool, by_default: bool = False) -> None:
        """Switch it on or off."""
        self.on, self.by_default = on, on and by_default
        if on:
            remember(STORED, "there" if by_default else "chosen")
        else:
            self._model.close()
        self.show()

    def decline(self) -> None:
        """Switch it off, because the person wants another to answer."""
        self.declined = True
        if recall(STORED) is not None:
            remember(STORED, "there")
        self.turn(on=False)

    def show(self) -> None:
        """Show its state in the panel and in all offers."""
        button = self._page.element("device-use")
        button.textContent = device_label(self._strings, self.device, on=self.on)
        button.setAttribute("aria-pressed", "true" if self.on else "false")
        note = "device.unlisted" if not self.device.listed else "device.note"
        self._page.element("device-note").textContent = self._strings(note)
        well = replace(self.device, problem=None)
        for place in document.querySelectorAll("[data-device]"):
            here = self._asked_in and place.closest(self._asked_in)
            set_html(place, place_html(self._strings, self.device if here else well))
        for other in document.querySelectorAll('[data-action="own-model"]'):
            other.textContent = device_label(self._strings, self.device, on=False)
        loading = "true" if self.device.loading is not None else "false"
        for each in document.querySelectorAll('#device-use, [data-action="own-model"]'):
            each.setAttribute("aria-disabled", loading)  # it keeps the focus
        self._changed()

    async def _download(self) -> bool:
        self._abort = window.AbortController.new()
        self.device = replace(self.device, loading=0.0)
        self.show()
        problem: Problem | None = None
        words = ""
        try:
            with self._page.temporary_status(self._strings("device.progress")):
                await self._browser.download(self._progressed, self._abort.signal)
        except PromptError as error:
            problem = problem_of_error(error.kind, error.detail)
            words = "" if problem == "stopped" else error.detail
        there = problem is None
        self.device = replace(self.device, loading=None, problem=problem, words=words, there=there)
        self.show()
        return there

    def _progressed(self, loaded: float) -> None:
        """Only the numbers change, so that the button below keeps the focus."""
        before = self.device.loading
        if before is None:  # not waited for any more
            return
        self.device = replace(self.device, loading=loaded)
        if int(before * 100) == int(loaded * 100):
            return
        for place in document.querySelectorAll("[data-device]"):
            if bar := place.querySelector("progress"):
                bar.value = int(loaded * 100)
                place.querySelector("span").textContent = progress_text(self._strings, loaded)
