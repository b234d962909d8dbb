"""A start that takes long shows how far it is, and says that it stands still only if it does."""

import re

from playwright.sync_api import expect

from tests.e2e.chat_page import ChatPage
from tests.standins.faults import Delay, Hang


def test_the_bytes_of_a_start_are_shown_and_no_failure(chat: ChatPage) -> None:
    chat.standins.site.behave(Delay(3), path="/pydantic_core.wasm")
    chat.open(ready=False)
    bar = chat.page.get_by_role("progressbar", name="Starting")
    expect(bar).to_have_attribute("aria-valuetext", re.compile(r"^\d+ of \d+ MB$"))
    expect(chat.page.get_by_role("alert")).to_be_hidden()
    expect(chat.status).to_contain_text("Starting")
    chat.wait_until("ready")
    expect(bar).to_be_hidden()


def test_a_start_that_stands_still_offers_to_reload_and_contradicts_nothing(
    chat: ChatPage,
) -> None:
    chat.expected.append("")
    chat.standins.site.behave(Hang(), path="/pydantic_core.wasm", always=True)
    try:
        chat.open(ready=False)
        alert = chat.page.get_by_role("alert")
        expect(alert).to_contain_text("Nothing has arrived")
        expect(alert.get_by_role("button", name="Reload")).to_be_visible()
        expect(chat.status).to_contain_text("Waiting for the page")
        expect(chat.page.get_by_text("has not started")).to_be_hidden()
    finally:
        chat.standins.site.behave()
