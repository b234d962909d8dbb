"""A start that takes long shows how far it is, and says that it stands still only if it does."""

import re
from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.chat_page import ChatPage
from tests.standins.faults import Delay, Hang

pytestmark = pytest.mark.first_visit  # files must come over the wire

STILL_MS = 20_000  # shell_progress.js waits as long before it offers to reload


def test_the_bytes_of_a_start_are_shown_and_no_failure(chat: ChatPage) -> None:
    chat.standins.site.behave(Delay(3), path="/pydantic_core.wasm")
    chat.open(ready=False)
    bar = chat.page.get_by_role("progressbar", name="Starting")
    expect(bar).to_have_attribute("aria-valuetext", re.compile(r"^\d+ of \d+ MB$"))
    expect(chat.page.get_by_role("alert")).to_be_hidden()
    expect(chat.status).to_contain_text("Starting")
    chat.wait_until("ready")
    expect(bar).to_be_hidden()


def test_bytes_count_while_another_file_is_on_its_way(chat: ChatPage) -> None:
    chat.standins.site.behave(Hang(), path="/pyodide/pyodide.asm.js", always=True)
    try:
        chat.open(ready=False)
        bar = chat.page.get_by_role("progressbar", name="Starting")
        expect(bar).to_have_attribute("value", re.compile(r"^0\.[5-9]"))  # Python's core is there
    finally:
        chat.standins.site.behave()


def test_a_start_that_stands_still_offers_to_reload_and_contradicts_nothing(
    chat: ChatPage,
) -> None:
    chat.expected.append("")
    chat.standins.site.behave(Hang(), path="/pydantic_core.wasm", always=True)
    chat.page.clock.install()
    try:
        chat.open(ready=False)
        alert = chat.page.get_by_role("alert")
        chat.set_forward_until(alert, STILL_MS)
        expect(alert).to_contain_text("Nothing has arrived")
        expect(alert.get_by_role("button", name="Reload")).to_be_visible()
        expect(chat.status).to_contain_text("Waiting for the page")
        expect(chat.page.get_by_text("has not started")).to_be_hidden()
    finally:
        chat.standins.site.behave()


# each text of the status line and of the progress, in order
WATCH = """
window.seen = [];
document.addEventListener('DOMContentLoaded', () => {
  const note = () => {
    const text = (id) => document.getElementById(id).textContent;
    const now = [text('status'), text('loading-text'), !document.getElementById('failure').hidden];
    if (String(now) !== String(seen.at(-1))) seen.push(now);
  };
  new MutationObserver(note).observe(
    document.getElementById('composer'), { childList: true, characterData: true, subtree: true });
});
"""


def test_a_slow_network_shows_progress_until_the_first_answer(chat: ChatPage) -> None:
    """The line carries 2 MB a second; what is shown is counted, and no time is measured."""
    line = {"offline": False, "latency": 50, "downloadThroughput": 2e6, "uploadThroughput": 2e6}
    session: Any = chat.page.context.new_cdp_session(chat.page)  # its types are incomplete
    session.send("Network.emulateNetworkConditions", line)
    chat.page.add_init_script(WATCH)
    chat.expected.append("was preloaded using link preload but not used")  # after a few seconds
    chat.open(ready=False)
    article = chat.ask("What did the Bundestag debate on 9 September 2026?")
    chat.wait_until("ready")
    chat.wait_for_end()
    expect(chat.sources(article).first).to_be_visible()
    seen: list[tuple[str, str, bool]] = chat.page.evaluate("seen")
    megabytes = [int(found[1]) for _, text, _ in seen if (found := re.match(r"(\d+) of", text))]
    assert len(set(megabytes)) >= 4, seen
    assert all(before <= after for before, after in pairwise(megabytes))
    assert not [entry for entry in seen if not entry[0].strip() or entry[2]]
    assert "Answered" in seen[-1][0]
