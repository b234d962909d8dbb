"""Finds modules that are not loaded with the page, because the start does not need them.

Rule: the page loads them by itself after the start (app/js/boot_late.js). Who can wait awaits
`late_modules`; an import that comes earlier loads them at once, and the page stands still.
"""

import importlib
import json
import sys
import zlib
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol, cast

from tabloop.browser.web import PageObject

__all__ = ["LateFinder", "install", "late_modules", "unpacked"]

LIBRARY = Path("/lib/python3.14")
INDEX = LIBRARY / "late.json"  # the names of these modules


class LateFiles(Protocol):
    """What app/js/boot.js registers; app/js/boot_late.js has longer comments."""

    async def loadLate(self) -> bool:
        """Load the modules that the start does not need; return whether they are there."""
        ...

    def lateFile(self) -> Any:
        """Return the file with these modules at once (a `Uint8Array`), or null."""
        ...

    def writePyScript(self) -> bool:
        """Write PyScript's package; return whether it was not there before."""
        ...


late = cast("LateFiles", PageObject(lambda: importlib.import_module("tabloop_late")))


async def late_modules() -> bool:
    """Wait for the modules; return whether they came."""
    there = bool(await late.loadLate())
    importlib.invalidate_caches()
    return there


class LateFinder:
    """The last finder on `sys.meta_path`: asked for modules that no other finder has."""

    def __init__(self) -> None:
        self._names: frozenset[str] | None = None

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Load the modules if this one is among them; return None if it is not."""
        if name == "pyscript" and late.writePyScript():
            importlib.invalidate_caches()
            return PathFinder.find_spec(name, path)
        if self._names is None:
            self._names = frozenset(json.loads(INDEX.read_text("utf-8")))
        if name not in self._names:
            return None
        file = late.lateFile()
        if not file:  # JavaScript's null is not None
            return None
        self._names = frozenset()
        for place, data in unpacked(zlib.decompress(file.to_bytes(), wbits=31)):
            target = LIBRARY / place
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        importlib.invalidate_caches()
        return PathFinder.find_spec(name, path)


def unpacked(bundle: bytes) -> "list[tuple[str, bytes]]":
    """Return name and content of the files in a bundle (app/build/bundles.py)."""
    at = 4 + int.from_bytes(bundle[:4], "little")
    files: list[tuple[str, bytes]] = []
    for name, size in json.loads(bundle[4:at]):
        files.append((name, bundle[at : at + size]))
        at += size
    return files


def install() -> None:
    """Let imports find the modules."""
    sys.meta_path.append(LateFinder())
