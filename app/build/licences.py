"""The licence texts of everything that dist ships. Rule: no shipped package without its text."""

from __future__ import annotations

import json
import re

from app.build.bundles import members
from app.build.environment import JS, NPM_LOCK, page_wheels

# what only checks or builds; TypeScript is also an optional companion of viem's types
NOT_SHIPPED = {"dev", "optional", "devOptional"}


def licences() -> bytes:
    """Texts from the shipped packages. Pyodide and CPython bring none here, others bring theirs."""
    parts = [
        "Parts of this page are the work of others, under the licences below.\n",
        "Pyodide: MPL-2.0 (text: under dompurify), source https://github.com/pyodide/pyodide\n"
        "CPython: PSF-2.0 (text: under typing_extensions), source https://github.com/python/cpython\n",
    ]
    wanted = re.compile(r"(?i)(^|/)(licen[cs]e|copying|notice)[^/]*$")
    lock = json.loads(NPM_LOCK.read_bytes())["packages"]
    for place, entry in sorted(lock.items()):
        if place and not NOT_SHIPPED & entry.keys():
            texts = [p for p in sorted((JS / place).iterdir()) if wanted.search(p.name)]
            parts.append(f"{'=' * 78}\n{place.rpartition('node_modules/')[2]} {entry['version']}")
            parts += [f"Licence: {entry.get('license')}", *(p.read_text("utf-8") for p in texts)]
    for wheel in page_wheels():
        parts.append(f"{'=' * 78}\n{' '.join(wheel.name.split('-')[:2])}")
        parts += [data.decode() for name, data in members(wheel) if wanted.search(name)]
    return "\n".join(parts).encode()
