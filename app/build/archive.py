"""Zip files whose bytes depend on nothing but their content and the time that is given."""

from __future__ import annotations

import io
import re
import zipfile
from typing import TypeAlias

from app.build.bundles import Files
from app.build.environment import APP

__all__ = ["version", "zipped"]

EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip can hold
READABLE = 0o100644  # without it, unzip lets only the owner read, and a web server answers 403


Time: TypeAlias = tuple[int, int, int, int, int, int]  # year to second


def zipped(files: Files, when: Time = EPOCH) -> bytes:
    """Return an archive of `files`, in their order, all of them with the time `when`."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, when)
            entry.external_attr = READABLE << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def version() -> str:
    """Return the version of the package."""
    init = (APP / "tabloop" / "__init__.py").read_text("utf-8")
    [found] = re.findall(r'^__version__ = "(.+)"$', init, re.MULTILINE)
    return found
