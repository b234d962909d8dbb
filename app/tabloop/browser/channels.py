# pyright: standard
"""The payment channels of an account, as x402.js stores them. Rule: values only, no keys."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

__all__ = ["Channel", "best_channel"]


@dataclass(frozen=True, slots=True)
class Channel:
    """A payment channel of the account.

    `left` is the rest of the deposit in millionths of a USDC (`None`: unknown), `delay` the
    withdrawal's delay in seconds.
    """

    id: str
    network: str
    pay_to: str
    delay: int
    left: int | None

    @classmethod
    def read(cls, entry: Mapping[str, Any]) -> Self:
        """Return the channel of a stored entry."""
        config, state = entry["config"], entry.get("state")
        left = None
        if state:
            left = int(state.get("balance") or 0) - int(state.get("chargedCumulativeAmount") or 0)
        delay = int(config["withdrawDelay"])
        return cls(entry["id"], entry["network"], config["receiver"], delay, left)


def best_channel(channels: Sequence[Channel], pay_to: str, network: str) -> Channel | None:
    """Return the newest channel to this recipient on this network, or the nearest to that."""
    same_recipient = [c for c in channels if c.pay_to.lower() == pay_to.lower()] or channels
    same_network = [c for c in same_recipient if c.network == network] or same_recipient
    return same_network[-1] if same_network else None
