"""Paying in words: what failed, what happens now, and the panel "Wallet".

Rule: an amount is shown as it was counted, never rounded; what may have been charged is never left
out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

from tabloop.core.networks import network_name
from tabloop.payments.errors import PaymentError
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
# What the sentence of a code ends with, if no payment was sent before it.
UNSIGNED = frozenset(
    {"unreadable_challenge", "wrong_version", "offer_refused", "session_limit", "deposit_limit"}
)
UNPAID = frozenset(
    {
        *("declined", "account_changed", "wallet_failed", "no_storage", "file_missing"),
        "signature_expired",  # before it was sent
    }
)
# each way to get a deposit back, with its buttons
WAYS_OUT = (("byEndpoint", ("refund",)), ("alone", ("announce", "finish")), ("file", ("save",)))


@dataclass(frozen=True, slots=True)
class WalletState:
    """What the panel shows; amounts in USDC as decimal strings.

    `wallets` are (id, name) to choose from, `channel` what is left in it (blank: not opened),
    `uncertain` what payments without a receipt may have cost at most (blank: nothing), `asked` the
    wallet that is asked for its account just now.
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
    per_message: str = ""
    per_session: str = ""
    note: str = ""
    asked: str = ""


def payment_sentence(strings: Strings, failed: PaymentError) -> str:
    """Return what went wrong, and what it may have cost."""
    facts = {name: _shown(strings, value) for name, value in failed.facts.items()}
    host = failed.host or strings("pay.theEndpoint")
    if failed.code == "offer_refused":
        reason = strings(f"refused.{failed.facts.get('reason', 'unreadable')}", **facts)
        sentence = strings("pay.offer_refused", host=host, reason=reason)
    elif failed.code == "insufficient_balance" and "balance" not in failed.facts:
        sentence = strings("pay.tooLittle")  # the server says so, without a number
    else:
        names = (
            "asked",
            "limit",
            "spent",
            "needed",
            "balance",
            "network",
            "version",
            "status",
            "file",
        )
        blanks = dict.fromkeys(names, "?")
        sentence = strings(f"pay.{failed.code}", **{**blanks, **facts, "host": host})
    if failed.maybe_charged and "minutes" in facts:  # refused, and signed for all the same
        most, minutes = facts["maybe_charged"], facts["minutes"]
        sentence += " " + strings("pay.stillOut", amount=most, minutes=minutes)
    elif failed.maybe_charged:
        sentence += " " + strings("pay.maybe", amount=facts["maybe_charged"])
    elif failed.code in UNSIGNED:
        sentence += " " + strings("pay.unsigned")
    elif failed.code in UNPAID:
        sentence += " " + strings("pay.unpaid")
    return sentence


def phase_line(strings: Strings, phase: PhaseName, most: int, *, opening: bool) -> str:
    """Return the status line while paying `most`, in millionths; `opening`: the channel is new."""
    name = "openingChannel" if phase == "topping_up" and opening else phase
    return strings(f"status.{name}", amount=amount(strings, most))


def wallet_html(strings: Strings, state: WalletState) -> str:
    """Return the panel's content."""
    note = f'<p class="note" id="wallet-note">{escape(state.note)}</p>' if state.note else ""
    if not state.account:
        return f"{_connect(strings, state)}{note}{_totals(strings, state)}"
    return (
        f"<h2>{escape(strings('wallet.title'))}</h2>{_facts(strings, state)}{note}"
        f'<div class="row">{_button(strings, "disconnect")}</div>{_channel(strings, state)}'
    )


def _connect(strings: Strings, state: WalletState) -> str:
    asking = _asking(strings) if state.asked else ""
    if len(state.wallets) > 1:
        buttons = "".join(
            f'<li><button type="button" class="wide" data-wallet="{escape(name_id)}"'
            f"{' disabled' if name_id == state.asked else ''}>{escape(name)}</button></li>"
            for name_id, name in state.wallets
        )
        label = escape(strings("wallet.which"))
        choices = f'<ul class="choices" aria-label="{label}">{buttons}</ul>'
        return f'<p class="note">{label}</p>{choices}{asking}'
    label = escape(strings("wallet.connect"))
    before = escape(strings("wallet.before", amount=amount(strings, state.per_message)))
    off = " disabled" if state.asked else ""
    return (
        f'<button type="button" class="wide" data-do="connect"{off}>{label}</button>{asking}'
        f'<p class="note">{before}</p>'
    )


def _asking(strings: Strings) -> str:
    """A wallet may never answer: there is a way back."""
    said = escape(strings("wallet.asking"))
    return f'<p class="note">{said}</p><div class="row">{_button(strings, "cancel")}</div>'


def _facts(strings: Strings, state: WalletState) -> str:
    channel = usdc(strings, state.channel) if state.channel else strings("wallet.noChannel")
    short = f"{state.account[:6]}…{state.account[-4:]}"
    options = "".join(
        f'<option value="{network}"{" selected" if network == state.network else ""}>'
        f"{escape(network_name(network))}</option>"
        for network in state.networks
    )
    label = escape(strings("wallet.network"))
    rows = [
        ("account", f'<span title="{escape(state.account)}">{escape(short)}</span>'),
        ("network", f'<select id="wallet-network" aria-label="{label}">{options}</select>'),
        ("channel", escape(channel)),
        ("spent", escape(usdc(strings, state.spent))),
    ]
    if state.uncertain:
        rows.append(("uncertain", escape(usdc(strings, state.uncertain))))
    rows.append(("perMessage", escape(usdc(strings, state.per_message))))
    rows.append(("perSession", escape(usdc(strings, state.per_session))))
    if state.pays:
        rows.append(("pays", _long(state.pays)))
    cells = "".join(
        f"<div><dt>{escape(strings(f'wallet.{name}'))}</dt>"
        f'<dd data-fact="{name}">{value}</dd></div>'
        for name, value in rows
    )
    return f'<dl class="facts">{cells}</dl>'


def _totals(strings: Strings, state: WalletState) -> str:
    """What was spent stays in sight after the wallet is gone."""
    rows = [("spent", state.spent if state.spent != "0.00" else ""), ("uncertain", state.uncertain)]
    return "".join(
        f'<p class="note">{escape(strings(f"wallet.{name}"))}: {escape(usdc(strings, spent))}</p>'
        for name, spent in rows
        if spent
    )


def _channel(strings: Strings, state: WalletState) -> str:
    if not state.channel_id:
        return ""
    minutes = state.delay // 60
    ways = "".join(
        f'<li><p class="note">{escape(strings(f"wallet.{way}", minutes=minutes))}</p>'
        f'<div class="row">{"".join(_button(strings, name) for name in names)}</div></li>'
        for way, names in WAYS_OUT
    )
    channel = escape(strings("wallet.channelId"))
    return (
        f"<details><summary>{escape(strings('wallet.getBack'))}</summary>"
        f'<p class="note">{escape(strings("wallet.wayOut"))}</p><ul class="ways">{ways}</ul>'
        f'<p class="note">{channel} {_long(state.channel_id)}</p></details>'
    )


def _long(text: str) -> str:
    """Return a long number that breaks in its middle, so that no single figure is left over."""
    half = len(text) // 2 + 1
    return f'<span class="address">{escape(text[:half])}<wbr>{escape(text[half:])}</span>'


def _button(strings: Strings, name: str) -> str:
    label = escape(strings(f"wallet.{name}"))
    return f'<button type="button" class="small" data-do="{name}">{label}</button>'


def _shown(strings: Strings, value: str) -> str:
    return network_name(amount(strings, value)) or strings("wallet.nothing")
