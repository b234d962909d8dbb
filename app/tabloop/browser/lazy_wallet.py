# pyright: standard
"""All that pays, made when the page is ready or when it is first needed.

Rule: nobody waits at the start for what only a 402 or "Connect wallet" needs.
"""

import asyncio
import functools
import importlib
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from tabloop.browser.markup import set_html
from tabloop.browser.page import Page
from tabloop.core.http import HttpRequest, Streaming
from tabloop.core.pricing import Price
from tabloop.ui.payment import WalletState, wallet_html
from tabloop.ui.strings import Strings

if TYPE_CHECKING:
    from tabloop.browser.wallet_panel import WalletPanel
    from tabloop.payments.paid_transport import PaidTransport
    from tabloop.payments.policy import Purpose
    from tabloop.payments.ports import PaymentPhase, PaymentView

    Parts = tuple[WalletPanel, Callable[[Purpose, PaymentView], PaidTransport], Callable[[], str]]

__all__ = ["LazyTransport", "LazyWallet"]

SLOW = (
    "tabloop.payments.policy",
    "tabloop.browser.wallet_panel",
    "tabloop.payments.paid_transport",
)


class LazyWallet:
    """Stands for the panel, the paid transports and the wallet's network, which `make` returns."""

    def __init__(
        self,
        page: Page,
        strings: Strings,
        per_message: str,
        make: "Callable[[], Parts]",
    ) -> None:
        self._make = make
        self._made: Parts | None = None
        self._on_account: list[Callable[[], None]] = []
        # as the panel will look, so that nothing moves when it comes
        room = page.element("wallet")
        set_html(room, wallet_html(strings, WalletState(per_message=per_message)))
        room.hidden = False

    async def load(self) -> None:
        """Make it now, with pauses in which the page can paint and take keys."""
        for name in SLOW:
            await asyncio.sleep(0)
            importlib.import_module(name)
        self._parts()

    def transport(self, purpose: "Purpose", view: "PaymentView | None" = None) -> "LazyTransport":
        """Return a transport that pays, all of them from one ledger; `view` hears of it.

        Without one the panel does.
        """

        def make() -> "PaidTransport":
            panel, paid, _ = self._parts()
            return paid(purpose, view or panel)

        return LazyTransport(make)

    def network(self) -> str:
        """Return the network that is preferred."""
        return self._parts()[2]()

    # as the panel's

    @property
    def account(self) -> str:
        """The connected account, blank while there is none."""
        return self._made[0].account if self._made else ""

    def on_account(self, react: Callable[[], None]) -> None:
        """Call this at once when another account, or none, is connected."""
        if self._made:
            self._made[0].on_account(react)
        else:
            self._on_account.append(react)

    async def sign_text(self, text: str, account: str) -> str:
        """Have a text signed, and say so while the wallet asks."""
        return await self._parts()[0].sign_text(text, account)

    def show(self, phase: "PaymentPhase") -> None:
        """Say what is being paid."""
        self._parts()[0].show(phase)

    def meter(self) -> Callable[[], str]:
        """Start to count what may be charged without a receipt."""
        return self._parts()[0].meter()

    async def connect(self) -> bool:
        """Connect a wallet; with several, the person chooses one first."""
        return await self._parts()[0].connect()

    def _parts(self) -> "Parts":
        if self._made is None:
            self._made = self._make()
            for react in self._on_account:
                self._made[0].on_account(react)
        return self._made


class LazyTransport:
    """A paid transport that is made when something is sent, or a price asked for."""

    def __init__(self, make: "Callable[[], PaidTransport]") -> None:
        self._transport = functools.cache(make)

    def stream(self, request: HttpRequest) -> AbstractAsyncContextManager[Streaming]:
        return self._transport().stream(request)

    async def price(self, request: HttpRequest) -> Price | None:
        """Return what an unpaid request would be charged. Raises `PriceError`."""
        from tabloop.payments.live_prices import LivePrices  # noqa: PLC0415 -- as late as the rest

        return await LivePrices(self._transport()).price(request)
