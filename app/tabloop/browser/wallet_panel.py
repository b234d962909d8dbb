# pyright: standard
"""The panel "Wallet", and the status line while paying. Rule: each amount is shown first."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from tabloop.browser.channels import best_channel
from tabloop.browser.files import save
from tabloop.browser.markup import set_html
from tabloop.browser.page import Page
from tabloop.browser.wallet import Wallet
from tabloop.browser.wallet_notice import WalletNotice
from tabloop.browser.web import document, js_object
from tabloop.core.money import to_usdc
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

    `endpoint` returns the address of the model endpoint, which refunds are asked of.
    """

    def __init__(
        self,
        page: Page,
        strings: Strings,
        wallet: Wallet,
        policy: SpendingPolicy,
        endpoint: Callable[[], str],
        *,
        announced: Announced,
    ) -> None:
        self._page = page
        self._strings = strings
        self._wallet = wallet
        self.policy = policy
        self._endpoint = endpoint
        self._html = fragment()
        self._connecting: asyncio.Task[None] | None = None
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
        actions = {
            f"wallet-{name}": partial(self._start_action, action)
            for name, action in self._actions().items()
        }
        page.on_action({"wallet-choose": self._choose, **actions})
        page.listen(self._panel, "change", self._network_chosen)
        wallet.changed = self.refresh
        self._paint()

    def show(self, phase: PaymentPhase) -> None:
        """Show the phase of a payment; called before the wallet asks for a signature."""
        self._state = replace(self._state, pays=phase.offer.pay_to)
        if phase.name in ("paid", "lost"):
            if phase.amount > phase.offer.amount:
                charged = amount(self._strings, phase.amount)
                allowed = amount(self._strings, phase.offer.amount)
                self._set_note(self._strings("wallet.lies", charged=charged, allowed=allowed))
            self.refresh()
            return
        fell_back = self._wallet.network and phase.offer.network != self._wallet.network
        self._set_note(self._strings("wallet.fellBack") if fell_back else "")
        opens = not self._state.channel
        self._page.status(phase_line(self._strings, phase.name, phase.amount, opening=opens))
        self._paint()
        self._notice.show_phase(phase, self._state.per_session)

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
            self._set_note(payment_sentence(self._strings, error))
        await self._refresh()

    def _choose(self, button: Any) -> None:
        self._start_action(partial(self._connect_to, str(button.dataset.value)), button)

    def _start_action(self, action: Callable[[], Awaitable[object]], _button: Any) -> None:
        self._page.start(self._run_action(action))

    def _actions(self) -> Mapping[str, Callable[[], Awaitable[object]]]:
        return {
            "connect": self._find,
            "cancel": self._cancel,
            "disconnect": self._wallet.disconnect,
            "refund": self._refund,
            "announce": lambda: self._withdraw("announce", "wallet.announced"),
            "finish": lambda: self._withdraw("finish", "wallet.finished"),
            "save": self._save,
        }

    async def _run_action(self, action: Callable[[], Awaitable[object]]) -> None:
        """Run an action with all buttons disabled; the panel shows a failure."""
        held = self._holds_focus = self._panel.contains(document.activeElement)
        for button in self._panel.querySelectorAll("button"):
            button.disabled = True
        try:
            await action()
        except PaymentError as error:
            self._set_note(payment_sentence(self._strings, error))
        finally:
            self._html = fragment()  # forces a new paint, with enabled buttons
            self._holds_focus = held
            await self._refresh()
            self._holds_focus = False

    async def _connect_to(self, wallet_id: str) -> None:
        """Ask one wallet for its account until it answers or the person cancels."""
        await self._cancel_connecting()
        connecting = self._connecting = asyncio.ensure_future(self._wallet.connect(wallet_id))
        self._state = replace(self._state, connecting=wallet_id, note="")
        self._paint()
        try:
            with self._page.temporary_status(self._strings("status.waitingForWallet")):
                await asyncio.wait([connecting])
        finally:
            connecting.cancel()
            if self._connecting is connecting:
                self._connecting = None
                self._state = replace(self._state, connecting="")
        if not connecting.cancelled():
            await connecting
            self._state = replace(self._state, wallets=())

    async def _cancel(self) -> None:
        self._notice.close()
        self._set_note("")
        await self._cancel_connecting()

    async def _cancel_connecting(self) -> None:
        if connecting := self._connecting:
            connecting.cancel()
            await asyncio.wait([connecting])  # another wallet may be asked only after this

    async def _refund(self) -> None:
        receipt = await self._wallet.refund(self._endpoint(), self._state.channel_id)
        refunded = amount(self._strings, int(receipt.get("amount") or 0))
        self._set_note(self._strings("wallet.refunded", amount=refunded))

    async def _withdraw(self, step: str, said: str) -> None:
        await self._wallet.withdraw(self._state.channel_id, step)
        self._set_note(self._strings(said))

    async def _save(self) -> None:
        save("tabloop-channels.json", await self._wallet.exported(), "application/json")

    def _network_chosen(self, event: Any) -> None:
        if event.target.id == "wallet-network":
            self._wallet.choose_network(str(event.target.value))
            self.policy.network = self._wallet.network
            self._state = replace(self._state, network=self._wallet.network, note="")
            self.refresh()

    def _set_note(self, text: str) -> None:
        self._state = replace(self._state, note=text)

    async def _refresh(self) -> None:
        ledger, channel = self.policy.ledger, None
        try:
            known = await self._wallet.channels() if self._wallet.account else []
            channel = best_channel(known, self._state.pays, self._state.network)
        except PaymentError as error:  # the rest of the panel is still shown
            self._set_note(self._state.note or payment_sentence(self._strings, error))
        left = channel.left if channel else None
        self._state = replace(
            self._state,
            account=self._wallet.account,
            channel="" if left is None else to_usdc(left),
            channel_id=channel.id if channel else "",
            pays=self._state.pays or (channel.pay_to if channel else ""),
            delay=channel.delay if channel else 0,
            spent=to_usdc(ledger.charged),
            uncertain=to_usdc(ledger.uncertain) if ledger.uncertain else "",
        )
        self._paint()

    def _paint(self) -> None:
        self._notice.show_state(self._state)
        html = wallet_html(self._strings, self._state)
        if html != self._html:
            self._html = html
            was_open = bool(self._panel.querySelector("details[open]"))
            set_html(self._panel, html)
            if self._holds_focus and not self._state.account:
                button = '[data-action="wallet-cancel"]' if self._state.connecting else "button"
                self._panel.querySelector(button).focus(js_object({"preventScroll": True}))
            if was_open and (details := self._panel.querySelector("details")):
                details.open = True
