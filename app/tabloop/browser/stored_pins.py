"""The terms of payments by origin, stored on the device.

Rule: an origin keeps its first recipient, also in a browser that stores nothing.
"""

from tabloop.browser.storage import recall, remember
from tabloop.core.json_text import JsonObject, as_object, as_text
from tabloop.payments.pins import Pin

__all__ = ["StoredPins"]

PINS = "pins"


class StoredPins:
    """The pins, stored on the device; those that it did not store are kept in memory."""

    def __init__(self) -> None:
        self._unsaved: dict[str, Pin] = {}

    def get(self, origin: str) -> Pin | None:
        """Return the origin's pin, `None` before its first payment."""
        if pin := self._unsaved.get(origin):
            return pin
        match _pins().get(origin):
            case {"pay_to": str(pay_to), "authorizer": str(authorizer), **more}:
                stored = as_object(more.get("delays")).items()
                delays = {network: delay for network, delay in stored if isinstance(delay, int)}
                return Pin(pay_to, authorizer, as_text(more.get("network")), delays)
            case _:
                return None

    def put(self, origin: str, pin: Pin) -> None:
        """Store the origin's pin."""
        entry = {
            "pay_to": pin.pay_to,
            "authorizer": pin.authorizer,
            "network": pin.network,
            "delays": dict(pin.delays),
        }
        self._unsaved.pop(origin, None)
        if not remember(PINS, {**_pins(), origin: entry}):
            self._unsaved[origin] = pin


def _pins() -> JsonObject:
    return as_object(recall(PINS))
