"""The owner's side: settings at run time, any folder, any static host, and hosts that misbehave."""

import functools
import http.server
import json
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserType, expect

from tests.e2e.chat_page import ChatPage
from tests.e2e.conftest import DIST, built
from tests.standins.faults import Drop, Fault, Hang, Reply
from tests.standins.servers import Running
from tests.standins.toml_overlay import TomlValue, overlay

QUESTION = "What did the Bundestag debate on 9 September 2026?"


class _Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- its name there
        pass


@pytest.fixture
def plain_host(tmp_path: Path, chat: ChatPage) -> Iterator[str]:
    """Python's own static server with `dist/` two folders down; settings edited in the file."""
    folder = tmp_path / "some" / "where"
    shutil.copytree(DIST, folder)
    settings = folder / "pyscript.toml"
    addresses: dict[str, TomlValue] = {
        "llm_url": chat.standins.proxy.url,
        "llm_model": "mistral-large-latest",
        "stream": False,
        "bundestakt_url": f"{chat.standins.bundestakt.url}/api/v1",
    }
    settings.write_text(overlay(settings.read_text("utf-8"), addresses), "utf-8")
    handler = functools.partial(_Silent, directory=str(tmp_path))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/some/where/"
    server.shutdown()
    server.server_close()
    thread.join()


def test_dist_works_below_any_folder_of_a_plain_static_server(
    chat: ChatPage, plain_host: str
) -> None:
    # Chromium refuses each request of a page with a user in its address
    chat.page.goto(f"{plain_host.replace('//', '//owner:secret@')}?q=Hello#there")
    chat.wait_until("ready")
    assert chat.page.evaluate("document.URL") == f"{plain_host}?q=Hello#there"
    expect(chat.composer).to_have_value("Hello")
    article = chat.ask_and_wait(QUESTION)
    expect(chat.sources(article).first).to_be_visible()


def test_settings_count_from_the_next_load_without_a_build(chat: ChatPage) -> None:
    chat.standins.overlay({"llm_model": "nobody-knows-this-one", "image_url": ""})
    chat.expected.append("404")
    article = chat.open().ask_and_wait(QUESTION)
    expect(chat.problem(article)).to_contain_text("nobody-knows-this-one")
    group = chat.page.get_by_role("group", name="What I can do")
    expect(group.get_by_role("checkbox")).to_have_count(1)  # no pictures without a service


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        pytest.param({"max_hops": "four"}, ["max_hops", "four"], id="a text for a number"),
        pytest.param({"llm_url": "http://example.org"}, ["llm_url", "https"], id="no https"),
        pytest.param({"payment.max_deposit": 1}, ["payment.max_deposit"], id="money as a number"),
    ],
)
def test_a_wrong_setting_is_named_and_the_draft_is_kept(
    chat: ChatPage, settings: dict[str, TomlValue], says: list[str]
) -> None:
    chat.expected.append("could not start")
    chat.standins.overlay(settings)
    chat.open(ready=False)
    chat.composer.fill("my draft")
    chat.wait_until("failed")
    for part in says:
        expect(chat.page.get_by_role("alert")).to_contain_text(part)
    expect(chat.composer).to_have_value("my draft")


def test_a_wrong_setting_without_money_is_named_in_the_console_and_the_page_starts(
    chat: ChatPage,
) -> None:
    wrong = ("analytics_owners", "colour", "site.theme", "site.acent")
    chat.standins.overlay(
        {"analytics_owners": ["0x1"], "colour": 1, "site.theme": "pink", "site.acent": "#000000"}
    )
    chat.expected.extend(wrong)
    told: list[str] = []
    chat.page.on("console", lambda message: told.append(message.text))
    chat.open()
    for key in wrong:
        assert len([text for text in told if f" {key} " in text]) == 1, told


@pytest.mark.parametrize(
    ("fault", "path"),
    [
        pytest.param(Reply("gone", 404, "text/html"), "/page.bin", id="a bundle is missing"),
        pytest.param(Reply("gone", 404, "text/html"), "/boot.js", id="the boot is missing"),
        pytest.param(Reply("gone", 404, "text/html"), "/pyscript/core.js", id="no PyScript"),
        pytest.param(Reply("gone", 404, "text/html"), "/pyscript.toml", id="no settings"),
        pytest.param(Reply("<html>", 200, "text/html"), "/boot.js", id="a page for a script"),
        pytest.param(Reply("<html>", 200, "text/html"), "/page.bin", id="a page for a bundle"),
        pytest.param(Drop(), "/pyodide/pyodide.asm.wasm", id="the core does not come"),
        pytest.param(Hang(), "/pydantic_core.wasm", id="a file that never comes"),
    ],
)
def test_a_start_that_fails_says_why_by_itself(chat: ChatPage, fault: Fault, path: str) -> None:
    chat.expected.append("")  # browsers log an error for this
    chat.standins.site.behave(fault, path=path, always=True)
    if isinstance(fault, Hang):
        chat.page.clock.install()
    try:
        chat.open(ready=False)
        chat.composer.fill("my draft")
        sentence = chat.page.get_by_role("alert")
        if isinstance(fault, Hang):
            chat.set_forward_until(sentence, 20_000)
        expect(sentence).to_be_visible()
        expect(sentence).to_contain_text("start", ignore_case=True)
        expect(chat.composer).to_have_value("my draft")
    finally:
        chat.standins.site.behave()


def test_the_core_with_a_wrong_type_still_starts(chat: ChatPage) -> None:
    core = built("pyodide/pyodide.asm.wasm").read_bytes()
    wrong = Reply(core, 200, "application/octet-stream")
    chat.expected.append("wasm streaming compile failed")
    chat.expected.append("falling back to ArrayBuffer")
    chat.standins.site.behave(wrong, path="/pyodide/pyodide.asm.wasm", always=True)
    try:
        chat.open()
    finally:
        chat.standins.site.behave()


def test_a_browser_without_storage_starts_and_answers(
    tmp_path: Path,
    browser_type: BrowserType,
    browser_type_launch_args: dict[str, Any],
    standins: Running,
) -> None:
    preferences = {"profile": {"default_content_setting_values": {"cookies": 2}}}
    (tmp_path / "Default").mkdir()
    (tmp_path / "Default" / "Preferences").write_text(json.dumps(preferences))
    context = browser_type.launch_persistent_context(
        tmp_path, locale="en-GB", **browser_type_launch_args
    )
    try:
        chat = ChatPage(context.new_page(), standins).open()
        assert chat.page.evaluate("(() => { try { localStorage } catch { return 'blocked' } })()")
        expect(chat.sources(chat.ask_and_wait(QUESTION)).first).to_be_visible()
        chat.check_console()
    finally:
        context.close()


SWITCHES_STACKS = """async () => {
  const python = await (await import('./boot.js')).loadPyodide({});
  const inPython = python.runPython('import pyodide.ffi; pyodide.ffi.can_run_sync()');
  return [typeof WebAssembly.Suspending, inPython];
}"""


def test_python_runs_without_stack_switching_which_ends_tabs(chat: ChatPage) -> None:
    assert chat.open().page.evaluate(SWITCHES_STACKS) == ["function", False]
