"""Reads the header `PAYMENT-RESPONSE`: what the server says that it charged.

Rule: an unreadable receipt is no error, and no receipt raises the recorded cost above the amount
that was signed.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from tabloop.core.json_text import Json, JsonObject, as_object
from tabloop.payments.offers import decode_header
from tabloop.payments.ports import Payment

__all__ = ["Receipt", "read_receipt"]

_DIGITS = re.compile(r"[0-9]{1,40}")


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a payment cost, in millionths.

    `state`: `charged` (the amount is known), `hidden` (no receipt: CORS, or the server sent none),
    `unclear` (unreadable, or it reports a failure), `too_high` (more than was signed).
    """

    state: Literal["charged", "hidden", "unclear", "too_high"]
    charged: int = 0
    transaction: str = ""
    raw: JsonObject = field(default_factory=dict[str, Json])


def read_receipt(headers: Mapping[str, str], payment: Payment) -> Receipt:
    """Read the receipt of a payment. Never raises, because the response is paid for."""
    header = headers.get("payment-response", "")
    if not header:
        return Receipt("hidden")
    document = decode_header(header)
    if document is None:
        return Receipt("unclear")
    transaction = _text(document, "transaction")
    if document.get("success") is not True:
        return Receipt("unclear", transaction=transaction)
    charged = _charged(document, payment)
    if charged is None:
        return Receipt("unclear", transaction=transaction)
    state = "charged" if charged <= payment.offer.amount else "too_high"
    return Receipt(state, charged, transaction, raw=document)


def _charged(document: JsonObject, payment: Payment) -> int | None:
    """Return the charged amount, `None` if unknown.

    For `exact` it is at least the signed amount, because the signature can be used for all of it.
    For a channel only `chargedAmount` counts, since `amount` may be a deposit.
    """
    stated = as_object(document.get("extra")).get("chargedAmount")
    if payment.kind != "exact":
        return _number(stated)
    amount = payment.offer.amount
    said = _number(document.get("amount", str(amount)) if stated is None else stated)
    return None if said is None else max(said, amount)


def _number(value: Json) -> int | None:
    return int(value) if isinstance(value, str) and _DIGITS.fullmatch(value) else None


def _text(document: JsonObject, key: str) -> str:
    value = document.get(key)
    return value[:200] if isinstance(value, str) else ""
