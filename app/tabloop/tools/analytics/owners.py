"""The tools of the site's owner. Rule: nobody else is offered one, at any moment of the visit.

What they are made of is imported when an owner connects: no other visitor waits for it.
"""

import time
from collections.abc import Callable, Collection

from tabloop.agent.tools import Tool
from tabloop.core.http import Transport
from tabloop.tools.analytics.sign_in import SignIn, TextSigner

__all__ = ["OwnersTools"]

PURPOSE = "analytics-api"


class OwnersTools:
    """Those for the account that is connected now. A blank `url` means that there are none.

    `owners` are addresses in any spelling; `clock` tells Unix time.
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
        """Return them, or nothing."""
        return self._tools() if self._url and self._sign_in.is_owner else ()

    def account_changed(self) -> None:
        """Forget what the account before has signed."""
        self._sign_in.forget()

    def _tools(self) -> tuple[Tool, ...]:
        if self._made is None:
            from tabloop.tools.analytics.api import AnalyticsApi  # noqa: PLC0415 -- the same
            from tabloop.tools.analytics.tool import analytics_tools  # noqa: PLC0415 -- see above

            self._made = analytics_tools(AnalyticsApi(self._transport, self._url, self._sign_in))
        return self._made
