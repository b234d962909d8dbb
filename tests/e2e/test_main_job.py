"""The main job: a question, an answer from the record, with its source."""

import json
import re

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.e2e.chat_page import ChatPage
from tests.standins.faults import Delay
from tests.standins.sample_data import sitzungen
from tests.standins.servers import Running

QUESTION = "What did the Bundestag debate on 9 September 2026?"
SLUG = "21-92-2026-09-09"


@pytest.fixture
def session(standins: Running) -> dict[str, object]:
    """The session that the question is about, as the stand-in serves it."""
    found = sitzungen(standins.bundestakt.url)["sitzungen"]
    return next(item for item in found if item["slug"] == SLUG)


def test_the_record_answers_with_headline_and_source(
    chat: ChatPage, session: dict[str, object]
) -> None:
    article = chat.open().ask_and_wait(QUESTION)
    expect(article).to_contain_text(str(session["kernthema"]))
    link = article.locator('[data-part="text"]').get_by_role("link").first
    expect(link).to_have_attribute("href", str(session["url"]))
    expect(chat.sources(article).first).to_have_attribute("href", str(session["url"]))
    expect(article.get_by_role("region", name="Sources")).to_contain_text("CC BY 4.0")
    expect(chat.status).to_contain_text("Answered")


def test_two_lookups_can_be_opened_and_show_what_the_model_read(warm_chat: ChatPage) -> None:
    article = warm_chat.ask_and_wait(QUESTION)
    steps = warm_chat.steps(article)
    expect(steps).to_have_count(2)
    for index in range(2):
        expect(steps.nth(index)).to_have_attribute("data-tool", "get_sitzungen")
        expect(steps.nth(index)).to_have_attribute("data-state", "ok")
    steps.nth(1).locator("summary").click()
    opened = steps.nth(1)
    expect(opened).to_contain_text(SLUG)
    expect(opened).to_contain_text('"status": "ok"')
    # the size is that of the text in the last request to the model
    sent = warm_chat.sent(-1)
    content = [item["content"] for item in sent["messages"] if item["role"] == "tool"][-1]
    size = f"{len(content.encode()):,} bytes"
    expect(opened).to_contain_text(size)
    # a long result is shortened until the person opens it, and then stays open
    more = opened.get_by_role("button", name="Show all")
    more.click()
    expect(more).to_have_count(0)
    expect(opened.locator("pre").last).to_be_visible()
    expect(opened.locator("pre").last).not_to_contain_text("more characters")


def test_a_claim_is_answered_from_the_fact_checks(warm_chat: ChatPage) -> None:
    warm_chat.ask_and_wait(QUESTION)
    article = warm_chat.ask_and_wait("Is it true that industry loses jobs every month?")
    expect(warm_chat.steps(article).first).to_have_attribute("data-tool", "search_claims")
    expect(article).to_contain_text("partly")
    assert re.search(r"#claim-\d+$", warm_chat.sources(article).first.get_attribute("href") or "")


def test_a_german_question_gets_a_german_answer(warm_chat: ChatPage) -> None:
    article = warm_chat.ask_and_wait("Worüber hat der Bundestag am 9. September 2026 debattiert?")
    expect(article.locator('[data-part="text"]')).to_contain_text("Sitzung")
    # "9." at a line's start is a date, not the ninth item of a list
    expect(article.locator('[data-part="text"] ol')).to_have_count(0)


def test_the_german_page_has_its_words_in_the_same_places(chat: ChatPage) -> None:
    chat.open("?lang=de")
    expect(chat.page.locator("html")).to_have_attribute("lang", "de")
    expect(chat.page.get_by_role("textbox", name="Nachricht")).to_be_visible()
    expect(chat.page.get_by_role("log", name="Gespräch")).to_be_attached()
    expect(chat.page.get_by_role("button", name="Senden", exact=True)).to_be_visible()


def test_a_question_before_python_is_ready_waits_and_is_answered(chat: ChatPage) -> None:
    chat.standins.site.behave(Delay(3), path="/page.bin")
    chat.open(ready=False)
    expect(chat.page.locator("html")).to_have_attribute("data-app", "booting")
    chat.ask(QUESTION)
    expect(chat.questions).to_have_text(QUESTION)
    expect(chat.status).to_contain_text("waiting")
    expect(chat.page.locator("html")).to_have_attribute("data-app", "booting")
    chat.wait_until("ready")
    expect(chat.answers).to_have_count(1)
    chat.wait_for_end()
    expect(chat.sources(chat.answers.first).first).to_be_visible()
    expect(chat.questions).to_have_count(1)


def test_a_later_question_remembers_the_answer_but_not_the_tool_results(
    warm_chat: ChatPage,
) -> None:
    warm_chat.ask_and_wait(QUESTION)
    before = warm_chat.request_count
    warm_chat.ask_and_wait("Is it true that industry loses jobs every month?")
    sent = warm_chat.sent(before)
    roles = [message["role"] for message in sent["messages"]]
    assert roles == ["system", "user", "assistant", "user"]
    assert QUESTION in json.dumps(sent["messages"], ensure_ascii=False)


def test_a_new_chat_forgets_everything(warm_chat: ChatPage) -> None:
    warm_chat.ask_and_wait(QUESTION)
    warm_chat.page.get_by_role("button", name="New chat").click()
    expect(warm_chat.log.locator("article")).to_have_count(0)
    before = warm_chat.request_count
    warm_chat.ask_and_wait(QUESTION)
    sent = warm_chat.sent(before)
    assert [message["role"] for message in sent["messages"]] == ["system", "user"]


def test_without_paying_search_mode_answers_and_says_what_it_is(chat: ChatPage) -> None:
    chat.open()
    chat.page.get_by_role("button", name="Try without paying").click()
    article = chat.ask_and_wait(QUESTION)
    expect(article).to_contain_text("not a language model")
    expect(chat.steps(article)).to_have_count(2)
    assert chat.request_count == 0


def test_nothing_is_stored_and_nothing_leaves_for_another_origin(
    chat: ChatPage, context: BrowserContext
) -> None:
    chat.open()
    own = chat.standins.page_url.rstrip("/")
    assert chat.origins() == {own}
    chat.ask_and_wait(QUESTION)
    allowed = {own, chat.standins.proxy.url, chat.standins.bundestakt.url}
    assert chat.origins() <= allowed
    # an endpoint that asks for no payment must not load the payment library
    assert not [url for url in chat.requested if "x402" in url]
    stored = chat.page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")
    assert "Bundestag" not in stored
    assert context.cookies() == []


def test_a_second_tab_starts_empty(context: BrowserContext, chat: ChatPage) -> None:
    chat.open().ask_and_wait(QUESTION)
    second = ChatPage(context.new_page(), chat.standins)
    second.open()
    expect(second.log.locator("article")).to_have_count(0)
    second.check_console()
