"""What to do when a server does not take a signed payment: its code, read as one next step.

Rule: a remedy happens once (waiting for a busy channel: a few times), and none of them makes the
wallet ask for the same thing twice.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from app.payments.errors import PaymentError, PaymentErrorCode
from app.payments.offers import Challenge, Json
from app.payments.ports import Payment

__all__ = ["BUSY_WAITS", "Remedies", "Step", "reason_of"]

Step = Literal["wait", "resync", "reread"]
BUSY_WAITS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)  # seconds; another tab's answer may take that long

_PREFIXES = ("invalid_batch_settlement_evm_", "invalid_exact_evm_")
_FINAL: Mapping[str, PaymentErrorCode] = {
    "payload_authorization_valid_before": "signature_expired",
    "insufficient_balance": "insufficient_balance",
    "settlement_pending": "settlement_pending",
}


def reason_of(error: str) -> str:
    """Return a 402's word without the prefix of its scheme."""
    for prefix in _PREFIXES:
        error = error.removeprefix(prefix)
    return error


@dataclass(slots=True)
class Remedies:
    """Those that are left in one exchange."""

    host: str
    waits: int = 0
    resynced: bool = False
    reread: bool = False

    def next(
        self, payment: Payment, challenge: Challenge, *, sent_before: bool
    ) -> tuple[Step, float]:
        """Return what to do, and the seconds to wait before. Raises `PaymentError`.

        `sent_before`: the very same voucher was sent for an earlier answer, whose receipt was
        hidden, or never came.
        """
        reason = reason_of(challenge.error)
        if reason == "channel_busy":
            if self.waits == len(BUSY_WAITS):
                raise PaymentError("channel_busy", host=self.host)
            self.waits += 1
            return "wait", BUSY_WAITS[self.waits - 1]
        if reason in ("cumulative_amount_mismatch", "cumulative_below_claimed"):
            # A server that refuses a payment and shows the very same one as taken would be paid
            # twice for one answer; so would one whose first answer was lost. The person decides.
            took = _took(payment, challenge) and not sent_before
            if not self.resynced and not payment.by_wallet and not took:
                self.resynced = True
                return "resync", 0
            raise PaymentError(
                "channel_out_of_step", host=self.host, maybe_charged=payment.offer.amount
            )
        if reason in ("cumulative_exceeds_balance", "channel_not_found", "missing_channel"):
            if not self.reread and not payment.by_wallet:
                self.reread = True
                return "reread", 0
            raise PaymentError("channel_out_of_step", host=self.host)
        if reason in _FINAL:
            raise PaymentError(_FINAL[reason], host=self.host, detail=challenge.error)
        code: PaymentErrorCode = "rejected" if reason else "asked_again"
        raise PaymentError(code, host=self.host, detail=challenge.error)


def _took(payment: Payment, challenge: Challenge) -> bool:
    """Whether the server proves its state with the voucher that it has just refused."""
    mine = _object(payment.payload.get("voucher")).get("signature")
    shown = (
        _object(_object(_object(entry).get("extra")).get("voucherState")).get("signature")
        for entry in challenge.accepts
    )
    return bool(mine) and any(signature == mine for signature in shown)


def _object(value: object) -> Json:
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}
