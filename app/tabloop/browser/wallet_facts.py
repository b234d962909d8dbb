"""What the panel "Wallet" shows, read from the wallet, its channels and the ledger.

Rule: the panel is a view; it keeps no sum of its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from time import time

from tabloop.browser.wallet_channels import WalletChannels
from tabloop.core.money import to_usdc
from tabloop.payments.channels import Channel, current_channel
from tabloop.payments.policy import SpendingPolicy
from tabloop.ui.channels import Deposits
from tabloop.ui.payment import WalletState

__all__ = ["with_facts"]

LOW = 10  # messages at their limit: the person hears of it before the wallet asks again


def with_facts(
    state: WalletState,
    known: WalletChannels,
    channels: Sequence[Channel],
    sent: Mapping[str, str],
    policy: SpendingPolicy,
) -> WalletState:
    """Return the state with what is true now; `sent` has the hash of a transaction by channel."""
    wallet, ledger = known.wallet, policy.ledger
    current = current_channel(channels, state.network, state.pays)
    left = current.left if current else None
    return replace(
        state,
        account=wallet.account,
        away=wallet.away,
        channel="" if left is None else to_usdc(left),
        low=bool(left) and left < LOW * policy.limits.per_message,
        pays=state.pays or (current.pay_to if current else ""),
        deposits=Deposits(
            [channel for channel in channels if channel.in_use],
            time(),
            sent,
            complete=known.complete,
            keeps=known.keeps,
        ),
        spent=to_usdc(ledger.charged),
        uncertain=to_usdc(ledger.uncertain) if ledger.uncertain else "",
    )
