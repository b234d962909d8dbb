"""The snapshot of Python after the imports of the start, for the first visit of a browser.

Rule: the same bundles give the same bytes.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path

from app.build import environment as env
from app.build.bundles import BUILD, START_LIST, extension
from app.build.environment import JS, NPM, NPM_LOCK, cached, digest, say
from app.build.gzipped import gzipped

# page.bin has data that modules read when they are imported, late.bin what the list does not name
BUNDLES = ("start.bin", "page.bin", "late.bin")
SCRIPTS = (BUILD / "snapshot.js", JS / "boot_python.js", JS / "boot_snapshot.js", NPM_LOCK)


def snapshot(bundles: Mapping[str, bytes], facts: Mapping[str, object]) -> tuple[bytes, int]:
    """Return the snapshot as a gzip file, and the size of its memory. Raises `BuildError`."""
    modules = json.dumps(facts["START_MODULES"])
    parts = [bundles[name] for name in BUNDLES]
    key = digest(*(path.read_bytes() for path in SCRIPTS), modules, *parts, extension()[1])

    def make(output: Path) -> None:
        say("taking the snapshot of Python")
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            for name in BUNDLES:
                (folder / name).write_bytes(bundles[name])
            (folder / "core.so").write_bytes(extension()[1])
            known = {
                "npm": str(NPM / "pyodide"),
                "abi": facts["PYODIDE_ABI"],
                "extension": facts["EXTENSION"],
                "extensionFile": str(folder / "core.so"),
                "modules": facts["START_MODULES"],
                "bundles": [str(folder / name) for name in BUNDLES],
            }
            (folder / "facts.json").write_text(json.dumps(known))
            unlisted = env.run(env.node()[0], SCRIPTS[0], folder / "facts.json", output)
        if unlisted:
            say(f"the start imports what {START_LIST.name} does not name: {unlisted}")

    taken = cached("snapshot", ".raw", key, make)
    header = json.loads(taken[4 : 4 + int.from_bytes(taken[:4], "little")])
    return gzipped("snapshot.gz", taken), int(header["size"])
