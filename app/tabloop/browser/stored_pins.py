# pyright: standard
"""The recipients of payments, stored on the device. Rule: an origin keeps its first recipient."""

from collections.abc import Mapping
from typing import Any

from tabloop.browser.storage import recall, remember
from tabloop.payments.ports import Pin

__all__ = ["StoredPins"]

PINS = "pins"


class StoredPins:
    """The recipient of the payments to each origin, stored on the device."""

    def get(self, origin: str) -> Pin | None:
        """Return the origin's recipient, `None` before its first payment."""
        stored = _pins().get(origin)
        match stored:
            case {"pay_to": str(pay_to), "authorizer": str(authorizer)}:
                return Pin(pay_to, authorizer)
            case _:
                return None

    def put(self, origin: str, pin: Pin) -> None:
        """Store the origin's recipient."""
        entry = {"pay_to": pin.pay_to, "authorizer": pin.authorizer}
        remember(PINS, {**_pins(), origin: entry})


def _pins() -> Mapping[str, Any]:
    stored = recall(PINS)
    return stored if isinstance(stored, dict) else {}
