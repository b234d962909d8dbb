"""What a paid call would cost now. Rule: whole millionths of USDC, read from the live service.

A price that cannot be read is an error with a code; the page has the words for it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from tabloop.core.errors import AgentError

__all__ = ["ConfirmedPrice", "Price", "PriceError", "PriceErrorCode", "PriceSource"]

PriceErrorCode = Literal[
    "unreachable",  # no answer at all
    "no_price",  # it should have asked for a payment, and did not
    "refused",  # it asks for one that the policy refuses; `why` has the reason
    "unreadable",
]


@dataclass(frozen=True, slots=True)
class Price:
    """`amount` in millionths of USDC, 0 for free: then network and recipient are blank.

    `network` is a CAIP-2 id, `pay_to` an address, `seller` the service's own name.
    `scheme` is how the money moves: by `exact` it is this amount and no more.
    """

    amount: int
    network: str = ""
    pay_to: str = ""
    seller: str = ""
    scheme: str = ""


class PriceError(AgentError):
    """There is no price to show. `why` is the payment error behind a refusal."""

    def __init__(self, code: PriceErrorCode, host: str, *, cause: AgentError | None = None) -> None:
        super().__init__(code, host=host)
        self.cause = cause


@dataclass(slots=True)
class ConfirmedPrice:
    """The price on the card that a person confirmed, until the call that it was for takes it."""

    price: Price | None = None

    def take(self) -> Price:
        """Return the price and forget it; 0 where none was confirmed."""
        price, self.price = self.price, None
        return price or Price(0)


class PriceSource(Protocol):
    """Says what a call would cost."""

    async def price(self, arguments: Mapping[str, Any]) -> Price:
        """Return the live price of a call. Raises `PriceError`. Nothing is bought by asking."""
        ...
