"""What paying needs from outside: a signer, a lock over all tabs, a store of pinned recipients.

Rule: keys stay behind `Signer`; no key passes through here.
"""

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Literal, Protocol

from tabloop.core.json_text import JsonObject, as_object, compact
from tabloop.payments.offers import Challenge, Offer

__all__ = [
    "ChannelLock",
    "Payment",
    "PaymentKind",
    "PaymentPhase",
    "PaymentView",
    "Pin",
    "PinStore",
    "Plan",
    "Signer",
]

PaymentKind = Literal["exact", "deposit", "voucher"]


@dataclass(frozen=True, slots=True)
class Plan:
    """What an offer would take, before anything is signed. Amounts in millionths of USDC.

    `short_by` is what the channel lacks for this offer (0: a voucher is enough). `funds` is the
    account's balance of the token, read from the chain where the wallet will have to pay.
    """

    kind: PaymentKind
    payer: str
    channel: str = ""
    short_by: int = 0
    funds: int | None = None


@dataclass(frozen=True, slots=True)
class Payment:
    """A signed payload. It is worth money: sent to the offer's origin, and nowhere else.

    `deposit` is what it moves into the channel, `valid_until` is in seconds of the epoch (0: no
    end), `payer` whose money it is. `again`: the last voucher for this channel had this very
    signature, in whichever tab it was and however its request ended.
    """

    kind: PaymentKind
    offer: Offer
    payload: JsonObject
    channel: str = ""
    deposit: int = 0
    valid_until: int = 0
    repeated: bool = False
    payer: str = ""

    @property
    def by_wallet(self) -> bool:
        """Whether the person signed it in the wallet, rather than the tab with its own key."""
        return self.kind != "voucher"

    @property
    def identity(self) -> str:
        """What can be charged only once: the voucher's signature, else the whole payload."""
        signature = as_object(self.payload.get("voucher")).get("signature")
        return signature if isinstance(signature, str) and signature else compact(self.payload)


class Signer(Protocol):
    """The wallet, the tab's own key and the channel's state. All raise `PaymentError`."""

    @property
    def account(self) -> str:
        """The connected account, blank while there is none. Raises nothing."""
        ...

    async def plan(self, offer: Offer) -> Plan:
        """Say what the offer would take. Reads the channel, asks the wallet to sign nothing."""
        ...

    async def sign(self, offer: Offer, plan: Plan, *, deposit: int) -> Payment:
        """Sign; with a deposit the wallet asks the person. Never signs for more than was said.

        Another account than the plan's is an error: the person has switched meanwhile.
        """
        ...

    async def settled(self, payment: Payment, receipt: JsonObject) -> None:
        """Update the channel's state by a receipt."""
        ...

    async def resync(self, payment: Payment, challenge: Challenge) -> bool:
        """Correct the channel's state by the server's proof and the chain; False: impossible."""
        ...

    async def forget(self, payment: Payment) -> None:
        """Delete the stored state of the channel; the next plan reads it from the chain."""
        ...


class ChannelLock(Protocol):
    """One payment at a time for a channel, over all tabs of this browser."""

    def hold(self, name: str) -> AbstractAsyncContextManager[object]:
        """Acquire the lock; leaving the block releases it."""
        ...


@dataclass(frozen=True, slots=True)
class Pin:
    """Whom an origin was paid for first; `authorizer` is blank until a channel is opened."""

    pay_to: str
    authorizer: str = ""


class PinStore(Protocol):
    """Remembers pins by origin, longer than the tab lives."""

    def get(self, origin: str) -> Pin | None:
        """Return the pin of an origin, or nothing where it was never paid."""
        ...

    def put(self, origin: str, pin: Pin) -> None:
        """Store the pin of an origin in place of the one before."""
        ...


@dataclass(frozen=True, slots=True)
class PaymentPhase:
    """What paying does now. `topping_up` comes before the wallet asks; `amount` in millionths.

    `paid` and `lost` are its ends: `amount` is what was charged, and what may have been.
    """

    name: Literal["paying", "topping_up", "wallet", "channel_busy", "resending", "paid", "lost"]
    offer: Offer
    amount: int = 0


class PaymentView(Protocol):
    """Shows a person what is being paid."""

    def show(self, phase: PaymentPhase) -> None:
        """Show a phase in place of the one before."""
        ...
