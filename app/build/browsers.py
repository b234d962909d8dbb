"""The browsers of the tests: found on this machine, or installed.

Rule: nothing is installed that is there already.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence

from app.build.environment import PYTHON, BuildError, run, say

BROWSERS = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"),
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
ENGINES = {  # for the smoke test: program -> its Debian package
    "chromium": {"chromium": "chromium", "chromedriver": "chromium-driver"},
    "firefox": {"firefox-esr": "firefox-esr"},
    "webkit": {"WebKitWebDriver": "webkit2gtk-driver", "xvfb-run": "xvfb", "xauth": "xauth"},
}
PLAYWRIGHT_PATH = """\
from playwright.sync_api import sync_playwright
with sync_playwright() as p: print(p.chromium.executable_path)"""


def apt_get(*words: str) -> None:
    """Run apt-get, by sudo if needed. Raises `BuildError` if it fails."""
    sudo = [] if getattr(os, "geteuid", lambda: 1)() == 0 else ["sudo", "-n"]
    run(*sudo, "apt-get", *words)


def install_browser() -> str:
    """Install Playwright's Chromium, else the distribution's; return its path."""
    try:
        say("downloading Chromium through Playwright")
        run(PYTHON, "-m", "playwright", "install", "chromium")
        path = run(PYTHON, "-c", PLAYWRIGHT_PATH).strip()
        run(path, "--version")  # fails if the system lacks libraries that it needs
    except (BuildError, OSError) as error:
        say(f"{error}\nbuild.py: installing the distribution's Chromium instead")
        apt_get("update", "-qq")
        apt_get("install", "-y", "-qq", "chromium")
        return shutil.which("chromium") or "chromium"
    return path


def chromium() -> str:
    """Return the path of a Chromium or Chrome: TABLOOP_CHROMIUM, an installed one, or a new one."""
    found = filter(None, map(shutil.which, (os.environ.get("TABLOOP_CHROMIUM", ""), *BROWSERS)))
    return next(found, "") or install_browser()


def install_engines(names: Sequence[str]) -> None:
    """Install what these engines lack. Raises `BuildError` if it cannot be installed here."""
    wanted = {program: package for name in names for program, package in ENGINES[name].items()}
    missing = [package for program, package in wanted.items() if not shutil.which(program)]
    if missing and not shutil.which("apt-get"):
        raise BuildError(f"Not on this machine's PATH: what Debian has in {', '.join(missing)}.")
    if missing:
        say(f"installing {', '.join(missing)}")
        apt_get("update", "-qq")
        apt_get("install", "-y", "-qq", "--no-install-recommends", *missing)
