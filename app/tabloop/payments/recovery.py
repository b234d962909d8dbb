"""Decides, by its error code, what to do when a server refuses a signed payment.

Rule: each step is tried once (waiting for a busy channel: several times), and no step makes the
wallet ask twice for the same payment.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from tabloop.core.json_text import Json, as_object
from tabloop.payments.errors import PaymentError, PaymentErrorCode
from tabloop.payments.offers import Challenge
from tabloop.payments.ports import Payment

__all__ = ["BUSY_WAITS", "Recovery", "RecoveryStep", "reason_of"]

RecoveryStep = Literal["wait", "resync", "reread"]
BUSY_WAITS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)  # seconds; another tab's response takes as long

CLOCK_TOLERANCE = 10  # seconds that a block's time may be behind our clock

_PREFIXES = ("invalid_batch_settlement_evm_", "invalid_exact_evm_")
_FINAL: Mapping[str, PaymentErrorCode] = {
    "payload_authorization_valid_before": "signature_expired",
    "insufficient_balance": "insufficient_balance",
}


def reason_of(error: str) -> str:
    """Return a 402's error code without the prefix of its scheme."""
    for prefix in _PREFIXES:
        error = error.removeprefix(prefix)
    return error


@dataclass(slots=True)
class Recovery:
    """The steps that are left for one request. `now` gives Unix time in seconds."""

    now: Callable[[], float]
    waits: int = 0
    resynced: bool = False
    reread: bool = False

    def next(
        self, payment: Payment, challenge: Challenge, *, sent_before: bool
    ) -> tuple[RecoveryStep, float]:
        """Return the next step, and the seconds to wait before it.

        `sent_before`: the same voucher was sent for an earlier request without a receipt.

        Raises:
            PaymentError: No step is left.
        """
        reason = reason_of(challenge.error)
        if reason == "channel_busy":
            if self.waits == len(BUSY_WAITS):
                raise self._end("channel_busy", payment)
            self.waits += 1
            return "wait", BUSY_WAITS[self.waits - 1]
        if reason in ("cumulative_amount_mismatch", "cumulative_below_claimed"):
            # If the server's state has the voucher that it refuses, a new one would pay twice for
            # this response: the person decides. One sent before has paid for an earlier response.
            took = _took(payment, challenge) and not sent_before
            if not self.resynced and not payment.by_wallet and not took:
                self.resynced = True
                return "resync", 0
            raise self._end("channel_out_of_step", payment)
        if reason in ("cumulative_exceeds_balance", "channel_not_found", "missing_channel"):
            if not self.reread and not payment.by_wallet:
                self.reread = True
                return "reread", 0
            raise self._end("channel_out_of_step", payment)
        code = _FINAL.get(reason, "rejected" if reason else "asked_again")
        raise self._end(code, payment, challenge.error)

    def _end(self, code: PaymentErrorCode, payment: Payment, detail: str = "") -> PaymentError:
        """Return the error; it says how long a payment of the wallet can still be charged."""
        facts: dict[str, str] = {}
        left = (
            payment.valid_until - self.now() if payment.valid_until else payment.offer.max_timeout
        )
        if payment.by_wallet and left >= -CLOCK_TOLERANCE:
            facts["minutes"] = str(max(1, math.ceil(left / 60)))
        return PaymentError(code, facts=facts, detail=detail)


def _took(payment: Payment, challenge: Challenge) -> bool:
    """Whether the server's state has the voucher that it has just refused."""
    mine = as_object(payment.payload.get("voucher")).get("signature")
    return bool(mine) and any(_shown_signature(entry) == mine for entry in challenge.accepts)


def _shown_signature(entry: Json) -> Json:
    extra = as_object(as_object(entry).get("extra"))
    return as_object(extra.get("voucherState")).get("signature")
