# pyright: standard
"""The module that signs payments, with types (app/js/x402.js).

Rule: what Python calls of that module is declared here, and test_scripts.py compares the names.
"""

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol, cast

from tabloop.browser.bridge import bridge

__all__ = ["PaymentScripts", "payment_scripts"]


class PaymentScripts(Protocol):
    """What app/js/x402.js exports. Its methods raise `JsException`; `fault_of` reads it.

    Offers, payloads, challenges and receipts are JSON, and amounts are in millionths of USDC.
    """

    async def discover(self) -> str:
        """Return the wallets in this browser as JSON: `[{id, name}]`."""
        ...

    async def connect(self, wallet: str, silent: bool, /) -> str:
        """Ask a wallet for its account; `silent` opens no window and may return a blank one."""
        ...

    def disconnect(self) -> None:
        """Forget the wallet."""
        ...

    def watch(self, tell: Any, /) -> None:
        """Call `tell` (a proxy) with the account after each switch of account or network."""
        ...

    def abandon(self) -> None:
        """Let every wait for the wallet's answer fail."""
        ...

    async def signText(self, text: str, account: str, /) -> str:
        """Have a text signed by this account; return the signature."""
        ...

    async def plan(self, offer: str, /) -> str:
        """Return what an offer would take: `{kind, payer, channel, short_by, funds}`."""
        ...

    async def sign(self, offer: str, deposit: str, payer: str, /) -> str:
        """Return `{kind, payload, channel, deposit, valid_until, again}`, signed."""
        ...

    async def settled(self, offer: str, payload: str, receipt: str, /) -> None:
        """Update the channel's state by a receipt."""
        ...

    async def resync(self, payload: str, challenge: str, /) -> bool:
        """Correct the channel's state by the server's proof; False: impossible."""
        ...

    async def forget(self, channel: str, /) -> None:
        """Delete the stored state of a channel."""
        ...

    async def list(self) -> str:
        """Return the account's channels as JSON: `[{id, network, config, state}]`."""
        ...

    async def refund(self, url: str, channel: str, /) -> str:
        """Ask the server to pay the rest of a channel back; return its receipt."""
        ...

    async def withdraw(self, channel: str, step: str, /) -> str:
        """`announce` a withdrawal, or `finish` it; return the transaction's hash."""
        ...

    def requestLock(self, name: str, /) -> int:
        """Request a lock over all tabs; return the id of the request."""
        ...

    async def acquireLock(self, request: int, /) -> None:
        """Wait until the request is granted."""
        ...

    def releaseLock(self, request: int, /) -> None:
        """Release the lock, or withdraw the request."""
        ...


class _ThroughBridge:
    """Calls what is declared as `async` through the bridge, and the rest directly."""

    def __init__(self, module: Any) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if inspect.iscoroutinefunction(getattr(PaymentScripts, name)):
            return partial(bridge.call, self._module, name)
        return getattr(self._module, name)


def payment_scripts(module: Any) -> PaymentScripts:
    """Return the loaded x402.js. Its promises fail with errors that Python can see (bridge.py)."""
    return cast("PaymentScripts", _ThroughBridge(module))
