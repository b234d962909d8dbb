"""A 402 as x402 version 2 writes it, read into offers, and the header that answers it.

Rule: reading decides nothing; an offer keeps its own JSON, because it is echoed word for word.
"""

import base64
import binascii
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, cast

from tabloop.core.json_text import read_json
from tabloop.payments.errors import PaymentError

__all__ = [
    "Challenge",
    "Json",
    "Offer",
    "Scheme",
    "decode_header",
    "is_challenge",
    "is_someone",
    "payment_header",
    "read_challenge",
    "read_offer",
    "same_address",
    "stated_reason",
]

Json: TypeAlias = Mapping[str, Any]  # an object from the wire, not looked into yet
Scheme = Literal["exact", "batch-settlement"]

VERSION = 2
MOST_OFFERS = 20  # a longer list is nobody's honest list
MOST_BYTES = 64 * 1024
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")
_DIGITS = re.compile(r"[0-9]{1,40}")
_NO_ONE = "0x" + "0" * 40


@dataclass(frozen=True, slots=True)
class Offer:
    """One entry of `accepts` whose fields are of the right kind. Amounts in millionths of USDC."""

    scheme: str
    network: str
    asset: str
    amount: int
    pay_to: str
    max_timeout: int  # seconds
    extra: Json = field(default_factory=dict[str, Any])
    raw: Json = field(default_factory=dict[str, Any])

    def text(self, key: str) -> str:
        """Return a field of `extra` that is a text, else nothing."""
        value = self.extra.get(key)
        return value if isinstance(value, str) else ""


@dataclass(frozen=True, slots=True)
class Challenge:
    """What the server asks. `error` is its word on the payment that it did not take, if any."""

    accepts: tuple[object, ...]
    resource: Json | None = None
    error: str = ""
    raw: Json = field(default_factory=dict[str, Any])


def is_challenge(headers: Mapping[str, str], body: bytes) -> bool:
    """Whether a 402 speaks x402 at all: other services say "no credit left" by the same status."""
    if headers.get("payment-required"):
        return True
    return bool({"accepts", "x402Version"} & (_json_object(body) or {}).keys())


def read_challenge(headers: Mapping[str, str], body: bytes, *, host: str) -> Challenge:
    """Read the header, or the body where CORS hides it. Raises `PaymentError`."""
    document = decode_header(headers.get("payment-required", "")) or _json_object(body)
    if document is None:
        raise PaymentError("unreadable_challenge", host=host)
    version = document.get("x402Version")
    if type(version) is not int or version != VERSION:
        raise PaymentError("wrong_version", host=host, facts={"version": str(version)[:20]})
    accepts = document.get("accepts")
    if not isinstance(accepts, list):
        raise PaymentError("unreadable_challenge", host=host)
    resource, error = document.get("resource"), document.get("error")
    return Challenge(
        accepts=tuple(cast("list[object]", accepts)[:MOST_OFFERS]),
        resource=cast("Json", resource) if isinstance(resource, dict) else None,
        error=error[:200] if isinstance(error, str) else "",
        raw=document,
    )


def stated_reason(body: bytes) -> str:
    """Return why a payment was not taken, where a 402 says it without a new challenge."""
    document = _json_object(body) or {}
    words = (document.get(name) for name in ("reason", "error"))
    return next((word[:200] for word in words if isinstance(word, str) and word), "")


def read_offer(entry: object) -> Offer | None:
    """Return an entry of `accepts`, or nothing where a field is missing or of the wrong kind."""
    if not isinstance(entry, dict):
        return None
    raw = cast("Json", entry)
    scheme, network, amount = raw.get("scheme"), raw.get("network"), raw.get("amount")
    asset, pay_to, timeout = raw.get("asset"), raw.get("payTo"), raw.get("maxTimeoutSeconds")
    extra = raw.get("extra", {})
    texts = isinstance(scheme, str) and isinstance(network, str)
    # a number here may be a float, and True is a number in Python
    amounts = isinstance(amount, str) and _DIGITS.fullmatch(amount) and type(timeout) is int
    if not (texts and amounts and is_someone(asset) and is_someone(pay_to)):
        return None
    if not isinstance(extra, dict) or int(cast("str", amount)) == 0:
        return None
    return Offer(
        scheme=cast("str", scheme),
        network=cast("str", network),
        asset=cast("str", asset),
        amount=int(cast("str", amount)),
        pay_to=cast("str", pay_to),
        max_timeout=cast("int", timeout),
        extra=cast("Json", extra),
        raw=raw,
    )


def payment_header(offer: Offer, payload: Json, resource: Json | None) -> str:
    """Return `PAYMENT-SIGNATURE`: the signed payload with the offer that it answers."""
    document: dict[str, Any] = {"x402Version": VERSION, "accepted": offer.raw, "payload": payload}
    if resource is not None:
        document["resource"] = resource
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(text.encode()).decode("ascii")


def decode_header(value: str) -> Json | None:
    """Return the JSON object in a base64 header, or nothing."""
    if not value or len(value) > MOST_BYTES:
        return None
    try:
        return _json_object(base64.b64decode(value + "=" * (-len(value) % 4), validate=True))
    except (binascii.Error, ValueError):
        return None


def same_address(one: str, other: str) -> bool:
    """Whether two addresses are the same; capital letters are only a checksum."""
    return one.lower() == other.lower()


def is_someone(value: object) -> bool:
    """Whether this is an address, and not the one that is nobody's."""
    return isinstance(value, str) and bool(_ADDRESS.fullmatch(value)) and value.lower() != _NO_ONE


def _json_object(data: bytes) -> Json | None:
    if len(data) > MOST_BYTES:
        return None
    try:
        document = read_json(data)
    except ValueError:
        return None
    return cast("Json", document) if isinstance(document, dict) else None
