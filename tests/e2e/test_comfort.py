"""Keyboard, small screens, screen readers, reading along."""

import itertools
from collections.abc import Callable
from typing import Any, Literal

import pytest
from playwright.sync_api import expect

from tests.e2e.accessibility import check_accessibility
from tests.e2e.chat_page import ChatPage
from tests.e2e.picture_card import calls
from tests.standins.faults import Hang, Reply, html_502

QUESTION = "What did the Bundestag debate on 9 September 2026?"


def _empty(chat: ChatPage) -> None:
    """Show the questions that the page offers."""


def _answered(chat: ChatPage) -> None:
    article = chat.ask_and_wait(QUESTION)
    chat.steps(article).nth(1).locator("summary").click()


def _running(chat: ChatPage) -> None:
    chat.standins.proxy.behave(Hang())
    chat.ask(QUESTION)
    chat.standins.proxy.wait_for_requests(1)


def _problem(chat: ChatPage) -> None:
    chat.expected.append("502")
    chat.standins.proxy.behave(html_502())
    chat.ask_and_wait(QUESTION)


def _card(chat: ChatPage) -> None:
    chat.standins.proxy.behave(calls("a cat"))
    chat.ask("Draw it")
    expect(chat.page.get_by_role("button", name="Generate")).to_be_enabled()


def _sheet(chat: ChatPage) -> None:
    chat.page.set_viewport_size({"width": 360, "height": 800})
    chat.page.get_by_role("button", name="Options").click()


SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
STATES = (_empty, _answered, _running, _problem, _card, _sheet)


def _check_looks(chat: ChatPage) -> None:
    for width, scheme in itertools.product((360, 1280), SCHEMES):
        chat.page.set_viewport_size({"width": width, "height": 800})
        check_accessibility(chat.page, scheme)


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__.strip("_"))
def test_axe_finds_nothing_and_nothing_is_wider_than_the_screen(
    warm_chat: ChatPage, state: Callable[[ChatPage], None]
) -> None:
    state(warm_chat)
    _check_looks(warm_chat)
    warm_chat.page.keyboard.press("Escape")  # closes the options


def test_axe_finds_nothing_in_a_start_that_failed(chat: ChatPage) -> None:
    chat.expected.append("could not start")
    chat.standins.overlay({"max_hops": 0})
    chat.open(ready=False)
    chat.wait_until("failed")
    _check_looks(chat)


def test_enter_sends_shift_enter_breaks_and_composition_does_neither(warm_chat: ChatPage) -> None:
    warm_chat.composer.press_sequentially("one")
    warm_chat.composer.press("Shift+Enter")
    warm_chat.composer.press_sequentially("two")
    expect(warm_chat.composer).to_have_value("one\ntwo")
    warm_chat.composer.evaluate(
        """field => {
          field.dispatchEvent(new CompositionEvent('compositionstart'));
          const enter = {key: 'Enter', bubbles: true, cancelable: true};
          field.dispatchEvent(new KeyboardEvent('keydown', {...enter, isComposing: true}));
          field.dispatchEvent(new CompositionEvent('compositionend'));
          field.dispatchEvent(new KeyboardEvent('keydown', {...enter, keyCode: 229}));
        }"""
    )
    expect(warm_chat.questions).to_have_count(0)
    warm_chat.composer.press("Enter")
    expect(warm_chat.questions).to_have_count(1)
    expect(warm_chat.questions.first).to_contain_text("two")


def test_enter_sends_after_a_composition_whose_end_nobody_reported(warm_chat: ChatPage) -> None:
    keyboard: Any = warm_chat.page.context.new_cdp_session(
        warm_chat.page
    )  # its types are incomplete
    warm_chat.composer.focus()
    composed = {"text": "にほん", "selectionStart": 3, "selectionEnd": 3}
    keyboard.send("Input.imeSetComposition", composed)
    warm_chat.send.evaluate("button => button.click()")  # as who speaks to the browser presses it
    warm_chat.wait_for_end()
    expect(warm_chat.questions).to_contain_text(["にほん"])
    warm_chat.ask_and_wait("more")


def test_a_blank_message_is_not_sent(warm_chat: ChatPage) -> None:
    warm_chat.composer.fill("  \n ")
    warm_chat.composer.press("Enter")
    expect(warm_chat.questions).to_have_count(0)


def test_the_log_exists_before_the_first_message(warm_chat: ChatPage) -> None:
    expect(warm_chat.log).to_be_attached()


def test_only_the_status_line_is_a_live_region(warm_chat: ChatPage) -> None:
    warm_chat.ask_and_wait(QUESTION)
    live = warm_chat.page.locator('[aria-live="polite"], [aria-live="assertive"], [role="status"]')
    expect(live).to_have_count(1)


def test_the_page_does_not_scroll_while_the_reader_has_scrolled_up(warm_chat: ChatPage) -> None:
    message = {"role": "assistant", "content": "A paragraph.\n\n" * 80}
    reply = Reply({"choices": [{"message": message, "finish_reason": "stop"}]})
    warm_chat.standins.proxy.behave(reply)
    warm_chat.ask_and_wait("say it")
    warm_chat.standins.proxy.behave(Hang())
    warm_chat.ask("again")
    warm_chat.standins.proxy.wait_for_requests(2)
    warm_chat.page.evaluate("scrollTo(0, 0)")
    warm_chat.stop.click()
    warm_chat.wait_for_end()
    assert warm_chat.page.evaluate("scrollY") == 0


def test_the_conversation_can_be_saved_as_markdown(warm_chat: ChatPage) -> None:
    warm_chat.ask_and_wait(QUESTION)
    with warm_chat.page.expect_download() as download:
        warm_chat.page.get_by_role("button", name="Export").click()
    text = download.value.path().read_text("utf-8")
    assert QUESTION in text
    assert "CC BY 4.0" in text
    assert download.value.suggested_filename.endswith(".md")


def test_a_capability_that_is_off_is_not_offered_and_stays_off(chat: ChatPage) -> None:
    chat.open()
    group = chat.page.get_by_role("group", name="What I can do")
    for box in group.get_by_role("checkbox").all():
        box.uncheck()
    chat.open()
    expect(group.get_by_role("checkbox", checked=True)).to_have_count(0)
    expect(group.get_by_role("checkbox", checked=False)).to_have_count(2)
    chat.ask_and_wait(QUESTION)
    assert "tools" not in chat.sent(-1)


def test_a_very_long_draft_has_a_fixed_height_and_direction(warm_chat: ChatPage) -> None:
    # with `dir="auto"` and `field-sizing`, Chromium needs 20 seconds for 40,000 lines
    field = warm_chat.composer
    field.focus()
    for first, direction in (("a", "ltr"), ("\u05d0", "rtl")):
        text = f"{first} word " * 5_000
        field.evaluate("(_, text) => document.execCommand('insertText', false, text)", text)
        expect(field).to_have_value(text)
        expect(field).to_have_attribute("dir", direction)
        assert field.evaluate("field => getComputedStyle(field).fieldSizing") == "fixed"
        field.press("Control+z")
        expect(field).to_have_value("")
        expect(field).to_have_attribute("dir", "auto")
        assert field.evaluate("field => getComputedStyle(field).fieldSizing") == "content"
        field.press("Control+Shift+z")
        expect(field).to_have_value(text)
        expect(field).to_have_attribute("dir", direction)
        field.press("Control+z")
    # Chromium needs minutes to find the words in this
    thai = "ภาษาไทยไม่มีช่องว่าง" * 2_000
    field.evaluate("(_, text) => document.execCommand('insertText', false, text)", thai)
    expect(field).to_have_value(thai)
    assert field.evaluate("field => getComputedStyle(field).wordBreak") == "break-all"
