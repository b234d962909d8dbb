"""What this session has spent, in millionths of USDC: the sum over the records of its payments.

Rule: what may have been charged counts against the limit like what was; both are shown apart.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from tabloop.core.json_text import JsonObject
from tabloop.payments.lifecycle import (
    IN_FLIGHT,
    TRANSITIONS,
    PaymentEvent,
    PaymentState,
    next_state,
)
from tabloop.payments.ports import Payment
from tabloop.payments.receipt import Receipt

__all__ = ["Ledger", "PaymentRecord", "at_most"]


@dataclass(slots=True, eq=False)
class PaymentRecord:
    """One signed payment, the `resource` it was asked for, and how far it has come."""

    payment: Payment
    resource: JsonObject | None = None
    state: PaymentState = "signed"
    receipt: Receipt | None = None
    sends: int = 0

    def apply(self, event: PaymentEvent) -> None:
        """Go to the next state. Raises `ValueError` for an event that cannot happen."""
        self.state = next_state(self.state, event)
        self.sends += event in ("send", "resend")

    def settle(self, receipt: Receipt) -> None:
        """Take the answer's receipt; only a clear one says what was charged."""
        self.receipt = receipt
        self.apply("receipt" if receipt.state == "charged" else "answer")

    @property
    def in_flight(self) -> bool:
        """Whether it was sent and its answer is not known yet."""
        return self.state in IN_FLIGHT

    @property
    def sendable(self) -> bool:
        """Whether a request may send it, for the first time or once more."""
        return (self.state, "send") in TRANSITIONS

    @property
    def at_most(self) -> int:
        """The most that it can have cost."""
        if self.state == "signed":
            return 0
        if self.state == "charged" and self.receipt:
            return self.receipt.charged
        return self.payment.offer.amount


def at_most(records: Iterable[PaymentRecord]) -> int:
    """Return the most that these can have cost together.

    A voucher that was signed twice is one promise: without a receipt it counts once.
    """
    charged, open_ceilings = 0, dict[str, int]()
    for record in records:
        if record.state == "charged":
            charged += record.at_most
        else:
            identity = record.payment.identity
            open_ceilings[identity] = max(record.at_most, open_ceilings.get(identity, 0))
    return charged + sum(open_ceilings.values())


@dataclass(slots=True)
class Ledger:
    """All payments since the page was opened. `deposited` was moved into channels: not spent."""

    records: list[PaymentRecord] = field(default_factory=list[PaymentRecord])
    deposited: int = 0

    @property
    def charged(self) -> int:
        """The sum of all clear receipts."""
        return at_most(record for record in self.records if record.state == "charged")

    @property
    def uncertain(self) -> int:
        """The most that payments without a clear receipt may have cost."""
        return at_most(self._unclear())

    def meter(self) -> Callable[[], int]:
        """Start to count anew: the most that payments sent from now on may have cost unclearly.

        One of before that is settled meanwhile makes up for none of them.
        """
        before = {record: record.sends for record in self.records}

        def since() -> int:
            unclear = self._unclear()
            old = (record for record in unclear if before.get(record) == record.sends)
            return at_most(unclear) - at_most(old)

        return since

    @property
    def committed(self) -> int:
        """What counts against the session's limit, payments in flight included."""
        return at_most(self.records)

    def record(self, payment: Payment, resource: JsonObject | None) -> PaymentRecord:
        """Return the record of a payment: a new one, unless the same was signed before.

        The same voucher is signed again for the next request when the first was not taken.
        """
        for record in self.records:
            if record.payment.identity == payment.identity and record.sendable:
                record.payment, record.resource = payment, resource
                return record
        self.records.append(PaymentRecord(payment, resource))
        return self.records[-1]

    def _unclear(self) -> list[PaymentRecord]:
        ended = (record for record in self.records if not record.in_flight)
        return [record for record in ended if record.state not in ("signed", "charged")]

    def deposit(self, amount: int) -> None:
        """Book a deposit at the moment when its signature leaves the wallet."""
        self.deposited += amount
