"""What the start loads and imports: a module that is not needed is not there."""

import json

import pytest

from app.build.bundles import listed_modules
from tests.e2e.chat_page import ChatPage

QUESTION = "What did the Bundestag debate on 9 September 2026?"
# the page's own Python, asked at the moment when the page is ready
WATCH = """
const LOADED = `
import json, sys
def file(module):
    return getattr(getattr(module, "__spec__", None), "origin", None) or ""
files = {name: file(module) for name, module in sys.modules.items()}
ours = "/lib/python3.14/"
json.dumps([n for n, at in files.items() if at.startswith(ours) and at.endswith(".pyc")])`;
const output = { stdout: console.log, stderr: console.error };
document.addEventListener('DOMContentLoaded', async () => {
  const boot = await import(new URL('boot.js', document.baseURI).href);
  const python = await boot.loadPyodide(output);
  window.loaded = () => python.runPython(LOADED);
});
document.addEventListener('tabloop:ready', () => { window.atReady = window.loaded(); });
"""
WITHOUT_SNAPSHOT = {"start_snapshot": False}


@pytest.fixture(params=[True, False], ids=["from a snapshot", "from files"])
def watched(chat: ChatPage, request: pytest.FixtureRequest) -> ChatPage:
    """The page, ready; its start is watched."""
    if not request.param:
        chat.standins.overlay(WITHOUT_SNAPSHOT)
    chat.page.add_init_script(WATCH)
    return chat.open()


def modules(chat: ChatPage, script: str) -> set[str]:
    return set(json.loads(chat.page.evaluate(script)))


def test_a_module_of_the_start_is_in_the_list_for_a_reason(watched: ChatPage) -> None:
    """`app/build/start_modules.txt` is the list: add a module only if the start needs it.

    A module that the first question needs and that is not in the list stops the page until it is
    loaded.
    """
    start, soon = listed_modules()
    found = modules(watched, "window.atReady")
    assert (sorted(found - set(start)), sorted(set(start) - found)) == ([], [])
    watched.ask_and_wait(QUESTION)
    after = modules(watched, "window.loaded()") - found
    assert (sorted(after - set(soon)), sorted(set(soon) - after)) == ([], [])
