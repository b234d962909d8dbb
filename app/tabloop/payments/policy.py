"""Decides which offer may be signed, by the site owner's limits and the pinned terms.

Rule: everything is checked before anything is signed, and what is unknown is refused.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from tabloop.core.json_text import Json, JsonObject
from tabloop.core.money import to_usdc
from tabloop.core.networks import NETWORKS
from tabloop.core.pricing import USUAL_DEPOSIT, Price
from tabloop.payments.errors import OfferRefused, PaymentError, Refusal
from tabloop.payments.ledger import Ledger
from tabloop.payments.limits import Limits, Purpose
from tabloop.payments.meter import Meter
from tabloop.payments.offers import (
    MAX_SENT_BACK,
    Challenge,
    Offer,
    Scheme,
    oversized_field,
    read_offer,
    same_address,
)
from tabloop.payments.pins import (
    ChangedTerms,
    Pin,
    PinStore,
    pin_refusals,
    pinned,
    repinned,
    same_terms,
)
from tabloop.payments.ports import Plan
from tabloop.payments.terms import (
    confirmed_price_refusals,
    minimum_deposit,
    refusal,
    terms_refusals,
)

__all__ = ["SpendingPolicy"]

# An approval card shows one price, and only `exact` moves exactly this amount.
SCHEMES: Mapping[Purpose, Sequence[Scheme]] = {
    "message": ("exact", "batch-settlement"),
    "image": ("exact",),
}


@dataclass(slots=True)
class SpendingPolicy:
    """Checks offers of any origin. `network` is the one that the person prefers, blank for none."""

    limits: Limits
    pins: PinStore
    ledger: Ledger
    network: str = ""
    _question: Meter | None = None
    _accepted: dict[str, Offer] = field(default_factory=dict[str, Offer])

    def accept(self, changed: ChangedTerms) -> None:
        """Let the next request pay by exactly these terms, which a person has read."""
        self._accepted[changed.origin] = changed.offer

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
            OfferRefused: No offer is acceptable; it has a reason for each, and the changed terms if
                one would be acceptable without the pin.
        """

        def evaluated(pin: Pin | None) -> list[Offer | Refusal]:
            return [
                self._evaluate(
                    entry, origin, purpose, confirmed_price, pin, resource=challenge.resource
                )
                for entry in challenge.accepts
            ]

        pin, accepted = self.pins.get(origin), self._accepted.pop(origin, None)
        found = evaluated(pin)
        if offer := self._preferred(found):
            return offer
        changed = self._changed(origin, pin, self._preferred(evaluated(None)))
        if changed and accepted and same_terms(changed.offer, accepted):
            self.pins.put(origin, repinned(changed))
            return changed.offer
        refusals = [refused for refused in found if isinstance(refused, Refusal)]
        raise OfferRefused(_most_telling_first(refusals), changed=changed)

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

    def begin_question(self) -> None:
        """Count the payments for messages from now on to another question."""
        self._question = Meter(self.ledger, "message")

    def check_question(self, offer: Offer) -> None:
        """Raise `PaymentError` if this amount would exceed what one question may cost."""
        if self._question is None:
            return
        # counted by payments, since an endpoint that refuses can get several of them for one step
        cost = self._question.cost(left=True)
        spent = cost.charged + cost.uncertain
        if spent + offer.amount > self.limits.question:
            facts = {"asked": to_usdc(offer.amount), "spent": to_usdc(spent)}
            facts |= {"limit": to_usdc(self.limits.question)}
            raise PaymentError("question_limit", facts=facts)

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
        self.pins.put(origin, pinned(self._pinned(offer, origin, self.pins.get(origin)), offer))

    def _pinned(self, offer: Offer, origin: str, pin: Pin | None) -> Pin | None:
        """Return the pin, unless the site owner has set another recipient since."""
        named = origin in self.limits.pay_to
        return None if pin and named and not same_address(pin.pay_to, offer.pay_to) else pin

    def _preferred(self, found: Sequence[Offer | Refusal]) -> Offer | None:
        good = [offer for offer in found if isinstance(offer, Offer)]
        return next((o for o in good if o.network == self.network), good[0] if good else None)

    def _changed(self, origin: str, pin: Pin | None, offer: Offer | None) -> ChangedTerms | None:
        if pin is None or offer is None:
            return None
        deposit = 0
        if offer.scheme == "batch-settlement":
            deposit = max(minimum_deposit(offer) or 0, min(USUAL_DEPOSIT, self.limits.deposit))
        differences = tuple(pin_refusals(offer, pin, self.network))
        return ChangedTerms(origin, pin, offer, differences, deposit)

    def _evaluate(
        self,
        entry: Json,
        origin: str,
        purpose: Purpose,
        confirmed_price: Price | None,
        pin: Pin | None,
        *,
        resource: JsonObject | None,
    ) -> Offer | Refusal:
        offer = read_offer(entry)
        if offer is None:
            return Refusal("unreadable")
        if field_name := oversized_field(offer, resource):
            return refusal("too_large", field_name, f"{MAX_SENT_BACK} bytes")
        refusals = chain(
            confirmed_price_refusals(offer, confirmed_price) if confirmed_price else (),
            self._refusals(offer, origin, purpose, pin),
        )
        return next(refusals, offer)

    def _refusals(
        self, offer: Offer, origin: str, purpose: Purpose, pin: Pin | None
    ) -> Iterator[Refusal]:
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
        # the owner's setting overrides a pin, so that a wrong pin can be corrected
        fixed = self.limits.pay_to.get(origin)
        if fixed and not same_address(offer.pay_to, fixed):
            yield refusal("recipient", offer.pay_to, fixed)
        if pin := self._pinned(offer, origin, pin):
            yield from pin_refusals(offer, pin, self.network)
        yield from terms_refusals(offer, network.usdc, self.limits.deposit, SCHEMES[purpose])


def _most_telling_first(refusals: Sequence[Refusal]) -> list[Refusal]:
    """Sort refused networks and schemes last: every server offers some that we do not support."""
    expected = ("network", "scheme", "unreadable")
    return sorted(refusals, key=lambda refused: refused.code in expected)
