"""The payment channels of an account: what is left in each, and how it can be taken out.

Rule: a channel with money in it is never left out, and always has a way out.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from tabloop.core.json_text import Json, JsonObject, as_object

__all__ = ["Channel", "WayOut", "Withdrawal", "current_channel", "read_channels"]

WayOut = Literal["refund", "announce", "finish"]


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """An announced withdrawal: `amount` in millionths, `due` the Unix time when it can be taken."""

    amount: int
    due: int


@dataclass(frozen=True, slots=True)
class Channel:
    """A payment channel.

    `left` is the rest of the deposit in millionths (`None`: not known yet), `delay` the
    withdrawal's delay in seconds. `own`: this browser has the key that signs its vouchers.
    `claimed` is what the recipient has taken on the chain so far, in millionths.
    """

    id: str
    network: str
    pay_to: str
    delay: int
    left: int | None
    own: bool = True
    withdrawal: Withdrawal | None = None
    claimed: int = 0

    @property
    def in_use(self) -> bool:
        """Whether there is money in it, or may be."""
        return self.left != 0 or self.withdrawal is not None

    def ways(self, now: float) -> tuple[WayOut, ...]:
        """Return the ways out that are open at `now` (Unix time)."""
        ways: list[WayOut] = []
        if self.own and self.left:
            ways.append("refund")
        if self.withdrawal is None:
            if self.left != 0:
                ways.append("announce")
        elif now >= self.withdrawal.due:
            ways.append("finish")
        return tuple(ways)


def read_channels(entries: Iterable[Json]) -> list[Channel]:
    """Read what the signing module lists; an entry that cannot be read is left out."""
    found = (_channel(as_object(entry)) for entry in entries)
    return [channel for channel in found if channel]


def current_channel(channels: Iterable[Channel], network: str, pay_to: str) -> Channel | None:
    """Return the channel that the next message is paid from: of this recipient if one is known."""
    own = [channel for channel in channels if channel.own]
    same = [c for c in own if c.pay_to.lower() == pay_to.lower()] if pay_to else own
    here = [channel for channel in same if channel.network == network] or same
    return max(here, key=lambda channel: channel.left or 0, default=None)


def _channel(entry: JsonObject) -> Channel | None:
    config = as_object(entry.get("config"))
    identity, network, pay_to = entry.get("id"), entry.get("network"), config.get("receiver")
    if not (isinstance(identity, str) and isinstance(network, str) and isinstance(pay_to, str)):
        return None
    seconds = _whole(config.get("withdrawDelay")) or 0
    return Channel(
        identity,
        network,
        pay_to,
        seconds,
        _left(as_object(entry.get("state"))),
        own=entry.get("own") is True,
        withdrawal=_withdrawal(as_object(entry.get("withdrawal")), seconds),
        claimed=_whole(as_object(entry.get("state")).get("totalClaimed")) or 0,
    )


def _left(state: JsonObject) -> int | None:
    balance, charged = _whole(state.get("balance")), _whole(state.get("chargedCumulativeAmount"))
    return None if balance is None else max(0, balance - (charged or 0))


def _withdrawal(announced: JsonObject, delay: int) -> Withdrawal | None:
    amount, since = _whole(announced.get("amount")), _whole(announced.get("initiatedAt"))
    return Withdrawal(amount, since + delay) if amount is not None and since else None


def _whole(value: Json) -> int | None:
    text = str(value)
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 40 else None
