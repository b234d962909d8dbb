"""The texts of payments and the panel "Wallet".

Rule: amounts are never rounded, and an amount that may have been charged is always shown.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tabloop.core.networks import network_name
from tabloop.payments.errors import PaymentError
from tabloop.ui.announced import NOTHING, Announced, price_sentence
from tabloop.ui.html import Attributes, Child, Html, fragment, h
from tabloop.ui.money import amount, usdc
from tabloop.ui.strings import Strings

__all__ = [
    "PhaseName",
    "WalletState",
    "payment_sentence",
    "phase_line",
    "wallet_html",
]

PhaseName = Literal["paying", "topping_up", "wallet", "channel_busy", "resending"]
# Error codes whose sentence gets an addition: nothing was signed, or nothing was paid.
NOT_SIGNED = frozenset(
    {"unreadable_challenge", "wrong_version", "offer_refused", "session_limit", "deposit_limit"}
)
NOT_PAID = frozenset(
    {
        *("declined", "account_changed", "wallet_failed", "no_storage", "file_missing"),
        *("no_locks", "framed"),
        "signature_expired",  # expired before it was sent
    }
)
FACTS = ("asked", "limit", "spent", "needed", "balance", "network", "version", "status", "file")
# the ways to get a deposit back, each with its buttons
REFUND_WAYS = (("byEndpoint", ("refund",)), ("alone", ("announce", "finish")), ("file", ("save",)))


@dataclass(frozen=True, slots=True)
class WalletState:
    """What the panel shows; amounts are decimal strings in USDC.

    `wallets` are (id, name) to choose from. `channel` is the rest of its deposit (blank: no
    channel). `uncertain` is the most that payments without a receipt may have cost (blank:
    nothing). `connecting` is the id of the wallet that is being asked for its account. `delay` is
    the withdrawal's delay in seconds.
    """

    account: str = ""
    network: str = ""
    networks: Sequence[str] = ()
    wallets: Sequence[tuple[str, str]] = ()
    channel: str = ""
    channel_id: str = ""
    pays: str = ""
    delay: int = 0
    spent: str = "0.00"
    uncertain: str = ""
    announced: Announced = NOTHING
    per_session: str = ""
    note: str = ""
    connecting: str = ""


def payment_sentence(strings: Strings, failed: PaymentError) -> str:
    """Return what failed, and what it may have cost."""
    facts = {name: _fact_text(strings, value) for name, value in failed.facts.items()}
    host = failed.host or strings("pay.theEndpoint")
    if failed.code == "offer_refused":
        reason = strings(f"refused.{failed.facts.get('reason', 'unreadable')}", **facts)
        sentence = strings("pay.offer_refused", host=host, reason=reason)
    elif failed.code == "insufficient_balance" and "balance" not in failed.facts:
        sentence = strings("pay.tooLittle")  # the server stated no number
    else:
        blanks = {**dict.fromkeys(FACTS, "?"), "where": strings("problem.elsewhere")}
        sentence = strings(f"pay.{failed.code}", **{**blanks, **facts, "host": host})
    if failed.maybe_charged and "minutes" in facts:  # refused, but the signature is still valid
        most, minutes = facts["maybe_charged"], facts["minutes"]
        sentence += " " + strings("pay.stillOut", amount=most, minutes=minutes)
    elif failed.maybe_charged:
        sentence += " " + strings("pay.maybe", amount=facts["maybe_charged"])
    elif failed.code in NOT_SIGNED:
        sentence += " " + strings("pay.unsigned")
    elif failed.code in NOT_PAID:
        sentence += " " + strings("pay.unpaid")
    return sentence


def phase_line(strings: Strings, phase: PhaseName, most: int, *, opening: bool) -> str:
    """Return the status line while paying `most` millionths; `opening`: the channel is new."""
    name = "openingChannel" if phase == "topping_up" and opening else phase
    return strings(f"status.{name}", amount=amount(strings, most))


def wallet_html(strings: Strings, state: WalletState) -> Html:
    """Return the panel's content."""
    note = h("p", {"class": "note", "id": "wallet-note"}, state.note) if state.note else None
    if not state.account:
        return fragment(*_connect(strings, state), note, *_totals(strings, state))
    return fragment(
        h("h2", {}, strings("wallet.title")),
        _facts(strings, state),
        note,
        _buttons(strings, "disconnect"),
        _channel(strings, state),
    )


def _connect(strings: Strings, state: WalletState) -> tuple[Child, ...]:
    asking = _asking(strings) if state.connecting else None
    if len(state.wallets) > 1:
        label = strings("wallet.which")
        buttons = (
            h("li", {}, _wide(name, "choose", off=wallet == state.connecting, value=wallet))
            for wallet, name in state.wallets
        )
        choices = h("ul", {"class": "choices", "aria-label": label}, *buttons)
        return _note(label), choices, asking
    before = price_sentence(strings, state.announced)
    connect = _wide(strings("wallet.connect"), "connect", off=bool(state.connecting))
    return connect, asking, _note(before)


def _asking(strings: Strings) -> Html:
    """Return the note with a "Cancel", because a wallet may never answer."""
    return fragment(_note(strings("wallet.asking")), _buttons(strings, "cancel"))


def _facts(strings: Strings, state: WalletState) -> Html:
    short = f"{state.account[:6]}…{state.account[-4:]}"
    options = (
        h(
            "option",
            {"value": network, "selected": network == state.network},
            network_name(network),
        )
        for network in state.networks
    )
    choice: Attributes = {"id": "wallet-network", "aria-label": strings("wallet.network")}
    rows: list[tuple[str, Child]] = [
        ("account", h("span", {"title": state.account}, short)),
        ("network", h("select", choice, *options)),
        ("channel", usdc(strings, state.channel) if state.channel else strings("wallet.noChannel")),
        ("spent", usdc(strings, state.spent)),
    ]
    if state.uncertain:
        rows.append(("uncertain", usdc(strings, state.uncertain)))
    if not state.channel:
        rows.append(("deposit", usdc(strings, state.announced.deposit)))
    rows.append(("perMessage", usdc(strings, state.announced.per_message)))
    rows.append(("perQuestion", usdc(strings, state.announced.per_question)))
    rows.append(("perSession", usdc(strings, state.per_session)))
    if state.pays:
        rows.append(("pays", _long(state.pays)))
    cells = (
        h("div", {}, h("dt", {}, strings(f"wallet.{name}")), h("dd", {"data-fact": name}, value))
        for name, value in rows
    )
    return h("dl", {"class": "facts"}, *cells)


def _totals(strings: Strings, state: WalletState) -> list[Html]:
    """Return the amounts spent, which stay visible after the wallet is disconnected."""
    rows = [("spent", state.spent if state.spent != "0.00" else ""), ("uncertain", state.uncertain)]
    return [
        _note(f"{strings(f'wallet.{name}')}: {usdc(strings, spent)}")
        for name, spent in rows
        if spent
    ]


def _channel(strings: Strings, state: WalletState) -> Html | None:
    if not state.channel_id:
        return None
    minutes = state.delay // 60
    ways = (
        h("li", {}, _note(strings(f"wallet.{way}", minutes=minutes)), _buttons(strings, *names))
        for way, names in REFUND_WAYS
    )
    return h(
        "details",
        {},
        h("summary", {}, strings("wallet.getBack")),
        _note(strings("wallet.wayOut")),
        h("ul", {"class": "ways"}, *ways),
        _note(strings("wallet.channelId"), " ", _long(state.channel_id)),
    )


def _note(*content: Child) -> Html:
    return h("p", {"class": "note"}, *content)


def _long(text: str) -> Html:
    """Return a long number with a line break opportunity in its middle."""
    half = len(text) // 2 + 1
    return h("span", {"class": "address"}, text[:half], h("wbr"), text[half:])


def _buttons(strings: Strings, *names: str) -> Html:
    small: Attributes = {"type": "button", "class": "small"}
    buttons = (
        h("button", {**small, "data-action": f"wallet-{name}"}, strings(f"wallet.{name}"))
        for name in names
    )
    return h("div", {"class": "row"}, *buttons)


def _wide(label: str, action: str, *, off: bool, value: str | None = None) -> Html:
    attributes: Attributes = {
        "type": "button",
        "class": "wide",
        "data-action": f"wallet-{action}",
        "data-value": value,
        "disabled": off,
    }
    return h("button", attributes, label)


def _fact_text(strings: Strings, value: str) -> str:
    return network_name(amount(strings, value)) or strings("wallet.nothing")
