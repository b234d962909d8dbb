"""`PAYMENT-RESPONSE`, read with tolerance and believed with none.

Rule: a receipt can lower what a payment cost below its ceiling, never raise it above.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from tabloop.payments.offers import Json, decode_header
from tabloop.payments.ports import Payment

__all__ = ["Receipt", "read_receipt"]

_DIGITS = re.compile(r"[0-9]{1,40}")


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a payment cost, in millionths.

    `state`: `charged` (the amount is known), `hidden` (no receipt: CORS, or the server sent none),
    `unclear` (unreadable, or says that it failed), `lies` (more than was signed for).
    """

    state: Literal["charged", "hidden", "unclear", "lies"]
    charged: int = 0
    transaction: str = ""
    error: str = ""
    raw: Json = field(default_factory=dict[str, Any])


def read_receipt(headers: Mapping[str, str], payment: Payment) -> Receipt:
    """Read the receipt of a payment. Never raises: the answer it came with is paid for."""
    header = headers.get("payment-response", "")
    if not header:
        return Receipt("hidden")
    document = decode_header(header)
    if document is None:
        return Receipt("unclear")
    transaction, error = _text(document, "transaction"), _text(document, "errorReason")
    if document.get("success") is not True:
        return Receipt("unclear", transaction=transaction, error=error, raw=document)
    charged = _charged(document, payment)
    if charged is None:
        return Receipt("unclear", transaction=transaction, raw=document)
    state = "charged" if charged <= payment.offer.amount else "lies"
    return Receipt(state, charged, transaction, raw=document)


def _charged(document: Json, payment: Payment) -> int | None:
    """Return what was taken.

    For `exact` that is all that was signed for, even where the receipt says less: the signature
    can be redeemed whole. For a channel `amount` alone may be a deposit, and says nothing.
    """
    extra = document.get("extra")
    stated = cast("Json", extra).get("chargedAmount") if isinstance(extra, dict) else None
    if payment.kind != "exact":
        return _number(stated)
    amount = payment.offer.amount
    said = _number(document.get("amount", str(amount)) if stated is None else stated)
    return None if said is None else max(said, amount)


def _number(value: object) -> int | None:
    return int(value) if isinstance(value, str) and _DIGITS.fullmatch(value) else None


def _text(document: Json, key: str) -> str:
    value = document.get(key)
    return value[:200] if isinstance(value, str) else ""
