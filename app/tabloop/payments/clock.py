"""Finds a wrong clock of this device before the wallet is asked to sign.

Rule: a signature has an end by this device's clock. With a wrong one it ends before it is used, or
much later than the offer says.
"""

from collections.abc import Mapping

from tabloop.payments.errors import PaymentError

__all__ = ["check_clock", "server_time"]

SLOW = 20  # seconds; a block or an answer cannot be from the future
FAST = 600  # seconds; the newest block may be old


def server_time(headers: Mapping[str, str]) -> int:
    """Return the Unix time in a response's `Date`; 0 if CORS hides it or it cannot be read."""
    from email.utils import parsedate_to_datetime  # noqa: PLC0415  # large, and only for who pays

    try:
        return int(parsedate_to_datetime(headers.get("date", "")).timestamp())
    except (TypeError, ValueError, IndexError):
        return 0


def check_clock(now: float, known: int) -> None:
    """Raise `PaymentError` if `now` differs from this Unix time (0: not known)."""
    ahead = now - known
    if known and (ahead < -SLOW or ahead > FAST):
        code = "clock_slow" if ahead < 0 else "clock_fast"
        raise PaymentError(code, facts={"minutes_off": _minutes(abs(ahead))})


def _minutes(seconds: float) -> str:
    return str(max(1, round(seconds / 60)))
