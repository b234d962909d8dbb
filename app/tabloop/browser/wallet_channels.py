"""The payment channels of the wallet's account, by app/js/x402.js, and their ways out.

Rule: what is sent to the chain is "sent" until the chain says that it worked.
"""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from tabloop.browser.wallet import Wallet
from tabloop.core.json_text import Json
from tabloop.payments.channels import Channel, read_channels
from tabloop.payments.errors import PaymentError
from tabloop.payments.ledger import Ledger
from tabloop.payments.offers import Challenge, read_offer
from tabloop.payments.ports import Payment

__all__ = ["WalletChannels"]

LOOKS, PAUSE = 60, 2.0  # how often, and after how many seconds, the chain is asked for a receipt


class WalletChannels:
    """Lists channels and takes money out. Its methods raise `PaymentError`.

    `ledger` has the payments of this page.

    `keeps`: the browser has stored all that it was given. `complete`: the chain's own record of
    this account was searched, on the wallet's present network.
    """

    def __init__(self, wallet: Wallet, ledger: Ledger) -> None:
        self.wallet = wallet
        self._ledger = ledger
        self.keeps = True
        self.complete = False

    async def all(self) -> Sequence[Channel]:
        """Return the known channels of the account, without asking the wallet."""
        return read_channels(await self._listed())

    async def _listed(self) -> list[Json]:
        listed = json.loads(await self.wallet.call(lambda scripts: scripts.list()))
        self.keeps = bool(listed["keeps"])
        return listed["channels"]

    async def survey(self) -> None:
        """Look for channels in the chain's record, and read their state; opens no window.

        The ledger is told what was taken through each.
        """
        self.complete = await self.wallet.call(lambda scripts: scripts.survey())
        for channel in await self.all():
            self._ledger.claimed(channel.id, channel.claimed)

    async def exported(self) -> str:
        """Return terms and state of the account's channels as JSON text, without keys."""
        return json.dumps(await self._listed())

    async def load(self, text: str) -> int:
        """Take saved channels up again; return how many."""
        return await self.wallet.call(lambda scripts: scripts.load(text))

    async def withdraw(self, channel: str, step: str) -> str:
        """Announce a withdrawal ("announce") or take it ("finish"); return the sent hash."""
        return await self.wallet.call(lambda scripts: scripts.withdraw(channel, step))

    async def until_worked(self, channel: str, transaction: str) -> bool:
        """Wait for a transaction's receipt; return whether it came. Raises if it failed."""
        for _ in range(LOOKS):
            worked: Any = await self.wallet.call(
                lambda scripts: scripts.worked(channel, transaction)
            )
            if worked is True:
                return True
            if worked is False:
                raise PaymentError("withdraw_failed")
            await asyncio.sleep(PAUSE)
        return False

    # the port `RefundSigner`

    async def refund_payment(self, challenge: Challenge, channel: str) -> Payment | None:
        """Return the signed request for a channel's rest, `None` if no offer is for it."""
        offers = json.dumps([entry for entry in challenge.accepts if isinstance(entry, dict)])
        found = json.loads(
            await self.wallet.call(lambda scripts: scripts.refundPayload(offers, channel))
        )
        offer = read_offer(found["offer"]) if found else None
        return Payment("voucher", offer, found["payload"], channel=channel) if offer else None

    async def resync(self, payment: Payment, challenge: Challenge) -> bool:
        """Correct the channel's state by the server's proof."""
        return await self.wallet.resync(payment, challenge)
