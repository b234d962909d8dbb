"""The price of a paid call. Rule: in whole millionths of USDC, and asked from the service itself.

A price that cannot be read is an error with a code; the page has the text for it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from tabloop.core.errors import AgentError

__all__ = [
    "USUAL_DEPOSIT",
    "ConfirmedPrice",
    "Cost",
    "CostMeter",
    "PaidBefore",
    "Price",
    "PriceError",
    "PriceErrorCode",
    "PriceSource",
    "UnknownPrice",
]

USUAL_DEPOSIT = 500_000  # millionths: $0.50, about 150 messages

PriceErrorCode = Literal[
    "unreachable",  # no answer at all
    "no_price",  # the service should ask for a payment, and does not
    "refused",  # the policy refuses the payment that is asked; `cause` has the reason
    "unreadable",
]


@dataclass(frozen=True, slots=True)
class Price:
    """`amount` is in millionths of USDC; 0 is free, and then network and recipient are blank.

    `network` is a CAIP-2 id, `pay_to` an address, `seller` the service's name for itself.
    `scheme` is x402's payment scheme: `exact` moves exactly this amount.
    """

    amount: int
    network: str = ""
    pay_to: str = ""
    seller: str = ""
    scheme: str = ""


@dataclass(frozen=True, slots=True)
class UnknownPrice(Price):
    """The price of a service that bills an account of its own and names no price beforehand.

    `amount` is 0, since the page pays nothing. `with_key`: the person's key is sent. `wide` is the
    service's own size ("1536x1024") for a wide picture.
    """

    with_key: bool = False
    wide: str = ""


class PriceError(AgentError):
    """No price could be found out. `cause` is the payment error of code "refused"."""

    def __init__(self, code: PriceErrorCode, host: str, *, cause: AgentError | None = None) -> None:
        super().__init__(code, host=host)
        self.cause = cause


@dataclass(slots=True)
class ConfirmedPrice:
    """Holds the price that a person confirmed on a card, until the call that it is for takes it."""

    price: Price | None = None

    def take(self) -> Price:
        """Return the price and forget it; a price of 0 if none was confirmed."""
        price, self.price = self.price, None
        return price or Price(0)


@dataclass(frozen=True, slots=True)
class Cost:
    """What was paid, in millionths of USDC.

    `charged` is the sum of receipts, `uncertain` the most that may have been charged without one,
    `payments` the number of payments that were sent.
    """

    charged: int = 0
    uncertain: int = 0
    payments: int = 0

    def __add__(self, other: "Cost") -> "Cost":
        """Return both together."""
        return Cost(
            self.charged + other.charged,
            self.uncertain + other.uncertain,
            self.payments + other.payments,
        )


NO_COST = Cost()


class CostMeter(Protocol):
    """Measures what is paid for one run."""

    def cost(self, *, left: bool = False) -> Cost:
        """Return what is known now. `left`: the page is left, so what is in flight is uncertain."""
        ...

    def close(self) -> None:
        """End: what is paid from now on belongs to another run."""
        ...


@dataclass(frozen=True, slots=True)
class PaidBefore:
    """The meter of a run before the page was loaded again."""

    known: Cost

    def cost(self, *, left: bool = False) -> Cost:
        """Return what was known when the page was left."""
        return self.known

    def close(self) -> None:
        """Do nothing: the run is over."""


class PriceSource(Protocol):
    """Finds out what a call would cost."""

    async def price(self, arguments: Mapping[str, Any]) -> Price:
        """Return the current price of a call, without buying anything. Raises `PriceError`."""
        ...
