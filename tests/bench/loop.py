"""Measures the loop and the tools in CPython and in the page. Rule: both run the same source."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.bench import hops, work
from tests.bench.figures import Figure, figure
from tests.bench.others import Others
from tests.bench.pages import READY
from tests.engines.driver import Driver, poll
from tests.engines.launch import launched
from tests.standins.recording import json_bytes
from tests.standins.sample_data import claims

__all__ = ["loop_figures"]

HOPS = (1, 10, 50)  # of one run
CONVERSATIONS = 2  # of 200 runs each, twice
IN_PAGE = """
return (async (source, name, values) => {
  const { loadPyodide } = await import(new URL('boot.js', document.baseURI).href);
  // the page's own Python, which has started
  const python = await loadPyodide({ stdout: console.log, stderr: console.error });
  python.globals.set('bench_values', JSON.stringify(values));
  const call = `import json; json.dumps(await ${name}(*json.loads(bench_values)))`;
  return python.runPythonAsync(`${source}\\n${call}`);
})(...arguments);
"""


def loop_figures(engine: str, url: str, samples: int) -> Iterator[Figure]:
    """Yield what loop and tools cost in the page of this engine, beside the same in CPython."""
    with launched(engine) as driver:
        driver.open(url)
        started = f"return performance.getEntriesByName('{READY}').length > 0"
        poll("the page is ready", lambda: driver.evaluate(started), within=240)
        others = Others(driver)
        for count in HOPS:
            in_page = _in_page(driver, hops, "milliseconds_per_hop", count, samples)
            in_cpython = asyncio.run(hops.milliseconds_per_hop(count, samples))
            name = f"loop: one hop of {count}"
            yield from filter(None, (figure(name, "ms", in_page, ("CPython", in_cpython)),))
            yield from others.per_hop(count, samples, in_page)
        slow = _in_page(driver, hops, "milliseconds_of_slow_tools", samples)
        yield from filter(None, (figure("loop: three tools of 100 ms", "ms", slow),))
        yield from others.slow_tools(samples, slow)
        yield from _searches(driver, samples)
        yield from _conversation(driver)


def _searches(driver: Driver, samples: int) -> Iterator[Figure]:
    record = json_bytes(claims("https://record.example")).decode()
    in_page = _in_page(driver, work, "searches", record, samples)
    in_cpython = asyncio.run(work.searches(record, samples))
    for name, ours, theirs in zip(("first", "later"), in_page, in_cpython, strict=True):
        title = f"search_claims in {len(record.encode()) / 1e3:.0f} KB, {name}"
        yield from filter(None, (figure(title, "ms", ours, ("CPython", theirs)),))


def _conversation(driver: Driver) -> Iterator[Figure]:
    early, late, growth = _in_page(driver, work, "conversation", CONVERSATIONS)
    last = figure("loop: the last of 200 runs", "ms", late, ("the tenth", early))
    held = figure("loop: Python's memory after 190 more runs", "MB", growth)
    yield from filter(None, (last, held))


def _in_page(driver: Driver, module: ModuleType, name: str, *values: object) -> Any:
    source = Path(str(module.__file__)).read_text("utf-8")
    return json.loads(driver.evaluate(IN_PAGE, source, name, values))
