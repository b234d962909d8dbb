"""Measures how a page starts in a browser. Rule: one sample is one visit; nothing is averaged here.

All times are milliseconds since the navigation.
"""

import json
import time
from contextlib import suppress
from dataclasses import dataclass

from tests.bench.pages import READY
from tests.engines.driver import Driver, poll
from tests.engines.launch import launched
from tests.engines.wire import WireError

__all__ = ["Visit", "visits"]

POLL = 0.1  # seconds; each question costs the page a little
WITHIN = 240.0  # seconds; a slow line with a slow CPU
SETTLE = 1.0  # seconds; the browser writes its cache after the page is ready
BLANK = "about:blank"

MEASURE = """
const mark = (name) => performance.getEntriesByName(name)[0]?.startTime ?? null;
const ready = mark(arguments[0]) ?? Infinity;
const files = new Map();
for (const kind of ['navigation', 'resource']) {
  for (const file of performance.getEntriesByType(kind)) {
    if (file.startTime < ready) files.set(file.name, file);
  }
}
const sum = (name) => [...files.values()].reduce((all, file) => all + file[name], 0);
const paint = mark('first-contentful-paint');
const found = {
  ready: mark(arguments[0]),
  python: mark('tabloop:python'),
  composer: paint === null ? null : Math.max(paint, mark('tabloop:shell') ?? 0),
  bytes: sum('encodedBodySize'),
  transferred: sum('transferSize'),
  requests: files.size,
  longest: null,
};
if (!PerformanceObserver.supportedEntryTypes.includes('longtask')) return JSON.stringify(found);
return new Promise((resolve) => {
  const say = (tasks) => {
    const durations = tasks.filter((task) => task.startTime < ready).map((task) => task.duration);
    resolve(JSON.stringify({ ...found, longest: Math.max(0, ...durations) }));
  };
  const observer = new PerformanceObserver((list) => say(list.getEntries()));
  observer.observe({ type: 'longtask', buffered: true });
  setTimeout(() => say([]), 500);  // without long tasks nothing is observed
});
"""


@dataclass(frozen=True, slots=True)
class Visit:
    """One load of a page; None is what this engine or page does not tell.

    `composer`: first paint with a composer that works. `longest`: the longest task before ready.
    `bytes`: bodies as they were sent, those from the cache included; `transferred`: what came over
    the wire. `requests`: different files before ready.
    """

    ready: float | None
    python: float | None
    composer: float | None
    longest: float | None
    bytes: int
    transferred: int
    requests: int


def visits(
    engine: str, url: str, count: int, *, starts: bool = True, slow: bool = False
) -> list[Visit]:
    """Visit a page `count` times with one new profile, so that the first visit is a cold one.

    `starts`: the page sets the mark `READY`. `slow`: 1.6 Mbit/s and a CPU four times slower, which
    only Chromium can simulate.
    """
    with launched(engine) as driver:
        if slow:
            driver.slow_down()
        return [_visit(driver, url, starts) for _ in range(count)]


def _visit(driver: Driver, url: str, starts: bool) -> Visit:
    driver.open(BLANK)
    poll("the page before is left", lambda: _tells(driver, f"return location.href === '{BLANK}'"))
    driver.open(url)
    done = f"performance.getEntriesByName('{READY}').length > 0" if starts else "true"
    script = f"return location.href !== '{BLANK}' && document.readyState === 'complete' && {done}"
    end = time.monotonic() + WITHIN
    while not _tells(driver, script):
        assert time.monotonic() < end, f"{url} did not start"
        time.sleep(POLL)
    time.sleep(SETTLE)
    return Visit(**json.loads(driver.evaluate(MEASURE, READY)))


def _tells(driver: Driver, script: str) -> bool:
    """Return what the script says; False while one document replaces another."""
    with suppress(WireError):
        return bool(driver.evaluate(script))
    return False
