"""Measures the loops of other libraries in the same page as ours. Rule: their packages are pinned.

`python build.py bench` installs them from tests/bench/others/package-lock.json. Where they are
missing, as in the suite, only ours is measured.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from app.build import environment as env
from tests.bench.figures import Figure, figure
from tests.engines.driver import Driver

__all__ = ["Others"]

FOLDER = env.BENCH
LIBRARIES = {"tanstack": "TanStack AI", "vercel": "Vercel AI SDK"}
OURS = "ours"


class Others:
    """The other libraries' loops in the page of this driver; none if they are not installed."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._names = LIBRARIES if (FOLDER / "node_modules").is_dir() else {}
        if self._names:
            driver.evaluate(f"{_bundle()}\nglobalThis.otherLoops = otherLoops;")

    def per_hop(self, hops: int, samples: int, ours: Sequence[float]) -> Iterator[Figure]:
        """Yield what a hop costs each library in runs with so many hops, beside our samples."""
        for name, title in self._names.items():
            taken = self._call(f"perHop(otherLoops.{name}, {hops}, {samples})")
            row = figure(f"{title}: one hop of {hops}", "ms", taken, (OURS, ours))
            yield from filter(None, (row,))

    def slow_tools(self, samples: int, ours: Sequence[float]) -> Iterator[Figure]:
        """Yield how long each library takes for three tools of 100 ms in one hop."""
        for name, title in self._names.items():
            taken = self._call(f"slowTools(otherLoops.{name}, {samples})")
            row = figure(f"{title}: three tools of 100 ms", "ms", taken, (OURS, ours))
            yield from filter(None, (row,))

    def _call(self, call: str) -> list[float]:
        return self._driver.evaluate(f"return otherLoops.{call};")


def _bundle() -> str:
    [esbuild] = [*env.NPM.glob("@esbuild/*/bin/esbuild"), *env.NPM.glob("@esbuild/*/esbuild.exe")]
    options = ("--bundle", "--minify", "--format=iife", "--global-name=otherLoops")
    with TemporaryDirectory() as scratch:
        made = Path(scratch) / "loops.js"
        env.run(
            *(esbuild, "--log-level=warning", *options, "--target=es2022"),
            *(FOLDER / "loops.js", f"--outfile={made}"),
        )
        return made.read_text("utf-8")
