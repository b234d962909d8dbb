"""What the buttons beside the deposits do.

Rule: each ends with a sentence that is true of the chain, or says that it is the endpoint's word.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from tabloop.browser.bridge import bridge
from tabloop.browser.files import save
from tabloop.browser.page import Page
from tabloop.browser.wallet_channels import WalletChannels
from tabloop.browser.web import JsException
from tabloop.payments.channels import Channel
from tabloop.payments.errors import PaymentError
from tabloop.payments.refund import Refunds
from tabloop.ui.channels import duration
from tabloop.ui.money import amount
from tabloop.ui.strings import Strings

__all__ = ["DepositButtons"]


class DepositButtons:
    """Takes money out of channels; each method returns the sentence for the panel.

    `endpoint` returns the address that refunds are asked of. `changed` is called when the panel
    has something new to show. `sent` has, by channel, the hash of a transaction without a receipt.
    """

    def __init__(
        self,
        page: Page,
        strings: Strings,
        channels: WalletChannels,
        refunds: Refunds,
        *,
        endpoint: Callable[[], str],
        changed: Callable[[], None],
    ) -> None:
        self._page = page
        self._strings = strings
        self._channels = channels
        self._refunds = refunds
        self._endpoint = endpoint
        self._changed = changed
        self.sent: dict[str, str] = {}

    def actions(self) -> Mapping[str, Callable[[str], Awaitable[str]]]:
        """Return the action of each button; its argument is the channel's id."""
        return {
            "refund": self._refund,
            "announce": lambda channel: self._withdraw(channel, "announce"),
            "finish": lambda channel: self._withdraw(channel, "finish"),
            "save": self._save,
        }

    async def load(self, file: Any) -> str:
        """Take up the channels in a file that the person has chosen."""
        try:
            text = str(await bridge.call(file, "text"))
        except JsException:  # it was moved since it was chosen, or may not be read
            text = ""
        count = await self._channels.load(text)
        await self._channels.survey()
        return self._strings("wallet.loaded", n=count)

    async def _save(self, _: str) -> str:
        exported = await self._channels.exported()
        saved = save("tabloop-channels.json", exported, "application/json")
        return "" if saved else self._strings("status.notSaved")

    async def _refund(self, channel_id: str) -> str:
        channel = await self._find(channel_id)
        with self._page.temporary_status(self._strings("status.askingBack")):
            try:
                paid = await self._refunds.ask(self._endpoint(), channel)
                # less than the panel has shown, if a payment was charged meanwhile or unnoticed
                channel = await self._find(channel_id)
            finally:  # a channel that another tab has emptied is not offered again
                await self._channels.survey()
        before, left = channel.left or 0, (await self._find(channel_id)).left
        if left != 0:
            stays = amount(self._strings, left or before)
            return self._strings("wallet.refundUnseen", amount=stays)
        if not paid:
            raise PaymentError("nothing_left")
        return self._strings("wallet.refunded", amount=amount(self._strings, before))

    async def _withdraw(self, channel_id: str, step: str) -> str:
        channel = await self._find(channel_id)
        with self._page.temporary_status(self._strings("status.waitingForWallet")):
            transaction = await self._channels.withdraw(channel_id, step)
        self.sent[channel_id] = transaction
        try:
            self._changed()
            worked = await self._channels.until_worked(channel_id, transaction)
        finally:  # it fails if another tab was faster, so what is there is read in any case
            self.sent.pop(channel_id, None)
            await self._channels.survey()
        if not worked:
            return self._strings("wallet.unconfirmed")
        if step == "finish":
            return self._strings("wallet.finished")
        wait = duration(self._strings, channel.delay)
        return self._strings("wallet.announced", duration=wait)

    async def _find(self, channel_id: str) -> Channel:
        for channel in await self._channels.all():
            if channel.id == channel_id:
                return channel
        raise PaymentError("unknown_channel")
