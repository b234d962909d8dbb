"""The box above the composer for what a wallet is asked. Rule: it never takes the focus."""

import asyncio

from tabloop.browser.markup import set_html
from tabloop.browser.page import Page
from tabloop.browser.web import document, window
from tabloop.payments.ports import PaymentPhase
from tabloop.ui.html import Html, fragment
from tabloop.ui.payment import WalletState
from tabloop.ui.strings import Strings
from tabloop.ui.wallet_notice import connecting_html, reading_html, signing_html

__all__ = ["WalletNotice"]

# in pixels
NEAR_END = 140
GAP = 4


class WalletNotice:
    """Stays in sight wherever the reader is, unlike the panel, which may be in a closed sheet."""

    def __init__(self, page: Page, strings: Strings) -> None:
        self._page = page
        self._strings = strings
        self._box = page.element("asking")
        self._html = fragment()
        self._connects: asyncio.Future[None] | None = None

    def connect(self) -> asyncio.Future[None]:
        """Show each state of the wallet; return a future that is done when the box closes."""
        self.close()
        self._connects = asyncio.get_running_loop().create_future()
        return self._connects

    def show_state(self, state: WalletState) -> None:
        """Show the state of the wallet if the person connects one from outside the panel."""
        if self._connects is None:
            return
        self._show(connecting_html(self._strings, state))
        if state.account:
            self.close()

    def show_phase(self, phase: PaymentPhase, state: WalletState) -> None:
        """Show what is to be signed, if the wallet asks in this phase of a payment."""
        self._show(signing_html(self._strings, phase, state))

    def show_text(self) -> None:
        """Show that a text is to be signed."""
        self._show(reading_html(self._strings))

    def close(self) -> None:
        """Hide the box: the wallet has answered, or nothing is asked any more."""
        connects, self._connects = self._connects, None
        if connects is not None and not connects.done():
            connects.set_result(None)
        self._show(fragment())

    def _show(self, html: Html) -> None:
        if html == self._html:
            return
        self._html = html
        had_focus = self._box.contains(document.activeElement)
        root = document.documentElement
        follow = root.scrollHeight - window.innerHeight - window.scrollY < NEAR_END
        set_html(self._box, html)
        self._box.hidden = not html
        if follow:  # else the box would cover the button that was pressed
            window.scrollTo(0, root.scrollHeight)
            room = self._box.getBoundingClientRect().top - self._page.element("bar").offsetHeight
            window.scrollBy(0, min(0, room - GAP))
        if had_focus:  # the pressed button is gone
            self._page.focus_composer()
