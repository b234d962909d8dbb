"""The page with a wallet in its browser and a paid endpoint behind it. Rule: as in `chat_page`."""

import base64
import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any, cast

from playwright.sync_api import Locator, expect
from tabloop.core.money import to_micro

from tests.e2e.chat_page import ChatPage
from tests.standins.faults import Reply
from tests.standins.paid_together import PaidStandins
from tests.standins.recording import Recorded
from tests.unit.paying import encoded

__all__ = ["PaidPage", "asks"]

# what is kept of the visitor: the tab's own key, its channels, whom it paid
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
FORGET_CHANNELS = FORGET.replace("localStorage.clear();", "")


class PaidPage(ChatPage):
    """The page with its wallet."""

    @property
    def paid(self) -> PaidStandins:
        return cast("PaidStandins", self.standins.standins)

    def start_anew(self) -> None:
        """Be a visitor who has never paid, of a paid endpoint that behaves."""
        gate = self.paid.gate
        for server in (gate, self.standins.proxy):
            server.behave()
            server.requests.clear()
        gate.hides = ()
        gate.after_paying.clear()
        super().start_anew()
        self.expected += ["status of 402"]  # Chromium says so by itself
        self.wallet("w.reset()")
        leave = self.panel.get_by_role("button", name="Disconnect")
        if leave.is_visible():
            leave.click()
        expect(self.panel.get_by_role("button", name="Connect wallet")).to_be_visible()
        self.page.evaluate(FORGET)

    # what a person does

    def connect(self, account: int = 0) -> None:
        """Connect the wallet, with one of its accounts active."""
        self.wallet(f"w.account = {account}")
        self.page.get_by_role("button", name="Connect wallet").first.click()
        expect(self.fact("account")).to_be_visible()

    def try_again(self) -> None:
        """Press the button of the last answer, and wait for the end."""
        self.answers.last.get_by_role("button", name="Try again").click()
        self.wait_for_end()

    def forget_channels(self) -> None:
        """Lose what the tab knows of its channels, but not its key."""
        self.page.evaluate(FORGET_CHANNELS)

    # what a person finds

    @property
    def panel(self) -> Locator:
        return self.page.locator("#wallet")

    @property
    def note(self) -> Locator:
        return self.panel.locator("#wallet-note")

    def fact(self, name: str) -> Locator:
        return self.panel.locator(f'[data-fact="{name}"]')

    def micro(self, name: str) -> int:
        """An amount in the panel, 0 where it doesn't stand there."""
        shown = self.fact(name)
        return to_micro(shown.inner_text().removesuffix(" USDC")) if shown.count() else 0

    @property
    def alerts(self) -> list[str]:
        """What stands in all alerts, so that a failure says it."""
        return self.page.get_by_role("alert").all_inner_texts()

    # what the wallet did, and what the endpoint got

    def wallet(self, script: str) -> Any:
        """Return an expression on `testWallet`, here called w."""
        # in brackets, because Playwright calls what it gets if that is a function
        [found] = self.page.evaluate(f"(() => {{ const w = testWallet; return [{script}]; }})()")
        return found

    @property
    def prompts(self) -> list[str]:
        """What the person signed, in order."""
        return cast("list[str]", self.wallet("w.signed.map((one) => one.primaryType)"))

    @property
    def address(self) -> str:
        """Of the active account."""
        return cast("str", self.wallet("w.addresses[w.account]"))

    def payments(self) -> list[Recorded]:
        """Requests that carried a payment."""
        return [r for r in self.paid.gate.requests if "payment-signature" in r.headers]

    def signatures(self) -> list[str]:
        """The payments of these requests, as they were sent."""
        return [request.headers["payment-signature"] for request in self.payments()]

    def payers(self) -> set[str]:
        """Whose money these payments are."""
        sent = [json.loads(base64.b64decode(signature)) for signature in self.signatures()]
        return {one["payload"]["channelConfig"]["payer"] for one in sent}

    def offer(self, **changes: object) -> dict[str, Any]:
        """What the endpoint really asks, with changes."""
        request = urllib.request.Request(self.paid.gate.url, b"{}", method="POST")
        try:
            urllib.request.urlopen(request)
        except urllib.error.HTTPError as refused:
            with refused:
                asked = json.loads(base64.b64decode(refused.headers["payment-required"]))
                self.paid.gate.requests.clear()
                return {**asked["accepts"][0], **changes}
        raise AssertionError("the endpoint is free")

    def counterparty(self, path: str, body: Mapping[str, object] | None = None) -> Any:
        """Use one of the paid server's test addresses."""
        return self.standins.run(self.paid.counterparty.ask(path, body))

    def charged(self) -> int:
        """What the server has charged to the active account's last channel, by its own books."""
        payer = self.address.lower()
        found = self.counterparty("channels")
        mine = [one for one in found if one["channelConfig"]["payer"].lower() == payer]
        return int(mine[-1]["chargedCumulativeAmount"])


def asks(*offers: object, version: int = 2, **more: object) -> Reply:
    """A 402."""
    document = {"x402Version": version, "accepts": list(offers), **more}
    return Reply({}, 402, headers={"payment-required": encoded(document)})
