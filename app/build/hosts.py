"""`python build.py hosts`: what four kinds of host send until the page is ready.

Rule: the sizes are those of the files in dist; nothing is measured on a line.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Mapping

from app.build.bundles import Files, contents
from app.build.environment import DIST
from app.build.page import RUNTIME

__all__ = ["HOSTS", "WAYS", "print_hosts", "sent", "table"]

KNOWN = (".css", ".html", ".js", ".json", ".svg", ".txt")  # what servers compress when told "on"
REQUESTED = re.compile(r'(?:src|href)="\./([^"?#]+\.(?:js|css|wasm|bin|toml))"')
LEVEL = 6


def _zipped(data: bytes) -> int:
    return len(gzip.compress(data, LEVEL))


# kind of host -> how many bytes it sends of a file
HOSTS: Mapping[str, Callable[[str, Files], int]] = {
    "compresses nothing": lambda name, files: len(files[name]),
    "gzip for the usual types of text": lambda name, files: (
        _zipped(files[name]) if name.endswith(KNOWN) else len(files[name])
    ),
    "gzip for all files": lambda name, files: _zipped(files[name]),
    "sends the `.br` files": lambda name, files: len(files.get(f"{name}.br", files[name])),
}
# way of the start -> the file that only it needs
WAYS: Mapping[str, str] = {"from files": "start.bin", "from the snapshot": "snapshot.gz"}


def sent(files: Files, host: str, way: str) -> int:
    """Return how many bytes of bodies a host sends before the page is ready."""
    [folder] = {name.split("/")[0] for name in files if name.startswith("build-")}
    asked = set(REQUESTED.findall(files["index.html"].decode()))
    inside = {f"{folder}/{name}" for name in (*RUNTIME.values(), WAYS[way])}
    return sum(HOSTS[host](name, files) for name in {"index.html", *asked, *inside})


def table(files: Files) -> str:
    """Return the table for docs/hosting.md: megabytes by kind of host and way of the start."""
    lines = [f"| a host that | {' | '.join(WAYS)} |", "|---|---|---|"]
    for host in HOSTS:
        sizes = [f"{sent(files, host, way) / 1e6:.1f} MB" for way in WAYS]
        lines.append(f"| {host} | {' | '.join(sizes)} |")
    return "\n".join(lines)


def print_hosts() -> None:
    """Print the table of the built page."""
    print(table(contents(DIST, DIST)))
