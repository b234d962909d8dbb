"""What a person does with a question and its answer: edit, try again, copy; keys and links."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.e2e.chat_page import ChatPage
from tests.standins.faults import Hang, Reply

QUESTION = "What did the Bundestag debate on 9 September 2026?"
CODE = "Here:\n\n```python\nprint('a < b')\n```\n\nand **bold**."


def says(text: str) -> Reply:
    message = {"role": "assistant", "content": text}
    return Reply({"choices": [{"message": message, "finish_reason": "stop"}]})


def pasted(chat: ChatPage) -> dict[str, str]:
    """Return what is on the clipboard, by type."""
    return chat.page.evaluate(
        """async () => {
          const [item] = await navigator.clipboard.read();
          const text = async (type) => [type, await (await item.getType(type)).text()];
          const all = item.types.map(text);
          return Object.fromEntries(await Promise.all(all));
        }"""
    )


def questions_sent(chat: ChatPage) -> list[str]:
    return [m["content"] for m in chat.sent(-1)["messages"] if m["role"] == "user"]


def test_an_edited_question_replaces_the_exchange(warm_chat: ChatPage) -> None:
    warm_chat.ask_and_wait("first")
    warm_chat.ask_and_wait("second")
    edit = warm_chat.page.get_by_role("button", name="Edit question")
    expect(edit).to_have_count(1)  # only of the newest
    warm_chat.composer.fill("a draft")
    edit.click()
    expect(warm_chat.composer).to_have_value("second")
    expect(warm_chat.composer).to_be_focused()
    warm_chat.composer.fill("third")
    warm_chat.composer.press("Enter")
    expect(warm_chat.questions).to_have_count(2)
    warm_chat.wait_for_end()
    expect(warm_chat.questions.last).to_contain_text("third")
    expect(warm_chat.answers).to_have_count(2)
    assert questions_sent(warm_chat) == ["first", "third"]
    expect(warm_chat.composer).to_have_value("a draft")  # the draft was set aside during the edit


def test_arrow_up_edits_and_escape_keeps_the_question(warm_chat: ChatPage) -> None:
    warm_chat.ask_and_wait("first")
    warm_chat.composer.press("ArrowUp")
    expect(warm_chat.composer).to_have_value("first")
    expect(warm_chat.page.get_by_text("Sending it replaces the question")).to_be_visible()
    warm_chat.composer.press("Escape")
    expect(warm_chat.composer).to_have_value("")
    expect(warm_chat.page.get_by_text("Sending it replaces the question")).to_be_hidden()
    warm_chat.ask_and_wait("second")
    expect(warm_chat.questions).to_have_count(2)
    warm_chat.composer.fill("typed")
    warm_chat.composer.press("ArrowUp")  # moves the cursor
    expect(warm_chat.composer).to_have_value("typed")


def test_a_new_chat_ends_the_editing_and_keeps_what_is_typed(warm_chat: ChatPage) -> None:
    warm_chat.ask_and_wait("first")
    warm_chat.page.get_by_role("button", name="Edit question").click()
    warm_chat.composer.fill("edited")
    # both presses in one step of the page, as on a busy computer
    warm_chat.page.evaluate(
        """() => {
            document.getElementById("new-chat").click();
            document.getElementById("send").click();
        }"""
    )
    warm_chat.wait_for_end()
    expect(warm_chat.questions).to_have_count(1)
    assert questions_sent(warm_chat) == ["edited"]
    expect(warm_chat.page.get_by_role("dialog")).to_be_hidden()


def test_a_new_chat_during_an_edit_keeps_the_draft_that_made_room(warm_chat: ChatPage) -> None:
    warm_chat.ask_and_wait("first")
    warm_chat.composer.fill("a draft")
    warm_chat.page.get_by_role("button", name="Edit question").click()
    warm_chat.page.get_by_role("button", name="New chat").click()
    expect(warm_chat.composer).to_have_value("a draft\n\nfirst")


def test_every_newest_answer_can_be_tried_again(warm_chat: ChatPage) -> None:
    warm_chat.standins.proxy.behave(says("old"), says("older"), says("new"))
    warm_chat.ask_and_wait("first")
    article = warm_chat.ask_and_wait("second")
    again = warm_chat.page.get_by_role("button", name="Try again")
    expect(again).to_have_count(1)
    again.click()
    expect(article).to_contain_text("new")
    warm_chat.wait_for_end()
    assert questions_sent(warm_chat) == ["first", "second"]
    warm_chat.standins.proxy.behave(Hang())
    warm_chat.page.get_by_role("button", name="Try again").click()
    expect(again).to_have_count(0)
    warm_chat.composer.press("Escape")
    warm_chat.wait_for_end()
    expect(again).to_have_count(1)  # the one beside the sentence that it was stopped


def test_an_answer_is_copied_with_its_sources_as_links(
    context: BrowserContext, chat: ChatPage
) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    article = chat.open().ask_and_wait(QUESTION)
    url = chat.sources(article).first.get_attribute("href")
    article.get_by_role("button", name="Copy answer").click()
    expect(chat.status).to_have_text("Copied")
    copied = pasted(chat)
    assert f"](<{url}>)" in copied["text/plain"]
    assert f'<a href="{url}">' in copied["text/html"]
    assert "Bundestakt, licence CC BY 4.0" in copied["text/plain"]
    assert "<button" not in copied["text/html"]


def test_code_is_copied_unchanged(context: BrowserContext, chat: ChatPage) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    chat.standins.proxy.behave(says(CODE))
    article = chat.open("?lang=de").page.get_by_role("log")
    chat.page.get_by_role("textbox", name="Nachricht").fill("Code?")
    chat.page.keyboard.press("Enter")
    article.get_by_role("button", name="Code kopieren").click()
    expect(chat.status).to_have_text("Kopiert")
    assert pasted(chat)["text/plain"].rstrip("\n") == "print('a < b')"
    article.get_by_role("button", name="Antwort kopieren").click()
    expect(article.get_by_role("button", name="Antwort kopieren")).to_have_count(0)  # "Kopiert"
    html = pasted(chat)["text/html"]
    assert "<pre><code>" in html
    assert "<strong>bold</strong>" in html
    assert "Code kopieren" not in html


def test_how_an_answer_came_about_is_drawn_and_exported(warm_chat: ChatPage) -> None:
    page = warm_chat.page
    article = warm_chat.ask_and_wait(QUESTION)
    opener = article.get_by_role("button", name="How this answer came about")
    drawing = article.get_by_role("img", name="Drawing of the run")
    expect(drawing).to_have_count(0)
    opener.press("Enter")
    expect(opener).to_have_attribute("aria-expanded", "true")
    expect(drawing).to_contain_text("Bundestakt")
    expect(drawing).to_contain_text("Reply: the answer")
    part = article.locator('[data-part="run"]')
    part.get_by_role("button", name="Show as table").click()
    rows = part.get_by_role("group", name="This run as a table").get_by_role("row")
    expect(rows.filter(has_text="→ Bundestakt")).not_to_have_count(0)
    sent = warm_chat.sent(-1)["messages"]
    part.get_by_text(re.compile(f"^The {len(sent)} messages of request")).click()
    last = part.get_by_role("group", name="Message (tool)").last
    expect(last).to_have_text(json.dumps(sent[-1], ensure_ascii=False, indent=2))
    wide = page.viewport_size
    assert wide
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.set_viewport_size(wide)
    with page.expect_download() as download:
        page.get_by_role("button", name="Export").click()
    exported = download.value.path().read_text("utf-8")
    assert "**How this answer came about**" in exported
    assert "| This page → " in exported
    opener.press("Enter")
    expect(drawing).to_be_hidden()


def test_in_a_run_the_status_goes_on_to_say_what_is_waited_for(warm_chat: ChatPage) -> None:
    warm_chat.ask_and_wait("first")
    warm_chat.standins.proxy.behave(Hang())
    warm_chat.ask("second")
    expect(warm_chat.status).to_contain_text("Searching")
    for name in ("Try without paying", "Back to your model"):
        warm_chat.page.get_by_role("button", name=name).click()
        expect(warm_chat.status).to_contain_text("Searching")
    warm_chat.page.get_by_role("button", name="Copy answer").click()
    expect(warm_chat.status).not_to_contain_text("Searching")
    expect(warm_chat.status).to_contain_text("Searching")
    warm_chat.stop.click()
    warm_chat.wait_for_end()


def test_escape_stops_but_not_from_another_field(warm_chat: ChatPage) -> None:
    warm_chat.standins.proxy.behave(Hang())
    warm_chat.ask("go on and on")
    warm_chat.standins.proxy.wait_for_requests(1)
    warm_chat.page.get_by_role("textbox", name="Address").press("Escape")
    expect(warm_chat.stop).to_be_visible()
    warm_chat.composer.press("Escape")
    warm_chat.wait_for_end()
    expect(warm_chat.status).to_have_text("Stopped")


def test_a_question_mark_outside_a_field_opens_the_list_of_keys(warm_chat: ChatPage) -> None:
    warm_chat.composer.press_sequentially("why?")
    expect(warm_chat.composer).to_have_value("why?")
    dialog = warm_chat.page.get_by_role("dialog", name="Keys")
    expect(dialog).to_be_hidden()
    warm_chat.page.get_by_role("button", name="New chat").focus()
    warm_chat.page.keyboard.press("?")
    expect(dialog).to_contain_text("Esc")
    warm_chat.page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    warm_chat.page.get_by_role("button", name="Keys").click()
    switch = dialog.get_by_role("checkbox", name="The key ? shows this list")
    switch.uncheck()  # who speaks to the browser would press the key by accident
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_be_hidden()
    warm_chat.page.get_by_role("button", name="New chat").focus()
    warm_chat.page.keyboard.press("?")
    expect(dialog).to_be_hidden()
    assert "tabloop.no-question-mark" in warm_chat.page.evaluate("Object.keys(localStorage)")
    warm_chat.page.get_by_role("button", name="Keys").click()
    switch.check()
    dialog.get_by_role("button", name="Close").click()


def test_latest_is_there_only_while_the_end_is_out_of_sight(warm_chat: ChatPage) -> None:
    latest = warm_chat.page.get_by_role("button", name="Latest")
    warm_chat.standins.proxy.behave(says("A paragraph.\n\n" * 80))
    warm_chat.ask_and_wait("say it")
    warm_chat.page.evaluate("scrollTo(0, 0)")
    expect(latest).to_be_visible()
    latest.click()
    expect(latest).to_be_hidden()
    rest = "document.documentElement.scrollHeight - innerHeight - scrollY"
    assert warm_chat.page.evaluate(rest) < 60


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_link_fills_the_composer_and_sends_nothing(chat: ChatPage, language: str) -> None:
    hidden = "%F3%A0%81%A1%E2%80%8B"  # a tag character and a zero-width space
    chat.open(f"?lang={language}&q=Is%20it{hidden}%20true%3F" + "%0A" * 120 + "Really%3F")
    field = chat.page.locator("#message")
    expect(field).to_have_value("Is it true?\nReally?")
    expect(chat.questions if language == "en" else chat.page.get_by_role("article")).to_have_count(
        0
    )
    assert chat.request_count == 0


TITLES: Any = {"en": ("Answering", "Done"), "de": ("Antwortet", "Fertig")}


@pytest.mark.parametrize("language", TITLES)
def test_the_title_shows_running_and_done(chat: ChatPage, language: str) -> None:
    running, done = TITLES[language]
    chat.open(f"?lang={language}")
    name = chat.page.title()
    chat.standins.proxy.behave(Hang())
    chat.page.locator("#message").fill("Hello")
    chat.page.keyboard.press("Enter")
    expect(chat.page).to_have_title(f"{running} · {name}")
    chat.page.keyboard.press("Escape")
    expect(chat.page).to_have_title(f"{done} · {name}")
    chat.page.locator("#new-chat").click()
    expect(chat.page).to_have_title(name)
