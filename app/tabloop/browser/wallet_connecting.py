"""Asks one wallet for its account until it answers or the person cancels.

Rule: another wallet is asked only after the wait for the one before has ended.
"""

import asyncio
from collections.abc import Callable

from tabloop.browser.wallet import Wallet

__all__ = ["Connecting"]


class Connecting:
    """One request at a time. `asked` is the id of the wallet that is being asked, or blank.

    `changed` is called when `asked` has changed.
    """

    def __init__(self, wallet: Wallet, changed: Callable[[], None]) -> None:
        self._wallet = wallet
        self._changed = changed
        self._task: asyncio.Task[None] | None = None
        self.asked = ""

    async def to(self, wallet_id: str) -> bool:
        """Return whether it answered; False if the wait was cancelled. Raises `PaymentError`."""
        await self.cancel()
        task = self._task = asyncio.ensure_future(self._wallet.connect(wallet_id))
        self.asked = wallet_id
        self._changed()
        try:
            await asyncio.wait([task])
        finally:
            task.cancel()
            if self._task is task:
                self._task, self.asked = None, ""
        if task.cancelled():
            return False
        await task
        return True

    async def cancel(self) -> None:
        """End the wait for the wallet's answer, if there is one."""
        if task := self._task:
            task.cancel()
            await asyncio.wait([task])
