"""Helpers for payment tests: valid offers, a signer without a wallet, a log of what was shown."""

import asyncio
import base64
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from tabloop.core.http import HttpRequest, HttpResponse
from tabloop.core.json_text import JsonObject
from tabloop.core.networks import NETWORKS
from tabloop.payments.ledger import Ledger
from tabloop.payments.limits import Limits
from tabloop.payments.offers import Challenge, Offer, decode_header, read_offer
from tabloop.payments.paid_transport import PaidTransport
from tabloop.payments.pins import Pin
from tabloop.payments.policy import SpendingPolicy
from tabloop.payments.ports import Payment, PaymentKind, PaymentPhase, Plan
from tabloop.payments.receipt import Receipt

from tests.unit.fake_transport import FakeTransport, Pieces

ORIGIN = "https://paid.example"
PAYEE = "0x" + "a1" * 20
AUTHORIZER = "0x" + "b2" * 20
STRANGER = "0x" + "c3" * 20
PAYER = "0x" + "d4" * 20
PREFIX = "invalid_batch_settlement_evm_"
REQUEST = HttpRequest(ORIGIN, "POST", {"content-type": "application/json"}, b"{}", buffered=True)


def channel_offer(**changes: Any) -> dict[str, Any]:
    """An honest offer for messages; changes go to the fields, or to `extra` by `extra_` names."""
    offer: dict[str, Any] = {
        "scheme": "batch-settlement",
        "network": "eip155:10",
        "amount": "10000",
        "asset": NETWORKS["eip155:10"].usdc.address,
        "payTo": PAYEE,
        "maxTimeoutSeconds": 300,
        "extra": {
            "name": "USD Coin",
            "version": "2",
            "receiverAuthorizer": AUTHORIZER,
            "withdrawDelay": 900,
            "minDeposit": "100000",
        },
    }
    return _changed(offer, changes)


def exact_offer(**changes: Any) -> dict[str, Any]:
    """An honest offer for a picture."""
    offer = channel_offer(scheme="exact", amount="70000")
    offer["extra"] = {"name": "USD Coin", "version": "2"}
    return _changed(offer, changes)


def _changed(offer: dict[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    for key, value in changes.items():
        place = offer["extra"] if key.startswith("extra_") else offer
        name = key.removeprefix("extra_")
        if value is None:
            del place[name]
        else:
            place[name] = value
    return offer


def encoded(document: object) -> str:
    return base64.b64encode(json.dumps(document).encode()).decode()


def asks(*offers: object, error: str = "", version: object = 2) -> HttpResponse:
    """A 402; `error` gets its scheme's prefix."""
    document: dict[str, Any] = {
        "x402Version": version,
        "resource": {"url": ORIGIN},
        "accepts": list(offers or [channel_offer()]),
    }
    if error:
        document["error"] = PREFIX + error
    return HttpResponse(402, {"payment-required": encoded(document)}, b"{}")


def answers(charged: str | None = "3000", **more: Any) -> HttpResponse:
    """A paid answer with its receipt; without a charge, without one."""
    headers = {}
    if charged is not None:
        receipt = {"success": True, "transaction": "", "extra": {"chargedAmount": charged}, **more}
        headers = {"payment-response": encoded(receipt)}
    return HttpResponse(200, headers, b'{"choices": []}')


def challenge(*entries: Any) -> Challenge:
    return Challenge(tuple(entries))


@dataclass
class MemoryPins:
    """Pins that live as long as the test."""

    pins: dict[str, Pin] = field(default_factory=dict[str, Pin])

    def get(self, origin: str) -> Pin | None:
        return self.pins.get(origin)

    def put(self, origin: str, pin: Pin) -> None:
        self.pins[origin] = pin


@dataclass
class FakeSigner:
    """A signer without a wallet. `kinds` are the next plans; the last one is repeated."""

    kinds: list[PaymentKind] = field(default_factory=lambda: ["deposit", "voucher"])
    short_by: int = 10_000
    funds: int | None = 5_000_000
    fails: Exception | None = None
    resyncs: bool = True
    signed: list[tuple[PaymentKind, int]] = field(default_factory=list[tuple[PaymentKind, int]])
    done: list[str] = field(default_factory=list[str])
    valid_until: int = 0
    same: str = ""  # a voucher for the same amount has the same signature
    last: str = ""
    corrected: list[JsonObject] = field(default_factory=list[JsonObject])  # payloads
    reasons: list[JsonObject] = field(default_factory=list[JsonObject])  # for resync, whole 402s
    account: str = PAYER
    clock: int = 0

    async def plan(self, offer: Offer) -> Plan:
        kind: PaymentKind = "exact" if offer.scheme == "exact" else self.kinds[0]
        short = self.short_by if kind == "deposit" else 0
        return Plan(kind, self.account, short_by=short, funds=self.funds, clock=self.clock)

    async def sign(self, offer: Offer, plan: Plan, *, deposit: int) -> Payment:
        if self.fails:
            raise self.fails
        kind = plan.kind
        if kind != "exact" and len(self.kinds) > 1:
            self.kinds.pop(0)
        self.signed.append((kind, deposit))
        signature = self.same or f"0x{len(self.signed):02x}"
        payload: dict[str, Any] = {"type": kind, "voucher": {"signature": signature}}
        again, self.last = signature == self.last, signature
        return Payment(
            kind, offer, payload, deposit=deposit, valid_until=self.valid_until, repeated=again
        )

    async def settled(self, payment: Payment, receipt: Mapping[str, Any]) -> None:
        self.done.append(f"settled {receipt['extra']['chargedAmount']}")

    async def resync(self, payment: Payment, challenge: Challenge) -> bool:
        self.corrected.append(payment.payload)
        self.reasons.append(challenge.raw)
        self.done.append("resync")
        self.same = ""  # the next voucher contains the new count
        return self.resyncs

    async def forget(self, payment: Payment) -> None:
        self.corrected.append(payment.payload)
        self.done.append("forget")


@dataclass
class Locks:
    """One lock per name, in this process."""

    names: list[str] = field(default_factory=list[str])
    held: dict[str, asyncio.Lock] = field(default_factory=dict[str, asyncio.Lock])
    fails: Exception | None = None

    @asynccontextmanager
    async def hold(self, name: str) -> AsyncGenerator[None, None]:
        self.names.append(name)
        if self.fails:
            raise self.fails
        async with self.held.setdefault(name, asyncio.Lock()):
            yield


@dataclass
class Shop:
    """A paying transport with its fakes, which tests inspect."""

    transport: FakeTransport
    paid: PaidTransport
    signer: FakeSigner
    policy: SpendingPolicy
    phases: list[PaymentPhase]
    slept: list[float]
    locks: Locks

    @property
    def shown(self) -> list[str]:
        return [phase.name for phase in self.phases]

    @property
    def ledger(self) -> Ledger:
        return self.policy.ledger

    @property
    def receipts(self) -> list[Receipt]:
        return [record.receipt for record in self.ledger.records if record.receipt]

    def payments(self) -> list[Mapping[str, Any] | None]:
        """The payment header of each request, decoded."""
        headers = [request.headers for request in self.transport.requests]
        return [decode_header(header.get("payment-signature", "")) for header in headers]

    def vouchers(self) -> list[str]:
        """The signature in each paid request, in order."""
        return [paid["payload"]["voucher"]["signature"] for paid in self.payments() if paid]


@dataclass
class Show:
    phases: list[PaymentPhase] = field(default_factory=list[PaymentPhase])

    def show(self, phase: PaymentPhase) -> None:
        self.phases.append(phase)


def limits(**changes: Any) -> Limits:
    usual: dict[str, Any] = {
        "networks": tuple(NETWORKS),
        "per_message": 10_000,
        "question": 40_000,
        "per_image": 100_000,
        "deposit": 1_000_000,
        "session": 2_000_000,
        "pay_to": {},
    }
    return Limits(**(usual | changes))


def policy(network: str = "", **changes: Any) -> SpendingPolicy:
    return SpendingPolicy(limits(**changes), MemoryPins(), Ledger(), network)


def spend(ledger: Ledger, amount: int) -> None:
    """Book a payment of this amount whose answer never came."""
    offer = read_offer(channel_offer(amount=str(amount)))
    assert offer
    record = ledger.record(Payment("voucher", offer, {"spent": len(ledger.records)}), None)
    record.apply("send")
    record.apply("no_answer")


def shop(
    *responses: HttpResponse | Pieces | Exception,
    signer: FakeSigner | None = None,
    judge: SpendingPolicy | None = None,
    purpose: Any = "message",
    now: float = 0,
    stopped: bool = False,
) -> Shop:
    """Put everything together; `stopped`: the person presses Stop as soon as it waits."""
    transport = FakeTransport(list(responses))
    show, signer, judge = Show(), signer or FakeSigner(), judge or policy()
    slept: list[float] = []
    locks = Locks()

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        if stopped:
            raise asyncio.CancelledError

    paid = PaidTransport(
        transport,
        purpose=purpose,
        signer=signer,
        policy=judge,
        locks=locks,
        view=show,
        sleep=sleep,
        now=lambda: now,
    )
    return Shop(transport, paid, signer, judge, show.phases, slept, locks)
