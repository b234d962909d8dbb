"""Reads a 402 of x402 version 2 as offers, and writes the header of the payment.

Rule: nothing is decided here; an offer keeps its JSON, because it is sent back unchanged.
"""

import base64
import binascii
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeGuard

from tabloop.core.json_text import Json, JsonObject, compact, parsed
from tabloop.payments.errors import PaymentError

__all__ = [
    "Challenge",
    "Offer",
    "Scheme",
    "decode_header",
    "is_challenge",
    "is_payable_address",
    "oversized_field",
    "payment_header",
    "read_challenge",
    "read_offer",
    "same_address",
    "stated_reason",
]

Scheme = Literal["exact", "batch-settlement"]

VERSION = 2
MAX_OFFERS = 20  # no honest list is longer
MAX_BYTES = 64 * 1024
MAX_SENT_BACK = 4096  # bytes; with a signature the header then stays below 8 KiB
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")
_DIGITS = re.compile(r"[0-9]{1,40}")
_ZERO = "0x" + "0" * 40


@dataclass(frozen=True, slots=True)
class Offer:
    """One entry of `accepts` with fields of the right types. Amounts in millionths of USDC."""

    scheme: str
    network: str
    asset: str
    amount: int
    pay_to: str
    max_timeout: int  # seconds
    extra: JsonObject = field(default_factory=dict[str, Json])
    raw: JsonObject = field(default_factory=dict[str, Json])

    def text(self, key: str) -> str:
        """Return a text in `extra`; blank if the field is missing or no text."""
        value = self.extra.get(key)
        return value if isinstance(value, str) else ""


@dataclass(frozen=True, slots=True)
class Challenge:
    """The server's offers. `error` says why it refused the payment that was sent, if any."""

    accepts: tuple[Json, ...]
    resource: JsonObject | None = None
    error: str = ""
    raw: JsonObject = field(default_factory=dict[str, Json])


def is_challenge(headers: Mapping[str, str], body: bytes) -> bool:
    """Whether a 402 is one of x402: other services use this status for "no credit left"."""
    if headers.get("payment-required"):
        return True
    return bool({"accepts", "x402Version"} & (_json_object(body) or {}).keys())


def read_challenge(headers: Mapping[str, str], body: bytes) -> Challenge:
    """Read the header, or the body where CORS hides it. Raises `PaymentError`."""
    document = decode_header(headers.get("payment-required", "")) or _json_object(body)
    if not document:
        raise PaymentError("unreadable_challenge")
    version = document.get("x402Version")
    if type(version) is not int or version != VERSION:
        raise PaymentError("wrong_version", facts={"version": str(version)[:20]})
    accepts = document.get("accepts")
    if not isinstance(accepts, list):
        raise PaymentError("unreadable_challenge")
    resource, error = document.get("resource"), document.get("error")
    return Challenge(
        accepts=tuple(accepts[:MAX_OFFERS]),
        resource=resource if isinstance(resource, dict) else None,
        error=error[:200] if isinstance(error, str) else "",
        raw=document,
    )


def stated_reason(body: bytes) -> str:
    """Return why a payment was refused, from a 402 without a new challenge."""
    document = _json_object(body) or {}
    words = (document.get(name) for name in ("reason", "error"))
    return next((word[:200] for word in words if isinstance(word, str) and word), "")


def read_offer(entry: Json) -> Offer | None:
    """Return the offer; `None` if it cannot be sent back, or a field is missing or wrong."""
    if not isinstance(entry, dict) or not _can_be_sent_back(entry):
        return None
    scheme, network, amount = entry.get("scheme"), entry.get("network"), entry.get("amount")
    asset, pay_to, timeout = entry.get("asset"), entry.get("payTo"), entry.get("maxTimeoutSeconds")
    extra = entry.get("extra", {})
    if not (isinstance(scheme, str) and isinstance(network, str) and isinstance(extra, dict)):
        return None
    if not (isinstance(amount, str) and _DIGITS.fullmatch(amount) and int(amount) > 0):
        return None
    # a number here may be a float, and True is a number in Python
    if not (type(timeout) is int and is_payable_address(asset) and is_payable_address(pay_to)):
        return None
    return Offer(scheme, network, asset, int(amount), pay_to, timeout, extra, raw=entry)


def payment_header(offer: Offer, payload: JsonObject, resource: JsonObject | None) -> str:
    """Return the header `PAYMENT-SIGNATURE`: the signed payload with its offer."""
    document = {"x402Version": VERSION, "accepted": offer.raw, "payload": payload}
    if resource is not None:
        document["resource"] = resource
    return base64.b64encode(compact(document).encode()).decode("ascii")


def oversized_field(offer: Offer, resource: JsonObject | None) -> str:
    """Return the largest field that is sent back if they are too large for a header, else `""`."""
    fields: JsonObject = {**offer.raw, "resource": dict(resource) if resource else None}
    sizes = {name: len(compact({name: value}).encode()) for name, value in fields.items()}
    return max(sizes, key=lambda name: sizes[name]) if sum(sizes.values()) > MAX_SENT_BACK else ""


def decode_header(value: str) -> JsonObject | None:
    """Return the JSON object in a base64 header, `None` if there is none."""
    if not value or len(value) > MAX_BYTES:
        return None
    try:
        return _json_object(base64.b64decode(value + "=" * (-len(value) % 4), validate=True))
    except (binascii.Error, ValueError):
        return None


def same_address(one: str, other: str) -> bool:
    """Whether two addresses are equal; their letter case is only a checksum."""
    return one.lower() == other.lower()


def is_payable_address(value: object) -> TypeGuard[str]:
    """Whether this is an address, and not the zero address."""
    return isinstance(value, str) and bool(_ADDRESS.fullmatch(value)) and value.lower() != _ZERO


def _can_be_sent_back(entry: JsonObject) -> bool:
    """Whether JSON has all of it: 1e400 is read as an infinity, which it does not have."""
    try:
        json.dumps(entry, allow_nan=False)
    except ValueError:
        return False
    return True


def _json_object(data: bytes) -> JsonObject | None:
    if len(data) > MAX_BYTES:
        return None
    [value] = parsed(data) or (None,)
    if not isinstance(value, dict):
        return None
    try:
        compact(value)  # an offer is sent back; a number of thousands of digits cannot be written
    except ValueError:
        return None
    return value
