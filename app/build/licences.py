"""The licence texts of everything in dist. Rule: no package is shipped without its licence."""

from __future__ import annotations

import json
import re

from app.build.bundles import members
from app.build.environment import JS, NPM_LOCK, page_wheels

# packages that only check or build; TypeScript is also an optional peer of viem
NOT_SHIPPED = {"dev", "optional", "devOptional"}


def licences() -> bytes:
    """Return licences.txt: the texts in the packages; those of Pyodide and CPython have none."""
    parts = [
        "Parts of this page are the work of others, under the licences below.\n",
        "Pyodide: MPL-2.0 (text: under dompurify), source https://github.com/pyodide/pyodide\n"
        "CPython: PSF-2.0 (text: under typing_extensions), source https://github.com/python/cpython\n",
    ]
    licence_file = re.compile(r"(?i)(^|/)(licen[cs]e|copying|notice)[^/]*$")
    lock = json.loads(NPM_LOCK.read_bytes())["packages"]
    for path, entry in sorted(lock.items()):
        if path and not NOT_SHIPPED & entry.keys():
            texts = [p for p in sorted((JS / path).iterdir()) if licence_file.search(p.name)]
            parts.append(f"{'=' * 78}\n{path.rpartition('node_modules/')[2]} {entry['version']}")
            parts += [f"Licence: {entry.get('license')}", *(p.read_text("utf-8") for p in texts)]
    for wheel in page_wheels():
        parts.append(f"{'=' * 78}\n{' '.join(wheel.name.split('-')[:2])}")
        parts += [data.decode() for name, data in members(wheel) if licence_file.search(name)]
    return "\n".join(parts).encode()
