"""What this session has spent, per origin.

Rule: what may have been charged counts against the limit like what was; both are shown apart.
"""

from dataclasses import dataclass, field

from tabloop.payments.receipt import Receipt

__all__ = ["Account", "Hold", "Ledger"]


@dataclass(slots=True)
class Account:
    """One origin. `charged` is the sum of receipts, `uncertain` the ceilings without one."""

    charged: int = 0
    uncertain: int = 0
    deposited: int = 0
    payments: int = 0


@dataclass(slots=True, eq=False)
class Hold:
    """A ceiling set aside while its payment is on the way."""

    origin: str
    ceiling: int


@dataclass(slots=True)
class Ledger:
    """All payments since the page was opened, in millionths of USDC."""

    accounts: dict[str, Account] = field(default_factory=dict[str, Account])
    receipts: list[Receipt] = field(default_factory=list[Receipt])
    _holds: list[Hold] = field(default_factory=list[Hold])

    @property
    def charged(self) -> int:
        """The sum of all receipts."""
        return sum(account.charged for account in self.accounts.values())

    @property
    def uncertain(self) -> int:
        """The most that payments without a receipt may have cost."""
        return sum(account.uncertain for account in self.accounts.values())

    @property
    def deposited(self) -> int:
        """What was moved into channels: not spent yet."""
        return sum(account.deposited for account in self.accounts.values())

    @property
    def committed(self) -> int:
        """What counts against the session's limit, payments on the way included."""
        return self.charged + self.uncertain + sum(hold.ceiling for hold in self._holds)

    def hold(self, origin: str, ceiling: int) -> Hold:
        """Set a ceiling aside before signing."""
        held = Hold(origin, ceiling)
        self._holds.append(held)
        return held

    def release(self, held: Hold) -> None:
        """Nothing was charged."""
        self._holds.remove(held)

    def settle(self, held: Hold, receipt: Receipt) -> None:
        """Book a payment that was answered; without a clear receipt, its whole ceiling."""
        self._holds.remove(held)
        account = self.accounts.setdefault(held.origin, Account())
        account.payments += 1
        if receipt.state == "charged":
            account.charged += receipt.charged
        else:
            account.uncertain += held.ceiling
        self.receipts.append(receipt)

    def lose(self, held: Hold) -> None:
        """Book a payment whose answer did not come; nothing where it is booked already."""
        if held in self._holds:
            self._holds.remove(held)
            self.lost(held.origin, held.ceiling)

    def lost(self, origin: str, ceiling: int) -> None:
        """Book a payment of before as one that may have been charged."""
        self.accounts.setdefault(origin, Account()).uncertain += ceiling

    def found(self, origin: str, ceiling: int) -> None:
        """Take back a lost payment that is being sent again, and will be booked by its answer."""
        account = self.accounts.setdefault(origin, Account())
        account.uncertain = max(0, account.uncertain - ceiling)

    def deposit(self, origin: str, amount: int) -> None:
        """Book a deposit at the moment when its signature leaves the tab."""
        self.accounts.setdefault(origin, Account()).deposited += amount
