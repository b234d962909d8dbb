"""Packs dist as a zip file for owners of sites.

Rule: it holds none of the owner's files, so that unpacking it over an older version keeps them:
pyscript.toml, owner.css and what is in owner/. A new site copies examples/pyscript.toml, and
examples/en.json for a third language.
Its files have the time of packing: a web server derives their ETag from time and size, and the
sizes of index.html are often equal, so a fixed time would let browsers keep the old page.
The `.br` and `.gz` files stay out: they would double it, and most hosts that take a zip file
compress by themselves.
"""

from __future__ import annotations

from datetime import datetime

from app.build.archive import version, zipped
from app.build.bundles import Files, contents
from app.build.compressed import without_compressed
from app.build.environment import APP, DIST, ROOT, say

__all__ = ["package", "packaged"]

OWNERS = ("pyscript.toml", "owner.css")


def packaged(files: Files) -> Files:
    """Return what the zip holds of the files of dist, sorted by name."""
    kept = {n: d for n, d in files.items() if n not in OWNERS and not n.startswith("owner/")}
    kept["examples/pyscript.toml"] = files["pyscript.toml"]
    kept["examples/en.json"] = (APP / "locales" / "en.json").read_bytes()
    return dict(sorted(kept.items()))


def package() -> None:
    """Write tabloop-<version>.zip beside build.py."""
    path = ROOT / f"tabloop-{version()}.zip"
    now = datetime.now()
    when = (now.year, now.month, now.day, now.hour, now.minute, now.second)
    path.write_bytes(zipped(packaged(without_compressed(contents(DIST, DIST))), when))
    say(f"{path} is ready: {path.stat().st_size / 1e6:.1f} MB")
