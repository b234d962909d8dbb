"""The ways to go on when an endpoint asks to be paid and no wallet is connected.

Rule: nothing is wrong here, so it is no alert, and no way stands out from the others.
"""

from tabloop.agent.events import RunFinished
from tabloop.core.money import to_micro
from tabloop.core.networks import network_name
from tabloop.payments.errors import OfferRefused, PaymentError
from tabloop.ui.announced import Announced
from tabloop.ui.html import Html, button, h
from tabloop.ui.money import amount
from tabloop.ui.payment import explained_html, payment_sentence
from tabloop.ui.strings import Strings

__all__ = ["is_choice", "offer_html", "offered"]


def offered(ended: RunFinished | None) -> PaymentError | None:
    """Return the error of a run that only lacks a wallet, `None` for any other end."""
    error = ended.error if ended else None
    if isinstance(error, PaymentError) and error.code == "not_connected":
        return error
    return None


def is_choice(ended: RunFinished | None) -> bool:
    """Whether nothing is wrong, and the person only decides about paying."""
    error = ended.error if ended else None
    return bool(offered(ended) or (isinstance(error, OfferRefused) and error.changed))


def offer_html(
    strings: Strings, error: PaymentError, announced: Announced, device: Html | None = None
) -> Html:
    """Return the sentence and the ways to go on; `device` is one with the browser's model."""
    ways = (
        device,
        _way(_price(strings, error, announced), "connect", strings("wallet.connect")),
        _way((strings("offer.search"),), "search", strings("problem.askSearch")),
        _way((strings("offer.ownKey"),), "own-key", strings("offer.useOwnKey")),
    )
    return h(
        "section",
        {"class": "offer", "aria-label": strings("offer.region")},
        h("p", {}, payment_sentence(strings, error), " ", strings("offer.choose")),
        h("ul", {}, *ways),
        explained_html(strings),
    )


def _price(strings: Strings, error: PaymentError, announced: Announced) -> tuple[str | Html, ...]:
    """Return what paying can cost, by this endpoint's own price if it has named one."""
    asked = error.facts.get("asked", announced.per_message)
    most = min(announced.steps * to_micro(asked), to_micro(announced.per_question))
    price = strings("offer.pay", question=amount(strings, most), steps=announced.steps)
    deposit = strings("offer.deposit", deposit=amount(strings, announced.deposit))
    if not (payee := error.facts.get("pay_to", "")):
        return price, " ", deposit
    network = network_name(error.facts.get("network", ""))
    receiver = strings("offer.receiver", network=network)
    return price, " ", deposit, " ", receiver, " ", h("code", {}, payee)


def _way(text: tuple[str | Html, ...], action: str, label: str) -> Html:
    return h("li", {}, h("p", {}, *text), button(label, action))
