"""Makes a `.br` and a `.gz` beside each file of the build that compresses.

Rule: only files in the build's folder have them, because their content never changes. A compressed
`index.html` of an older version would be sent in the place of the new one.
"""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from app.build import environment as env
from app.build.bundles import BUILD, Files
from app.build.environment import cached, digest, say
from app.build.gzipped import gzipped

__all__ = ["ENDINGS", "compressed", "without_compressed"]

ENDINGS = (".br", ".gz")
COMPRESSES = re.compile(r"build-[0-9a-f]+/.*\.(css|js|json|svg|wasm)")
SCRIPT = BUILD / "compress.js"


def _brotli(name: str, data: bytes) -> bytes:
    def make(output: Path) -> None:
        say(f"compressing {name}")
        source = output.with_name("source")
        source.write_bytes(data)
        env.run(env.node()[0], SCRIPT, source, output)

    return cached("compressed", ".br", digest(SCRIPT.read_bytes(), data), make)


PACKERS = {".br": _brotli, ".gz": gzipped}


def compressed(files: Files) -> Files:
    """Return the compressed files of those that compress, such as `build-1a2b/boot.js.br`."""
    names = [name for name in files if COMPRESSES.fullmatch(name)]
    with ThreadPoolExecutor(max_workers=2) as pool:
        packed = {
            name + ending: pool.submit(pack, name + ending, files[name])
            for name in names
            for ending, pack in PACKERS.items()
        }
    return {name: result.result() for name, result in packed.items()}


def without_compressed(files: Files) -> Files:
    """Return the files without those that `compressed` has made of others."""
    return {
        name: data
        for name, data in files.items()
        if not (name.endswith(ENDINGS) and name.rpartition(".")[0] in files)
    }
