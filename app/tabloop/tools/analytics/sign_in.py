"""A signature that shows who asks, for the owner's own service.

Rule: a person signs once for four minutes; the token goes to the service's own address, never into
a result, and never for another account than the connected one.
"""

import asyncio
import base64
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Protocol

from tabloop.agent.errors import ToolError
from tabloop.core.errors import AgentError
from tabloop.core.json_text import compact

__all__ = ["SignIn", "TextSigner", "Token"]

REUSE_SECONDS = 240.0  # seconds from the time in the message
ACCEPTED_SECONDS = 300.0  # seconds, by the service's clock
RETRY_AGE = 180.0  # from this age on a 401 most likely means too old: clocks differ


class TextSigner(Protocol):
    """A wallet that signs texts."""

    @property
    def account(self) -> str:
        """The connected account's address, blank while there is none."""
        ...

    async def sign_text(self, text: str, account: str) -> str:
        """Ask the person for a `personal_sign` by exactly this account; return the signature.

        Raises an `AgentError` with a `code`, "declined" where the person says no.
        """
        ...


@dataclass(frozen=True, slots=True)
class Token:
    """What the service takes for `Authorization: Bearer`. `signed_at` is in the message."""

    account: str
    signed_at: int
    bearer: str = field(repr=False)


class SignIn:
    """Signs `<purpose>:<Unix seconds>` for the account of one of the `owners` (addresses).

    Calls that run together wait for one prompt. One who is stopped leaves it open in the wallet,
    since no page can close it; the next call waits for the same one. `clock` tells Unix time.
    """

    def __init__(
        self,
        signer: TextSigner,
        purpose: str,
        owners: Collection[str],
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._signer = signer
        self._purpose = purpose
        self._owners = {owner.lower() for owner in owners}
        self._clock = clock
        self._kept: Token | None = None
        self._prompts: dict[str, asyncio.Task[Token]] = {}

    @property
    def is_owner(self) -> bool:
        """Whether the connected account is one of the owners'."""
        return self._signer.account.lower() in self._owners

    async def token(self) -> Token:
        """Return the token of the connected account, signed anew if need be.

        Raises `ToolError`: `user_declined`, or `fetch_failed` where nothing was signed in time.
        """
        account = self._owner()
        kept = self._kept
        if kept and kept.account == account and 0 <= self._age(kept) < REUSE_SECONDS:
            return kept
        prompt = self._prompts.get(account)
        if prompt is None:
            prompt = self._prompts[account] = asyncio.ensure_future(self._sign(account))
            prompt.add_done_callback(lambda done: self._answered(account, done))
        token = await asyncio.shield(prompt)
        if self._owner() != account:
            raise ToolError("fetch_failed", "The wallet has switched to another account.")
        if self._age(token) >= ACCEPTED_SECONDS:
            raise ToolError("fetch_failed", "The signature came too late to be accepted.")
        return token

    def refused(self, token: Token) -> bool:
        """Forget a token that was answered with 401; say whether to ask the person once more.

        Only for one that was near its end: a service whose clock runs ahead finds it too old, and
        a new one helps. A younger one is refused for another reason, and a second prompt for the
        same question would only teach the person to sign whatever comes.
        """
        if self._kept is token:
            self._kept = None
        return self._age(token) >= RETRY_AGE

    def forget(self) -> None:
        """Drop the token: the wallet was disconnected, or has another account."""
        self._kept = None

    def _owner(self) -> str:
        if not self.is_owner:
            raise ToolError("fetch_failed", "No owner's account is connected.")
        return self._signer.account

    def _age(self, token: Token) -> float:
        return self._clock() - token.signed_at

    async def _sign(self, account: str) -> Token:
        signed_at = int(self._clock())
        message = f"{self._purpose}:{signed_at}"
        try:
            signature = await self._signer.sign_text(message, account)
        except AgentError as error:
            if error.code == "declined":
                reason = "The person declined the signature that shows who asks."
                raise ToolError("user_declined", reason) from error
            raise ToolError("fetch_failed", f"The wallet signed nothing: {error.code}.") from error
        shown = {"address": account, "signature": signature, "message": message}
        header = base64.b64encode(compact(shown).encode()).decode()
        return Token(account, signed_at, header)

    def _answered(self, account: str, prompt: "asyncio.Task[Token]") -> None:
        del self._prompts[account]
        # looked at even when nobody waits any more, or asyncio would report it as lost
        if not prompt.cancelled() and prompt.exception() is None and self._is_connected(account):
            self._kept = prompt.result()

    def _is_connected(self, account: str) -> bool:
        return self._signer.account == account
