"""What is said about prices before anything is paid.

Rule: the number announced for a question is the most that it can really cost.
"""

from dataclasses import dataclass
from typing import Protocol

from tabloop.core.money import to_micro, to_usdc
from tabloop.core.pricing import USUAL_DEPOSIT
from tabloop.ui.money import amount
from tabloop.ui.strings import Strings

__all__ = ["NOTHING", "Announced", "PriceSettings", "announced_prices", "price_sentence"]


@dataclass(frozen=True, slots=True)
class Announced:
    """What is said before anything is paid; amounts are decimal strings of USDC.

    One question can take `steps` requests, so it can cost `per_question`. The first payment is a
    `deposit`, which can be taken back.
    """

    per_message: str = ""
    per_question: str = ""
    deposit: str = ""
    steps: int = 1


NOTHING = Announced()


class PriceSettings(Protocol):
    """The settings that prices are announced from: decimal strings of USDC."""

    @property
    def max_per_message(self) -> str:
        """For one request to the model."""
        ...

    @property
    def max_deposit(self) -> str:
        """For one deposit."""
        ...

    @property
    def max_per_session(self) -> str:
        """For all payments until the page is reloaded."""
        ...


def announced_prices(settings: PriceSettings, steps: int) -> Announced:
    """Return what one question can cost; `steps` is the limit of requests per question."""
    most = steps * to_micro(settings.max_per_message)
    return Announced(
        settings.max_per_message,
        to_usdc(min(most, to_micro(settings.max_per_session))),
        to_usdc(min(USUAL_DEPOSIT, to_micro(settings.max_deposit))),
        steps,
    )


def price_sentence(strings: Strings, announced: Announced) -> str:
    """Return what a question can cost, and that the first payment is a deposit."""
    return strings(
        "wallet.before",
        n=announced.steps,
        amount=amount(strings, announced.per_message),
        question=amount(strings, announced.per_question),
        deposit=amount(strings, announced.deposit),
    )
