"""Decides which offer may be signed, by the site owner's limits and the pinned terms.

Rule: everything is checked before anything is signed, and what is unknown is refused.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal, Protocol

from tabloop.core.json_text import Json
from tabloop.core.money import to_micro, to_usdc
from tabloop.core.networks import NETWORKS
from tabloop.core.pricing import USUAL_DEPOSIT, Price
from tabloop.payments.errors import OfferRefused, PaymentError, Refusal
from tabloop.payments.ledger import Ledger
from tabloop.payments.offers import Challenge, Offer, Scheme, read_offer, same_address
from tabloop.payments.pins import Pin, PinStore, pin_refusals, pinned
from tabloop.payments.ports import Plan
from tabloop.payments.terms import (
    confirmed_price_refusals,
    minimum_deposit,
    refusal,
    terms_refusals,
)

__all__ = ["Limits", "LimitsSettings", "Purpose", "SpendingPolicy"]

Purpose = Literal["message", "image"]

# An approval card shows one price, and only `exact` moves exactly this amount.
SCHEMES: Mapping[Purpose, Sequence[Scheme]] = {
    "message": ("exact", "batch-settlement"),
    "image": ("exact",),
}


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
    per_image: int
    deposit: int
    session: int
    pay_to: Mapping[str, str]

    @classmethod
    def of(cls, settings: LimitsSettings) -> "Limits":
        """Convert the page's settings. Raises `ValueError` for an invalid amount."""
        return cls(
            networks=settings.networks,
            per_message=to_micro(settings.max_per_message),
            per_image=to_micro(settings.max_per_image),
            deposit=to_micro(settings.max_deposit),
            session=to_micro(settings.max_per_session),
            pay_to={origin.rstrip("/"): who for origin, who in settings.pay_to.items()},
        )

    def per_payment(self, purpose: Purpose) -> int:
        """Return the most that one payment may cost, in millionths."""
        return self.per_message if purpose == "message" else self.per_image


@dataclass(slots=True)
class SpendingPolicy:
    """Checks offers of any origin. `network` is the one that the person prefers, blank for none."""

    limits: Limits
    pins: PinStore
    ledger: Ledger
    network: str = ""

    def choose(
        self,
        challenge: Challenge,
        origin: str,
        purpose: Purpose,
        *,
        confirmed_price: Price | None = None,
    ) -> Offer:
        """Return the first acceptable offer, of the preferred network if possible.

        `confirmed_price` is the price that a person confirmed, if any.

        Returns:
            The offer to pay.

        Raises:
            OfferRefused: No offer is acceptable; it has a reason for each.
        """
        evaluated = [
            self._evaluate(entry, origin, purpose, confirmed_price) for entry in challenge.accepts
        ]
        good = [found for found in evaluated if isinstance(found, Offer)]
        if not good:
            refusals = [found for found in evaluated if isinstance(found, Refusal)]
            raise OfferRefused(_most_telling_first(refusals))
        return next((offer for offer in good if offer.network == self.network), good[0])

    def check_session(self, offer: Offer) -> None:
        """Raise `PaymentError` if this amount would exceed the session's limit."""
        if self.ledger.committed + offer.amount > self.limits.session:
            raise PaymentError(
                "session_limit",
                facts={
                    "asked": to_usdc(offer.amount),
                    "spent": to_usdc(self.ledger.committed),
                    "limit": to_usdc(self.limits.session),
                },
            )

    def deposit(self, plan: Plan, offer: Offer) -> int:
        """Return the deposit in millionths (0: the channel has enough). Raises `PaymentError`."""
        needed = plan.short_by
        if plan.kind == "deposit":
            needed = max(needed, minimum_deposit(offer) or 0)
            usual = max(needed, min(USUAL_DEPOSIT, self.limits.deposit))
            # All deposits together must stay below the session's limit, too: otherwise a server
            # could empty the channel repeatedly, and get a full deposit each time.
            room = min(self.limits.deposit, self.limits.session - self.ledger.deposited)
            if needed > room:
                facts = {"asked": to_usdc(needed), "limit": to_usdc(max(0, room))}
                raise PaymentError("deposit_limit", facts=facts)
            amount = min(usual, room)
            if plan.funds is not None:  # with a small balance, deposit all of it
                amount = max(needed, min(amount, plan.funds))
        else:
            amount = 0
        # compared with the smallest possible deposit, not with the usual one
        wanted = offer.amount if plan.kind == "exact" else needed
        if plan.funds is not None and plan.funds < wanted:
            facts = {
                "needed": to_usdc(wanted),
                "balance": to_usdc(plan.funds),
                "network": offer.network,
            }
            raise PaymentError("insufficient_balance", facts=facts)
        return amount

    def pin(self, offer: Offer, origin: str) -> None:
        """Remember whom this origin pays, and by which terms; an existing pin is kept."""
        self.pins.put(origin, pinned(self._pinned(offer, origin), offer))

    def _pinned(self, offer: Offer, origin: str) -> Pin | None:
        """Return the pin, unless the site owner has set another recipient since."""
        pin = self.pins.get(origin)
        named = origin in self.limits.pay_to
        return None if pin and named and not same_address(pin.pay_to, offer.pay_to) else pin

    def _evaluate(
        self, entry: Json, origin: str, purpose: Purpose, confirmed_price: Price | None
    ) -> Offer | Refusal:
        offer = read_offer(entry)
        if offer is None:
            return Refusal("unreadable")
        refusals = chain(
            confirmed_price_refusals(offer, confirmed_price) if confirmed_price else (),
            self._refusals(offer, origin, purpose),
        )
        return next(refusals, offer)

    def _refusals(self, offer: Offer, origin: str, purpose: Purpose) -> Iterator[Refusal]:
        """Yield the reasons to refuse an offer; the first one counts."""
        networks, cap = self.limits.networks, self.limits.per_payment(purpose)
        network = NETWORKS.get(offer.network)
        if network is None or offer.network not in networks:
            yield refusal("network", offer.network, ", ".join(networks))
            return
        if not same_address(offer.asset, network.usdc.address):
            named = (n for n, token in network.others.items() if same_address(token, offer.asset))
            if name := next(named, ""):
                yield refusal("other_token", name, "USDC")
            yield refusal("asset", offer.asset, network.usdc.address)
        if offer.amount > cap:
            yield refusal("amount", to_usdc(offer.amount), to_usdc(cap))
        pin = self._pinned(offer, origin)
        # the owner's setting overrides a pin, so that a wrong pin can be corrected
        fixed = self.limits.pay_to.get(origin) or (pin.pay_to if pin else "")
        if fixed and not same_address(offer.pay_to, fixed):
            yield refusal("recipient", offer.pay_to, fixed)
        if pin:
            yield from pin_refusals(offer, pin, self.network)
        yield from terms_refusals(offer, network.usdc, self.limits.deposit, SCHEMES[purpose])


def _most_telling_first(refusals: Sequence[Refusal]) -> list[Refusal]:
    """Sort refused networks and schemes last: every server offers some that we do not support."""
    expected = ("network", "scheme", "unreadable")
    return sorted(refusals, key=lambda refused: refused.code in expected)
