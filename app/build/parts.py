"""The work of others in dist: npm packages, wheels, and the crates inside a wheel.

Rule: what ships is read from what was made (esbuild's report, PyScript's source maps, the wheel's
own list), never from all that is installed; versions and hashes come from the locks.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from email.parser import BytesParser
from pathlib import Path
from typing import Any, NamedTuple

from app.build.bundles import members
from app.build.environment import JS, LOCKS, NPM, NPM_LOCK, page_wheels
from app.build.scripts import SCRIPTS, WORKER, bundled_files

# PyScript's own part. The others are editors, terminals and archives, which this page does not use
PYSCRIPT = re.compile(r"(core|error|toml)(-\w+)?\.js")
PYSCRIPT_DIST = NPM / "@pyscript" / "core" / "dist"
_PACKAGE = re.compile(r"node_modules/((?:@[^/]+/)?[^/]+)(?=/)")
_LIST = re.compile(r"/sboms/.*\.cyclonedx\.json$")  # maturin puts it into the wheels it builds
_LICENCE_FILE = re.compile(r"(?i)(^|/)(licen[cs]e|copying|notice)[^/]*$")


class Part(NamedTuple):
    """One package; `hashes` maps CycloneDX's names of algorithms to hexadecimal digits."""

    kind: str  # of a purl: "npm", "pypi" or "cargo"
    name: str
    version: str
    licence: str  # an SPDX expression
    hashes: dict[str, str]
    texts: tuple[str, ...] = ()
    inside: tuple[Part, ...] = ()

    @property
    def purl(self) -> str:
        """The package's address by the purl specification."""
        return f"pkg:{self.kind}/{self.name.replace('@', '%40')}@{self.version}"


def shipped_parts() -> list[Part]:
    """Return everything of others that is in dist, sorted by kind and name."""
    return [*_npm_parts(), *map(_wheel_part, page_wheels())]


def _npm_parts() -> Iterator[Part]:
    packages: dict[str, Any] = json.loads(NPM_LOCK.read_bytes())["packages"]
    for place in sorted(_npm_places(packages)):
        entry, folder = packages[place], JS / place
        hexadecimal = base64.b64decode(entry["integrity"].removeprefix("sha512-")).hex()
        files = [path for path in sorted(folder.iterdir()) if _LICENCE_FILE.search(path.name)]
        yield Part(
            "npm",
            place.rpartition("node_modules/")[2],
            entry["version"],
            _spdx(entry.get("license", "")),
            {"SHA-512": hexadecimal},
            tuple(path.read_text("utf-8") for path in files),
        )


def _npm_places(packages: dict[str, Any]) -> set[str]:
    """Return the lock's keys of the packages of which dist has something."""
    places = {"node_modules/pyodide", "node_modules/@pyscript/core"}
    for script in (*SCRIPTS, WORKER):
        for file in bundled_files(script):
            at = file.find("node_modules/")
            found = [match.end() for match in _PACKAGE.finditer(file)] if at >= 0 else []
            places |= {file[at : found[-1]]} if found else set()
    for source in pyscript_sources():
        # PyScript's bundle names no versions: those that its package asks for are in the lock
        names = _PACKAGE.findall(source)
        places |= {f"node_modules/{names[-1]}"} if names else set()
    return {place for place in places if place in packages}


def pyscript_sources() -> set[str]:
    """Return the sources of PyScript's files in dist, by their source maps."""
    maps = [p for p in PYSCRIPT_DIST.glob("*.js.map") if PYSCRIPT.fullmatch(p.name[: -len(".map")])]
    return {source for path in maps for source in json.loads(path.read_bytes())["sources"]}


def _wheel_part(wheel: Path) -> Part:
    files = dict(members(wheel))
    [metadata] = [data for name, data in files.items() if name.endswith(".dist-info/METADATA")]
    told = BytesParser().parsebytes(metadata, headersonly=True)
    name, version = str(told["Name"]), str(told["Version"])
    licence = told["License-Expression"] or told["License"] or ""
    lists = [
        data for name, data in files.items() if re.search(r"/sboms/.*\.cyclonedx\.json$", name)
    ]
    texts = [data.decode() for name, data in files.items() if _LICENCE_FILE.search(name)]
    return Part(
        "pypi",
        name.lower().replace("_", "-"),
        version,
        _spdx(str(licence)),
        {"SHA-256": pinned_hash(name, version)},
        tuple(texts),
        tuple(part for written in lists for part in _crates(json.loads(written))),
    )


def pinned_hash(name: str, version: str) -> str:
    """Return the hash of a wheel in page.lock, blank if it is not pinned there."""
    pin = rf"^{re.escape(name.lower().replace('_', '-'))}=={re.escape(version)} \\\n.*sha256:(\w+)"
    found = re.search(pin, (LOCKS / "page.lock").read_text(), re.MULTILINE)
    return found[1] if found else ""


def _crates(listed: dict[str, Any]) -> Iterator[Part]:
    """Yield the crates of a wheel's own list, but not those that only build it."""
    for entry in listed["components"]:
        if entry.get("scope") != "excluded":
            [licence] = entry["licenses"]
            yield Part("cargo", entry["name"], entry["version"], licence["expression"], {})


def _spdx(licence: str) -> str:
    """Return the expression in SPDX's spelling."""
    return licence.removeprefix("(").removesuffix(")").replace("APACHE", "Apache")
