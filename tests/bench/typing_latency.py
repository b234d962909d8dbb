"""Measures typing while an answer streams. Rule: keys are real input, each waits for its frame."""

import time
from collections.abc import Iterator
from pathlib import Path
from statistics import quantiles

from tests.bench.figures import Figure, figure
from tests.bench.pages import READY
from tests.engines.driver import Driver, poll
from tests.engines.launch import launched
from tests.standins.quirks import spoken
from tests.standins.servers import WITHOUT_WORKER, running_standins

__all__ = ["typing_figures"]

KEYS = 40  # of a sample
BETWEEN = 0.04  # seconds between two keys, as fast people type
SENTENCE = "A sentence of an **answer** with a [link](https://example.org).\n\n"
BYTES = 20_000
PAUSE = 0.003  # seconds between two events of the stream, which lasts longer than the keys
# from the key until the frame that shows it
WATCH = """
window.keysMs = [];
addEventListener('keydown', ({ timeStamp }) => requestAnimationFrame(() => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => keysMs.push(performance.now() - timeStamp);
  port2.postMessage(0);
}), true);
"""
FIELD = "const field = document.getElementById('message');"
EMPTY = f"{FIELD} field.value = ''; field.focus(); window.keysMs = [];"
BUSY = "return document.documentElement.hasAttribute('data-busy')"


def typing_figures(engine: str, dist: Path, samples: int) -> Iterator[Figure]:
    """Yield the 95th percentile of keys typed while 20 KB stream, beside that of a page at rest."""
    with running_standins(dist, settings=WITHOUT_WORKER) as running, launched(engine) as driver:
        endpoint = f"{running.quirks.url}/v1"
        running.overlay({"llm_url": endpoint, "llm_model": "m", "stream": True})
        driver.open(running.page_url)
        started = f"return performance.getEntriesByName('{READY}').length > 0"
        poll("the page is ready", lambda: driver.evaluate(started), within=240)
        driver.evaluate(WATCH)
        resting = [_slow_keys(driver) for _ in range(samples)]
        streaming: list[float] = []
        for _ in range(samples):
            running.quirks.play(spoken(SENTENCE * (BYTES // len(SENTENCE)), pause=PAUSE))
            driver.evaluate(EMPTY)
            driver.type("Go")
            driver.press("Enter")
            poll("the answer has begun", lambda: driver.evaluate(BUSY))
            streaming.append(_slow_keys(driver))
            poll("the answer is there", lambda: not driver.evaluate(BUSY))
    title = "typing while 20 KB stream, p95"
    yield from filter(None, (figure(title, "ms", streaming, ("a page at rest", resting)),))


def _slow_keys(driver: Driver) -> float:
    driver.evaluate(EMPTY)
    for _ in range(KEYS):
        driver.type("a")
        time.sleep(BETWEEN)
    all_shown = f"return keysMs.length >= {KEYS}"
    poll("each key is shown", lambda: driver.evaluate(all_shown))
    return quantiles(driver.evaluate("return keysMs"), n=20)[-1]
