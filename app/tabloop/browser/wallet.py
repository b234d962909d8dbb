"""The wallet, which implements the ports `Signer` and `TextSigner`.

Rule: the signing module x402.js is loaded only when something has to be paid or the person has
connected a wallet. It returns plain values and JSON text, no other objects.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, TypeVar

from tabloop.browser.bridge import fault_of
from tabloop.browser.page_files import FileError
from tabloop.browser.payment_scripts import PaymentScripts, payment_scripts
from tabloop.browser.storage import forget, recall, remember
from tabloop.browser.web import JsException, create_proxy
from tabloop.core.json_text import compact
from tabloop.payments.errors import PaymentError, wallet_error
from tabloop.payments.offers import Challenge, Offer
from tabloop.payments.ports import Payment, Plan

__all__ = ["Wallet"]

CHOSEN = "wallet"
PAYER = "payer"
ANSWERS_WITHIN = 3.0  # seconds, for a question that opens no window
NETWORK = "network"
T = TypeVar("T")


class Wallet:
    """Signs payments and texts by the person's wallet. Its methods raise `PaymentError`.

    `load` imports x402.js. `away`: the account is known, but the wallet is locked or absent, so
    that only the tab's own key can pay. `changed` is called when the person switches the account in
    the wallet, `answered` when a signature was given, declined or is no longer waited for. The
    functions in `on_account` are called, in order, when `account` changes.
    """

    def __init__(self, load: Callable[[], Awaitable[Any]]) -> None:
        self._account = ""
        self.away = False
        self.changed: Callable[[], None] = lambda: None
        self.answered: Callable[[], None] = lambda: None
        self.on_account: list[Callable[[], None]] = []
        self._load = load
        self._loading: asyncio.Future[PaymentScripts] | None = None
        self._listener: Any = None
        self._tells = False
        stored = recall(NETWORK)
        self.network: str = stored if isinstance(stored, str) else ""

    @property
    def account(self) -> str:
        """The connected account, blank while there is none."""
        return self._account

    @account.setter
    def account(self, account: str) -> None:
        if account != self._account:
            self._account = account
            for react in self.on_account:
                react()

    async def scripts(self) -> PaymentScripts:
        """Return x402.js, loaded once; a failed load is tried again. Raises `PaymentError`."""
        if self._loading is None or (self._loading.done() and self._loading.exception()):
            self._loading = asyncio.ensure_future(self._loaded())
        try:
            return await asyncio.shield(self._loading)
        except FileError as error:
            facts = {"file": error.file}
            raise PaymentError("file_missing", facts=facts, detail=error.reason) from None

    async def _loaded(self) -> PaymentScripts:
        return payment_scripts(await self._load())

    async def discover(self) -> list[tuple[str, str]]:
        """Return (id, name) of each wallet in this browser."""
        found = json.loads(await self.call(lambda scripts: scripts.discover()))
        return [(str(wallet["id"]), str(wallet["name"])) for wallet in found]

    async def connect(self, wallet_id: str, *, silent: bool = False) -> None:
        """Ask the wallet for its account; `silent`: use the account allowed before, do not ask."""
        account = await self.call(lambda scripts: scripts.connect(wallet_id, silent))
        # a silent answer without account may come after the person has connected this wallet
        if account:
            self.account, self.away = account, False
            remember(CHOSEN, wallet_id)
            remember(PAYER, account)
        self._listener = self._listener or create_proxy(self._account_switched)
        (await self.scripts()).watch(self._listener)

    async def disconnect(self) -> None:
        """Forget the wallet's account; its channels are kept."""
        (await self.scripts()).disconnect()
        self.account, self.away = "", False
        forget(CHOSEN)
        forget(PAYER)

    async def resume(self) -> bool:
        """Take up the account of the last visit without asking; return whether there was one."""
        payer, chosen = recall(PAYER), recall(CHOSEN)
        if not (isinstance(payer, str) and payer):
            return False
        (await self.scripts()).resume(payer)
        # it may not be in this browser any more, or not answer
        with suppress(PaymentError, TimeoutError):
            await asyncio.wait_for(self.connect(str(chosen), silent=True), ANSWERS_WITHIN)
        if not self.account:
            self.account, self.away = payer, True
        return True

    def choose_network(self, network: str) -> None:
        """Set the preferred network, and remember it on the device."""
        self.network = network
        remember(NETWORK, network)

    # the port `TextSigner`

    async def sign_text(self, text: str, account: str) -> str:
        """Return the account's signature (hex) of a text by `personal_sign`."""
        return await self._asked(lambda scripts: scripts.signText(text, account))

    # the port `Signer`

    async def plan(self, offer: Offer) -> Plan:
        """Return what a payment of this offer would do. Raises `PaymentError` without a wallet."""
        if not self.account and not await self.resume():
            raise PaymentError("not_connected")
        found = json.loads(await self.call(lambda scripts: scripts.plan(compact(offer.raw))))
        return Plan(
            found["kind"],
            found["payer"],
            channel=found.get("channel", ""),
            short_by=int(found.get("short_by", 0)),
            funds=int(found["funds"]) if found.get("funds") is not None else None,
            left=int(found.get("left", 0)),
            clock=int(found.get("clock", 0)),
        )

    async def sign(self, offer: Offer, plan: Plan, *, deposit: int) -> Payment:
        """Return the signed payment of an offer; `deposit` in millionths, 0 for none."""
        raw = compact(offer.raw)
        signed = json.loads(
            await self._asked(lambda scripts: scripts.sign(raw, str(deposit), plan.payer))
        )
        return Payment(
            signed["kind"],
            offer,
            signed["payload"],
            channel=signed["channel"],
            deposit=int(signed["deposit"]),
            valid_until=int(signed["valid_until"]),
            repeated=bool(signed["again"]),
        )

    async def settled(self, payment: Payment, receipt: Mapping[str, Any]) -> None:
        """Update the channel's state from the receipt of a payment."""
        raw, payload = compact(payment.offer.raw), compact(payment.payload)
        await self.call(lambda scripts: scripts.settled(raw, payload, compact(receipt)))

    async def resync(self, payment: Payment, challenge: Challenge) -> bool:
        """Take the channel's state from the server's challenge; return whether that worked."""
        payload, asked = compact(payment.payload), compact(challenge.raw or {"accepts": []})
        return await self.call(lambda scripts: scripts.resync(payload, asked))

    async def forget(self, payment: Payment) -> None:
        """Forget the stored state of the payment's channel."""
        if payment.channel:
            await self.call(lambda scripts: scripts.forget(payment.channel))

    async def _asked(self, call: Callable[[PaymentScripts], Awaitable[T]]) -> T:
        try:
            return await self.call(call)
        finally:
            self.answered()

    async def call(self, call: Callable[[PaymentScripts], Awaitable[T]]) -> T:
        """Return what a function of x402.js returns. Raises `PaymentError`."""
        scripts = await self.scripts()
        try:
            return await call(scripts)
        except asyncio.CancelledError:
            scripts.abandon()  # the wallet may never answer, and other calls wait for this one
            raise
        except JsException as error:
            fault = fault_of(error)
            raise wallet_error(fault.kind, fault.detail) from None

    def _account_switched(self, account: str) -> None:
        self.away = not account  # locked, or the person took the account back
        if account:
            self.account = str(account)
            remember(PAYER, self.account)
        if not self._tells:  # many events of a wallet that come at once are one change
            self._tells = True
            asyncio.get_running_loop().call_soon(self._tell)

    def _tell(self) -> None:
        self._tells = False
        self.changed()
