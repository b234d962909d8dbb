"""The list of parts for machines: dist/sbom.cdx.json, by CycloneDX 1.6.

Rule: the same locks give the same bytes, so it has no time and no serial number.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from app.build.archive import version
from app.build.parts import Part

__all__ = ["SBOM", "sbom"]

SBOM = "sbom.cdx.json"


def sbom(parts: Iterable[Part]) -> bytes:
    """Return the document; its components are the packages of others that dist holds."""
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "tabloop", "version": version()}},
        "components": [_component(part) for part in parts],
    }
    return json.dumps(document, indent=1, ensure_ascii=False).encode() + b"\n"


def _component(part: Part) -> dict[str, Any]:
    component: dict[str, Any] = {
        "type": "library",
        "bom-ref": part.purl,
        "name": part.name,
        "version": part.version,
        "purl": part.purl,
    }
    if part.licence:
        component["licenses"] = [{"expression": part.licence}]
    if part.hashes:
        component["hashes"] = [{"alg": alg, "content": hex_} for alg, hex_ in part.hashes.items()]
    if part.inside:
        component["components"] = [_component(crate) for crate in part.inside]
    return component
