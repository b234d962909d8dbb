"""The spending of this session, in millionths of USDC: the sum over the records of its payments.

Rule: what may have been charged counts against the limit too, but is shown separately.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from tabloop.core.json_text import JsonObject
from tabloop.payments.lifecycle import (
    IN_FLIGHT,
    TRANSITIONS,
    PaymentEvent,
    PaymentState,
    next_state,
)
from tabloop.payments.limits import Purpose
from tabloop.payments.ports import Payment
from tabloop.payments.receipt import Receipt

__all__ = ["Ledger", "PaymentRecord", "max_cost"]


@dataclass(slots=True, eq=False)
class PaymentRecord:
    """One signed payment, the `resource` of its challenge, what it is for, and its state."""

    payment: Payment
    resource: JsonObject | None = None
    purpose: Purpose = "message"
    state: PaymentState = "signed"
    receipt: Receipt | None = None
    sends: int = 0
    failures: int = 0  # requests that failed although it was sent with them

    def apply(self, event: PaymentEvent) -> None:
        """Change to the next state. Raises `ValueError` for an event that cannot happen."""
        self.state = next_state(self.state, event)
        self.sends += event in ("send", "resend")
        self.failures += event == "request_failed"

    def settle(self, receipt: Receipt) -> None:
        """Store the response's receipt; only in its state "charged" the amount is known."""
        self.receipt = receipt
        self.apply("receipt" if receipt.state == "charged" else "answer")

    def claim(self, amount: int) -> None:
        """Note that the chain shows this amount as taken."""
        self.receipt = Receipt("charged", amount)
        self.apply("claim")

    @property
    def in_flight(self) -> bool:
        """Whether it was sent, and its response has not arrived yet."""
        return self.state in IN_FLIGHT

    @property
    def sendable(self) -> bool:
        """Whether a request may send it, for the first time or again."""
        return (self.state, "send") in TRANSITIONS

    @property
    def max_cost(self) -> int:
        """The most that it can have cost, in millionths."""
        if self.state == "signed":
            return 0
        if self.state == "charged" and self.receipt:
            return self.receipt.charged
        return self.payment.offer.amount


def max_cost(records: Iterable[PaymentRecord]) -> int:
    """Return the most that these payments can have cost together, in millionths.

    A voucher that was signed twice can be charged once: without a receipt it counts once.
    """
    charged, open_ceilings = 0, dict[str, int]()
    for record in records:
        if record.state == "charged":
            charged += record.max_cost
        else:
            identity = record.payment.identity
            open_ceilings[identity] = max(record.max_cost, open_ceilings.get(identity, 0))
    return charged + sum(open_ceilings.values())


@dataclass(slots=True)
class Ledger:
    """All payments since the page was loaded. `deposited`: moved into channels, but not spent."""

    records: list[PaymentRecord] = field(default_factory=list[PaymentRecord])
    deposited: int = 0

    @property
    def charged(self) -> int:
        """The sum of all receipts of state "charged"."""
        return max_cost(record for record in self.records if record.state == "charged")

    @property
    def uncertain(self) -> int:
        """The most that finished payments without such a receipt may have cost."""
        return max_cost(self.unclear())

    @property
    def committed(self) -> int:
        """What counts against the session's limit, including payments in flight."""
        return max_cost(self.records)

    def record(
        self, payment: Payment, resource: JsonObject | None, purpose: Purpose = "message"
    ) -> PaymentRecord:
        """Return the record of a payment: a new one, unless the same was signed before.

        The same voucher is signed again for the next request if it was not charged before.
        """
        for record in self.records:
            if record.payment.identity == payment.identity and record.sendable:
                record.payment, record.resource = payment, resource
                return record
        self.records.append(PaymentRecord(payment, resource, purpose))
        return self.records[-1]

    def unclear(self, *, left: bool = False) -> list[PaymentRecord]:
        """Return the finished payments whose cost is not known; `left`: those in flight, too."""
        ended = (record for record in self.records if left or not record.in_flight)
        return [record for record in ended if record.state != "charged"]

    def claimed(self, channel: str, total: int) -> None:
        """Move to `charged` what the chain shows as taken, of what was uncertain.

        `total` is what was taken through the channel so far, never less than what all its payments
        have cost. Nothing is taken for granted twice: what the receipts of later payments explain
        is left out, and a voucher that was signed twice was taken once.
        """
        own = [record for record in self.records if record.payment.channel == channel]
        known = sum(record.max_cost for record in own if record.state == "charged")
        later, counted = 0, set[str]()
        for record in reversed(own):
            payment, amount = record.payment, record.payment.offer.amount
            if (record.state, "claim") in TRANSITIONS:
                if payment.identity in counted:
                    record.claim(0)
                elif later + (payment.ceiling or total + 1) <= total >= known + amount:
                    record.claim(amount)
                    counted.add(payment.identity)
                    known += amount
            if record.state == "charged":
                later += record.max_cost

    def deposit(self, amount: int) -> None:
        """Add a deposit, as soon as the wallet has signed it."""
        self.deposited += amount
