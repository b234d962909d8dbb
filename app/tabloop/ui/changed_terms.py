"""The terms that an endpoint asks for now, beside those that it was paid by before.

Rule: all that the button accepts stands above it: who gets how much, where, and for how long a
deposit is held.
"""

from collections.abc import Iterator

from tabloop.core.networks import network_name
from tabloop.payments.errors import Refusal
from tabloop.payments.pins import ChangedTerms
from tabloop.ui.channels import exact_duration, note
from tabloop.ui.html import Child, Html, fragment, h
from tabloop.ui.money import usdc
from tabloop.ui.strings import Strings

__all__ = ["changed_terms_html"]

# the label of what differs
LABELS = {
    "recipient": "terms.pays",
    "authorizer": "terms.settles",
    "other_network": "wallet.network",
    "other_delay": "terms.delay",
}


def changed_terms_html(strings: Strings, changed: ChangedTerms) -> Html:
    """Return what differs, with both values, what stays, and what accepting it would cost."""
    rows = [_row(strings(label), *values) for label, *values in _rows(strings, changed)]
    deposit = usdc(strings, changed.deposit)
    return fragment(
        h("dl", {"class": "terms"}, *rows),
        note(strings("terms.deposit", amount=deposit)) if changed.deposit else None,
        note(strings("terms.careful")),
    )


def _rows(strings: Strings, changed: ChangedTerms) -> Iterator[tuple[str, *tuple[Child, ...]]]:
    offer, differs = changed.offer, {one.code: one for one in changed.differences}
    for code, label in LABELS.items():
        if code in differs:
            yield label, *_both(strings, changed, differs[code])
    if "recipient" not in differs:
        yield LABELS["recipient"], h("code", {}, offer.pay_to)
    if "other_network" not in differs:
        yield LABELS["other_network"], network_name(offer.network)
    if changed.deposit and "other_delay" not in differs:
        yield LABELS["other_delay"], _delay(strings, offer.extra.get("withdrawDelay"))
    yield "terms.price", usdc(strings, offer.amount)


def _both(strings: Strings, changed: ChangedTerms, differs: Refusal) -> tuple[Child, Child]:
    """Return the value so far and the new one, each with a word that says which it is."""
    before, now = differs.allowed, differs.asked
    if differs.code == "other_delay":
        before = _delay(strings, changed.pin.delays.get(changed.offer.network))
        now = _delay(strings, changed.offer.extra.get("withdrawDelay"))
    tag = "code" if differs.code in ("recipient", "authorizer") else "span"
    return (
        h("span", {}, strings("terms.before"), " ", h(tag, {}, before)),
        h("strong", {}, strings("terms.now"), " ", h(tag, {}, now)),
    )


def _delay(strings: Strings, seconds: object) -> str:
    return exact_duration(strings, seconds) if isinstance(seconds, int) else ""


def _row(label: str, *values: Child) -> Html:
    return h("div", {}, h("dt", {}, label), *(h("dd", {}, value) for value in values))
