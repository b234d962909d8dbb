"""`python build.py bench`: how fast page and loop are, beside baselines of the same run.

Rule: all pages take turns, so that what else the machine does hits each of them.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

from tests.bench.figures import Figure, figure, table
from tests.bench.loop import loop_figures
from tests.bench.pages import BARE, OTHER, PAGE, STOCK, served
from tests.bench.start import Visit, visits
from tests.bench.typing_latency import typing_figures
from tests.engines.launch import ENGINES, installed

RUNS = 5
WARM, COLD = "warm", "cold"
Samples = dict[tuple[str, str], list[Visit]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print a table, and return the exit code."""
    options = _options(arguments)
    figures: dict[str, list[Figure]] = {}
    with (
        tempfile.TemporaryDirectory() as scratch,
        served(options.dist, options.npm, Path(scratch), options.against) as pages,
    ):
        for engine in options.engines:
            samples: Samples = {}
            for number in range(options.runs):
                _say(f"{engine}, run {number + 1} of {options.runs}")
                for name, url in pages.items():
                    _take(samples, name, visits(engine, url, 2, starts=name != BARE))
            _say(f"{engine}, the loop")
            figures[engine] = [
                *_figures(samples),
                *loop_figures(engine, pages[PAGE], options.runs),
                *typing_figures(engine, options.dist, options.runs),
            ]
    text = json.dumps({name: [asdict(row) for row in rows] for name, rows in figures.items()})
    print(text if options.json else table(figures))
    return 0


def _take(samples: Samples, name: str, taken: Sequence[Visit]) -> None:
    for kind, visit in zip((COLD, WARM), taken, strict=True):
        samples.setdefault((name, kind), []).append(visit)


def _figures(samples: Samples) -> Iterable[Figure]:
    """Yield the figures of one engine, each page's beside its baseline's."""
    for page in (PAGE, OTHER):
        if (page, COLD) not in samples:
            continue
        for kind in (COLD, WARM):
            ours, stock = samples[page, kind], samples[STOCK, kind]
            ready = figure(
                f"{page}: {kind} start",
                "ms",
                [visit.ready for visit in ours],
                ("stock", [visit.ready for visit in stock]),
            )
            task = figure(
                f"{page}: longest task, {kind}",
                "ms",
                [visit.longest for visit in ours],
                ("stock", [visit.longest for visit in stock]),
            )
            yield from filter(None, (ready, task))
        cold = samples[page, COLD]
        composer = figure(
            f"{page}: first paint with a composer",
            "ms",
            [visit.composer for visit in cold],
            ("bare", [visit.composer for visit in samples[BARE, COLD]]),
        )
        sent = figure(f"{page}: before ready, gzip host", "MB", [v.bytes / 1e6 for v in cold])
        files = figure(f"{page}: requests before ready", "", [float(v.requests) for v in cold])
        yield from filter(None, (composer, sent, files))
    stock = figure("stock: cold start", "ms", [visit.ready for visit in samples[STOCK, COLD]])
    yield from filter(None, (stock,))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python build.py bench", description=__doc__)
    parser.add_argument("--dist", type=Path, required=True, help="the built page")
    parser.add_argument("--npm", type=Path, required=True, help="the npm package `pyodide`")
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=["chromium"])
    parser.add_argument("--runs", type=int, default=RUNS, help=f"visits of each kind ({RUNS})")
    parser.add_argument("--against", default="", metavar="URL", help="another build of this page")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args(arguments)
    missing = set(options.engines) - set(installed())
    if missing:
        parser.error(f"not installed: {', '.join(sorted(missing))}")
    return options


def _say(text: str) -> None:
    print(f"bench: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
