"""The browser's locks. Rule: a lock has one holder in all tabs of this page."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from tabloop.browser.bridge import fault_of
from tabloop.browser.wallet import Wallet
from tabloop.browser.web import JsException
from tabloop.payments.errors import PaymentError

__all__ = ["TabLocks"]


class TabLocks:
    """The browser's locks: a lock has one holder in all tabs of this page."""

    def __init__(self, wallet: Wallet) -> None:
        self._wallet = wallet

    @asynccontextmanager
    async def hold(self, name: str) -> AsyncGenerator[None, None]:
        """Acquire the lock, and release it after the block; also if the wait is cancelled.

        Raises:
            PaymentError: the browser has no such locks, and two tabs could pay for one answer.
        """
        scripts = await self._wallet.scripts()
        lock = scripts.requestLock(name)
        try:
            try:
                await scripts.acquireLock(lock)
            except JsException as error:
                raise PaymentError("no_locks", detail=fault_of(error).detail) from None
            yield
        finally:
            scripts.releaseLock(lock)
