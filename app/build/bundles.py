"""The bundles and scripts of dist: which files go in, and how they are compiled.

Rule: the same sources give the same bytes.
"""

from __future__ import annotations

import json
import re
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from app.build import environment as env
from app.build.environment import APP, JS, NPM, NPM_LOCK, digest, say

Files = dict[str, bytes]

BUILD = Path(__file__).resolve().parent
SITE_PACKAGES = "/lib/python3.14/site-packages"
PACKAGE_DATA = ("locales", "prompts")  # folders beside the package that its code reads
# Terminals, processes, servers, mail and test runners, which a page cannot use. test_build.py
# proves that every remaining module can be imported without them.
NOT_IN_STDLIB = set(
    "_pyrepl __hello__ __phello__ antigravity doctest ftplib imaplib mailbox multiprocessing pdb "  # noqa: SIM905 -- one name after another
    "pickletools poplib pydoc site-packages smtplib this unittest wsgiref xmlrpc".split()
)
LAZY_WHEELS = ("pyodide_http-",)  # loaded with the first tool that needs them, not at the start


def members(archive: Path) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of each file in a zip, sorted by name."""
    with zipfile.ZipFile(archive) as opened:
        for name in sorted(n for n in opened.namelist() if not n.endswith("/")):
            yield name, opened.read(name)


def contents(folder: Path, base: Path) -> Files:
    """Return the files below `folder`; their names are relative to `base`."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(base).as_posix(): path.read_bytes() for path in found}


def stdlib_sources() -> Files:
    """Return the standard library's modules that a page can use."""
    found = members(NPM / "pyodide" / "python_stdlib.zip")
    return {n: data for n, data in found if re.split(r"[/.]", n)[0] not in NOT_IN_STDLIB}


def wheel_sources(*, lazy: bool) -> Files:
    """Return the modules of the (lazy) wheels, without metadata for importlib.metadata."""
    wheels = [wheel for wheel in env.page_wheels() if wheel.name.startswith(LAZY_WHEELS) == lazy]
    found = (member for wheel in wheels for member in members(wheel))
    excluded = re.compile(r"\.dist-info/|(\.pyi|\.so|/py\.typed)$")
    return {name: data for name, data in found if not excluded.search(name)}


def app_sources() -> Files:
    """Return the package `tabloop` with its data (locales, prompts) inside."""
    files = contents(APP / "tabloop", APP)
    for folder in PACKAGE_DATA:
        files |= {f"tabloop/{name}": data for name, data in contents(APP / folder, APP).items()}
    excluded = re.compile(r"/__pycache__/|^tabloop/contrib/|/py\.typed$")
    return {name: data for name, data in files.items() if not excluded.search(name)}


class Bundle(NamedTuple):
    """A file of dist made of Python modules; `root` is their folder in the page's file system."""

    target: str
    root: str
    sources: Callable[[], Files]
    optimize: int  # 2 removes docstrings; the app needs them as descriptions of its tools
    preload: bool = True


class Script(NamedTuple):
    """A file of dist that esbuild makes from the file of the same name in app/js."""

    name: str
    options: tuple[str, ...]
    preload: bool


BUNDLES = (
    Bundle("pyodide/stdlib.zip", "/lib/python314.zip", stdlib_sources, optimize=2),
    Bundle("site.bin", SITE_PACKAGES, partial(wheel_sources, lazy=False), optimize=0),
    Bundle("lazy.zip", "/lib/lazy.zip", partial(wheel_sources, lazy=True), 0, preload=False),
    Bundle("app.bin", SITE_PACKAGES, app_sources, optimize=0),
)
SCRIPTS = (
    # old syntax, not a module: it tells the person if the browser is too old for the other files
    Script("shell.js", ("--format=iife", "--target=es2017"), preload=False),
    Script("boot.js", ("--format=esm", "--target=es2022", "--external:./pyodide/*"), preload=True),
    Script("markdown.js", ("--format=esm", "--target=es2022"), preload=True),
    # Only a 402 or "Connect wallet" loads it. All of viem would make it three times as large.
    Script(
        "x402.js",
        ("--format=esm", "--target=es2022", "--alias:viem=./app/js/x402_viem.js"),
        preload=False,
    ),
)


def extension() -> tuple[str, bytes]:
    """Return pydantic's compiled core: its path in site-packages and its content."""
    [found] = [(n, data) for w in env.page_wheels() for n, data in members(w) if n.endswith(".so")]
    return found


def cached(kind: str, suffix: str, key: str, make: Callable[[Path], object]) -> bytes:
    """Return the file that `make` writes, cached by `key`, a hash of everything it depends on."""
    made = env.CACHE / kind / (key + suffix)
    if not made.exists():
        made.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=made.parent) as scratch:
            output = Path(scratch, "made" + suffix)
            make(output)
            output.replace(made)
    return made.read_bytes()


def bytecompiled(bundle: Bundle) -> bytes:
    """Return a bundle compiled by Pyodide in a Node process (see bytecompile.js)."""
    sources = bundle.sources()
    compiler = [BUILD / "bytecompile.js", BUILD / "bytecompile.py", NPM_LOCK]
    options = (bundle.root, str(bundle.optimize))

    def make(output: Path) -> None:
        say(f"compiling {bundle.target} ({len(sources)} files)")
        archive = output.with_name("sources.zip")
        with zipfile.ZipFile(archive, "w") as opened:
            for name, data in sources.items():
                opened.writestr(name, data)
        env.run(
            env.node()[0], compiler[0], NPM / "pyodide" / "pyodide.mjs", archive, output, *options
        )

    inputs = [part for item in sources.items() for part in item]
    key = digest(bundle.target, *options, *(path.read_bytes() for path in compiler), *inputs)
    return cached("bytecode", Path(bundle.target).suffix, key, make)


def bundled(script: Script) -> bytes:
    """Return a script bundled and minified by esbuild."""
    facts = {
        "PYODIDE_VERSION": json.loads((NPM / "pyodide" / "package.json").read_bytes())["version"],
        "PYODIDE_ABI": json.loads((NPM / "pyodide" / "pyodide-lock.json").read_bytes())["info"],
        "EXTENSION": extension()[0],
    }
    options = [*script.options, "--bundle", "--minify", "--legal-comments=none"]
    options += [f"--define:{name}={json.dumps(value)}" for name, value in facts.items()]

    def make(output: Path) -> None:
        say(f"bundling {script.name}")
        [esbuild] = [*NPM.glob("@esbuild/*/bin/esbuild"), *NPM.glob("@esbuild/*/esbuild.exe")]
        env.run(esbuild, "--log-level=warning", *options, JS / script.name, f"--outfile={output}")

    data = [*sorted((APP / "locales").glob("*")), APP / "tabloop" / "core" / "networks.json"]
    paths = [*sorted(JS.glob("*.js")), *data, NPM_LOCK]
    key = digest(script.name, *options, *(path.read_bytes() for path in paths))
    return cached("scripts", ".js", key, make)
