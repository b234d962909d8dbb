"""What the site owner allows to be spent. Rule: all amounts are whole millionths of USDC."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from tabloop.core.money import to_micro

__all__ = ["Limits", "LimitsSettings", "Purpose"]

Purpose = Literal["message", "image"]


class LimitsSettings(Protocol):
    """The settings that `Limits` needs; amounts are decimal strings of USDC."""

    @property
    def networks(self) -> tuple[str, ...]:
        """See `settings.PaymentSettings`, also for the others."""
        ...

    @property
    def max_per_message(self) -> str:
        """For one hop."""
        ...

    @property
    def max_per_image(self) -> str:
        """For one picture."""
        ...

    @property
    def max_deposit(self) -> str:
        """For one deposit."""
        ...

    @property
    def max_per_session(self) -> str:
        """For all payments until the page is reloaded."""
        ...

    @property
    def pay_to(self) -> Mapping[str, str]:
        """Origin to recipient."""
        ...


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits in millionths of USDC, and the recipients by origin that the site owner has set."""

    networks: tuple[str, ...]
    per_message: int
    question: int
    per_image: int
    deposit: int
    session: int
    pay_to: Mapping[str, str]

    @classmethod
    def of(cls, settings: LimitsSettings, *, per_question: str) -> "Limits":
        """Convert settings and the announced price. Raises `ValueError` for an invalid amount."""
        return cls(
            networks=settings.networks,
            per_message=to_micro(settings.max_per_message),
            question=to_micro(per_question),
            per_image=to_micro(settings.max_per_image),
            deposit=to_micro(settings.max_deposit),
            session=to_micro(settings.max_per_session),
            pay_to={origin.rstrip("/"): who for origin, who in settings.pay_to.items()},
        )

    def per_payment(self, purpose: Purpose) -> int:
        """Return the most that one payment may cost, in millionths."""
        return self.per_message if purpose == "message" else self.per_image
