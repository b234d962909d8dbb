"""Creates and connects the parts that pay. Rule: it is loaded after the start, or when needed."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from tabloop.browser.deposit_buttons import DepositButtons
from tabloop.browser.endpoint_panel import EndpointPanel
from tabloop.browser.page import Page
from tabloop.browser.page_files import page_module
from tabloop.browser.stored_pins import StoredPins
from tabloop.browser.tab_locks import TabLocks
from tabloop.browser.wallet import Wallet
from tabloop.browser.wallet_channels import WalletChannels
from tabloop.browser.wallet_panel import WalletPanel
from tabloop.core.http import HttpRequest, Streaming, Transport
from tabloop.payments.ledger import Ledger
from tabloop.payments.limits import Limits, LimitsSettings, Purpose
from tabloop.payments.paid_transport import PaidTransport
from tabloop.payments.policy import SpendingPolicy
from tabloop.payments.ports import PaymentView
from tabloop.payments.refund import Refunds
from tabloop.ui.announced import Announced
from tabloop.ui.strings import Strings

if TYPE_CHECKING:
    from tabloop.browser.lazy_wallet import PayingParts

__all__ = ["StoringTransport", "paying_parts"]


class StoringTransport:
    """Has the conversation stored when a payment leaves, since Python may end before the answer."""

    def __init__(self, inner: Transport, store: Callable[[], None]) -> None:
        self._inner = inner
        self._store = store

    def stream(self, request: HttpRequest) -> AbstractAsyncContextManager[Streaming]:
        """Open a response; see `Transport`."""
        if "payment-signature" in request.headers:
            self._store()
        return self._inner.stream(request)


def paying_parts(
    page: Page,
    strings: Strings,
    settings: LimitsSettings,
    transport: Transport,
    endpoint: EndpointPanel,
    *,
    announced: Announced,
) -> "PayingParts":
    """Return the wallet panel, a factory of paid transports, and the network's getter."""
    wallet = Wallet(lambda: page_module("x402.js"))
    ledger = Ledger()
    limits = Limits.of(settings, per_question=announced.per_question)
    policy = SpendingPolicy(limits, StoredPins(), ledger, wallet.network)
    locks, channels = TabLocks(wallet), WalletChannels(wallet, ledger)
    refunds = Refunds(transport, channels, locks)

    def deposits(changed: Callable[[], None]) -> DepositButtons:
        return DepositButtons(
            page,
            strings,
            channels,
            refunds,
            endpoint=lambda: endpoint.chosen.url,
            changed=changed,
        )

    panel = WalletPanel(page, strings, channels, policy, deposits, announced=announced)

    def paid(purpose: Purpose, view: PaymentView) -> PaidTransport:
        return PaidTransport(
            transport, purpose=purpose, signer=wallet, policy=policy, locks=locks, view=view
        )

    return panel, paid, lambda: wallet.network or settings.networks[0]
