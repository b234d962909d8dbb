# pyright: standard
"""How pictures are asked for, priced and paid for in the page, wired together.

Rule: what a person confirmed on the card is what the payment is held to, and what paying does is
said on that very card.
"""

from typing import TYPE_CHECKING

from app.agent.quotes import Agreement
from app.agent.tools import Tool
from app.agent.transport import Transport
from app.browser.approver import PageApprover
from app.browser.conversation_view import ConversationView
from app.browser.late_wallet import LateWallet
from app.browser.page import Page
from app.tools.image_prices import ImageQuote
from app.tools.image_service import ImageService
from app.tools.images import image_tools
from app.views.strings import Strings

if TYPE_CHECKING:
    from app.payments.ports import Phase

__all__ = ["Pictures"]


class Pictures:
    """The tool that makes pictures, and everything between it and a person.

    It is the `PaymentView` of its own transport: `purse` hears all phases, the card its stages.
    """

    def __init__(
        self,
        page: Page,
        strings: Strings,
        *,
        purse: LateWallet,
        transport: Transport,
        url: str,
    ) -> None:
        self._page = page
        self._strings = strings
        self._purse = purse
        self._agreement = Agreement()
        self._approver: PageApprover | None = None
        paying = purse.transport("image", self)
        self._quote = ImageQuote(transport, paying, url, purse.network)
        service = ImageService(paying, url, purse.network, self._agreement.take)
        self.tools: tuple[Tool, ...] = image_tools(service) if url else ()

    def approver(self, view: ConversationView) -> PageApprover:
        """Return who asks the person in `view`; there is one for the life of the page."""
        self._approver = PageApprover(self._page, view, self._strings, self._quote, self._agreement)
        return self._approver

    def show(self, phase: "Phase") -> None:
        """Take what paying does now."""
        self._purse.show(phase)
        if self._approver is None:
            return
        match phase.name:
            case "wallet":
                self._approver.show_stage("signing")
            case "paying":
                self._approver.show_stage("generating")
                self._page.status(self._strings("status.makingPicture"))
            case "resending":
                self._approver.show_stage("generating", again=True)
            case _:  # with the receipt comes the picture; a channel is nothing it is paid through
                pass
