# pyright: standard
"""The panel "Wallet", and the status line while paying. Rule: it shows what wallets cannot."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from tabloop.browser.files import save
from tabloop.browser.markup import set_html
from tabloop.browser.page import Page
from tabloop.browser.wallet import Channel, Wallet
from tabloop.browser.web import document, js_object
from tabloop.core.money import to_usdc
from tabloop.payments.errors import PaymentError
from tabloop.payments.policy import SpendingPolicy
from tabloop.payments.ports import PaymentPhase
from tabloop.ui.html import fragment
from tabloop.ui.money import amount
from tabloop.ui.payment import WalletState, payment_sentence, phase_line, wallet_html
from tabloop.ui.strings import Strings

__all__ = ["WalletPanel"]


class WalletPanel:
    """Connects a wallet; is the `PaymentView` of all paid transports, and a `TextSigner`."""

    def __init__(
        self,
        page: Page,
        strings: Strings,
        wallet: Wallet,
        policy: SpendingPolicy,
        endpoint: Callable[[], str],
    ) -> None:
        self._page = page
        self._strings = strings
        self._wallet = wallet
        self._policy = policy
        self._endpoint = endpoint
        self._html = fragment()
        self._asking: asyncio.Task[None] | None = None
        self._holds_focus = False
        limits = policy.limits
        self._state = WalletState(
            networks=limits.networks,
            network=wallet.network or limits.networks[0],
            per_message=to_usdc(limits.per_message),
            per_session=to_usdc(limits.session),
        )
        self._room = page.element("wallet")
        self._room.hidden = False
        deeds = {f"wallet-{name}": partial(self._do, deed) for name, deed in self._deeds().items()}
        page.on_action({"wallet-choose": self._choose, **deeds})
        page.listen(self._room, "change", self._network_chosen)
        wallet.changed = self.refresh
        self._paint()

    def show(self, phase: PaymentPhase) -> None:
        """Say what is being paid, before the wallet asks."""
        self._state = replace(self._state, pays=phase.offer.pay_to)
        if phase.name in ("paid", "lost"):
            if phase.amount > phase.offer.amount:
                charged = amount(self._strings, phase.amount)
                allowed = amount(self._strings, phase.offer.amount)
                self._note(self._strings("wallet.lies", charged=charged, allowed=allowed))
            self.refresh()
            return
        fell_back = self._wallet.network and phase.offer.network != self._wallet.network
        self._note(self._strings("wallet.fellBack") if fell_back else "")
        opening = not self._state.channel
        line = phase_line(self._strings, phase.name, phase.amount, opening=opening)
        self._page.status(line)
        self._paint()

    @property
    def account(self) -> str:
        """The connected account, blank while there is none."""
        return self._wallet.account

    def on_account(self, react: Callable[[], None]) -> None:
        """Call this at once when another account, or none, is connected."""
        self._wallet.on_account.append(react)

    async def sign_text(self, text: str, account: str) -> str:
        """Have a text signed, and say so while the wallet asks."""
        with self._page.meanwhile(self._strings("status.signIn")):
            return await self._wallet.sign_text(text, account)

    def meter(self) -> Callable[[], str]:
        """Start to count what may be charged without a receipt; the answer is blank for nothing."""
        since = self._policy.ledger.meter()

        def uncertain() -> str:
            return to_usdc(most) if (most := since()) else ""

        return uncertain

    def refresh(self) -> None:
        """Read everything anew."""
        self._page.start(self._refresh())

    async def connect(self) -> bool:
        """Connect a wallet; with several, the person chooses one first."""
        self._note("")
        try:
            found = await self._wallet.discover()
            if not found:
                self._note(self._strings("wallet.none"))
            elif len(found) > 1:
                self._state = replace(self._state, wallets=found)
            else:
                await self._connect_to(found[0][0])
        except PaymentError as error:
            self._note(payment_sentence(self._strings, error))
        await self._refresh()
        return bool(self._wallet.account)

    def _choose(self, button: Any) -> None:
        chosen = str(button.dataset.value)
        self._do(lambda: self._connect_to(chosen), button)

    def _do(self, deed: Callable[[], Awaitable[object]], _button: Any) -> None:
        self._page.start(self._guarded(deed))

    def _deeds(self) -> Mapping[str, Callable[[], Awaitable[object]]]:
        return {
            "connect": self.connect,
            "cancel": self._give_up,
            "disconnect": self._wallet.disconnect,
            "refund": self._refund,
            "announce": lambda: self._withdraw("announce", "wallet.announced"),
            "finish": lambda: self._withdraw("finish", "wallet.finished"),
            "save": self._save,
        }

    async def _guarded(self, deed: Callable[[], Awaitable[object]]) -> None:
        """Do it once at a time; what fails is said in the panel."""
        held = self._holds_focus = self._room.contains(document.activeElement)
        for button in self._room.querySelectorAll("button"):
            button.disabled = True
        try:
            await deed()
        except PaymentError as error:
            self._note(payment_sentence(self._strings, error))
        finally:
            self._html = fragment()  # the buttons come anew, switched on
            self._holds_focus = held
            await self._refresh()
            self._holds_focus = False

    async def _connect_to(self, wallet_id: str) -> None:
        """Ask one wallet, until it answers or the person turns away."""
        await self._give_up()
        asking = self._asking = asyncio.ensure_future(self._wallet.connect(wallet_id))
        self._state = replace(self._state, asked=wallet_id, note="")
        self._paint()
        try:
            await asyncio.wait([asking])
        finally:
            asking.cancel()
            if self._asking is asking:
                self._asking = None
                self._state = replace(self._state, asked="")
        if not asking.cancelled():
            await asking
            self._state = replace(self._state, wallets=())

    async def _give_up(self) -> None:
        if asking := self._asking:
            asking.cancel()
            await asyncio.wait([asking])  # only now may another one be asked

    async def _refund(self) -> None:
        receipt = await self._wallet.refund(self._endpoint(), self._state.channel_id)
        refunded = amount(self._strings, int(receipt.get("amount") or 0))
        self._note(self._strings("wallet.refunded", amount=refunded))

    async def _withdraw(self, step: str, said: str) -> None:
        await self._wallet.withdraw(self._state.channel_id, step)
        self._note(self._strings(said))

    async def _save(self) -> None:
        save("tabloop-channels.json", await self._wallet.exported(), "application/json")

    def _network_chosen(self, event: Any) -> None:
        if event.target.id == "wallet-network":
            self._wallet.choose_network(str(event.target.value))
            self._policy.network = self._wallet.network
            self._state = replace(self._state, network=self._wallet.network, note="")
            self.refresh()

    def _note(self, text: str) -> None:
        self._state = replace(self._state, note=text)

    async def _refresh(self) -> None:
        ledger, channel = self._policy.ledger, None
        try:
            channel = await self._channel()
        except PaymentError as error:  # what can be shown is shown
            self._note(self._state.note or payment_sentence(self._strings, error))
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

    async def _channel(self) -> Channel | None:
        """Return the account's channel that the panel is about."""
        if not self._wallet.account:
            return None
        mine = await self._wallet.channels()
        state = self._state
        paid = [it for it in mine if it.pay_to.lower() == state.pays.lower()] or mine
        here = [it for it in paid if it.network == state.network] or paid
        return here[-1] if here else None

    def _paint(self) -> None:
        html = wallet_html(self._strings, self._state)
        if html != self._html:
            self._html = html
            was_open = bool(self._room.querySelector("details[open]"))
            set_html(self._room, html)
            if self._holds_focus and not self._state.account:
                here = '[data-action="wallet-cancel"]' if self._state.asked else "button"
                self._room.querySelector(here).focus(js_object({"preventScroll": True}))
            if was_open and (details := self._room.querySelector("details")):
                details.open = True
