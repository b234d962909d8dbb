"""Asks the registries' advisory services about all pinned packages of the page.

Rule: an answer that did not come is said, and is never a clean bill of health.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from app.build.environment import JS, PYTHON, BuildError, node
from app.build.parts import Part, shipped_parts

WITHIN = 30  # seconds
NO_ANSWER = "{}: the advisory service gives no answer here ({}); nothing is known."
# pip knows its index; the JSON service of an index is beside its "simple" pages
INDEX = """\
from pip._internal.commands import create_command
print(create_command("download").parse_args([])[0].index_url)
"""


def audit() -> None:
    """Print what is known. Raises `BuildError` if a package has an advisory."""
    found = 0
    for lines in (_npm(), _wheels()):
        for line, is_advisory in lines:
            print(line)
            found += is_advisory
    crates = sum(len(part.inside) for part in shipped_parts())
    print(f"crates: the {crates} crates inside wheels have no advisory service that is asked here.")
    if found:
        raise BuildError(f"{found} advisories are named above.")


def _npm() -> Iterator[tuple[str, bool]]:
    program, npm = node()
    command = (npm, "audit", "--json", "--package-lock-only", f"--fetch-timeout={WITHIN}000")
    try:
        ended = subprocess.run(
            [*command, "--fetch-retries=0"],
            cwd=JS,
            capture_output=True,
            text=True,
            timeout=2 * WITHIN,
            check=False,
            env=_with_path(program),
        )
        yield from npm_lines(ended.stdout)
    except subprocess.TimeoutExpired:
        yield NO_ANSWER.format("npm", "timeout"), False


def _with_path(program: str) -> dict[str, str]:
    return os.environ | {"PATH": f"{Path(program).parent}{os.pathsep}{os.environ.get('PATH', '')}"}


def npm_lines(report: str) -> Iterator[tuple[str, bool]]:
    """Yield a line for each advisory in the report of `npm audit --json`, or why there is none."""
    try:
        read = cast("dict[str, Any]", json.loads(report))
        advisories: dict[str, Any] = read["vulnerabilities"]
    except (ValueError, KeyError, TypeError):
        status = re.search(r"\b[45]\d\d\b", report)
        yield NO_ANSWER.format("npm", f"status {status[0]}" if status else "no report"), False
        return
    for name, advisory in sorted(advisories.items()):
        yield f"npm: {name}: {advisory.get('severity', 'unknown')}", True
    if not advisories:
        yield "npm: no advisory for any package in the lock.", False


def _wheels() -> Iterator[tuple[str, bool]]:
    index = subprocess.run(
        [str(PYTHON), "-c", INDEX], capture_output=True, text=True, check=False
    ).stdout.strip()
    base = index.rstrip("/").removesuffix("/simple")
    for part in shipped_parts():
        if part.kind != "pypi":
            continue
        try:
            address = f"{base}/pypi/{part.name}/{part.version}/json"
            with urllib.request.urlopen(address, timeout=WITHIN) as answer:
                yield from wheel_lines(part, answer.read())
        except urllib.error.HTTPError as error:
            yield NO_ANSWER.format(f"{part.name} {part.version}", f"status {error.code}"), False
        except (OSError, ValueError) as error:
            kind = type(error).__name__
            yield NO_ANSWER.format(f"{part.name} {part.version}", kind), False


def wheel_lines(part: Part, document: bytes) -> Iterator[tuple[str, bool]]:
    """Yield a line for each advisory in an index's JSON about one version, or why there is none."""
    try:
        advisories = cast("dict[str, Any]", json.loads(document))["vulnerabilities"]
        known = [str(one["id"]) for one in advisories]
    except (ValueError, KeyError, TypeError):
        yield NO_ANSWER.format(f"{part.name} {part.version}", "no list of advisories"), False
        return
    yield from ((f"{part.name} {part.version}: {name}", True) for name in known)
    if not known:
        yield f"{part.name} {part.version}: no advisory.", False
