"""The line that says who answers the next message. Rule: it is true at any time."""

from tabloop.core.http import host_of
from tabloop.ui.endpoint import SEARCH
from tabloop.ui.strings import Strings

__all__ = ["by_line", "who_line"]


def by_line(strings: Strings, *, url: str, model: str, key: bool) -> str:
    """Return who an endpoint's answer is from."""
    return strings("who.byKey" if key else "who.by", model=model, host=host_of(url))


def who_line(
    strings: Strings, *, url: str, model: str, key: bool, account: bool, charges: bool
) -> str:
    """Return the sentence for an endpoint.

    `account`: a wallet is connected. `charges`: the endpoint is known to ask for money.
    """
    if model == SEARCH and not charges:
        return strings("who.search")
    if key or not charges:
        kind = "who.key" if key else "who.endpoint"
    else:
        kind = "who.paid" if account else "who.unpaid"
    return strings(kind, model=model, host=host_of(url))
