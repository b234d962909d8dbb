"""Measures the loop in CPython and in the page. Rule: both run the same source."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

from tests.bench import hops
from tests.bench.figures import Figure, figure
from tests.bench.pages import READY
from tests.engines.driver import poll
from tests.engines.launch import launched

__all__ = ["loop_figures"]

HOPS = (1, 10, 50)  # of one run
IN_PAGE = """
return (async (source, hops, samples) => {
  const { loadPyodide } = await import(new URL('boot.js', document.baseURI).href);
  // the page's own Python, which has started
  const python = await loadPyodide({ stdout: console.log, stderr: console.error });
  const call = `import json; json.dumps(await milliseconds_per_hop(${hops}, ${samples}))`;
  return python.runPythonAsync(`${source}\\n${call}`);
})(...arguments);
"""


def loop_figures(engine: str, url: str, samples: int) -> Iterator[Figure]:
    """Yield the milliseconds per hop in the page of this engine, beside those in CPython."""
    source = Path(hops.__file__).read_text("utf-8")
    with launched(engine) as driver:
        driver.open(url)
        started = f"return performance.getEntriesByName('{READY}').length > 0"
        poll("the page is ready", lambda: driver.evaluate(started), within=240)
        for count in HOPS:
            in_page = json.loads(driver.evaluate(IN_PAGE, source, count, samples))
            in_cpython = asyncio.run(hops.milliseconds_per_hop(count, samples))
            name = f"loop: one hop of {count}"
            yield from filter(None, (figure(name, "ms", in_page, ("CPython", in_cpython)),))
