"""What an origin asked for when it was first paid, and may not change afterwards.

Rule: each field that makes a channel's identity is pinned. With another value it would be another
channel, and each new channel needs a new deposit. The token is fixed by `core/networks.json`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from tabloop.core.networks import network_name
from tabloop.payments.errors import Refusal
from tabloop.payments.offers import Offer, same_address
from tabloop.payments.terms import refusal

__all__ = ["ChangedTerms", "Pin", "PinStore", "pin_refusals", "pinned", "repinned", "same_terms"]


@dataclass(frozen=True, slots=True)
class Pin:
    """The recipient that an origin asked to pay first, and the terms of its channels.

    `authorizer` and `network` are blank before the first channel; `delays` has, by network, the
    seconds of the channel's withdrawal delay.
    """

    pay_to: str
    authorizer: str = ""
    network: str = ""
    delays: Mapping[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True, slots=True)
class ChangedTerms:
    """An offer that only its origin's pin forbids: a person may accept it in place of the pin.

    `differences` have what is asked now, and what the pin allows. `deposit` is what the wallet will
    be asked for, in millionths (0: the offer needs none).
    """

    origin: str
    pin: Pin
    offer: Offer
    differences: tuple[Refusal, ...]
    deposit: int = 0


class PinStore(Protocol):
    """Stores pins by origin, also after the tab is closed."""

    def get(self, origin: str) -> Pin | None:
        """Return the pin of an origin, `None` if it was never paid."""
        ...

    def put(self, origin: str, pin: Pin) -> None:
        """Store the pin of an origin; it replaces an older one."""
        ...


def pinned(known: Pin | None, offer: Offer) -> Pin:
    """Return the pin after a payment of `offer`; what is known already is kept."""
    pin = known or Pin(offer.pay_to)
    if offer.scheme != "batch-settlement":
        return pin
    delays = {**_delay_of(offer), **pin.delays}
    authorizer = pin.authorizer or offer.text("receiverAuthorizer")
    return replace(pin, authorizer=authorizer, network=offer.network, delays=delays)


def repinned(changed: ChangedTerms) -> Pin:
    """Return the pin after a person has accepted changed terms; what they leave open is kept."""
    pin, new = changed.pin, pinned(None, changed.offer)
    return Pin(
        new.pay_to,
        new.authorizer or pin.authorizer,
        new.network or pin.network,
        {**pin.delays, **new.delays},
    )


def same_terms(one: Offer, other: Offer) -> bool:
    """Whether two offers ask for the same of a person who has read one of them."""
    return _terms(one) == _terms(other)


def pin_refusals(offer: Offer, pin: Pin, chosen: str) -> Iterator[Refusal]:
    """Yield how an offer differs from its pin.

    `chosen` is the network that the person has chosen: only a person opens a second channel.
    """
    if not same_address(offer.pay_to, pin.pay_to):
        yield refusal("recipient", offer.pay_to, pin.pay_to)
    if offer.scheme != "batch-settlement":
        return
    authorizer = offer.text("receiverAuthorizer")
    if pin.authorizer and not same_address(authorizer, pin.authorizer):
        yield refusal("authorizer", authorizer, pin.authorizer)
    if pin.network and offer.network not in (pin.network, chosen):
        yield refusal("other_network", network_name(offer.network), network_name(pin.network))
    delay = pin.delays.get(offer.network)
    if delay is not None and _delay_of(offer) != {offer.network: delay}:
        yield refusal("other_delay", f"{offer.extra.get('withdrawDelay')} s", f"{delay} s")


def _terms(offer: Offer) -> tuple[object, ...]:
    addresses = (offer.asset, offer.pay_to, offer.text("receiverAuthorizer"))
    channel = (offer.extra.get("withdrawDelay"), offer.extra.get("minDeposit"))
    return offer.scheme, offer.network, offer.amount, *map(str.lower, addresses), *channel


def _delay_of(offer: Offer) -> Mapping[str, int]:
    delay = offer.extra.get("withdrawDelay")
    return {offer.network: delay} if type(delay) is int else {}
