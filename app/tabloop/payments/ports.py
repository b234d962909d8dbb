"""Protocols for what payments need: a signer, a lock over all tabs, a view.

Rule: only the implementation of `Signer` knows keys.
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
    "Plan",
    "Signer",
    "lock_name",
]

PaymentKind = Literal["exact", "deposit", "voucher"]


@dataclass(frozen=True, slots=True)
class Plan:
    """How an offer would be paid, before anything is signed. Amounts in millionths of USDC.

    `short_by` is what the channel lacks for this offer (0: a voucher is enough), `left` what is in
    it. `funds` is the account's balance of the token and `clock` the chain's Unix time, both read
    if the wallet has to pay (0: the time is not known).
    """

    kind: PaymentKind
    payer: str
    channel: str = ""
    short_by: int = 0
    funds: int | None = None
    left: int = 0
    clock: int = 0


@dataclass(frozen=True, slots=True)
class Payment:
    """A signed payload. It is worth money, so it is sent only to the offer's origin.

    `deposit` is the amount that it moves into the channel, `valid_until` is Unix time in seconds
    (0: no end), `payer` the paying account. `repeated`: the last voucher for this channel, of any
    tab and with any outcome, had the same signature.
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
        """Whether the person signed it in the wallet; a voucher is signed by the tab's own key."""
        return self.kind != "voucher"

    @property
    def identity(self) -> str:
        """What can be charged only once: the voucher's signature, or the whole payload."""
        signature = as_object(self.payload.get("voucher")).get("signature")
        return signature if isinstance(signature, str) and signature else compact(self.payload)

    @property
    def ceiling(self) -> int | None:
        """What may be taken through the channel in all by this voucher; `None` without one."""
        text = as_object(self.payload.get("voucher")).get("maxClaimableAmount")
        return int(text) if isinstance(text, str) and text.isascii() and text.isdigit() else None


class Signer(Protocol):
    """The wallet, the tab's own key and the channel's state. All raise `PaymentError`."""

    @property
    def account(self) -> str:
        """The connected account, blank while there is none. Raises nothing."""
        ...

    async def plan(self, offer: Offer) -> Plan:
        """Return how the offer would be paid. Reads the channel, and signs nothing."""
        ...

    async def sign(self, offer: Offer, plan: Plan, *, deposit: int) -> Payment:
        """Sign the offer and the deposit, and no more; for a deposit the wallet asks the person.

        It is an error if the account is no longer that of the plan.
        """
        ...

    async def settled(self, payment: Payment, receipt: JsonObject) -> None:
        """Update the channel's stored state by a receipt."""
        ...

    async def resync(self, payment: Payment, challenge: Challenge) -> bool:
        """Correct the stored state by the server's proof and the chain; False if impossible."""
        ...

    async def forget(self, payment: Payment) -> None:
        """Delete the stored state of the channel; the next plan reads it from the chain."""
        ...


class ChannelLock(Protocol):
    """Allows one payment at a time for a channel, over all tabs of this browser."""

    def hold(self, name: str) -> AbstractAsyncContextManager[object]:
        """Acquire the lock; leaving the block releases it."""
        ...


def lock_name(network: str, pay_to: str) -> str:
    """Return the name of the lock for payments to this recipient; x402_record.js has the same."""
    return f"x402 {network} {pay_to.lower()}"


@dataclass(frozen=True, slots=True)
class PaymentPhase:
    """The progress of a payment; `amount` is in millionths of USDC.

    `topping_up` comes before the wallet asks for a deposit. The last phase is `paid` (`amount` was
    charged) or `lost` (`amount` may have been charged).
    """

    name: Literal["paying", "topping_up", "wallet", "channel_busy", "resending", "paid", "lost"]
    offer: Offer
    amount: int = 0


class PaymentView(Protocol):
    """Shows a person what is being paid."""

    def show(self, phase: PaymentPhase) -> None:
        """Show a phase; it replaces the previous one."""
        ...
