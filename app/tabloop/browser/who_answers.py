"""Who answers: the endpoint, the browser's own language model, or search mode.

Rule: the page says who answers before it answers, and switching keeps the conversation.
"""

from typing import TYPE_CHECKING, Any

from tabloop.agent.ports import ChatModel
from tabloop.browser.clock import now
from tabloop.browser.endpoint_panel import EndpointPanel
from tabloop.browser.late_modules import late_modules
from tabloop.browser.lazy_wallet import LazyWallet
from tabloop.browser.page import Page
from tabloop.browser.storage import recall
from tabloop.browser.web import window
from tabloop.ui.strings import Strings
from tabloop.ui.who_answers import who_line

if TYPE_CHECKING:
    from tabloop.browser.device_panel import DevicePanel
    from tabloop.ui.html import Html

__all__ = ["WhoAnswers"]


class WhoAnswers:
    """While `searching`, search mode answers, which is not remembered for another tab.

    `device` is the part for the browser's own model, `None` until it is needed.
    """

    def __init__(
        self, page: Page, strings: Strings, endpoint: EndpointPanel, wallet: LazyWallet
    ) -> None:
        self._page = page
        self._strings = strings
        self._endpoint = endpoint
        self._wallet = wallet
        self._charging = set[str]()  # addresses that have asked for money in this tab
        self._exists = bool(getattr(window, "LanguageModel", None))
        self.searching = False
        self.device: DevicePanel | None = None
        self._off_texts = [
            page.element(name).textContent for name in ("searching", "searching-note")
        ]
        page.listen(page.element("searching"), "click", self._search_pressed)
        page.listen(
            page.element("device-use"),
            "click",
            lambda _event: page.start(self._device_pressed()),
        )
        endpoint.on_change = self._endpoint_changed
        wallet.on_account(self._account_changed)
        self.show()

    @property
    def on_device(self) -> bool:
        """Whether the browser's own model answers the next message."""
        return self.device is not None and self.device.on and not self.searching

    @property
    def offer(self) -> "Html | None":
        """The browser's model as a way to go on, `None` if it cannot be used here."""
        return self.device.offer if self.device else None

    async def load(self) -> None:
        """After the start: use the browser's model where it was used before."""
        stored = recall("device-model")
        if not self._exists or stored is None or not await self._loaded():
            return
        assert self.device is not None
        await self.device.look()
        wanted = stored == "chosen" or (self._charges and not self._wallet.account)
        if wanted and self._ready and not self._endpoint.chosen.key:
            self.device.turn(on=True, by_default=stored != "chosen")

    def turn_search(self, on: bool) -> None:
        """Switch search mode on or off; the page shows the mode and how to leave it."""
        self.searching = on
        button, note = self._page.element("searching"), self._page.element("searching-note")
        button.setAttribute("aria-pressed", "true" if on else "false")
        on_texts = [self._strings("searching.back"), self._strings("searching.on")]
        button.textContent, note.textContent = on_texts if on else self._off_texts
        self._endpoint.set_unused(on)
        self.show()

    def search_model(self, *, record: bool) -> ChatModel:
        """Return what answers in search mode: for Bundestakt's `record`, or for other tools."""
        from tabloop.ui.tool_by_title import ToolByTitle  # noqa: PLC0415 -- loaded when used

        if record:
            from tabloop.searching.model import SearchModel  # noqa: PLC0415 -- loaded when used

            return ToolByTitle(self._strings, SearchModel(now))
        from tabloop.ui.tool_search import ToolSearch  # noqa: PLC0415 -- loaded when used

        return ToolByTitle(self._strings, ToolSearch(self._strings))

    async def use_free(self) -> bool:
        """Let the browser's model answer, since the endpoint asks for money without a wallet.

        Nothing is downloaded for that, and a person's no stays a no.

        Returns:
            Whether it answers now.
        """
        self._charging.add(self._endpoint.chosen.url)
        self.show()
        if not self._exists or not await self._loaded():
            return False
        assert self.device is not None
        await self.device.look()
        if self._ready and not self.device.declined:
            self.device.turn(on=True, by_default=True)
        return self.on_device

    async def use_device(self, asked_in: str = ".offer") -> bool:
        """The person wants the browser's model; return whether it answers the next message."""
        if not await self._loaded():
            return False
        assert self.device is not None
        if await self.device.use(asked_in):
            self.turn_search(False)
        return self.on_device

    def show(self) -> None:
        """Say who answers the next message."""
        chosen = self._endpoint.chosen
        if self.searching:
            line = self._strings("who.search")
        elif self.on_device:
            line = self._strings("who.device")
        else:
            line = who_line(
                self._strings,
                url=chosen.url,
                model=chosen.model,
                key=bool(chosen.key),
                account=bool(self._wallet.account),
                charges=self._charges,
            )
        self._page.element("answering").textContent = line

    @property
    def _charges(self) -> bool:
        url = self._endpoint.chosen.url
        return url in self._charging or (self._wallet.is_loaded and self._wallet.charges(url))

    @property
    def _ready(self) -> bool:
        return self.device is not None and self.device.is_ready

    async def _loaded(self) -> bool:
        """Load the part for the browser's model; return whether that worked."""
        if self.device is None and await late_modules() and self.device is None:
            from tabloop.browser.device_panel import DevicePanel  # noqa: PLC0415 -- loaded when used

            self.device = DevicePanel(self._page, self._strings, self.show)
        return self.device is not None

    def _search_pressed(self, _event: Any) -> None:
        self.turn_search(not self.searching)
        self._say_ready()

    async def _device_pressed(self) -> None:
        if self.on_device and self.device:
            self.device.decline()
            self._say_ready()
        elif await self.use_device("#who"):
            self._say_ready()

    def _say_ready(self) -> None:
        kind = "readySearching" if self.searching else "readyDevice" if self.on_device else "ready"
        self._page.ready(self._strings(f"status.{kind}"))

    def _account_changed(self) -> None:
        if self._wallet.account and self.device and self.device.by_default:
            self.device.turn(on=False)
        self.show()

    def _endpoint_changed(self) -> None:
        """Another endpoint was chosen to be used."""
        if self.device and self.device.on:
            self.device.decline()
        self.show()
