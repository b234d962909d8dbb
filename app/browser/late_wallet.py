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

from app.agent.transport import HttpRequest, HttpResponse, Streaming, Transport
from app.browser.page import Page
from app.views.payment import WalletState, wallet_html
from app.views.strings import Strings

if TYPE_CHECKING:
    from app.browser.wallet_panel import WalletPanel
    from app.payments.paid_transport import PaidTransport
    from app.payments.policy import Purpose

    Parts = tuple[WalletPanel, Callable[[Purpose], PaidTransport], Callable[[], str]]

__all__ = ["LateWallet"]

SLOW = ("app.payments.policy", "app.browser.wallet_panel", "app.payments.paid_transport")


class LateWallet:
    """Stands for the panel, the paid transports and the wallet's network, which `make` returns."""

    def __init__(
        self,
        page: Page,
        strings: Strings,
        per_message: str,
        make: "Callable[[], Parts]",
    ) -> None:
        self._parts = functools.cache(make)
        # as the panel will look, so that nothing moves when it comes
        room = page.at("wallet")
        room.innerHTML = wallet_html(strings, WalletState(per_message=per_message))
        room.hidden = False

    async def load(self) -> None:
        """Make it now, with pauses in which the page can paint and take keys."""
        for name in SLOW:
            await asyncio.sleep(0)
            importlib.import_module(name)
        self._parts()

    def transport(self, purpose: "Purpose") -> Transport:
        """Return a transport that pays; all of them pay from one ledger."""
        return _LateTransport(lambda: self._parts()[1](purpose))

    def network(self) -> str:
        """Return the network that is preferred."""
        return self._parts()[2]()

    def meter(self) -> Callable[[], str]:
        """As the panel's."""
        return self._parts()[0].meter()

    async def connect(self) -> bool:
        """As the panel's."""
        return await self._parts()[0].connect()


class _LateTransport:
    def __init__(self, make: Callable[[], Transport]) -> None:
        self._made = functools.cache(make)

    async def send(self, request: HttpRequest) -> HttpResponse:
        return await self._made().send(request)

    def stream(self, request: HttpRequest) -> AbstractAsyncContextManager[Streaming]:
        return self._made().stream(request)
