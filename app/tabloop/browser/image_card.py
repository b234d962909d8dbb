# pyright: standard
"""One card that asks for a picture. Rule: what is agreed to is the price that stood on it."""

import asyncio
import logging
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tabloop.agent.ports import Approved, Declined
from tabloop.browser.markup import set_html
from tabloop.browser.page import Page
from tabloop.browser.waiting_card import WaitingCard
from tabloop.core.pricing import Price, PriceError, PriceSource
from tabloop.tools.images.tool import MAX_PROMPT
from tabloop.ui.html import fragment
from tabloop.ui.image_card import (
    CardState,
    Progress,
    Stage,
    card_html,
    confirm_label,
    price_html,
    progress_html,
    remark,
    stages_html,
)
from tabloop.ui.strings import Strings

__all__ = ["ImageCard"]

log = logging.getLogger(__name__)


class ImageCard(WaitingCard):
    """Stays while the picture is paid for and made.

    `confirmed_price` is set with the confirmation.
    """

    def __init__(
        self,
        page: Page,
        strings: Strings,
        pricing: PriceSource,
        arguments: Mapping[str, Any],
        *,
        rest: float = 0.0,
    ) -> None:
        self._strings = strings
        self._pricing = pricing
        self._given = dict(arguments)
        self._state = CardState.asked(arguments)
        self._progress = Progress("generating")
        self._since = 0.0
        self._shown = fragment()
        self._reading: asyncio.Task[None] | None = None
        self.confirmed_price: Price | None = None
        html = card_html(strings, self._state, longest=MAX_PROMPT)
        super().__init__(page, strings("card.region"), html, rest=rest)
        self._ask_price()

    def changed(self, name: str, value: str) -> None:
        if self.decided:
            return
        if name == "prompt":
            self._state = replace(self._state, prompt=value)
            self._renew()
        elif name == "size" and value != self._state.size:
            self._state = replace(self._state, size=value)
            self._ask_price()

    def show_stage(self, stage: Stage, *, again: bool = False) -> None:
        """Say what paying or generating does now; the seconds of the making count on."""
        if stage != "signing" and self._progress.stage == "signing":
            self._since = time.monotonic()
        self._progress = replace(self._progress, stage=stage, again=again)
        self._tick()

    def _pressed(self, name: str) -> None:
        if name == "again":
            self._ask_price()
        elif name == "cancel":
            self._decide(Declined("The person declined to have this picture made."))
        elif name == "confirm" and self._state.can_confirm:
            wanted = self._state.arguments
            self._decide(Approved(wanted if wanted != self._given else None))

    def _go_on(self) -> bool:
        price = self._state.price
        assert isinstance(price, Price)  # without one it could not be confirmed
        self.confirmed_price = price
        self._since = time.monotonic()
        self._progress = Progress("signing" if price.amount else "generating", price.amount)
        set_html(self.element, progress_html(self._strings, self._state, self._progress))
        self._start(self._count())
        return True

    def _ask_price(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
        self._state = replace(self._state, price=None)
        self._renew()
        self._reading = self._start(self._read_price())

    async def _read_price(self) -> None:
        try:
            price = await self._pricing.price(self._state.arguments)
        except PriceError as error:
            price = error
        except Exception:  # without a price the card cannot be confirmed, but still be cancelled
            log.exception("the price could not be read")
            price = PriceError("unreadable", self._strings("card.seller"))
        self._state = replace(self._state, price=price)
        self._renew()

    async def _count(self) -> None:
        while self.element.isConnected:
            await asyncio.sleep(1)
            self._tick()

    def _tick(self) -> None:
        stages = self._part("stages")
        if stages:  # JavaScript's null is no None
            self._progress = replace(self._progress, seconds=int(time.monotonic() - self._since))
            html = stages_html(self._strings, self._progress)
            if html != self._shown:
                self._shown = html
                set_html(stages, html)

    def _renew(self) -> None:
        """Write all but the prompt, in which somebody may be typing."""
        state, strings = self._state, self._strings
        set_html(self._part("price"), price_html(strings, state.price))
        self._part("remark").textContent = remark(strings, state)
        self._button("confirm").textContent = confirm_label(strings, state.price)
        self._switch({"confirm": state.can_confirm, "cancel": True})
        self._button("again").hidden = not isinstance(state.price, PriceError)
