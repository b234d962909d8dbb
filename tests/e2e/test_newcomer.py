"""A first visit with mistakes: wrong settings, a wrong address, an early click."""

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.chat_page import ChatPage
from tests.standins.faults import Reply

QUESTION = "What did the Bundestag debate on 9 September 2026?"


def endpoint(chat: ChatPage) -> Locator:
    return chat.page.get_by_role("group", name="Model endpoint")


def test_settings_that_are_not_toml_are_reported_early(chat: ChatPage) -> None:
    chat.expected.append("")
    broken = Reply("[tabloop]\nllm_url = https://here\n", 200, "application/toml")
    chat.standins.site.behave(broken, path="/pyscript.toml", always=True)
    try:
        chat.open(ready=False)
        told = chat.page.get_by_role("alert")
        expect(told).to_contain_text("pyscript.toml is not valid TOML")
    finally:
        chat.standins.site.behave()
    expect(told).to_contain_text("line 2")
    # the error comes first on the page, and other parts do not look usable
    assert chat.page.locator("main > :visible").first.get_attribute("id") == "failure"
    expect(chat.page.locator("[data-example]").first).to_be_hidden()
    expect(chat.send).to_have_attribute("aria-disabled", "true")
    expect(chat.page.locator("#hint")).to_contain_text("has not started")
    chat.composer.fill("my draft")
    chat.composer.press("Enter")
    expect(chat.composer).to_have_value("my draft")


@pytest.fixture
def edited(warm_chat: ChatPage) -> ChatPage:
    """The address is one where nobody listens."""
    warm_chat.expected.append("net::ERR")
    endpoint(warm_chat).get_by_label("Address").fill("http://127.0.0.1:9/v1")
    return warm_chat


def put_back(chat: ChatPage) -> None:
    endpoint(chat).get_by_role("button", name="default").click()


def test_the_first_click_on_check_works_and_its_end_is_announced(edited: ChatPage) -> None:
    endpoint(edited).get_by_role("button", name="Check").click()
    expect(endpoint(edited).get_by_role("listitem")).to_contain_text("could not be reached")
    expect(edited.status).to_have_text("The endpoint failed the check")
    expect(edited.status).to_have_attribute("data-kind", "problem")
    expect(endpoint(edited).get_by_role("listitem")).to_be_in_viewport(ratio=0.9)
    endpoint(edited).get_by_label("Address").fill("http://127.0.0.1:9/v2")
    expect(edited.status).to_have_text("Ready")
    expect(endpoint(edited).get_by_role("listitem")).to_have_count(0)
    put_back(edited)


def test_an_address_that_cannot_be_sent_to_is_not_called_reachable(warm_chat: ChatPage) -> None:
    group = endpoint(warm_chat)
    group.get_by_label("Key").fill("ключ")  # the value is not allowed in a header
    group.get_by_role("button", name="Check").click()
    step = group.get_by_role("listitem")
    expect(step).to_have_count(1)
    expect(step).to_have_attribute("data-state", "failed")
    assert "POST" not in [request.method for request in warm_chat.standins.proxy.requests]
    put_back(warm_chat)


def test_a_click_on_check_works_while_the_layout_below_changes(edited: ChatPage) -> None:
    group = endpoint(edited)
    group.get_by_role("button", name="Check").click()
    expect(group.get_by_role("listitem")).to_have_count(1)
    edited.page.locator("#side").evaluate("side => side.scrollTo(0, side.scrollHeight)")
    group.get_by_label("Address").fill("nowhere")
    group.get_by_role("button", name="Check").hover()  # loads the description of the address
    edited.page.wait_for_timeout(300)
    group.get_by_role("button", name="Check").click()
    expect(group.get_by_label("Address")).to_be_focused()
    put_back(edited)


def test_a_model_name_of_invisible_characters_does_not_replace_the_model(
    warm_chat: ChatPage,
) -> None:
    model = endpoint(warm_chat).get_by_label("Model", exact=True)
    before = model.input_value()
    model.fill("\u200b \u3164")
    model.press("Tab")
    expect(model).to_have_value(before)


def test_an_invalid_address_is_never_replaced_by_the_old_one(warm_chat: ChatPage) -> None:
    chat, group = warm_chat, endpoint(warm_chat)
    group.get_by_label("Address").fill("nowhere")
    group.get_by_role("button", name="Check").click()
    expect(group).to_contain_text("Wanted: an https:// address")
    expect(group.get_by_label("Address")).to_be_focused()
    chat.composer.fill(QUESTION)
    chat.composer.press("Enter")
    expect(chat.page.locator("#hint")).to_contain_text("Not sent: the entry")
    expect(chat.composer).to_have_value(QUESTION)
    expect(group).to_contain_text("Wanted: an https:// address")
    # the description of the old address may have been read before
    assert not [it for it in chat.standins.proxy.requests if it.method == "POST"]
    # search mode needs no address
    button = chat.page.get_by_role("button", name="Try without paying")
    button.click()
    expect(group.get_by_label("Address")).to_be_disabled()
    expect(group).to_contain_text("Not in use")
    expect(chat.send).to_have_attribute("aria-disabled", "false")
    chat.page.get_by_role("button", name="Back to your model").click()
    expect(button).to_have_attribute("aria-pressed", "false")
    expect(chat.send).to_have_attribute("aria-disabled", "true")
    put_back(chat)
    chat.composer.press("Enter")
    chat.wait_for_end()
    # the stand-in's model is search mode, too, and says so
    expect(chat.answers.last).to_contain_text("not a language model")


def test_another_language_asks_before_it_discards_what_was_typed(warm_chat: ChatPage) -> None:
    warm_chat.composer.fill("my draft")
    link = warm_chat.page.get_by_role("link", name="Deutsch")
    link.click()
    dialog = warm_chat.page.get_by_role("dialog", name="Another language starts anew")
    dialog.get_by_role("button", name="Keep it").click()
    expect(warm_chat.composer).to_have_value("my draft")
    link.click()
    with warm_chat.page.expect_navigation(url="**/?lang=de"):
        dialog.get_by_role("button", name="Discard it").click()
