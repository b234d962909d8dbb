"""The page with a wallet and a paid endpoint. Rule: as in `chat_page`."""

import base64
import json
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any, ClassVar, cast

import pytest
from playwright.sync_api import Locator, expect
from tabloop.core.money import to_micro, to_usdc

from tests.e2e.chat_page import ANSWER_WITHIN_MS, ChatPage
from tests.standins.faults import Reply
from tests.standins.paid_server import PaidServer
from tests.standins.paid_servers import PaidStandins
from tests.standins.recording import Recorded
from tests.unit.paying import encoded

__all__ = ["NEEDS_PAID_SERVER", "PaidPage", "asks"]

# the server is a Node program, whose packages only the whole test command installs
NEEDS_PAID_SERVER = pytest.mark.skipif(bool(PaidServer.missing()), reason=PaidServer.missing())

# deletes what the browser stores: the tab's own key, its channels, the recipients
FORGET = """async () => {
    localStorage.clear();
    for (const { name } of await indexedDB.databases()) {
        const database = await new Promise((done) => {
            indexedDB.open(name).onsuccess = (event) => done(event.target.result);
        });
        const emptied = database.transaction(database.objectStoreNames, "readwrite");
        for (const table of database.objectStoreNames) emptied.objectStore(table).clear();
        await new Promise((done) => { emptied.oncomplete = done; });
        database.close();
    }
}"""
OPTIMISM, BASE = "eip155:10", "eip155:8453"
FORGET_CHANNELS = FORGET.replace("localStorage.clear();", "")


class PaidPage(ChatPage):
    """The page with a test wallet."""

    snapshots: ClassVar[dict[str, str]] = {}

    @property
    def paid(self) -> PaidStandins:
        return cast("PaidStandins", self.standins.standins)

    def reset(self) -> None:
        """Get the state of a visitor who has never paid, and an endpoint without faults."""
        gate = self.paid.gate
        for server in (gate, self.standins.proxy):
            server.behave()
            server.requests.clear()
        gate.hides = ()
        gate.networks = (OPTIMISM,)
        gate.after_paying.clear()
        gate.answered_by.clear()
        super().reset()
        # the chains have no deposits of earlier visitors
        for network in (OPTIMISM, BASE):
            if snapshot := self.snapshots.get(network):
                self.chain("evm_revert", snapshot, network=network)
                # a revert also sets the clock back, by all the time since the snapshot
                self.chain("evm_setTime", int(time.time()), network=network)
            self.snapshots[network] = self.chain("evm_snapshot", network=network)
        self.expected += ["status of 402"]  # Chromium logs each 402
        self.wallet("w.reset()")
        self.page.evaluate("Date.now = globalThis.realNow ?? Date.now")
        leave = self.panel.get_by_role("button", name="Disconnect")
        # after a reload, the account of the earlier visitor is taken up a little later
        if leave.is_visible() or self.page.evaluate("'tabloop.payer' in localStorage"):
            leave.click()
        expect(self.panel.get_by_role("button", name="Connect wallet")).to_be_visible()
        self.page.evaluate("document.querySelector('#wallet-words').open = false")
        self.page.evaluate(FORGET)

    # what a person does

    def connect(self, account: int = 0) -> None:
        """Connect the wallet with this account active."""
        self.wallet(f"w.account = {account}")
        self.page.get_by_role("button", name="Connect wallet").first.click()
        expect(self.fact("account")).to_be_visible()

    def announce_withdrawal(self) -> None:
        """Open the ways out of the panel, and take the one that needs no endpoint."""
        self.panel.get_by_text("Get the deposit back").click()
        self.panel.get_by_role("button", name="Announce withdrawal").click()

    def wait_until_asked(self) -> None:
        """Wait until the wallet has a request for the person; the status line says so earlier."""
        self.page.wait_for_function("testWallet.open > 0", timeout=ANSWER_WITHIN_MS)

    def try_again(self) -> None:
        """Press "Try again" in the last answer, and wait for the end."""
        self.answers.last.get_by_role("button", name="Try again").click()
        self.wait_for_end()

    def forget_all(self) -> None:
        """Delete what the browser stores, with the tab's key."""
        self.page.evaluate(FORGET)

    def forget_channels(self) -> None:
        """Delete the stored channels, but not the tab's key."""
        self.page.evaluate(FORGET_CHANNELS)

    # what a person sees

    @property
    def panel(self) -> Locator:
        return self.page.locator("#wallet")

    @property
    def note(self) -> Locator:
        return self.panel.locator("#wallet-note")

    def fact(self, name: str) -> Locator:
        return self.panel.locator(f'[data-fact="{name}"]')

    def micro(self, name: str) -> int:
        """Return an amount of the panel in millionths, 0 if it is not shown."""
        shown = self.fact(name)
        return to_micro(shown.inner_text().removesuffix(" USDC")) if shown.count() else 0

    def check_amount(self, name: str, micro: int) -> None:
        """Check an amount of the panel, which is painted after the answer has ended."""
        text = f"{to_usdc(micro)} USDC"
        if micro:
            expect(self.fact(name)).to_have_text(text)
        else:
            expect(self.fact(name).filter(has_not_text=text)).to_have_count(0)

    @property
    def alerts(self) -> list[str]:
        """The texts of all alerts, for messages of failed tests."""
        return self.page.get_by_role("alert").all_inner_texts()

    # what the wallet did, and what the endpoint got

    def wallet(self, script: str) -> Any:
        """Return a JavaScript expression's value; it may use `w`, the test wallet."""
        # in a list, because Playwright would call a value that is a function
        [found] = self.page.evaluate(f"(() => {{ const w = testWallet; return [{script}]; }})()")
        return found

    @property
    def prompts(self) -> list[str]:
        """The types of what the person signed, in order."""
        return cast("list[str]", self.wallet("w.signed.map((entry) => entry.primaryType)"))

    @property
    def address(self) -> str:
        """The active account's address."""
        return cast("str", self.wallet("w.addresses[w.account]"))

    def payments(self) -> list[Recorded]:
        """Return the requests with a payment."""
        return [r for r in self.paid.gate.requests if "payment-signature" in r.headers]

    def signatures(self) -> list[str]:
        """Return the payment headers of these requests."""
        return [request.headers["payment-signature"] for request in self.payments()]

    def payers(self) -> set[str]:
        """Return the payers' addresses of these payments."""
        sent = [json.loads(base64.b64decode(signature)) for signature in self.signatures()]
        return {payment["payload"]["channelConfig"]["payer"] for payment in sent}

    def offer(self, **changes: object) -> dict[str, Any]:
        """Return the endpoint's real offer, with changes."""
        request = urllib.request.Request(self.paid.gate.url, b"{}", method="POST")
        try:
            urllib.request.urlopen(request)
        except urllib.error.HTTPError as refused:
            with refused:
                asked = json.loads(base64.b64decode(refused.headers["payment-required"]))
                self.paid.gate.requests.clear()
                return {**asked["accepts"][0], **changes}
        raise AssertionError("the endpoint is free")

    def paid_server(self, path: str, body: Mapping[str, object] | None = None) -> Any:
        """Return the response of one of the paid server's test addresses."""
        return self.standins.run(self.paid.paid_server.ask(path, body))

    def chain(self, method: str, *params: object, network: str = OPTIMISM) -> Any:
        """Return what a node of the chain answers."""
        asked = {"method": method, "params": params, "on": network}
        return self.paid_server("chain", asked)["result"]

    def charged(self) -> int:
        """Return the millionths that the server charged to the active account's last channel."""
        payer = self.address.lower()
        found = self.paid_server("channels")
        own = [channel for channel in found if channel["channelConfig"]["payer"].lower() == payer]
        return int(own[-1]["chargedCumulativeAmount"])


def asks(*offers: object, version: int = 2, **more: object) -> Reply:
    """Return a 402 response with these offers."""
    document = {"x402Version": version, "accepts": list(offers), **more}
    return Reply({}, 402, headers={"payment-required": encoded(document)})
