# pyright: standard
"""One card that asks for a picture. Rule: the first press decides, before anything is awaited."""

import asyncio
import logging
import time
from collections.abc import Coroutine, Mapping
from dataclasses import replace
from typing import Any

from app.agent.ports import Approval, Approved, Declined
from app.agent.quotes import PriceError, Quote
from app.browser.page import Page
from app.browser.web import document
from app.tools.images import MAX_PROMPT
from app.views.image_card import (
    CardState,
    Stage,
    card_html,
    confirm_label,
    price_html,
    progress_html,
    remark,
    stage_line,
)
from app.views.strings import Strings

__all__ = ["ImageCard"]

log = logging.getLogger(__name__)


class ImageCard:
    """Stands in the conversation from the question until the picture is there, or is not.

    `decision` is set once; it is cancelled by whoever awaits it, when the run is stopped. A card
    that comes right after another lets `rest` seconds pass before it can be pressed: the second
    half of a double press was meant for the one before.
    """

    def __init__(
        self,
        page: Page,
        strings: Strings,
        quote: Quote,
        arguments: Mapping[str, Any],
        *,
        rest: float = 0.0,
    ) -> None:
        self._page = page
        self._strings = strings
        self._quote = quote
        self._given = dict(arguments)
        self._state = CardState(arguments["prompt"], arguments["size"])
        self._stage: Stage = "generating"
        self._since = 0.0
        self._resting = rest > 0
        self._work: set[asyncio.Task[None]] = set()
        self._reading: asyncio.Task[None] | None = None
        self.decision: asyncio.Future[Approval] = asyncio.get_running_loop().create_future()
        self.element: Any = document.createElement("section")
        self.element.className = "card"
        self.element.setAttribute("aria-label", strings("card.region"))
        self.element.innerHTML = card_html(strings, self._state, longest=MAX_PROMPT)
        self._ask_price()
        if self._resting:
            self._start(self._wake(rest))

    def press(self, name: str) -> None:
        """Take a press on one of its buttons. The first that decides counts, any other is none."""
        if self._state.decided or self._resting:
            return
        if name == "again":
            self._ask_price()
        elif name == "cancel":
            self._decide(Declined("The person declined to have this picture made."))
        elif name == "confirm" and self._state.can_confirm:
            wanted = self._state.arguments
            self._decide(Approved(wanted if wanted != self._given else None))

    def changed(self, name: str, value: str) -> None:
        """Take what was typed or chosen."""
        if self._state.decided:
            return
        if name == "prompt":
            self._state = replace(self._state, prompt=value)
            self._renew()
        elif name == "size" and value != self._state.size:
            self._state = replace(self._state, size=value)
            self._ask_price()

    def show_stage(self, stage: Stage) -> None:
        """Say what paying or generating does now; the seconds count on."""
        self._stage = stage
        self._tick()

    def close(self) -> None:
        """Take it away, whatever it was doing."""
        self._state = replace(self._state, decided=True)
        self._end_work()
        had_focus = self.element.contains(document.activeElement)
        self.element.remove()
        if had_focus:
            self._page.back_to_typing()

    def _decide(self, decision: Approval) -> None:
        self._state = replace(self._state, decided=True)
        self._end_work()
        if not self.decision.done():
            self.decision.set_result(decision)
        had_focus = self.element.contains(document.activeElement)
        if isinstance(decision, Approved):
            self._since = time.monotonic()
            self.element.innerHTML = progress_html(self._strings, self._state, self._stage)
            self._start(self._count())
        else:
            self.element.remove()
        if had_focus:  # the button that was pressed is gone
            self._page.back_to_typing()

    def _ask_price(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
        self._state = replace(self._state, price=None)
        self._renew()
        self._reading = self._start(self._read_price())

    async def _read_price(self) -> None:
        try:
            price = await self._quote.price(self._state.arguments)
        except PriceError as error:
            price = error
        except Exception:  # without a price the card cannot be confirmed, but still be cancelled
            log.exception("the price could not be read")
            price = PriceError("unreadable", self._strings("card.seller"))
        self._state = replace(self._state, price=price)
        self._renew()

    async def _wake(self, rest: float) -> None:
        await asyncio.sleep(rest)
        self._resting = False
        self._renew()

    async def _count(self) -> None:
        while self.element.isConnected:
            await asyncio.sleep(1)
            self._tick()

    def _tick(self) -> None:
        line = self._at("stage")
        if line:  # JavaScript's null is no None
            seconds = int(time.monotonic() - self._since)
            line.textContent = stage_line(self._strings, self._stage, seconds)

    def _renew(self) -> None:
        """Write all but the prompt, in which somebody may be typing."""
        state, strings = self._state, self._strings
        self._at("price").innerHTML = price_html(strings, state.price)
        self._at("remark").textContent = remark(strings, state)
        confirm = self._at("confirm")
        confirm.textContent = confirm_label(strings, state.price)
        confirm.disabled = self._resting or not state.can_confirm
        self._at("cancel").disabled = self._resting
        self._at("again").hidden = not isinstance(state.price, PriceError)

    def _at(self, name: str) -> Any:
        return self.element.querySelector(f'[data-card="{name}"]')

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = self._page.start(work)
        self._work.add(task)
        task.add_done_callback(self._work.discard)
        return task

    def _end_work(self) -> None:
        for task in list(self._work):
            task.cancel()
