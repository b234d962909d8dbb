"""The deposits in the panel "Wallet": what is left in each, and the ways to get it back.

Rule: each deposit shows its own amount, recipient and network, so that none is taken for another.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from tabloop.core.networks import network_name
from tabloop.payments.channels import Channel, WayOut
from tabloop.ui.html import Attributes, Child, Html, button, fragment, h
from tabloop.ui.money import usdc
from tabloop.ui.strings import Strings

__all__ = [
    "Deposits",
    "buttons",
    "deposits_html",
    "duration",
    "exact_duration",
    "long_text",
    "moment",
    "note",
]

HOUR = 3600
# what a way out costs or needs, beside its buttons
NOTES: Mapping[WayOut, str] = {"refund": "byEndpoint", "announce": "alone", "finish": "takeIt"}


@dataclass(frozen=True, slots=True)
class Deposits:
    """The channels with money in them, at `now` (Unix time).

    `sent` has, by channel, the hash of a transaction without a receipt. `complete`: the chain's
    record was searched on the wallet's network; `keeps`: the browser stores what it is given.
    """

    channels: Sequence[Channel] = ()
    now: float = 0
    sent: Mapping[str, str] = field(default_factory=dict[str, str])
    complete: bool = True
    keeps: bool = True


def deposits_html(strings: Strings, deposits: Deposits) -> Html:
    """Return the list of deposits with their buttons, and the files of channel data."""
    rows = [_channel(strings, channel, deposits) for channel in deposits.channels]
    found = None if deposits.complete else note(strings("wallet.incomplete"))
    file: list[Child] = []
    if rows:
        file = [note(strings("wallet.file")), buttons(strings, "save")]
    return fragment(
        None if deposits.keeps else note(strings("wallet.volatile")),
        h(
            "details",
            {"id": "wallet-deposits"},
            h("summary", {}, strings("wallet.getBack" if rows else "wallet.deposits")),
            note(strings("wallet.wayOut" if rows else "wallet.noDeposit")),
            h("ul", {"class": "ways"}, *rows) if rows else None,
            found,
            *file,
            _load(strings),
        ),
    )


def duration(strings: Strings, seconds: int) -> str:
    """Return a length of time in hours, or in minutes below two hours."""
    if seconds >= 2 * HOUR:
        return strings("wallet.hours", n=-(-seconds // HOUR))
    return strings("wallet.minutes", n=-(-seconds // 60))


def exact_duration(strings: Strings, seconds: int) -> str:
    """Return the same, with the seconds where that is rounded."""
    unit = HOUR if seconds >= 2 * HOUR else 60
    rounded = duration(strings, seconds)
    return f"{rounded} ({seconds} s)" if seconds % unit else rounded


def moment(strings: Strings, time: float) -> str:
    """Return a Unix time as the visitor's date and time of day."""
    local = datetime.fromtimestamp(time).astimezone()
    day = strings.date(local.date().isoformat())
    return strings("wallet.moment", date=day, time=f"{local:%H:%M}")


def note(*content: Child) -> Html:
    """Return a paragraph in small letters."""
    return h("p", {"class": "note"}, *content)


def long_text(text: str) -> Html:
    """Return a long number with a line break opportunity in its middle."""
    half = len(text) // 2 + 1
    return h("span", {"class": "address"}, text[:half], h("wbr"), text[half:])


def buttons(strings: Strings, *names: str, value: str | None = None) -> Html:
    """Return a row of the panel's small buttons, all for the same `value`."""
    row = (button(strings(f"wallet.{name}"), f"wallet-{name}", value=value) for name in names)
    return h("div", {"class": "row"}, *row)


def _channel(strings: Strings, channel: Channel, deposits: Deposits) -> Html:
    left = strings("wallet.unread") if channel.left is None else usdc(strings, channel.left)
    ways = channel.ways(deposits.now)
    sent = deposits.sent.get(channel.id)
    wait = duration(strings, channel.delay)
    return h(
        "li",
        {"data-channel": channel.id},
        h("p", {}, h("strong", {}, left), " ", network_name(channel.network)),
        note(strings("wallet.pays"), " ", long_text(channel.pay_to)),
        *_withdrawal(strings, channel, deposits.now),
        note(strings("wallet.sent"), " ", long_text(sent)) if sent else None,
        *(
            fragment(
                note(strings(f"wallet.{NOTES[way]}", duration=wait)),
                buttons(strings, way, value=channel.id),
            )
            for way in ways
            if not (sent and way != "refund")
        ),
        note(strings("wallet.channelId"), " ", long_text(channel.id)),
    )


def _withdrawal(strings: Strings, channel: Channel, now: float) -> list[Html]:
    withdrawal = channel.withdrawal
    if withdrawal is None:
        return []
    amount, when = usdc(strings, withdrawal.amount), moment(strings, withdrawal.due)
    name = "takeNow" if now >= withdrawal.due else "takeLater"
    return [note(strings(f"wallet.{name}", amount=amount, when=when))]


def _load(strings: Strings) -> Html:
    field: Attributes = {"type": "file", "id": "wallet-load", "accept": "application/json,.json"}
    return h("p", {"class": "note"}, h("label", {}, strings("wallet.load"), " ", h("input", field)))
