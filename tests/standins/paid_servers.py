"""The page with paid services and a test wallet in its browser. Rule: no real money."""

import json
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tabloop.agent.ports import ChatModel

from tests.standins.paid_gate import PaidChat, PaidImages
from tests.standins.paid_server import PaidServer
from tests.standins.servers import Standins
from tests.standins.toml_overlay import TomlValue

__all__ = ["OWNER", "POOR_KEYS", "PaidStandins"]

# their accounts have money only on the temporary chain
WALLET_KEYS = ("0x" + "22" * 32, "0x" + "33" * 32)
OWNER = "0x1563915e194D8CfBA1943570603F7606A3115508"  # the account of the first key
POOR_KEYS = ("0x" + "44" * 32, "0x" + "55" * 32)  # accounts without money
WALLET_BALANCE = "500000000"  # $500 for each account: every visitor of a test opens a channel


class PaidStandins(Standins):
    """`Standins` whose model and pictures want payment; `asks`: the wallet asks the person.

    `wallet` are more settings of the test wallet (`names`: one wallet is announced for each).
    """

    def __init__(
        self,
        dist: Path,
        *,
        model: ChatModel | None = None,
        settings: Mapping[str, TomlValue] | None = None,
        port: int = 0,
        asks: bool = False,
        wallet: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(dist, model=model, settings=settings, port=port)
        self.paid_server = PaidServer({"llm": self.proxy, "image": self.images})
        self.gate = PaidChat(self.paid_server)
        self.image_gate = PaidImages(self.paid_server)
        # last, because their settings replace those of the free services
        self.services = (*self.services, self.gate, self.image_gate)
        self.analytics.owners = (OWNER,)
        self.analytics.recover = self._signer_of
        self._wallet = {"keys": (*WALLET_KEYS, *POOR_KEYS), "asks": asks, **(wallet or {})}

    async def __aenter__(self) -> Self:
        try:
            await super().__aenter__()
            self.site.first_script = await self._wallet_script()
        except BaseException:
            await self.paid_server.stop()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await super().__aexit__(kind, error, trace)
        await self.paid_server.stop()

    async def _signer_of(self, message: str, signature: str) -> str:
        asked = {"message": message, "signature": signature}
        return str((await self.paid_server.ask("recover", asked))["address"])

    async def _wallet_script(self) -> bytes:
        """Return the test wallet's script, after sending money to its accounts."""
        facts = self.paid_server.facts
        script: bytes = await self.paid_server.ask("wallet.js")
        for key in WALLET_KEYS:
            await self.paid_server.ask("mint", {"key": key, "amount": WALLET_BALANCE})
        settings = {"rpcs": facts["rpcs"], "network": facts["network"], **self._wallet}
        return f"globalThis.testWalletSettings = {json.dumps(settings)};\n".encode() + script
