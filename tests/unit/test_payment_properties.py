"""Random sequences of answers, chain events, reloads and tabs: no sum is ever too low.

The endpoint may be dishonest in all that it answers, except that a clear receipt is true: what it
says to have charged is what it takes for that payment.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tabloop.core.errors import AgentError
from tabloop.core.http import HttpRequest, HttpResponse, Streaming, Transport, TransportError, send
from tabloop.core.json_text import JsonObject, as_object
from tabloop.payments.errors import OfferRefused
from tabloop.payments.ledger import Ledger
from tabloop.payments.offers import Challenge, Offer, decode_header
from tabloop.payments.paid_transport import PaidTransport
from tabloop.payments.pins import ChangedTerms, PinStore
from tabloop.payments.policy import SpendingPolicy
from tabloop.payments.ports import Payment, Plan

from tests.unit.paying import (
    PAYER,
    PREFIX,
    REQUEST,
    STRANGER,
    Locks,
    MemoryPins,
    Show,
    channel_offer,
    encoded,
    limits,
)

LIMITS = limits(question=15_000, session=30_000, deposit=20_000)
# a message costs a third of the session's limit, so that the limits are reached
TERMS: tuple[dict[str, Any], ...] = (
    {},
    {"extra_withdrawDelay": 901},
    {"extra_receiverAuthorizer": STRANGER},
    {"payTo": STRANGER},
    {"network": "eip155:8453"},
    {"amount": "10001"},
    {"amount": "4000"},
    {"extra_minDeposit": "18000"},
)
ERRORS = ("channel_busy", "cumulative_amount_mismatch", "cumulative_exceeds_balance", "", "no")


@dataclass(frozen=True)
class Move:
    """What the endpoint does with one request: its terms, what it takes, and how it answers."""

    terms: int
    takes: int  # in percent of what the voucher allows
    settles: bool  # whether a deposit reaches the chain
    answer: str  # "receipt", "silence", "refusal", "lost", "failure", "gateway", "lie"
    error: str


@dataclass
class World:
    """The chain and the endpoint; `state` is what the browser stores, for all tabs."""

    moves: list[Move]
    balance: dict[str, int] = field(default_factory=dict[str, int])
    taken: dict[str, int] = field(default_factory=dict[str, int])
    signed: dict[str, int] = field(default_factory=dict[str, int])  # signature to the ceiling
    state: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    best: dict[str, str] = field(default_factory=dict[str, str])  # the highest voucher that came
    used: set[str] = field(default_factory=set[str])  # deposits
    last: str = ""

    def move(self) -> Move:
        return self.moves.pop(0) if self.moves else Move(0, 50, True, "receipt", "")


def channel_of(offer: Mapping[str, Any]) -> str:
    extra = offer["extra"]
    terms = (offer["network"], offer["payTo"], extra["receiverAuthorizer"], extra["withdrawDelay"])
    return "/".join(map(str, terms))


@dataclass
class Signer:
    """Does what x402.js does: vouchers by the stored state, deposits by the chain's."""

    world: World
    account: str = PAYER

    async def plan(self, offer: Offer) -> Plan:
        channel = channel_of(offer.raw)
        balance, charged = self.world.state.get(channel, (0, 0))
        if charged + offer.amount > balance:
            balance = self.world.balance.get(channel, 0)
            charged = max(charged, 0)
            self.world.state[channel] = (balance, charged)
        short = charged + offer.amount - balance
        kind = "deposit" if short > 0 else "voucher"
        return Plan(kind, PAYER, channel, max(0, short), 10**9)

    async def sign(self, offer: Offer, plan: Plan, *, deposit: int) -> Payment:
        ceiling = self.world.state[plan.channel][1] + offer.amount
        signature = f"{plan.channel}={ceiling}"
        again, self.world.last = signature == self.world.last, signature
        self.world.signed[signature] = ceiling
        payload: dict[str, Any] = {
            "channel": plan.channel,
            "voucher": {"signature": signature, "maxClaimableAmount": str(ceiling)},
            "deposit": deposit,
            "nonce": len(self.world.used) if deposit else 0,
        }
        return Payment(
            plan.kind, offer, payload, plan.channel, deposit, valid_until=0, repeated=again
        )

    async def settled(self, payment: Payment, receipt: JsonObject) -> None:
        balance, charged = self.world.state.get(payment.channel, (0, 0))
        took = int(str(as_object(receipt["extra"])["chargedAmount"]))
        self.world.state[payment.channel] = (balance + payment.deposit, charged + took)

    async def resync(self, payment: Payment, challenge: Challenge) -> bool:
        for entry in challenge.accepts:
            offer = as_object(entry)
            proof = as_object(as_object(offer.get("extra")).get("proof"))
            signature, charged = proof.get("signature"), proof.get("charged")
            if not (isinstance(signature, str) and isinstance(charged, int)):
                continue
            if charged <= self.world.signed.get(signature, -1):
                channel = payment.channel
                self.world.state[channel] = (self.world.balance.get(channel, 0), charged)
                return True
        return False

    async def forget(self, payment: Payment) -> None:
        self.world.state.pop(payment.channel, None)


@dataclass
class Endpoint(Transport):
    """Answers as the world's next move says, and takes what the vouchers allow."""

    world: World

    def stream(self, request: HttpRequest) -> AbstractAsyncContextManager[Streaming]:
        return self._stream(request)

    @asynccontextmanager
    async def _stream(self, request: HttpRequest) -> AsyncGenerator[Streaming, None]:
        yield _Whole(self._answer(request))

    def _answer(self, request: HttpRequest) -> HttpResponse:
        header = request.headers.get("payment-signature")
        if not header:
            terms = {"extra_minDeposit": "15000", **TERMS[self.world.move().terms]}
            return self._asks(channel_offer(**terms), "")
        paid = decode_header(header)
        assert paid
        offer, payload = as_object(paid["accepted"]), as_object(paid["payload"])
        move, channel = self.world.move(), str(payload["channel"])
        took = self._take(offer, payload, move)
        if move.answer == "receipt" and took is not None:
            return self._receipt(took)
        match move.answer:
            case "lie":
                return self._receipt(10**9)
            case "lost":
                raise TransportError("unreachable", "h")
            case "failure" | "gateway" | "silence":
                status = {"failure": 500, "gateway": 503, "silence": 200}[move.answer]
                return HttpResponse(status, {}, b"{}")
            case _:
                proof = {"signature": self.world.best.get(channel, "")}
                count = {"charged": self.world.taken.get(channel, 0)}
                extra = {**as_object(offer["extra"]), "proof": {**proof, **count}}
                return self._asks({**offer, "extra": extra}, move.error)

    def _take(self, offer: JsonObject, payload: JsonObject, move: Move) -> int | None:
        """Return what is taken for this payment, `None` if it is an old voucher."""
        world, channel = self.world, str(payload["channel"])
        deposit = f"{channel} {payload['nonce']} {payload['deposit']}"
        if payload["deposit"] and move.settles and deposit not in world.used:
            world.used.add(deposit)
            world.balance[channel] = world.balance.get(channel, 0) + int(str(payload["deposit"]))
        signature = str(as_object(payload["voucher"])["signature"])
        ceiling, before = world.signed[signature], world.taken.get(channel, 0)
        if ceiling > world.signed.get(world.best.get(channel, ""), 0):
            world.best[channel] = signature
        room = min(ceiling, world.balance.get(channel, 0)) - before
        if ceiling - int(str(offer["amount"])) != before or room < 0:
            return None  # by the endpoint's own count this voucher is out of step
        took = room * move.takes // 100
        world.taken[channel] = before + took
        return took

    def _receipt(self, charged: int) -> HttpResponse:
        document = {"success": True, "extra": {"chargedAmount": str(charged)}}
        return HttpResponse(200, {"payment-response": encoded(document)}, b"{}")

    def _asks(self, offer: Mapping[str, Any], error: str) -> HttpResponse:
        document: dict[str, Any] = {"x402Version": 2, "accepts": [offer]}
        document |= {"error": PREFIX + error if error else ""}
        return HttpResponse(402, {"payment-required": encoded(document)}, b"{}")


@dataclass
class _Whole:
    response: HttpResponse
    cost: int = 0

    @property
    def status(self) -> int:
        return self.response.status

    @property
    def headers(self) -> Mapping[str, str]:
        return self.response.headers

    async def chunks(self) -> AsyncIterator[bytes]:
        yield self.response.body


@dataclass
class Tab:
    """One page: a reload makes another one, with a ledger of its own."""

    world: World
    pins: PinStore
    locks: Locks
    ledger: Ledger = field(default_factory=Ledger)
    changed: ChangedTerms | None = None

    def __post_init__(self) -> None:
        async def no_wait(_: float) -> None:
            await asyncio.sleep(0)

        self.policy = SpendingPolicy(LIMITS, self.pins, self.ledger)
        self.paid = PaidTransport(
            Endpoint(self.world),
            purpose="message",
            signer=Signer(self.world),
            policy=self.policy,
            locks=self.locks,
            view=Show(),
            sleep=no_wait,
            now=lambda: 0,
        )

    async def ask(self) -> None:
        self.changed = None
        self.policy.begin_question()
        before = self.ledger.committed
        try:
            await send(self.paid, REQUEST)
        except OfferRefused as refused:
            self.changed = refused.changed
        except AgentError:
            pass
        assert self.ledger.committed - before <= LIMITS.question

    def accept(self) -> bool:
        """Press the button below changed terms; return whether there was one."""
        if self.changed is None:
            return False
        self.policy.accept(self.changed)
        return True

    def read_chain(self) -> None:
        """Read what the endpoint has taken on the chain."""
        for channel, taken in self.world.taken.items():
            self.ledger.claimed(channel, taken)


MOVES = st.builds(
    Move,
    terms=st.integers(0, len(TERMS) - 1) | st.just(0),
    takes=st.integers(0, 100) | st.just(100),
    settles=st.booleans() | st.just(True),
    answer=st.sampled_from(
        ("receipt", "receipt", "silence", "refusal", "lost", "failure", "gateway", "lie")
    ),
    error=st.sampled_from(ERRORS),
)
STEPS = st.lists(
    st.sampled_from(("ask 0", "ask 1", "both", "reload 0", "lose", "read", "accept 0", "accept 1")),
    max_size=14,
)


@settings(max_examples=150, deadline=None)
@given(moves=st.lists(MOVES, max_size=40), steps=STEPS)
def test_what_is_said_to_be_spent_or_uncertain_is_never_less_than_what_was_taken(
    moves: list[Move], steps: list[str]
) -> None:
    asyncio.run(_play(World(moves), steps))


async def _play(world: World, steps: list[str]) -> None:
    pins, locks = MemoryPins(), Locks()
    tabs, ledgers = [Tab(world, pins, locks), Tab(world, pins, locks)], list[Ledger]()
    ledgers += [tab.ledger for tab in tabs]
    accepted = 0
    for step in steps:
        match step.split():
            case ["ask", number]:
                await tabs[int(number)].ask()
            case ["both"]:
                await asyncio.gather(*(tab.ask() for tab in tabs))
            case ["reload", number]:
                tabs[int(number)] = Tab(world, pins, locks)
                ledgers.append(tabs[int(number)].ledger)
            case ["read"]:
                for tab in tabs:
                    tab.read_chain()
            case ["accept", number]:
                await tabs[int(number)].ask()
                if tabs[int(number)].accept():
                    accepted += 1
                    await tabs[int(number)].ask()
            case _:  # the browser loses what it stored
                world.state.clear()
        _check(world, ledgers, accepted)


def _check(world: World, ledgers: list[Ledger], accepted: int) -> None:
    said = sum(ledger.charged + ledger.uncertain for ledger in ledgers)
    assert sum(world.taken.values()) <= said
    for ledger in ledgers:
        assert ledger.committed <= LIMITS.session
        assert ledger.deposited <= LIMITS.session
        assert all(record.payment.offer.amount <= LIMITS.per_message for record in ledger.records)
        assert all(record.payment.deposit <= LIMITS.deposit for record in ledger.records)
    # all deposits are in the one channel that the page knows by its pins, unless a person agreed
    assert len([channel for channel, balance in world.balance.items() if balance]) <= 1 + accepted
