"""The card that asks to confirm a picture. Rule: the confirmed price is the one that it showed."""

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
    SIZES,
    CardState,
    card_html,
    confirm_label,
    price_html,
    remark,
    size_label,
)
from tabloop.ui.image_progress import Progress, Stage, progress_html, stages_html
from tabloop.ui.strings import Strings

__all__ = ["ImageCard"]

log = logging.getLogger(__name__)


class ImageCard(WaitingCard):
    """Stays until the picture is paid for and made, and shows the progress.

    `confirmed_price` is `None` until the person confirms.
    """

    def __init__(
        self,
        page: Page,
        strings: Strings,
        pricing: PriceSource,
        arguments: Mapping[str, Any],
        *,
        locked_for: float = 0.0,
    ) -> None:
        self._strings = strings
        self._pricing = pricing
        self._arguments = dict(arguments)
        self._state = CardState.asked(arguments)
        self._progress = Progress("generating")
        self._started_at = 0.0
        self._shown = fragment()
        self._price_task: asyncio.Task[None] | None = None
        self.confirmed_price: Price | None = None
        html = card_html(strings, self._state, longest=MAX_PROMPT)
        super().__init__(page, strings("card.region"), html, locked_for=locked_for)
        self._ask_price()

    def changed(self, name: str, value: str) -> None:
        """Handle an input: `name` is "prompt" or "size"; a new size needs a new price."""
        if self.decided:
            return
        if name == "prompt":
            self._state = replace(self._state, prompt=value)
            self._update()
        elif name == "size" and value != self._state.size:
            self._state = replace(self._state, size=value)
            self._ask_price()

    def show_stage(self, stage: Stage, *, again: bool = False) -> None:
        """Show the stage of payment and generation; the seconds start after the signature."""
        if stage != "signing" and self._progress.stage == "signing":
            self._started_at = time.monotonic()
        self._progress = replace(self._progress, stage=stage, again=again)
        self._tick()

    def _pressed(self, name: str) -> None:
        if name == "again":
            self._ask_price()
        elif name == "cancel":
            self._decide(Declined("The person declined to have this picture made."))
        elif name == "confirm" and self._state.can_confirm:
            arguments = self._state.arguments
            self._decide(Approved(arguments if arguments != self._arguments else None))

    def _show_progress(self) -> bool:
        price = self._state.price
        assert isinstance(price, Price)  # a card without a price cannot be confirmed
        self.confirmed_price = price
        self._started_at = time.monotonic()
        self._progress = Progress("signing" if price.amount else "generating", price.amount)
        set_html(self.element, progress_html(self._strings, self._state, self._progress))
        self._start(self._count_seconds())
        return True

    def _ask_price(self) -> None:
        if self._price_task is not None:
            self._price_task.cancel()
        self._state = replace(self._state, price=None)
        self._update()
        self._price_task = self._start(self._read_price())

    async def _read_price(self) -> None:
        try:
            price = await self._pricing.price(self._state.arguments)
        except PriceError as error:
            price = error
        except Exception:  # the card cannot be confirmed then, but it can be cancelled
            log.exception("the price could not be read")
            price = PriceError("unreadable", self._strings("card.seller"))
        self._state = replace(self._state, price=price)
        self._update()

    async def _count_seconds(self) -> None:
        while self.element.isConnected:
            await asyncio.sleep(1)
            self._tick()

    def _tick(self) -> None:
        stages = self._part("stages")
        if stages:  # JavaScript's null is not None
            self._progress = replace(
                self._progress, seconds=int(time.monotonic() - self._started_at)
            )
            html = stages_html(self._strings, self._progress)
            if html != self._shown:
                self._shown = html
                set_html(stages, html)

    def _update(self) -> None:
        """Write everything except the prompt, in which the person may be typing."""
        state, strings = self._state, self._strings
        set_html(self._part("price"), price_html(strings, state.price))
        self._part("remark").textContent = remark(strings, state)
        self._part("length").textContent = state.text.length(strings)
        if isinstance(state.price, Price):
            for size in SIZES:
                named = size_label(strings, replace(state, size=size))
                self._part(f"label-{size}").textContent = named
        self._button("confirm").textContent = confirm_label(strings, state.price)
        self._enable({"confirm": state.can_confirm, "cancel": True})
        self._button("again").hidden = not isinstance(state.price, PriceError)
