# pyright: standard
"""The wallet, which implements the ports `Signer` and `TextSigner`, and the tabs' locks.

Rule: the signing module x402.js is loaded only when something has to be paid or the person connects
a wallet. It returns plain values and JSON text, no other objects.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from tabloop.browser.bridge import fault_of
from tabloop.browser.channels import Channel
from tabloop.browser.page_files import FileError
from tabloop.browser.payment_scripts import PaymentScripts, payment_scripts
from tabloop.browser.storage import forget, recall, remember
from tabloop.browser.web import JsException, create_proxy
from tabloop.core.json_text import compact
from tabloop.payments.errors import PaymentError, wallet_error
from tabloop.payments.offers import Challenge, Offer
from tabloop.payments.ports import Payment, Plan

__all__ = ["TabLocks", "Wallet"]

CHOSEN = "wallet"
NETWORK = "network"
T = TypeVar("T")


class Wallet:
    """Signs payments and texts by the person's wallet. Its methods raise `PaymentError`.

    `load` imports x402.js. `changed` is called when the person switches the account in the wallet,
    `answered` when a signature was given, declined or is no longer waited for.
    The functions in `on_account` are called, in order, when `account` changes.
    """

    def __init__(self, load: Callable[[], Awaitable[Any]]) -> None:
        self._account = ""
        self.changed: Callable[[], None] = lambda: None
        self.answered: Callable[[], None] = lambda: None
        self.on_account: list[Callable[[], None]] = []
        self._load = load
        self._loading: asyncio.Future[PaymentScripts] | None = None
        self._watched: set[str] = set()
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
        found = json.loads(await self._call(lambda scripts: scripts.discover()))
        return [(str(wallet["id"]), str(wallet["name"])) for wallet in found]

    async def connect(self, wallet_id: str, *, silent: bool = False) -> None:
        """Ask the wallet for its account; `silent`: use the account allowed before, do not ask."""
        self.account = await self._call(lambda scripts: scripts.connect(wallet_id, silent))
        if not self.account:
            return
        remember(CHOSEN, wallet_id)
        if wallet_id not in self._watched:
            self._watched.add(wallet_id)
            (await self.scripts()).watch(create_proxy(self._account_switched))

    async def disconnect(self) -> None:
        """Forget the wallet's account; its channel is kept."""
        (await self.scripts()).disconnect()
        self.account = ""
        forget(CHOSEN)

    def choose_network(self, network: str) -> None:
        """Set the preferred network, and remember it on the device."""
        self.network = network
        remember(NETWORK, network)

    async def channels(self) -> list[Channel]:
        """Return the channels of the connected account."""
        return [Channel.read(entry) for entry in json.loads(await self.exported())]

    async def exported(self) -> str:
        """Return terms and state of the account's channels as JSON text, without keys."""
        return await self._call(lambda scripts: scripts.list())

    async def refund(self, url: str, channel: str) -> Mapping[str, Any]:
        """Ask the endpoint at `url` to pay the rest of the deposit back; return its receipt."""
        return json.loads(await self._call(lambda scripts: scripts.refund(url, channel)))

    async def withdraw(self, channel: str, step: str) -> None:
        """Announce a withdrawal (`step` "announce") or complete it after its delay ("finish")."""
        await self._call(lambda scripts: scripts.withdraw(channel, step))

    # the port `TextSigner`

    async def sign_text(self, text: str, account: str) -> str:
        """Return the account's signature (hex) of a text by `personal_sign`."""
        return await self._asked(lambda scripts: scripts.signText(text, account))

    # the port `Signer`

    async def plan(self, offer: Offer) -> Plan:
        """Return what a payment of this offer would do. Raises `PaymentError` without a wallet."""
        if not self.account:
            await self._reconnect()
        found = json.loads(await self._call(lambda scripts: scripts.plan(compact(offer.raw))))
        return Plan(
            found["kind"],
            found["payer"],
            channel=found.get("channel", ""),
            short_by=int(found.get("short_by", 0)),
            funds=int(found["funds"]) if found.get("funds") is not None else None,
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
        await self._call(lambda scripts: scripts.settled(raw, payload, compact(receipt)))

    async def resync(self, payment: Payment, challenge: Challenge) -> bool:
        """Take the channel's state from the server's challenge; return whether that worked."""
        payload, asked = compact(payment.payload), compact(challenge.raw or {"accepts": []})
        return await self._call(lambda scripts: scripts.resync(payload, asked))

    async def forget(self, payment: Payment) -> None:
        """Forget the stored state of the payment's channel."""
        if payment.channel:
            await self._call(lambda scripts: scripts.forget(payment.channel))

    async def _reconnect(self) -> None:
        """Connect the wallet of the last visit without asking the person."""
        known = recall(CHOSEN)
        if isinstance(known, str) and known:
            await self.connect(known, silent=True)
        if not self.account:
            raise PaymentError("not_connected")
        self.changed()

    async def _asked(self, call: Callable[[PaymentScripts], Awaitable[T]]) -> T:
        try:
            return await self._call(call)
        finally:
            self.answered()

    async def _call(self, call: Callable[[PaymentScripts], Awaitable[T]]) -> T:
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
        self.account = str(account)
        self.changed()


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
