"""The box above the composer that says what a wallet is asked for.

Rule: whom one pays, and the amounts, are in sight while the wallet asks; no amount is rounded.
"""

from tabloop.core.networks import COLLECTOR, ESCROW, network_name
from tabloop.payments.ports import PaymentPhase
from tabloop.ui.html import Child, Html, button, fragment, h
from tabloop.ui.money import usdc
from tabloop.ui.payment import WalletState
from tabloop.ui.strings import Strings

__all__ = ["connecting_html", "reading_html", "signing_html"]


def signing_html(strings: Strings, phase: PaymentPhase, state: WalletState) -> Html:
    """Return what the person signs; empty if the wallet does not ask in this phase.

    The wallet shows a deposit as a payment to a contract, so its addresses stand here too.
    """
    if phase.name not in ("topping_up", "wallet"):
        return fragment()
    deposits = phase.name == "topping_up"
    most = ("perMessage" if deposits else "price", usdc(strings, phase.offer.amount))
    rows: list[tuple[str, Child]] = [
        *([("deposit", h("strong", {}, usdc(strings, phase.amount)))] if deposits else []),
        most,
        ("perSession", usdc(strings, state.per_session)),
        ("pays", h("code", {}, phase.offer.pay_to)),
        ("network", network_name(phase.offer.network)),
        ("spent", usdc(strings, state.spent)),
    ]
    if deposits:
        rows += [("shownTo", h("code", {}, COLLECTOR)), ("holds", h("code", {}, ESCROW))]
    return fragment(
        h("h3", {}, strings("wallet.pleaseSign")),
        h("dl", {}, *(_row(strings, name, value) for name, value in rows)),
        h("p", {"class": "note"}, strings("wallet.wayBack")) if deposits else None,
    )


def reading_html(strings: Strings) -> Html:
    """Return what is said while the wallet asks to sign a text, which costs nothing."""
    return fragment(
        h("h3", {}, strings("wallet.pleaseSign")),
        h("p", {"class": "note"}, strings("wallet.signsText")),
    )


def connecting_html(strings: Strings, state: WalletState) -> Html:
    """Return the choice of wallets, the wait for one, or why there is none; else empty."""
    if state.account or not (state.wallets or state.connecting or state.note):
        return fragment()
    known = dict(state.wallets)
    title = strings("wallet.which" if len(known) > 1 else "wallet.connect")
    buttons = (
        button(name, "wallet-choose", value=wallet, off=wallet == state.connecting)
        for wallet, name in (known.items() if len(known) > 1 else ())
    )
    leave = "wallet.cancel" if known or state.connecting else "wallet.close"
    said = strings("wallet.asking") if state.connecting else state.note
    return fragment(
        h("h3", {}, title),
        h("p", {"class": "note"}, said) if said else None,
        h("div", {"class": "row"}, *buttons, button(strings(leave), "wallet-cancel")),
    )


def _row(strings: Strings, name: str, value: Child) -> Html:
    return h("div", {}, h("dt", {}, strings(f"wallet.{name}")), h("dd", {}, value))
