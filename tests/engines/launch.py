"""Starts the engines.

Rule: each has a fresh profile and can reach only this machine; only processes that were started
here are ended here.
"""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.engines.driver import Driver
from tests.engines.wire import HttpWire, MarionetteWire, Wire

__all__ = ["ENGINES", "installed", "launched"]

START_WITHIN = 60.0  # seconds
ENGINES = ("chromium", "firefox", "webkit")
PROGRAMS = {
    "chromium": ("chromium", "chromedriver"),
    "firefox": ("firefox-esr",),
    "webkit": ("WebKitWebDriver", "xvfb-run", "xauth"),
}
# no host name resolves except loopback's
LOOPBACK_ONLY = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1"
CHROMIUM = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--lang=en-GB", "--window-size=1280,900", LOOPBACK_ONLY),
)
# MiniBrowser's toolbar would prevent a window as narrow as a phone
THIN_TOOLBAR = "button, entry, toolbar * { min-width: 0; padding: 0; margin: 0; font-size: 1px }"
# a proxy that does not exist, for all addresses except loopback
FIREFOX: Mapping[str, object] = {
    "intl.accept_languages": "en-GB, en",
    "network.proxy.type": 1,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
    "services.settings.server": "data:,#remote-settings-dummy/v1",
    "browser.download.folderList": 2,
}


def installed() -> tuple[str, ...]:
    """Return the engines whose programs are all installed."""
    there = {name for name in ENGINES if all(map(shutil.which, PROGRAMS[name]))}
    return tuple(name for name in ENGINES if name in there and (name != "webkit" or _mini()))


@contextmanager
def launched(engine: str, *, private: bool = False) -> Generator[Driver, None, None]:
    """Run an engine with its own profile until the block ends.

    `private`: in private windows. WebKit's windows are always private in automation.
    """
    # an ended browser may still write for a moment
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        start = {"chromium": _chromium, "firefox": _firefox, "webkit": _webkit}[engine]
        port = _free_port()
        command, connect = start(home, port, private)
        log = home / "log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=_environment(home),
                start_new_session=True,
            )
        try:
            driver = Driver(engine, _connected(process, connect, log))
            yield driver
            with suppress(Exception):  # if the browser has crashed, the test has failed already
                driver.close()
        finally:
            _end(process)


Start = tuple[Sequence[str], Callable[[], Wire]]


def _chromium(home: Path, port: int, private: bool) -> Start:
    incognito = ["--incognito"] if private else []
    options = {
        "binary": shutil.which("chromium"),
        "args": [*CHROMIUM, *incognito, f"--user-data-dir={home / 'profile'}"],
    }
    capabilities = {**_common(), "goog:chromeOptions": options}
    return ["chromedriver", f"--port={port}"], lambda: HttpWire(port, capabilities)


def _firefox(home: Path, port: int, private: bool) -> Start:
    profile = home / "profile"
    profile.mkdir()
    values = {
        **FIREFOX,
        "marionette.port": port,
        "browser.download.dir": str(home),
        "browser.privatebrowsing.autostart": private,
    }
    lines = [f'user_pref("{name}", {_literal(value)});\n' for name, value in values.items()]
    (profile / "user.js").write_text("".join(lines))
    command = [
        "firefox-esr",
        "--no-remote",
        "--marionette",
        "--remote-allow-system-access",
        "--headless",
        "--profile",
    ]
    return [*command, str(profile)], lambda: MarionetteWire(port, _common())


def _webkit(home: Path, port: int, _private: bool) -> Start:
    style = home / ".config" / "gtk-3.0" / "gtk.css"
    style.parent.mkdir(parents=True)
    style.write_text(THIN_TOOLBAR)
    options = {"binary": _mini(), "args": ["--automation"]}
    capabilities = {**_common(), "webkitgtk:browserOptions": options}
    command = ["xvfb-run", "-a", "WebKitWebDriver", f"--port={port}"]
    return command, lambda: HttpWire(port, capabilities)


def _common() -> dict[str, object]:
    # tests wait for elements; "load" would wait for files that a test may hold back
    return {"pageLoadStrategy": "none", "unhandledPromptBehavior": "accept"}


def _literal(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value).lower()


def _mini() -> str:
    """Return the path of WebKitGTK's MiniBrowser, blank if it is not installed."""
    found = sorted(Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser"))
    return str(found[-1]) if found else ""


def _environment(home: Path) -> dict[str, str]:
    ours = {"HOME": str(home), "LANGUAGE": "en_GB", "LANG": "en_GB.UTF-8", "TZ": "Europe/Berlin"}
    return {**os.environ, **ours, "NO_AT_BRIDGE": "1"}  # no accessibility bus runs here


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _connected(process: subprocess.Popen[bytes], connect: Callable[[], Wire], log: Path) -> Wire:
    end = time.monotonic() + START_WITHIN
    while time.monotonic() < end and process.poll() is None:
        with suppress(OSError):
            return connect()
        time.sleep(0.05)
    raise AssertionError(f"the browser did not start: {log.read_text('utf-8', 'replace')[-2000:]}")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process and its child processes."""
    for kind in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, kind)
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=10)
            return
