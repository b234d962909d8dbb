"""The licence texts of everything in dist. Rule: no package is shipped without its licence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from app.build.parts import Part

# what the packages have no texts for
HEADER = """\
Parts of this page are the work of others, under the licences below.

Pyodide: MPL-2.0 (text: under dompurify), source https://github.com/pyodide/pyodide
CPython: PSF-2.0 (text: under typing-extensions), source https://github.com/python/cpython
In Pyodide's WebAssembly besides: the C library of Emscripten and musl (MIT), libffi (MIT),
libmpdec (BSD-2-Clause), zlib (Zlib), bzip2 (bzip2-1.0.6), Zstandard (BSD-3-Clause)
"""


def licences(parts: Iterable[Part]) -> bytes:
    """Return licences.txt: name, version, licence and text of each part."""
    return "\n".join([HEADER, *(line for part in parts for line in _lines(part))]).encode()


def _lines(part: Part) -> Iterator[str]:
    yield f"{'=' * 78}\n{part.name} {part.version}"
    yield f"Licence: {part.licence}"
    yield from part.texts
    if part.inside:
        yield f"Compiled into {part.name} (texts: in the sources of each crate):"
        yield from (f"{crate.name} {crate.version}: {crate.licence}" for crate in part.inside)
