"""Types for app/js/x402.js, the module that signs payments.

Rule: every function that Python calls there is declared here; test_scripts.py compares the names.
"""

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol, cast

from tabloop.browser.bridge import bridge

__all__ = ["PaymentScripts", "payment_scripts"]


class PaymentScripts(Protocol):
    """The exports of app/js/x402.js. Its methods raise `JsException`, which `fault_of` reads.

    Offers, payloads, challenges and receipts are JSON, and amounts are in millionths of USDC.
    """

    async def discover(self) -> str:
        """Return the wallets in this browser as JSON: `[{id, name}]`."""
        ...

    async def connect(self, wallet: str, silent: bool, /) -> str:
        """Ask a wallet for its account; `silent` opens no window and may return a blank one."""
        ...

    def resume(self, account: str, /) -> None:
        """Pay from the channels of this account while the wallet is locked or away."""
        ...

    def disconnect(self) -> None:
        """Forget the wallet."""
        ...

    def watch(self, tell: Any, /) -> None:
        """Call `tell` (a proxy) with the account when the person switches account or network."""
        ...

    def abandon(self) -> None:
        """End every wait for the wallet's answer with an error."""
        ...

    async def signText(self, text: str, account: str, /) -> str:
        """Return this account's signature of a text."""
        ...

    async def plan(self, offer: str, /) -> str:
        """Return how an offer would be paid: `{kind, payer, channel, ...}`, see x402.js."""
        ...

    async def sign(self, offer: str, deposit: str, payer: str, /) -> str:
        """Return the signed payment `{kind, payload, channel, deposit, valid_until, again}`."""
        ...

    async def settled(self, offer: str, payload: str, receipt: str, /) -> None:
        """Update the channel's state from a receipt."""
        ...

    async def resync(self, payload: str, challenge: str, /) -> bool:
        """Correct the channel's state by the server's proof; return False if impossible."""
        ...

    async def forget(self, channel: str, /) -> None:
        """Delete the stored state of a channel."""
        ...

    async def list(self) -> str:
        """Return the account's channels as JSON: `{channels: [{id, network, ...}], keeps}`."""
        ...

    async def survey(self) -> bool:
        """Read the chain's record of the account; return whether all of it was searched."""
        ...

    async def load(self, text: str, /) -> int:
        """Take saved channels up again; return how many."""
        ...

    async def refundPayload(self, offers: str, channel: str, /) -> str:
        """Sign the request for a channel's rest: `{offer, payload}`, or null."""
        ...

    async def withdraw(self, channel: str, step: str, /) -> str:
        """`announce` a withdrawal, or `finish` it; return the transaction's hash."""
        ...

    async def worked(self, channel: str, transaction: str, /) -> Any:
        """Return whether a transaction worked; null while the chain does not have it."""
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
    """Calls the functions declared as `async` through the bridge, and the others directly."""

    def __init__(self, module: Any) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if inspect.iscoroutinefunction(getattr(PaymentScripts, name)):
            return partial(bridge.call, self._module, name)
        return getattr(self._module, name)


def payment_scripts(module: Any) -> PaymentScripts:
    """Return the loaded module; its promises reject with errors that Pyodide can raise."""
    return cast("PaymentScripts", _ThroughBridge(module))
