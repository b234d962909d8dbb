"""Sends W3C WebDriver commands to a browser. Rule: both protocols use the same command names.

Selenium needs geckodriver for Firefox, which neither Debian nor PyPI has. But Firefox itself has
the same commands in its Marionette protocol.
"""

import json
import socket
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any, Protocol

__all__ = ["HttpWire", "MarionetteWire", "Wire", "WireError"]

REPLY_WITHIN = 60.0  # seconds; only a hanging browser takes longer

# command -> HTTP method and path; {id} is an element's id
PATHS = {
    "NewSession": ("POST", ""),
    "DeleteSession": ("DELETE", ""),
    "Navigate": ("POST", "/url"),
    "ExecuteScript": ("POST", "/execute/sync"),
    "FindElements": ("POST", "/elements"),
    "ElementClick": ("POST", "/element/{id}/click"),
    "PerformActions": ("POST", "/actions"),
    "TakeScreenshot": ("GET", "/screenshot"),
    "SetWindowRect": ("POST", "/window/rect"),
    "chromium:cdp": ("POST", "/goog/cdp/execute"),
}
# additional parameters for Marionette; without a sandbox a script can use the page's globals
MARIONETTE_PARAMETERS: Mapping[str, Mapping[str, object]] = {
    "ExecuteScript": {"sandbox": None},
    "TakeScreenshot": {"full": False},
}
RETURNS_A_LIST = ("FindElements",)  # other commands return an object


class WireError(Exception):
    """A command that failed; `code` is WebDriver's, such as "stale element reference"."""

    def __init__(self, command: str, code: str, message: str) -> None:
        super().__init__(f"{command}: {code}: {message[:400]}")
        self.code = code


class Wire(Protocol):
    """One session of one browser."""

    def send(self, command: str, **parameters: object) -> Any:
        """Return the command's value. Raises `WireError`, or `OSError` without a connection."""
        ...

    def close(self) -> None:
        """End the session; the browser process may continue."""
        ...


class HttpWire:
    """Commands as HTTP requests, for ChromeDriver and WebKitWebDriver."""

    def __init__(self, port: int, capabilities: Mapping[str, object]) -> None:
        self._base = f"http://127.0.0.1:{port}/session"
        # without a proxy of the environment, because the driver runs on this machine
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        found = self.send("NewSession", capabilities={"alwaysMatch": capabilities})
        self._base += f"/{found['sessionId']}"

    def send(self, command: str, **parameters: object) -> Any:
        method, path = PATHS[command]
        url = self._base + path.format(id=parameters.pop("id", ""))
        body = json.dumps(parameters).encode() if method == "POST" else None
        headers = {"content-type": "application/json"}
        request = urllib.request.Request(url, body, headers, method=method)
        try:
            with self._opener.open(request, timeout=REPLY_WITHIN) as reply:
                return json.load(reply)["value"]
        except urllib.error.HTTPError as failed:
            with failed:
                value = json.load(failed)["value"]
            raise WireError(command, value["error"], value["message"]) from None

    def close(self) -> None:
        self.send("DeleteSession")


class MarionetteWire:
    """Commands as messages over TCP, each after its length, for Firefox."""

    def __init__(self, port: int, capabilities: Mapping[str, object]) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=REPLY_WITHIN)
        self._incoming = self._socket.makefile("rb")
        self._number = 0
        self._read()  # the greeting
        self.send("NewSession", capabilities={"alwaysMatch": capabilities})

    def send(self, command: str, **parameters: object) -> Any:
        self._number += 1
        complete = {**MARIONETTE_PARAMETERS.get(command, {}), **parameters}
        name = command if ":" in command else f"WebDriver:{command}"
        message = json.dumps([0, self._number, name, complete]).encode()
        self._socket.sendall(b"%d:%s" % (len(message), message))
        _, _, error, result = self._read()
        if error:
            raise WireError(command, error["error"], error["message"])
        return result if command in RETURNS_A_LIST else result.get("value", result)

    def close(self) -> None:
        self.send("DeleteSession")
        self._incoming.close()
        self._socket.close()

    def _read(self) -> Any:
        digits = b""
        while (digit := self._incoming.read(1)) not in (b":", b""):
            digits += digit
        if not digits:
            raise ConnectionError("Firefox has hung up")
        return json.loads(self._incoming.read(int(digits)))
