"""Signs the site's owner in to the analytics service, with the wallet.

Rule: a person signs once for four minutes; the token is sent only to the service, only for the
connected account, and is never part of a result.
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
ACCEPTED_SECONDS = 300.0  # seconds, measured by the service
RETRY_AGE = 180.0  # seconds; from this age a 401 probably means too old, as clocks differ


class TextSigner(Protocol):
    """A wallet that signs texts."""

    @property
    def account(self) -> str:
        """The connected account's address, blank while there is none."""
        ...

    async def sign_text(self, text: str, account: str) -> str:
        """Ask the person for a `personal_sign` by this account; return the signature.

        Raises `AgentError`, with the code "declined" if the person declines.
        """
        ...


@dataclass(frozen=True, slots=True)
class Token:
    """The service's bearer token. `signed_at` is the Unix time in the signed message."""

    account: str
    signed_at: int
    bearer: str = field(repr=False)


class SignIn:
    """Signs `<purpose>:<Unix seconds>` for the account of one of the `owners` (addresses).

    Concurrent calls wait for the same prompt. After a stop it stays open in the wallet, since no
    page can close it; the next call waits for it. `clock` gives Unix time in seconds.
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
        """Return the token of the connected account; the person signs if necessary.

        Raises:
            ToolError: `user_declined`, or `fetch_failed` if nothing was signed in time.
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
        """Forget a token that was answered with 401.

        Returns:
            Whether to ask the person for a new one: only if the token was nearly expired, because
            a service whose clock is ahead finds it too old. A newer token has another problem,
            and needless prompts would teach the person to sign anything.
        """
        if self._kept is token:
            self._kept = None
        return self._age(token) >= RETRY_AGE

    def forget(self) -> None:
        """Forget the token, after the wallet was disconnected or its account changed."""
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
        # read the exception even if nobody waits for it, or asyncio would report it as lost
        if not prompt.cancelled() and prompt.exception() is None and self._is_connected(account):
            self._kept = prompt.result()

    def _is_connected(self, account: str) -> bool:
        return self._signer.account == account
