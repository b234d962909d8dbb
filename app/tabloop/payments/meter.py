"""What the payments of one run cost. Rule: each payment belongs to the run that sent it last."""

from tabloop.core.pricing import Cost
from tabloop.payments.ledger import Ledger, PaymentRecord, max_cost
from tabloop.payments.limits import Purpose

__all__ = ["Meter"]


class Meter:
    """Measures the payments that are sent from now until `close`, if need be of one `purpose` only.

    A receipt that arrives later still changes the cost.
    """

    def __init__(self, ledger: Ledger, purpose: Purpose | None = None) -> None:
        self._ledger = ledger
        self._purpose = purpose
        self._before = _sends(ledger)
        self._until: dict[PaymentRecord, int] | None = None

    def close(self) -> None:
        """Leave what is sent from now on to the next run."""
        self._until = _sends(self._ledger)

    def cost(self, *, left: bool = False) -> Cost:
        """Return what is known now; an earlier payment that gets its receipt counts for nothing.

        `left`: the page is left, so no answer comes to what is in flight.
        """
        own = {record for record in self._ledger.records if self._is_own(record)}
        charged = {record for record in own if record.state == "charged"}
        unclear = [r for r in self._ledger.unclear(left=left) if r not in charged]
        others = [record for record in unclear if record not in own]
        sent = sum(record.sends > 0 for record in own)
        return Cost(max_cost(charged), max_cost(unclear) - max_cost(others), sent)

    def _is_own(self, record: PaymentRecord) -> bool:
        if record.sends == self._before.get(record) or self._purpose not in (None, record.purpose):
            return False
        return self._until is None or record.sends == self._until.get(record)


def _sends(ledger: Ledger) -> dict[PaymentRecord, int]:
    return {record: record.sends for record in ledger.records}
