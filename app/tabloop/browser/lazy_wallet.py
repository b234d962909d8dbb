"""The wallet panel and paid transports, created after the start or when first needed.

Rule: the start never waits for what only a 402 response or "Connect wallet" needs.
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
from tabloop.core.pricing import CostMeter, Price
from tabloop.ui.announced import Announced
from tabloop.ui.payment import WalletState, wallet_html
from tabloop.ui.strings import Strings

if TYPE_CHECKING:
    from tabloop.browser.wallet_panel import WalletPanel
    from tabloop.payments.limits import Purpose
    from tabloop.payments.paid_transport import PaidTransport
    from tabloop.payments.ports import PaymentPhase, PaymentView

    PayingParts = tuple[
        WalletPanel, Callable[[Purpose, PaymentView], PaidTransport], Callable[[], str]
    ]

__all__ = ["LazyTransport", "LazyWallet"]

SLOW_MODULES = (
    "tabloop.payments.limits",
    "tabloop.payments.offers",
    "tabloop.payments.policy",
    "tabloop.browser.wallet_panel",
    "tabloop.payments.paid_transport",
    "tabloop.browser.paying",
)


class LazyWallet:
    """A proxy for the panel, the paid transports and the network, which `create` returns.

    `announced` is what is said about prices before the first payment.
    """

    def __init__(
        self,
        page: Page,
        strings: Strings,
        announced: Announced,
        create: "Callable[[], PayingParts]",
    ) -> None:
        self._create = create
        self._created: PayingParts | None = None
        self._on_account: list[Callable[[], None]] = []
        # looks like the panel, so that nothing moves when the panel is created
        panel = page.element("wallet")
        set_html(panel, wallet_html(strings, WalletState(announced=announced)))
        panel.hidden = False

    async def load(self) -> None:
        """Create it now, with pauses in which the page can paint and handle input."""
        for name in SLOW_MODULES:
            await asyncio.sleep(0)
            importlib.import_module(name)
        self._parts()

    def transport(self, purpose: "Purpose", view: "PaymentView | None" = None) -> "LazyTransport":
        """Return a transport that pays; `view` (default: the panel) is told of each phase.

        All transports share one ledger.
        """

        def create() -> "PaidTransport":
            panel, paid, _ = self._parts()
            return paid(purpose, view or panel)

        return LazyTransport(create)

    def network(self) -> str:
        """Return the preferred network's id."""
        return self._parts()[2]()

    @property
    def is_loaded(self) -> bool:
        """Whether its parts are there, so that asking them does not delay the page."""
        return self._created is not None

    # the same methods as the panel has

    @property
    def account(self) -> str:
        """The connected account, blank while there is none."""
        return self._created[0].account if self._created else ""

    def on_account(self, react: Callable[[], None]) -> None:
        """Call `react` whenever the account changes or is disconnected."""
        if self._created:
            self._created[0].on_account(react)
        else:
            self._on_account.append(react)

    async def sign_text(self, text: str, account: str) -> str:
        """Return the account's signature of a text; the status line asks for it meanwhile."""
        return await self._parts()[0].sign_text(text, account)

    def show(self, phase: "PaymentPhase") -> None:
        """Show the phase of a payment."""
        self._parts()[0].show(phase)

    def meter(self) -> CostMeter:
        """Return a meter for what is paid from now on, which is for another question."""
        from tabloop.payments.meter import Meter  # noqa: PLC0415 -- loaded when needed

        policy = self._parts()[0].policy
        policy.begin_question()
        return Meter(policy.ledger)

    def charges(self, url: str) -> bool:
        """Return whether the server of this address was paid before."""
        from tabloop.payments.paid_request import origin_of  # noqa: PLC0415 -- loaded when needed

        return self._parts()[0].policy.pins.get(origin_of(url)) is not None

    def accept_terms(self, error: Exception | None) -> None:
        """Let the next request pay by the changed terms that this error has shown."""
        from tabloop.payments.errors import OfferRefused  # noqa: PLC0415 -- loaded when needed

        if isinstance(error, OfferRefused) and error.changed:
            self._parts()[0].policy.accept(error.changed)

    async def connect(self) -> bool:
        """Connect a wallet (the person may have to choose one); return whether one is connected."""
        return await self._parts()[0].connect()

    def _parts(self) -> "PayingParts":
        if self._created is None:
            self._created = self._create()
            for react in self._on_account:
                self._created[0].on_account(react)
        return self._created


class LazyTransport:
    """A paid transport that is created for the first request or price."""

    def __init__(self, create: "Callable[[], PaidTransport]") -> None:
        self._transport = functools.cache(create)

    def stream(self, request: HttpRequest) -> AbstractAsyncContextManager[Streaming]:
        """Open the response to a request, paid for if the server asks for it."""
        return self._transport().stream(request)

    async def price(self, request: HttpRequest) -> Price | None:
        """Return the price of a request that is sent without paying. Raises `PriceError`."""
        from tabloop.payments.live_prices import LivePrices  # noqa: PLC0415 -- loaded when needed

        return await LivePrices(self._transport()).price(request)
