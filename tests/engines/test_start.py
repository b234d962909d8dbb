"""How each engine starts. What a start loads and imports is counted, its time is not tested."""

from pathlib import Path

from tests.engines.driver import Driver, poll
from tests.engines.engine_page import EnginePage
from tests.engines.launch import launched
from tests.standins.servers import Running, running_standins

DIST = Path(__file__).resolve().parents[2] / "dist"
QUESTION = "What did the Bundestag debate on 9 September 2026?"
# bytes of Python's modules before ready, and modules imported by Python itself, at a second visit;
# before there were snapshots it was 4.6 MB and 310 modules at each visit
MOST_BYTES = 250_000
MOST_MODULES = 60

# by an earlier test as well, so no mark of this page says it
KEPT = """
return caches.open('tabloop-start').then((cache) => cache.keys()).then((all) => all.length > 0);
"""
# how many modules Python has when the page gets it, and when the page is ready
COUNT = b"""
const COUNT = 'import sys; len(sys.modules)';
const output = { stdout: console.log, stderr: console.error };
let python;
window.counted = [];
document.addEventListener('DOMContentLoaded', async () => {
  const boot = await import(new URL('boot.js', document.baseURI).href);
  python = await boot.loadPyodide(output);
  window.counted.push(python.runPython(COUNT));
});
document.addEventListener('tabloop:ready', () => window.counted.push(python.runPython(COUNT)));
"""

# In a private session, which a driver always gets, WebKit loses what Cache Storage holds at each
# load. IndexedDB keeps it.
CACHE_STORAGE = b"""
const answered = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});
const opened = indexedDB.open('caches', 1);
opened.onupgradeneeded = () => opened.result.createObjectStore('start');
const database = answered(opened);
const call = async (method, ...values) => {
  const store = (await database).transaction('start', 'readwrite').objectStore('start');
  return answered(store[method](...values));
};
const cache = {
  keys: () => call('getAllKeys'),
  match: async (key) => {
    const found = await call('get', key);
    return found && new Response(found.content, found);
  },
  put: async (key, response) =>
    call('put', { content: await response.arrayBuffer(), headers: [...response.headers] }, key),
};
const storage = { open: async () => cache, delete: () => call('clear') };
Object.defineProperty(globalThis, 'caches', { value: storage });
"""


def test_a_second_visit_neither_loads_nor_imports_what_the_first_had(
    engine: Driver, started: EnginePage, standins: Running
) -> None:
    lasting = CACHE_STORAGE if engine.engine == "webkit" else b""
    standins.site.first_script = lasting
    started.forget()
    started.open()
    poll("a snapshot is kept", lambda: engine.evaluate(KEPT))
    standins.site.first_script = lasting + COUNT
    standins.site.requests.clear()
    started.open()
    before_ready = engine.evaluate("""
        const ready = performance.getEntriesByName('tabloop:ready')[0].startTime;
        const files = performance.getEntriesByType('resource').filter((f) => f.startTime < ready);
        return files.map(({ name }) => new URL(name).pathname.slice(1));
    """)
    at_python, at_ready = engine.evaluate("return window.counted")
    python = {name for name in before_ready if name.endswith((".bin", ".gz", ".zip"))}
    sizes = {name: (DIST / name).stat().st_size for name in python}
    assert sum(sizes.values()) <= MOST_BYTES, sizes
    assert at_ready - at_python <= MOST_MODULES
    started.forget()
    article = started.ask_and_wait(QUESTION)
    assert started.sources(article).count > 0


def test_a_later_visit_needs_no_server(engine: Driver) -> None:
    with running_standins(DIST) as running, launched(engine.engine) as visitor:
        visitor.open(running.page_url)
        stored = "return performance.getEntriesByName('tabloop:offline').length > 0"
        poll("all is stored", lambda: visitor.evaluate(stored))
        running.down(running.site)
        visitor.open(f"{running.page_url}?again")
        ready = "return location.search && document.documentElement.dataset.app === 'ready'"
        poll("it is ready again", lambda: visitor.evaluate(ready))
