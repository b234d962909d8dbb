# pyright: standard
"""The terms of payments by origin, stored on the device.

Rule: an origin keeps its first recipient, also in a browser that stores nothing.
"""

from collections.abc import Mapping
from typing import Any

from tabloop.browser.storage import recall, remember
from tabloop.payments.pins import Pin

__all__ = ["StoredPins"]

PINS = "pins"


class StoredPins:
    """The pins, stored on the device and, until the page is closed, in memory."""

    def __init__(self) -> None:
        self._paid: dict[str, Pin] = {}

    def get(self, origin: str) -> Pin | None:
        """Return the origin's pin, `None` before its first payment."""
        match _pins().get(origin):
            case {"pay_to": str(pay_to), "authorizer": str(authorizer), **more}:
                network, delays = more.get("network", ""), more.get("delays", {})
                return Pin(pay_to, authorizer, network, delays)
            case _:
                return self._paid.get(origin)

    def put(self, origin: str, pin: Pin) -> None:
        """Store the origin's pin."""
        self._paid[origin] = pin
        entry = {
            "pay_to": pin.pay_to,
            "authorizer": pin.authorizer,
            "network": pin.network,
            "delays": dict(pin.delays),
        }
        remember(PINS, {**_pins(), origin: entry})


def _pins() -> Mapping[str, Any]:
    stored = recall(PINS)
    return stored if isinstance(stored, dict) else {}
