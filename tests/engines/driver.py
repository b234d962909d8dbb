"""Drives a browser. Rule: keys and clicks are real input events, never made by scripts."""

import base64
import time
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from tests.engines.wire import Wire, WireError

__all__ = ["ELEMENT", "KEYS", "Driver", "Element", "poll"]

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # WebDriver's key of an element reference
WITHIN = 60.0  # seconds; the limit of every wait, not a performance requirement
KEYS = {
    "Tab": "\ue004",
    "Enter": "\ue007",
    "Shift": "\ue008",
    "Control": "\ue009",
    "End": "\ue010",
    "ArrowLeft": "\ue012",
}
# temporary errors: an element is being replaced, or covered for a moment
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
    """Return `find`'s first true value; a timeout fails with `what` and the value of `seen`."""
    end = time.monotonic() + within
    while not (found := find()):
        if time.monotonic() > end:
            raise AssertionError(f"not within {within:.0f} s: {what}; {seen()}")
        time.sleep(0.03)
    return found


class Driver:
    """One browser with one window."""

    def __init__(self, engine: str, wire: Wire) -> None:
        self.engine = engine
        self._wire = wire

    def open(self, url: str) -> None:
        """Navigate to an address without waiting for the page to load."""
        self._wire.send("Navigate", url=url)

    def evaluate(self, script: str, *arguments: object) -> Any:
        """Return what a function with this body returns; promises are awaited."""
        return self._wire.send("ExecuteScript", script=script, args=list(arguments))

    def find(self, css: str) -> list[Element]:
        """Return references to all matching elements."""
        return self._wire.send("FindElements", using="css selector", value=css)

    def click(self, find: Callable[[], Element | None]) -> None:
        """Click the element that `find` returns, as soon as it is there and not covered."""

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
        """Press the keys of a text in the focused element."""
        self._keys([("keyDown", key), ("keyUp", key)] for key in text)

    def press(self, chord: str) -> None:
        """Press a key or a chord such as "Shift+Tab" in the focused element."""
        keys = [KEYS.get(name, name) for name in chord.split("+")]
        down = [("keyDown", key) for key in keys]
        self._keys([[*down, *(("keyUp", key) for key in reversed(keys))]])

    def _keys(self, strokes: Iterable[list[tuple[str, str]]]) -> None:
        actions = [{"type": kind, "value": key} for stroke in strokes for kind, key in stroke]
        keyboard = {"type": "key", "id": "keyboard", "actions": actions}
        self._wire.send("PerformActions", actions=[keyboard])

    def resize(self, width: int, height: int) -> None:
        """Set the page's size in CSS pixels."""
        if self.engine == "chromium":  # its windows are at least 500 pixels wide
            metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
            self._cdp("Emulation.setDeviceMetricsOverride", **metrics)
            return
        if self.engine == "firefox":  # so are its windows, but a tab in one may be narrower
            self._chrome(FIREFOX_SIZE, width, height)
            return
        outer = self.evaluate("return [outerWidth - innerWidth, outerHeight - innerHeight]")
        rect = {"width": width + outer[0], "height": height + outer[1]}
        self._wire.send("SetWindowRect", **rect)

    def slow_down(self) -> None:
        """Simulate 1.6 Mbit/s and a CPU four times slower. Chromium only."""
        self._cdp("Network.enable")
        line = {"offline": False, "latency": 150, "downloadThroughput": 200_000}
        self._cdp("Network.emulateNetworkConditions", **line, uploadThroughput=96_000)
        self._cdp("Emulation.setCPUThrottlingRate", rate=4)

    def screenshot(self) -> bytes:
        """Return the visible part of the page as a PNG."""
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
