"""The page with paid services behind it and a wallet in its browser. Rule: no real money."""

import json
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tabloop.agent.ports import ChatModel

from tests.standins.counterparty import Counterparty
from tests.standins.paid_gate import PaidChat, PaidImages
from tests.standins.together import Standins
from tests.standins.toml_overlay import TomlValue

__all__ = ["OWNER", "POOR_KEYS", "PaidStandins"]

# worth nothing on any chain but the one that is thrown away
WALLET_KEYS = ("0x" + "22" * 32, "0x" + "33" * 32)
OWNER = "0x1563915e194D8CfBA1943570603F7606A3115508"  # the account of the first key
POOR_KEYS = ("0x" + "44" * 32, "0x" + "55" * 32)  # accounts without money
PURSE = "50000000"  # $50 for each account: every visitor of a test opens a channel


class PaidStandins(Standins):
    """`Standins` whose model and pictures ask for payment; with `asks` the wallet asks a person.

    `wallet` are further settings of the test wallet (`names` of those that announce themselves).
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
        self.counterparty = Counterparty({"llm": self.proxy, "image": self.images})
        self.gate = PaidChat(self.counterparty)
        self.image_gate = PaidImages(self.counterparty)
        # last, for their settings count instead of those of the free ones behind them
        self.behind = (*self.behind, self.gate, self.image_gate)
        self.analytics.owners = (OWNER,)
        self.analytics.recover = self._signer_of
        self._wallet = {"keys": (*WALLET_KEYS, *POOR_KEYS), "asks": asks, **(wallet or {})}

    async def __aenter__(self) -> Self:
        try:
            await super().__aenter__()
            self.site.first_script = await self._wallet_script()
        except BaseException:
            await self.counterparty.stop()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await super().__aexit__(kind, error, trace)
        await self.counterparty.stop()

    async def _signer_of(self, message: str, signature: str) -> str:
        asked = {"message": message, "signature": signature}
        return str((await self.counterparty.ask("recover", asked))["address"])

    async def _wallet_script(self) -> bytes:
        """A test wallet with money in it."""
        facts = self.counterparty.facts
        script: bytes = await self.counterparty.ask("wallet.js")
        for key in WALLET_KEYS:
            await self.counterparty.ask("mint", {"key": key, "amount": PURSE})
        settings = {"rpc": facts["rpc"], "network": facts["network"], **self._wallet}
        return f"globalThis.testWalletSettings = {json.dumps(settings)};\n".encode() + script
