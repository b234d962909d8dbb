"""What a paid call would cost, as it is now. Rule: whole millionths of USDC, and no guess.

A price that cannot be read is an error with a code; the page has the words for it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

__all__ = ["Price", "PriceError", "PriceErrorCode", "Quote"]

PriceErrorCode = Literal[
    "unreachable",  # no answer at all
    "not_described",  # it does not say what it is, so nothing may be sent to find out
    "no_price",  # it was to ask for a payment, and did not
    "unreadable",  # it asks for one in words that nobody understands
    "too_expensive",  # more than the page's owner allows
]


@dataclass(frozen=True, slots=True)
class Price:
    """`amount` in millionths of USDC, 0 for free: then network and recipient are blank.

    `network` is CAIP-2 (`eip155:10`), `pay_to` an address, `seller` the service's own name.
    """

    amount: int
    network: str = ""
    pay_to: str = ""
    seller: str = ""


class PriceError(Exception):
    """There is no price to show. `facts` are short texts by name."""

    def __init__(self, code: PriceErrorCode, host: str, **facts: str) -> None:
        super().__init__(f"{code} at {host}")
        self.code: PriceErrorCode = code
        self.host = host
        self.facts: Mapping[str, str] = facts


class Quote(Protocol):
    """Whoever can say what a call would cost."""

    async def price(self, arguments: Mapping[str, Any]) -> Price:
        """Return the live price of a call. Raises `PriceError`. Nothing is bought by asking."""
        ...
