"""A start that fails: the page names what is missing, and no wrong cause."""

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.e2e.chat_page import ChatPage
from tests.standins.faults import Reply

pytestmark = pytest.mark.first_visit  # files must come over the wire

VALIDATES = "const {{ validate }} = WebAssembly; WebAssembly.validate = (b) => {} && validate(b)"
OLD = (
    ("structuredClone", "delete window.structuredClone"),
    ("FinalizationRegistry", "delete window.FinalizationRegistry"),
    ("Array.prototype.at", "delete Array.prototype.at"),
    ("DecompressionStream", "delete window.DecompressionStream"),
    # a browser without a newer part of WebAssembly; the two probes differ in length
    ("WebAssembly exceptions", VALIDATES.format("b.length < 25")),
    ("WebAssembly references", VALIDATES.format("b.length > 25")),
)


@pytest.mark.parametrize(("what", "script"), OLD, ids=[name for name, _ in OLD])
def test_a_browser_that_is_too_old_is_told_what_it_lacks(
    chat: ChatPage, what: str, script: str
) -> None:
    chat.expected.append("")  # later errors follow from the first one
    chat.page.add_init_script(script)
    # an old browser does not start Python; this one would, and would remove the alert
    chat.page.route("**/page.bin", lambda route: route.abort())
    chat.open(ready=False)
    chat.composer.fill("my draft")
    chat.wait_until("failed")
    alert = chat.page.get_by_role("alert")
    expect(alert).to_contain_text(f"too old for this page: it lacks {what}")
    expect(chat.composer).to_have_value("my draft")


@pytest.mark.parametrize("language", ["en", "de"])
def test_switched_off_webassembly_is_not_reported_as_an_old_browser(
    chat: ChatPage, language: str
) -> None:
    chat.expected.append("")
    chat.page.add_init_script("delete window.WebAssembly")
    chat.open(f"?lang={language}", ready=False)
    chat.wait_until("failed")
    alert = chat.page.get_by_role("alert")
    said = (
        "WebAssembly is switched off" if language == "en" else "WebAssembly ist in diesem Browser"
    )
    expect(alert).to_contain_text(said)
    expect(alert).to_contain_text("Lockdown Mode" if language == "en" else "Blockierungsmodus")
    expect(alert).not_to_contain_text(re.compile("too old|zu alt"))


def test_a_browser_without_streaming_compilation_starts(chat: ChatPage) -> None:
    chat.page.add_init_script("delete WebAssembly.instantiateStreaming")
    chat.open()


def test_a_file_that_pyscript_imports_is_named_with_its_status(chat: ChatPage) -> None:
    chat.open()
    paths = "\n".join(urlsplit(url).path for url in chat.requested)
    imported = sorted(set(re.findall(r"/pyscript/\w+-[\w-]+\.js$", paths, re.MULTILINE)))
    assert any(name.startswith("/pyscript/core-") for name in imported)
    chat.expected.append("")
    for name in imported:
        chat.standins.site.behave(Reply("gone", 404, "text/plain"), path=name, always=True)
        try:
            chat.open(ready=False)
            expect(chat.page.get_by_role("alert")).to_contain_text(
                f"the file {name[1:]} could not be loaded (HTTP 404)"
            )
        finally:
            chat.standins.site.behave()
