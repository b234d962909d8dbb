"""A snapshot makes the start shorter. Whatever is wrong with it, the page starts all the same."""

import json

import pytest
from playwright.sync_api import expect

from tests.e2e.chat_page import ChatPage
from tests.standins.faults import Drop, Reply

pytestmark = pytest.mark.first_visit  # what a visit keeps is tested

QUESTION = "What did the Bundestag debate on 9 September 2026?"
BUILDS, FILES = "snapshot.gz", "start.bin"
KEPT = "performance.getEntriesByName('tabloop:kept').length > 0"
# of a line on which 500,000 bytes took ten seconds
SLOW = """
const entries = performance.getEntriesByType;
performance.getEntriesByType = function (kind) {
  if (kind !== 'resource') return entries.call(this, kind);
  return [{ transferSize: 500000, encodedBodySize: 499000, requestStart: 0, responseEnd: 10000 }];
};
"""
# what the page keeps is replaced: `arguments[0]` gets its bytes and returns others
CHANGE = """
async (change) => {
  const cache = await caches.open('tabloop-start');
  const [request] = await cache.keys();
  const found = await cache.match(request);
  const bytes = new Uint8Array(await found.arrayBuffer());
  const changed = new Function('bytes', change)(bytes);
  await cache.put(request, new Response(changed, { headers: found.headers }));
}
"""
FORGET = "caches.delete('tabloop-start')"
BEGUN = "(number) => localStorage.getItem('tabloop:unfinished-starts')?.endsWith(` ${number}`)"
CONTAINS = """
async (words) => {
  const cache = await caches.open('tabloop-start');
  const found = await cache.match((await cache.keys())[0]);
  const bytes = new Uint8Array(await found.arrayBuffer());
  const text = new TextDecoder('latin1').decode(bytes);
  return [bytes.length, words.filter((word) => text.includes(word))];
}
"""
ENTRIES = """
async () => {
  const all = await caches.keys();
  return all.length && (await (await caches.open(all[0])).keys()).length;
}
"""


def loaded(chat: ChatPage) -> set[str]:
    """Which of the two files the start has loaded; forgets it."""
    found = {url.rpartition("/")[2] for url in chat.requested} & {BUILDS, FILES}
    chat.requested.clear()
    return found


def visit(chat: ChatPage) -> set[str]:
    """Open the page; return which of the two files it has loaded."""
    chat.open()
    return loaded(chat)


def keep(chat: ChatPage) -> None:
    """Visit the page, and wait until it keeps a snapshot."""
    chat.open()
    chat.page.wait_for_function(KEPT)
    chat.requested.clear()


def test_the_second_visit_loads_neither_and_answers(chat: ChatPage) -> None:
    assert visit(chat) == {BUILDS}
    chat.page.wait_for_function(KEPT)
    assert visit(chat) == set()
    article = chat.ask_and_wait(QUESTION)
    expect(chat.sources(article).first).to_be_visible()


def test_a_slow_line_gets_the_smaller_files_and_keeps_a_snapshot_of_its_own(chat: ChatPage) -> None:
    chat.page.add_init_script(SLOW)
    assert visit(chat) == {FILES}
    chat.page.wait_for_function(KEPT)
    assert visit(chat) == set()
    article = chat.ask_and_wait(QUESTION)
    expect(chat.sources(article).first).to_be_visible()


def test_a_setting_turns_it_off_and_removes_what_was_kept(chat: ChatPage) -> None:
    keep(chat)
    chat.standins.overlay({"start_snapshot": False})
    assert visit(chat) == {FILES}
    assert chat.page.evaluate(ENTRIES) == 0


WRONG = (
    Reply("gone", 404, "text/plain"),
    Reply("<html>", 200, "text/html"),
    Reply("no gzip file", 200, "application/gzip"),
    Drop(),
)


def test_the_builds_snapshot_is_not_needed(chat: ChatPage) -> None:
    chat.expected += ["Failed to load resource"]
    try:
        for fault in WRONG:
            chat.standins.site.behave(fault, path=f"/{BUILDS}", always=True)
            assert visit(chat) == {BUILDS, FILES}, fault
            chat.page.wait_for_function(KEPT)
            if fault is not WRONG[-1]:
                chat.page.evaluate(FORGET)
    finally:
        chat.standins.site.behave()
    assert visit(chat) == set()  # the page has taken its own


UNFIT = (
    "bytes[bytes.length - 4] ^= 1; return bytes",  # a wrong bit
    "return bytes.slice(0, bytes.length / 2 & ~3)",
    "return bytes.fill(0)",
    "return bytes.slice(0, 2)",
    # another engine's function table
    "const text = new TextDecoder().decode(bytes.subarray(4, 2e5));"
    "const at = text.indexOf('\"table\":') + 4 + 8;"
    "bytes[at] = 0x32; return bytes",
)


def test_a_kept_snapshot_that_does_not_fit_is_dropped(chat: ChatPage) -> None:
    keep(chat)
    for change in UNFIT:
        chat.page.evaluate(CHANGE, change)
        assert visit(chat) == {FILES}, change
        chat.page.wait_for_function(KEPT)
        assert visit(chat) == set(), change  # the page has taken another one, which works
    article = chat.ask_and_wait(QUESTION)
    expect(chat.sources(article).first).to_be_visible()


def test_starts_that_never_ended_are_not_tried_a_third_time(chat: ChatPage) -> None:
    keep(chat)
    for number in (1, 2):  # as in a tab that hangs until it is closed
        chat.standins.site.behave(Drop(), path="/pydantic_core.wasm", always=True)
        chat.expected += [""]
        chat.open(ready=False)
        chat.wait_until("failed")
        chat.page.wait_for_function(BEGUN, arg=number)  # the file can fail sooner
    chat.standins.site.behave()
    chat.requested.clear()
    assert visit(chat) == {FILES}


def test_it_holds_nothing_of_the_person(chat: ChatPage) -> None:
    chat.page.add_init_script(SLOW)  # so that the page takes it
    chat.open()
    chat.ask_and_wait("My secret is Rumpelstilzchen")
    chat.page.wait_for_function(KEPT)
    size, found = chat.page.evaluate(
        CONTAINS, ["Rumpelstilzchen", chat.standins.page_url, "Europe/Berlin", "en_GB.UTF-8"]
    )
    assert size > 10_000_000
    assert found == []


def test_random_numbers_and_the_clock_are_not_those_of_the_maker(chat: ChatPage) -> None:
    read = """
    async () => {
      const boot = await import(new URL('boot.js', document.baseURI).href);
      const output = { stdout: console.log, stderr: console.error };
      const python = await boot.loadPyodide(output);
      const code = 'import json, random, time; json.dumps([random.random(), time.timezone])';
      return python.runPython(code);
    }"""
    keep(chat)
    chat.open()
    first = json.loads(chat.page.evaluate(read))
    chat.open()
    second = json.loads(chat.page.evaluate(read))
    assert first[0] != second[0]
    assert first[1] == second[1] == -3600  # Berlin
