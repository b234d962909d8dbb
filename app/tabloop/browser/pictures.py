# pyright: standard
"""How pictures are asked for, priced and paid for in the page, wired together.

Rule: what a person confirmed on the card is what the payment is held to, and what paying does is
said on that very card.
"""

from typing import TYPE_CHECKING

from tabloop.agent.tools import Tool
from tabloop.browser.approver import PageApprover
from tabloop.browser.conversation_view import ConversationView
from tabloop.browser.lazy_wallet import LazyWallet
from tabloop.browser.page import Page
from tabloop.core.http import Transport
from tabloop.core.pricing import ConfirmedPrice
from tabloop.tools.images.prices import ImagePricing
from tabloop.tools.images.service import ImageService
from tabloop.tools.images.tool import image_tools
from tabloop.tools.images.words import MAKING
from tabloop.ui.strings import Strings

if TYPE_CHECKING:
    from tabloop.payments.ports import PaymentPhase

__all__ = ["Pictures"]


class Pictures:
    """The tool that makes pictures, and everything between it and a person.

    It is the `PaymentView` of its own transport: `wallet` hears all phases, the card its stages.
    """

    def __init__(
        self,
        page: Page,
        strings: Strings,
        *,
        wallet: LazyWallet,
        transport: Transport,
        url: str,
    ) -> None:
        self._page = page
        self._strings = strings
        self._wallet = wallet
        self._confirmed_price = ConfirmedPrice()
        self._approver: PageApprover | None = None
        paying = wallet.transport("image", self)
        self._pricing = ImagePricing(transport, paying, url, wallet.network)
        service = ImageService(paying, url, wallet.network, self._confirmed_price.take)
        self.tools: tuple[Tool, ...] = image_tools(service) if url else ()

    def approver(self, view: ConversationView) -> PageApprover:
        """Return who asks the person in `view`; there is one for the life of the page."""
        self._approver = PageApprover(
            self._page, view, self._strings, self._pricing, self._confirmed_price
        )
        return self._approver

    def show(self, phase: "PaymentPhase") -> None:
        """Take what paying does now."""
        self._wallet.show(phase)
        if self._approver is None:
            return
        match phase.name:
            case "wallet":
                self._approver.show_stage("signing")
            case "paying":
                self._approver.show_stage("generating")
                self._page.status(self._strings.text(MAKING))
            case "resending":
                self._approver.show_stage("generating", again=True)
            case _:  # with the receipt comes the picture; a channel is nothing it is paid through
                pass
