"""The texts of payments and the panel "Wallet".

Rule: amounts are never rounded, and an amount that may have been charged is always shown.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from tabloop.core.german_text import shorten
from tabloop.core.networks import ESCROW, network_name
from tabloop.payments.errors import OfferRefused, PaymentError
from tabloop.ui.announced import NOTHING, Announced, price_sentence
from tabloop.ui.channels import Deposits, buttons, deposits_html, long_text, note
from tabloop.ui.html import Attributes, Child, Html, button, fragment, h
from tabloop.ui.money import amount, usdc
from tabloop.ui.strings import Strings
from tabloop.ui.unseen import without_unseen

__all__ = [
    "PhaseName",
    "WalletState",
    "explained_html",
    "payment_sentence",
    "phase_line",
    "wallet_html",
]

PhaseName = Literal["paying", "topping_up", "wallet", "channel_busy", "resending"]
# Error codes whose sentence gets an addition: nothing was signed, or nothing was paid.
NOT_SIGNED = frozenset(
    {
        *("unreadable_challenge", "wrong_version", "offer_refused", "session_limit"),
        *("question_limit", "deposit_limit", "bad_address", "clock_slow", "clock_fast"),
    }
)
NOT_PAID = frozenset(
    {
        *("declined", "account_changed", "wallet_failed", "file_missing", "locked"),
        *("no_locks", "framed", "rpc_failed", "bad_signature", "contract_wallet"),
        "signature_expired",  # expired before it was sent
    }
)
MAX_NAME = 60  # characters of a wallet's name
FACTS = (
    *("asked", "limit", "spent", "needed", "balance", "network", "version", "status", "file"),
    "minutes_off",
)


@dataclass(frozen=True, slots=True)
class WalletState:
    """What the panel shows; amounts are decimal strings in USDC.

    `wallets` are (id, name) to choose from. `channel` is the rest of the deposit that the next
    message is paid from (blank: no channel), `low`: it ends soon. `uncertain` is the most that
    payments without a receipt may have cost (blank: nothing). `connecting` is the id of the wallet
    that is being asked for its account. `away`: the wallet is locked or absent.
    """

    account: str = ""
    network: str = ""
    networks: Sequence[str] = ()
    wallets: Sequence[tuple[str, str]] = ()
    channel: str = ""
    low: bool = False
    away: bool = False
    pays: str = ""
    deposits: Deposits = field(default_factory=Deposits)
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
    if isinstance(failed, OfferRefused) and failed.changed:
        sentence = strings("pay.changed", host=host)
    elif failed.code == "offer_refused":
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
    said = h("p", {"class": "note", "id": "wallet-note"}, state.note) if state.note else None
    if not state.account:
        return fragment(*_connect(strings, state), said, *_totals(strings, state))
    return fragment(
        h("h2", {}, strings("wallet.awayTitle" if state.away else "wallet.title")),
        note(strings("wallet.away")) if state.away else None,
        _facts(strings, state),
        said,
        note(strings("wallet.low")) if state.low else None,
        buttons(strings, *(("connect",) if state.away else ()), "disconnect"),
        deposits_html(strings, state.deposits),
        explained_html(strings, "wallet-words"),
    )


def _connect(strings: Strings, state: WalletState) -> tuple[Child, ...]:
    asking = _asking(strings) if state.connecting else None
    if len(state.wallets) > 1:
        label = strings("wallet.which")
        buttons = (
            h(
                "li",
                {},
                button(
                    # any script announces a wallet, under any name
                    shorten(without_unseen(name), MAX_NAME) or wallet,
                    "wallet-choose",
                    "wide",
                    off=wallet == state.connecting,
                    value=wallet,
                ),
            )
            for wallet, name in state.wallets
        )
        choices = h("ul", {"class": "choices", "aria-label": label}, *buttons)
        return note(label), choices, asking
    before = price_sentence(strings, state.announced)
    connect = button(
        strings("wallet.connect"), "wallet-connect", "wide", off=bool(state.connecting)
    )
    return connect, asking, note(before), explained_html(strings, "wallet-words")


def explained_html(strings: Strings, name: str = "") -> Html:
    """Return what USDC and a channel are, and where one learns more; `name` is its id."""

    def more(url: str, name: str) -> Html:
        where: Attributes = {"href": url, "target": "_blank", "rel": "noopener noreferrer"}
        return h("a", where, strings(f"wallet.{name}"))

    return h(
        "details",
        {"id": name} if name else {},
        h("summary", {}, strings("wallet.words")),
        note(strings("wallet.usdcIs"), " ", more("https://www.circle.com/usdc", "usdcMore")),
        note(strings("wallet.channelIs"), " ", more("https://www.x402.org", "channelMore")),
    )


def _asking(strings: Strings) -> Html:
    """Return the note with a "Cancel", because a wallet may never answer."""
    return fragment(note(strings("wallet.asking")), buttons(strings, "cancel"))


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
        (
            "signs",
            strings("wallet.signsTab" if state.away or state.channel else "wallet.signsWallet"),
        ),
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
        rows.append(("pays", long_text(state.pays)))
    if state.channel:
        rows.append(("holds", long_text(ESCROW)))
    cells = (
        h("div", {}, h("dt", {}, strings(f"wallet.{name}")), h("dd", {"data-fact": name}, value))
        for name, value in rows
    )
    return h("dl", {"class": "facts"}, *cells)


def _totals(strings: Strings, state: WalletState) -> list[Html]:
    """Return the amounts spent, which stay visible after the wallet is disconnected."""
    rows = [("spent", state.spent if state.spent != "0.00" else ""), ("uncertain", state.uncertain)]
    return [
        note(f"{strings(f'wallet.{name}')}: {usdc(strings, spent)}")
        for name, spent in rows
        if spent
    ]


def _fact_text(strings: Strings, value: str) -> str:
    return network_name(amount(strings, value)) or strings("wallet.nothing")
