"""Makes the package's wheel for dist, so that any PyScript page can take it with `packages`.

Rule: it holds what `pip install .` installs, by the standard library alone; the same sources give
the same bytes.
"""

from __future__ import annotations

import base64
import tomllib
from collections.abc import Iterator
from hashlib import sha256
from typing import cast

from app.build.archive import version, zipped
from app.build.bundles import PACKAGE_DATA, Files, contents
from app.build.environment import APP, ROOT

__all__ = ["wheel", "wheel_files"]

WHEEL = """\
Wheel-Version: 1.0
Generator: build.py
Root-Is-Purelib: true
Tag: py3-none-any
"""


def wheel_files() -> Files:
    """Return the package `tabloop` with its data (locales, prompts, the bridge) inside."""
    files = contents(APP / "tabloop", APP)
    for folder in PACKAGE_DATA:
        files |= {f"tabloop/{name}": data for name, data in contents(APP / folder, APP).items()}
    files["tabloop/js/bridge.js"] = (APP / "js" / "bridge.js").read_bytes()
    return {name: data for name, data in files.items() if "/__pycache__/" not in name}


def wheel() -> tuple[str, bytes]:
    """Return the wheel's file name and content."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    info = f"{project['name']}-{version()}.dist-info"
    files = wheel_files() | {
        f"{info}/licenses/LICENSE": (ROOT / "LICENSE").read_bytes(),
        f"{info}/METADATA": "\n".join(_metadata(project)).encode(),
        f"{info}/WHEEL": WHEEL.encode(),
    }
    record = [f"{name},sha256={_digest(data)},{len(data)}" for name, data in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    return f"{project['name']}-{version()}-py3-none-any.whl", zipped(files)


def _metadata(project: dict[str, object]) -> Iterator[str]:
    yield "Metadata-Version: 2.4"
    yield f"Name: {project['name']}"
    yield f"Version: {version()}"
    yield f"Summary: {project['description']}"
    yield f"License-Expression: {project['license']}"
    yield "License-File: LICENSE"
    yield f"Requires-Python: {project['requires-python']}"
    needed = cast("list[str]", project["dependencies"])
    extras = cast("dict[str, list[str]]", project["optional-dependencies"])
    yield from (f"Requires-Dist: {one}" for one in needed)
    for extra, more in extras.items():
        yield f"Provides-Extra: {extra}"
        yield from (f"Requires-Dist: {one}; extra == '{extra}'" for one in more)
    yield ""


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(sha256(data).digest()).decode().rstrip("=")
