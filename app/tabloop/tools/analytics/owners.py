"""The tools of the site's owner. Rule: they are never offered to anyone else.

Their modules are imported when an owner connects, so that other visitors need not wait for them.
"""

import time
from collections.abc import Callable, Collection

from tabloop.agent.tools import Tool
from tabloop.core.http import Transport
from tabloop.tools.analytics.sign_in import SignIn, TextSigner

__all__ = ["OwnersTools"]

PURPOSE = "analytics-api"


class OwnersTools:
    """The tools for the connected account. A blank `url` means that there are none.

    `owners` are addresses in upper or lower case; `clock` gives Unix time in seconds.
    """

    def __init__(
        self,
        transport: Transport,
        url: str,
        owners: Collection[str],
        signer: TextSigner,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._transport = transport
        self._url = url
        self._sign_in = SignIn(signer, PURPOSE, owners, clock=clock)
        self._made: tuple[Tool, ...] | None = None

    def now(self) -> tuple[Tool, ...]:
        """Return the tools; none if the connected account is no owner's."""
        return self._tools() if self._url and self._sign_in.is_owner else ()

    def account_changed(self) -> None:
        """Forget the signature of the previous account."""
        self._sign_in.forget()

    def _tools(self) -> tuple[Tool, ...]:
        if self._made is None:
            from tabloop.tools.analytics.api import AnalyticsApi  # noqa: PLC0415 -- only for owners
            from tabloop.tools.analytics.tool import analytics_tools  # noqa: PLC0415 -- only for owners

            self._made = analytics_tools(AnalyticsApi(self._transport, self._url, self._sign_in))
        return self._made
