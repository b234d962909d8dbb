# pyright: standard
"""The wallet and the tab's own key, behind the ports of `payments` and of the owner's sign-in.

Rule: the signing module is loaded when something asks to be paid, or the person connects a wallet,
and never before; what comes back from it is text.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from tabloop.browser.bridge import bridge, fault_of
from tabloop.browser.page_files import FileError
from tabloop.browser.storage import forget, recall, remember
from tabloop.browser.web import JsException, create_proxy
from tabloop.core.json_text import compact
from tabloop.payments.errors import PaymentError, wallet_error
from tabloop.payments.offers import Challenge, Offer
from tabloop.payments.ports import Payment, Pin, Plan

__all__ = ["Channel", "StoredPins", "TabLocks", "Wallet"]

CHOSEN = "wallet"
NETWORK = "network"
PINS = "pins"


@dataclass(frozen=True, slots=True)
class Channel:
    """A payment channel of the account. `left` in millionths, nothing where it isn't known."""

    id: str
    network: str
    pay_to: str
    delay: int
    left: int | None


class Wallet:
    """Signs what Python allows. `changed` is called when the person switches account or network.

    All of `on_account` are called at once, in order, when another account, or none, is connected.
    """

    def __init__(self, load: Callable[[], Awaitable[Any]]) -> None:
        self._account = ""
        self.changed: Callable[[], None] = lambda: None
        self.on_account: list[Callable[[], None]] = []
        self._load = load
        self._loading: asyncio.Future[Any] | None = None
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

    async def module(self) -> Any:
        """Return x402.js, loaded once; a load that failed is tried again."""
        if self._loading is None or (self._loading.done() and self._loading.exception()):
            self._loading = asyncio.ensure_future(self._load())
        try:
            return await asyncio.shield(self._loading)
        except FileError as error:
            facts = {"file": error.file}
            raise PaymentError("file_missing", facts=facts, detail=error.reason) from None

    async def discover(self) -> list[tuple[str, str]]:
        """Return (id, name) of the wallets in this browser."""
        found = json.loads(await self._call("discover"))
        return [(str(wallet["id"]), str(wallet["name"])) for wallet in found]

    async def connect(self, wallet_id: str, *, silent: bool = False) -> None:
        """Ask the wallet for its account, or take the one that it gave before."""
        self.account = str(await self._call("connect", wallet_id, silent) or "")
        if not self.account:
            return
        remember(CHOSEN, wallet_id)
        if wallet_id not in self._watched:
            self._watched.add(wallet_id)
            (await self.module()).watch(create_proxy(self._switched))

    async def disconnect(self) -> None:
        """Forget the wallet; its channel stays."""
        (await self.module()).disconnect()
        self.account = ""
        forget(CHOSEN)

    def choose_network(self, network: str) -> None:
        """Prefer this network from now on."""
        self.network = network
        remember(NETWORK, network)

    async def channels(self) -> list[Channel]:
        """Return the channels of the account."""
        return [_channel(entry) for entry in json.loads(await self.exported())]

    async def exported(self) -> str:
        """Return the terms and the state of the account's channels as JSON: no key is in it."""
        return str(await self._call("list"))

    async def refund(self, url: str, channel: str) -> Mapping[str, Any]:
        """Ask the endpoint to pay the rest back; return its receipt."""
        return json.loads(await self._call("refund", url, channel))

    async def withdraw(self, channel: str, step: str) -> None:
        """Announce a withdrawal (`announce`), or take it after its delay (`finish`)."""
        await self._call("withdraw", channel, step)

    # the port `TextSigner`

    async def sign_text(self, text: str, account: str) -> str:
        return str(await self._call("signText", text, account))

    # the port `Signer`

    async def plan(self, offer: Offer) -> Plan:
        if not self.account:
            await self._reconnect()
        found = json.loads(await self._call("plan", _text(offer.raw)))
        return Plan(
            found["kind"],
            found["payer"],
            channel=found.get("channel", ""),
            short_by=int(found.get("short_by", 0)),
            funds=int(found["funds"]) if found.get("funds") is not None else None,
        )

    async def sign(self, offer: Offer, plan: Plan, *, deposit: int) -> Payment:
        signed = json.loads(await self._call("sign", _text(offer.raw), str(deposit), plan.payer))
        return Payment(
            signed["kind"],
            offer,
            signed["payload"],
            channel=signed["channel"],
            deposit=int(signed["deposit"]),
            valid_until=int(signed["valid_until"]),
            again=bool(signed["again"]),
        )

    async def settled(self, payment: Payment, receipt: Mapping[str, Any]) -> None:
        raw, payload = _text(payment.offer.raw), _text(payment.payload)
        await self._call("settled", raw, payload, _text(receipt))

    async def resync(self, payment: Payment, challenge: Challenge) -> bool:
        asked = _text(challenge.raw or {"accepts": []})
        return bool(await self._call("resync", _text(payment.payload), asked))

    async def forget(self, payment: Payment) -> None:
        if payment.channel:
            await self._call("forget", payment.channel)

    async def _reconnect(self) -> None:
        """Take up the wallet of last time; it asks the person nothing."""
        known = recall(CHOSEN)
        if isinstance(known, str) and known:
            await self.connect(known, silent=True)
        if not self.account:
            raise PaymentError("not_connected")
        self.changed()

    async def _call(self, name: str, *arguments: object) -> Any:
        module = await self.module()
        try:
            return await bridge.call(module, name, *arguments)
        except asyncio.CancelledError:
            module.abandon()  # the wallet may never answer, and others wait for their turn
            raise
        except JsException as error:
            fault = fault_of(error)
            raise wallet_error(fault.kind, fault.detail) from None

    def _switched(self, account: str) -> None:
        self.account = str(account)
        self.changed()


class TabLocks:
    """The browser's own locks: one holder in all tabs of this page."""

    def __init__(self, wallet: Wallet) -> None:
        self._wallet = wallet

    @asynccontextmanager
    async def hold(self, name: str) -> AsyncGenerator[None, None]:
        """Wait for the lock; a wait that is cancelled withdraws its request.

        Raises `PaymentError` in a browser without such locks: two tabs could pay for one answer.
        """
        module = await self._wallet.module()
        lock = module.requestLock(name)
        try:
            try:
                await bridge.call(module, "acquireLock", lock)
            except JsException as error:
                raise wallet_error("no_locks", fault_of(error).detail) from None
            yield
        finally:
            module.releaseLock(lock)


class StoredPins:
    """Whom each origin was paid for, kept on the device."""

    def get(self, origin: str) -> Pin | None:
        stored = _pins().get(origin)
        match stored:
            case {"pay_to": str(pay_to), "authorizer": str(authorizer)}:
                return Pin(pay_to, authorizer)
            case _:
                return None

    def put(self, origin: str, pin: Pin) -> None:
        entry = {"pay_to": pin.pay_to, "authorizer": pin.authorizer}
        remember(PINS, {**_pins(), origin: entry})


def _pins() -> Mapping[str, Any]:
    stored = recall(PINS)
    return stored if isinstance(stored, dict) else {}


def _channel(entry: Mapping[str, Any]) -> Channel:
    config, state = entry["config"], entry.get("state")
    left = None
    if state:
        left = int(state.get("balance") or 0) - int(state.get("chargedCumulativeAmount") or 0)
    return Channel(
        entry["id"], entry["network"], config["receiver"], int(config["withdrawDelay"]), left
    )


def _text(value: Mapping[str, Any]) -> str:
    return compact(value)
