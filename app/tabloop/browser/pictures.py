"""Connects the picture tool with its card, its price and its payment.

Rule: the payment is never more than the person confirmed on the card, and that card shows the
payment's progress.
"""

from typing import TYPE_CHECKING

from tabloop.agent.tools import Tool
from tabloop.browser.approver import PageApprover
from tabloop.browser.conversation_view import ConversationView
from tabloop.browser.lazy_wallet import LazyWallet
from tabloop.browser.page import Page
from tabloop.browser.picture_service import PictureServicePanel
from tabloop.core.http import Transport
from tabloop.core.pricing import ConfirmedPrice
from tabloop.tools.images.choice import ChosenService
from tabloop.tools.images.generations import PictureEndpoint
from tabloop.tools.images.prices import ImagePricing
from tabloop.tools.images.service import ImageService
from tabloop.tools.images.tool import image_tools
from tabloop.tools.images.words import MAKING
from tabloop.ui.strings import Strings

if TYPE_CHECKING:
    from tabloop.payments.ports import PaymentPhase

__all__ = ["Pictures"]


class Pictures:
    """The picture tool (`tools`) and what it needs in the page.

    `default` is the service of the site's owner, `panel` where a person chooses another. It is the
    `PaymentView` of its transport: it passes each phase to `wallet` and to the card.
    """

    def __init__(
        self,
        page: Page,
        strings: Strings,
        *,
        wallet: LazyWallet,
        transport: Transport,
        default: PictureEndpoint,
    ) -> None:
        self._page = page
        self._strings = strings
        self._wallet = wallet
        self._confirmed_price = ConfirmedPrice()
        self._approver: PageApprover | None = None
        self.panel = PictureServicePanel(page, strings, default)
        paying = wallet.transport("image", self)

        def paid(url: str) -> tuple[ImagePricing, ImageService]:
            service = ImageService(paying, url, wallet.network, self._confirmed_price.take)
            return ImagePricing(transport, paying, url, wallet.network), service

        self._service = ChosenService(lambda: self.panel.chosen, transport, paid)
        self.tools: tuple[Tool, ...] = image_tools(self._service)

    def offered(self) -> tuple[Tool, ...]:
        """Return the tool, none while there is no service."""
        return self.tools if self.panel.chosen.url else ()

    def approver(self, view: ConversationView) -> PageApprover:
        """Return the approver that shows its cards in `view`. Call it once."""
        self._approver = PageApprover(
            self._page, view, self._strings, self._service, self._confirmed_price
        )
        return self._approver

    def show(self, phase: "PaymentPhase") -> None:
        """Show the phase of a payment in the wallet panel and on the card."""
        self._wallet.show(phase)
        if self._approver is None:
            return
        match phase.name:
            case "wallet":
                self._approver.show_stage("signing")
            case "paying":
                self._approver.show_stage("generating")
                self._page.status(self._strings.text(MAKING), "running")
            case "resending":
                self._approver.show_stage("generating", again=True)
            case _:  # the picture itself shows the end of a payment; channels pay no pictures
                pass
