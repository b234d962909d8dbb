"""The panel "Wallet", and the status line while paying. Rule: each amount is shown first."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from tabloop.browser.deposit_buttons import DepositButtons
from tabloop.browser.markup import set_html
from tabloop.browser.page import Page
from tabloop.browser.wallet_channels import WalletChannels
from tabloop.browser.wallet_connecting import Connecting
from tabloop.browser.wallet_facts import with_facts
from tabloop.browser.wallet_notice import WalletNotice
from tabloop.browser.web import document, js_object
from tabloop.core.money import to_usdc
from tabloop.payments.channels import Channel
from tabloop.payments.errors import PaymentError
from tabloop.payments.policy import SpendingPolicy
from tabloop.payments.ports import PaymentPhase
from tabloop.ui.announced import Announced
from tabloop.ui.html import fragment
from tabloop.ui.money import amount
from tabloop.ui.payment import WalletState, payment_sentence, phase_line, wallet_html
from tabloop.ui.strings import Strings

__all__ = ["WalletPanel"]


class WalletPanel:
    """The panel; it is also the `PaymentView` of the paid transports and a `TextSigner`.

    `deposits` returns the actions for deposits; it gets the function that shows a change.
    """

    def __init__(
        self,
        page: Page,
        strings: Strings,
        channels: WalletChannels,
        policy: SpendingPolicy,
        deposits: Callable[[Callable[[], None]], DepositButtons],
        *,
        announced: Announced,
    ) -> None:
        self._page, self._strings, self.policy = page, strings, policy
        wallet = self._wallet = channels.wallet
        self._channels = channels
        self._deposits = deposits(self.refresh)
        self._html = fragment()
        self._connecting = Connecting(wallet, self._asked)
        self._holds_focus = False
        limits = policy.limits
        self._state = WalletState(
            networks=limits.networks,
            network=wallet.network or limits.networks[0],
            announced=announced,
            per_session=to_usdc(limits.session),
        )
        self._panel = page.element("wallet")
        self._notice = WalletNotice(page, strings)
        wallet.answered = self._notice.close
        own = {"connect": self._find, "cancel": self._cancel, "disconnect": wallet.disconnect}
        actions = {f"wallet-{name}": partial(self._start_action, own[name]) for name in own}
        ways = {
            f"wallet-{name}": partial(self._take_out, action)
            for name, action in self._deposits.actions().items()
        }
        page.on_action({"wallet-choose": self._choose, **actions, **ways})
        page.listen(self._panel, "change", self._field_changed)
        wallet.changed = self._wallet_changed
        self._paint()
        page.start(self._resume())

    def show(self, phase: PaymentPhase) -> None:
        """Show the phase of a payment; called before the wallet asks for a signature."""
        self._state = replace(self._state, pays=phase.offer.pay_to)
        if phase.name in ("paid", "lost"):
            if phase.amount > phase.offer.amount:
                charged = amount(self._strings, phase.amount)
                allowed = amount(self._strings, phase.offer.amount)
                self._set_note(self._strings("wallet.lies", charged=charged, allowed=allowed))
            # a deposit whose payment was refused may be on the chain all the same
            (self._wallet_changed if phase.name == "lost" else self.refresh)()
            return
        fell_back = self._wallet.network and phase.offer.network != self._wallet.network
        self._set_note(self._strings("wallet.fellBack") if fell_back else "")
        opens = not self._state.channel
        line = phase_line(self._strings, phase.name, phase.amount, opening=opens)
        signs = phase.name in ("topping_up", "wallet")
        self._page.status(line, "waiting" if signs else "running")
        self._paint()
        self._notice.show_phase(phase, self._state)

    @property
    def account(self) -> str:
        """The connected account, blank while there is none."""
        return self._wallet.account

    def on_account(self, react: Callable[[], None]) -> None:
        """Call `react` whenever the account changes or is disconnected."""
        self._wallet.on_account.append(react)

    async def sign_text(self, text: str, account: str) -> str:
        """Return the account's signature of a text; the page asks for it meanwhile."""
        self._notice.show_text()
        with self._page.temporary_status(self._strings("status.signIn")):
            return await self._wallet.sign_text(text, account)

    def refresh(self) -> None:
        """Read the state of wallet, channel and ledger again, and show it."""
        self._page.start(self._refresh())

    async def connect(self) -> bool:
        """Connect a wallet, also if the panel is out of sight; return whether one is connected."""
        closed = self._notice.connect()
        await self._find()
        if len(self._state.wallets) > 1:
            await closed  # the person chooses one, or cancels
        return bool(self._wallet.account)

    async def _find(self) -> None:
        """Connect the only wallet, or offer the choice; the panel says why there is none."""
        self._set_note("")
        try:
            found = await self._wallet.discover()
            if not found:
                self._set_note(self._strings("wallet.none"))
            elif len(found) > 1:
                self._state = replace(self._state, wallets=found)
            else:
                await self._connect_to(found[0][0])
        except PaymentError as error:
            self._failed(error)
        await self._refresh()

    def _choose(self, button: Any) -> None:
        self._start_action(partial(self._connect_to, str(button.dataset.value)), button)

    def _start_action(self, action: Callable[[], Awaitable[object]], _button: Any = None) -> None:
        self._page.start(self._run_action(action))

    def _take_out(self, action: Callable[[str], Awaitable[str]], button: Any) -> None:
        self._start_action(partial(self._say, action, getattr(button.dataset, "value", "")))

    async def _say(self, action: Callable[..., Awaitable[str]], argument: object) -> None:
        self._set_note(await action(argument))

    async def _run_action(self, action: Callable[[], Awaitable[object]]) -> None:
        """Run an action, which "Disconnect" ends: the panel's other buttons are disabled."""
        held = self._holds_focus = self._panel.contains(document.activeElement)
        for button in self._panel.querySelectorAll('button:not([data-action="wallet-disconnect"])'):
            button.disabled = True
        try:
            await action()
        except PaymentError as error:
            self._failed(error)
        finally:
            self._html = fragment()  # forces a new paint, with enabled buttons
            self._holds_focus = held
            await self._refresh()
            self._holds_focus = False

    async def _connect_to(self, wallet_id: str) -> None:
        self._set_note("")
        with self._page.temporary_status(self._strings("status.waitingForWallet")):
            answered = await self._connecting.to(wallet_id)
        if answered:
            self._state = replace(self._state, wallets=())
            self._wallet_changed()

    async def _cancel(self) -> None:
        self._notice.close()
        self._set_note("")
        await self._connecting.cancel()

    def _asked(self) -> None:
        self._state = replace(self._state, connecting=self._connecting.asked)
        self._paint()

    async def _resume(self) -> None:
        """Take up the account of the last visit; the panel says what can pay now."""
        try:
            if await self._wallet.resume():
                await self._survey()
        except PaymentError as error:
            self._failed(error)

    def _wallet_changed(self) -> None:
        self._page.start(self._survey())

    async def _survey(self) -> None:
        """Show what is known, and then what the chain has, as the wallet may answer slowly."""
        await self._refresh()
        try:
            if self._wallet.account:
                await self._channels.survey()
        except PaymentError as error:
            self._failed(error)
        await self._refresh()

    def _field_changed(self, event: Any) -> None:
        if event.target.id == "wallet-load":
            if file := event.target.files.item(0):
                self._start_action(partial(self._say, self._deposits.load, file))
            event.target.value = ""  # the same file can be chosen again
        elif event.target.id == "wallet-network":
            self._wallet.choose_network(str(event.target.value))
            self.policy.network = self._wallet.network
            self._state = replace(self._state, network=self._wallet.network, note="")
            self.refresh()

    def _set_note(self, text: str) -> None:
        self._state = replace(self._state, note=text)

    def _failed(self, error: PaymentError) -> None:
        if error.code != "not_connected":  # else the person has pressed "Disconnect"
            self._set_note(payment_sentence(self._strings, error))

    async def _refresh(self) -> None:
        found: Sequence[Channel] = ()
        try:
            found = await self._channels.all() if self._wallet.account else ()
        except PaymentError as error:  # the rest of the panel is still shown
            self._set_note(self._state.note or payment_sentence(self._strings, error))
        state = replace(self._state, connecting=self._connecting.asked)
        self._state = with_facts(state, self._channels, found, self._deposits.sent, self.policy)
        self._paint()

    def _paint(self) -> None:
        self._notice.show_state(self._state)
        html = wallet_html(self._strings, self._state)
        if html != self._html:
            self._html = html
            opened = [part.id for part in self._panel.querySelectorAll("details[open]")]
            chooser = self._panel.querySelector("#wallet-load")
            set_html(self._panel, html)
            if chooser and (painted := self._panel.querySelector("#wallet-load")):
                painted.replaceWith(chooser)  # its dialog may be open
            if self._holds_focus and not self._state.account:
                button = '[data-action="wallet-cancel"]' if self._state.connecting else "button"
                self._panel.querySelector(button).focus(js_object({"preventScroll": True}))
            for part in self._panel.querySelectorAll("details"):
                part.open = part.id in opened
