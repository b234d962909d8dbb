"""The scripts of dist, bundled by esbuild. Rule: the same sources give the same bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from app.build import environment as env
from app.build.bundles import extension, frozen_modules
from app.build.environment import APP, JS, NPM, NPM_LOCK, cached, digest, say


class Script(NamedTuple):
    """A file of dist that esbuild makes from the file of the same name in app/js."""

    name: str
    options: tuple[str, ...]
    preload: bool


SCRIPTS = (
    # old syntax, not a module: it tells the person if the browser is too old for the other files
    Script("shell.js", ("--format=iife", "--target=es2017"), preload=False),
    Script("embed.js", ("--format=iife", "--target=es2022"), preload=False),
    Script(
        "boot.js",
        ("--format=esm", "--target=es2022", "--external:./pyodide/*", "--external:./offline.js"),
        preload=True,
    ),
    Script("markdown.js", ("--format=esm", "--target=es2022"), preload=True),
    Script("offline.js", ("--format=esm", "--target=es2022"), preload=False),
    Script("site.js", ("--format=esm", "--target=es2022"), preload=False),
    # Only a 402 or "Connect wallet" loads it. All of viem would make it three times as large.
    Script(
        "x402.js",
        ("--format=esm", "--target=es2022", "--alias:viem=./app/js/x402_viem.js"),
        preload=False,
    ),
)

# outside the build's folder, because a worker answers only for addresses beside and below it
WORKER = Script("sw.js", ("--format=iife", "--target=es2022"), preload=False)


def pinned() -> dict[str, object]:
    """Return what scripts and snapshot have to know about the pinned packages."""
    pyodide = NPM / "pyodide"
    return {
        "PYODIDE_VERSION": json.loads((pyodide / "package.json").read_bytes())["version"],
        "PYODIDE_ABI": json.loads((pyodide / "pyodide-lock.json").read_bytes())["info"],
        "EXTENSION": extension()[0],
        "START_MODULES": frozen_modules(),
    }


def bundled_files(script: Script) -> list[str]:
    """Return the files of which the bundled script has something, as esbuild reports them."""
    options = [*script.options, "--bundle", "--minify"]

    def make(output: Path) -> None:
        env.run(
            _esbuild(),
            "--log-level=error",
            *options,
            JS / script.name,
            f"--metafile={output}",
            f"--outfile={output.with_suffix('.js')}",
        )

    report = json.loads(cached("parts", ".json", _key(script, options), make))
    [outcome] = report["outputs"].values()
    return [name for name, part in outcome["inputs"].items() if part["bytesInOutput"]]


def _esbuild() -> Path:
    [esbuild] = [*NPM.glob("@esbuild/*/bin/esbuild"), *NPM.glob("@esbuild/*/esbuild.exe")]
    return esbuild


def _key(script: Script, options: list[str]) -> str:
    data = [*sorted((APP / "locales").glob("*")), APP / "tabloop" / "core" / "networks.json"]
    paths = [*sorted(JS.glob("*.js")), *data, NPM_LOCK]
    return digest(script.name, *options, *(path.read_bytes() for path in paths))


def bundled(script: Script, facts: Mapping[str, object]) -> bytes:
    """Return a script bundled and minified by esbuild; `facts` are constants in it."""
    options = [*script.options, "--bundle", "--minify", "--legal-comments=none"]
    options += [f"--define:{name}={json.dumps(value)}" for name, value in facts.items()]

    def make(output: Path) -> None:
        say(f"bundling {script.name}")
        env.run(
            _esbuild(), "--log-level=warning", *options, JS / script.name, f"--outfile={output}"
        )

    return cached("scripts", ".js", _key(script, options), make)
