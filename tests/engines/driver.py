"""A browser as a test uses it. Rule: keys and presses are the browser's own, none is scripted."""

import base64
import time
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from tests.engines.wire import Wire, WireError

__all__ = ["ELEMENT", "KEYS", "Driver", "Element", "poll"]

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the standard's key of a reference
WITHIN = 60.0  # seconds: a net below every wait, not a promise of the page
KEYS = {
    "Tab": "\ue004",
    "Enter": "\ue007",
    "Shift": "\ue008",
    "Control": "\ue009",
    "End": "\ue010",
    "ArrowLeft": "\ue012",
}
# an element that is being replaced, or that something covers for a moment
PASSING = ("stale element reference", "element not interactable", "element click intercepted")

FIREFOX_SIZE = """
    const { style } = gBrowser.selectedBrowser;
    for (const [name, at] of [["width", 0], ["height", 1]]) {
        style.setProperty(`min-${name}`, `${arguments[at]}px`);
        style.setProperty(`max-${name}`, `${arguments[at]}px`);
    }
"""

Element = dict[str, str]
Value = TypeVar("Value")


def poll(
    what: str,
    find: Callable[[], Value],
    seen: Callable[[], object] = lambda: "",
    within: float = WITHIN,
) -> Value:
    """Return what `find` gives as soon as it is true. Fails with `what` and with what is `seen`."""
    end = time.monotonic() + within
    while not (found := find()):
        if time.monotonic() > end:
            raise AssertionError(f"not within {within:.0f} s: {what}; {seen()}")
        time.sleep(0.03)
    return found


class Driver:
    """One browser with one window in front."""

    def __init__(self, engine: str, wire: Wire) -> None:
        self.engine = engine
        self._wire = wire

    def open(self, url: str) -> None:
        """Go there without waiting for what loads."""
        self._wire.send("Navigate", url=url)

    def evaluate(self, script: str, *arguments: object) -> Any:
        """Return the value of a function's body; a promise is waited for."""
        return self._wire.send("ExecuteScript", script=script, args=list(arguments))

    def find(self, css: str) -> list[Element]:
        """Return references to all elements that match now."""
        return self._wire.send("FindElements", using="css selector", value=css)

    def click(self, find: Callable[[], Element | None]) -> None:
        """Press what `find` gives, once it is there and nothing covers it."""

        def pressed() -> bool:
            try:
                element = find()
                if element is None:
                    return False
                self._wire.send("ElementClick", id=element[ELEMENT])
            except WireError as error:
                if error.code not in PASSING:
                    raise
                return False
            return True

        seen = "return document.body.innerText.slice(-500)"
        poll("an element that can be pressed", pressed, lambda: self.evaluate(seen))

    def type(self, text: str) -> None:
        """Press the keys of a text, wherever the focus is."""
        self._keys([("keyDown", sign), ("keyUp", sign)] for sign in text)

    def press(self, chord: str) -> None:
        """Press a key by its name, "Shift+Tab" say, wherever the focus is."""
        signs = [KEYS.get(name, name) for name in chord.split("+")]
        down = [("keyDown", sign) for sign in signs]
        self._keys([[*down, *(("keyUp", sign) for sign in reversed(signs))]])

    def _keys(self, strokes: Iterable[list[tuple[str, str]]]) -> None:
        actions = [{"type": kind, "value": sign} for stroke in strokes for kind, sign in stroke]
        keyboard = {"type": "key", "id": "keyboard", "actions": actions}
        self._wire.send("PerformActions", actions=[keyboard])

    def resize(self, width: int, height: int) -> None:
        """Make the page so many CSS pixels wide and high."""
        if self.engine == "chromium":  # its windows stop at 500 pixels
            metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
            self._cdp("Emulation.setDeviceMetricsOverride", **metrics)
            return
        if self.engine == "firefox":  # so do its windows, and the tab in one may be narrower
            self._chrome(FIREFOX_SIZE, width, height)
            return
        outer = self.evaluate("return [outerWidth - innerWidth, outerHeight - innerHeight]")
        rect = {"width": width + outer[0], "height": height + outer[1]}
        self._wire.send("SetWindowRect", **rect)

    def screenshot(self) -> bytes:
        """Return what is in sight, as a PNG."""
        return base64.b64decode(self._wire.send("TakeScreenshot"))

    def _chrome(self, script: str, *arguments: object) -> None:
        """Run a script in Firefox's own window instead of the page."""
        self._wire.send("Marionette:SetContext", value="chrome")
        try:
            self._wire.send("ExecuteScript", script=script, args=list(arguments))
        finally:
            self._wire.send("Marionette:SetContext", value="content")

    def _cdp(self, command: str, **parameters: object) -> Any:
        return self._wire.send("chromium:cdp", cmd=command, params=parameters)

    def close(self) -> None:
        """End the session."""
        self._wire.close()
