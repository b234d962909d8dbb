"""Stop, wherever the run is waiting: the request is aborted, the page is free, the chat goes on."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.chat_page import ChatPage
from tests.standins.faults import Delay, Hang
from tests.standins.servers import Running

QUESTION = "What did the Bundestag debate on 9 September 2026?"


def _aborted(standins: Running, which: str) -> None:
    server = standins.proxy if which == "proxy" else standins.bundestakt
    server.wait_until(lambda: server.requests[-1].state == "aborted")


def _goes_on(chat: ChatPage) -> None:
    chat.standins.proxy.behave()
    chat.standins.bundestakt.behave()
    article = chat.ask_and_wait(QUESTION)
    expect(chat.sources(article).first).to_be_visible()


def test_stop_while_the_model_answers_aborts_the_request(warm_chat: ChatPage) -> None:
    warm_chat.standins.proxy.behave(Hang())
    article = warm_chat.ask(QUESTION)
    warm_chat.standins.proxy.wait_for_requests(1)
    expect(warm_chat.status).to_contain_text("Searching")
    warm_chat.stop.click()
    warm_chat.wait_for_end()
    _aborted(warm_chat.standins, "proxy")
    expect(article).to_contain_text("stopped")
    expect(warm_chat.status).to_contain_text("Stopped")
    _goes_on(warm_chat)


@pytest.mark.first_visit  # the lookup must reach the service
def test_a_wait_is_counted_and_the_answer_can_be_asked_for_at_once(chat: ChatPage) -> None:
    chat.page.clock.install()
    chat.open().standins.bundestakt.behave(Hang())
    article = chat.ask(QUESTION)
    chat.standins.bundestakt.wait_for_requests(1)
    chat.page.clock.run_for(7_000)
    expect(chat.status).to_contain_text(re.compile(r" for \d+ s"))
    chat.page.get_by_role("button", name="Stop and answer now").click()
    chat.wait_for_end()
    expect(chat.steps(article).first).to_have_attribute("data-state", "interrupted")
    assert ["tools" in chat.sent(hop) for hop in range(chat.request_count)] == [True, False]
    expect(article.locator('[data-part="text"]')).to_contain_text("There is no result")


@pytest.mark.first_visit  # the lookup must reach the service
def test_stop_while_a_lookup_runs_leaves_an_interrupted_step(chat: ChatPage) -> None:
    chat.open().standins.bundestakt.behave(Hang())
    article = chat.ask(QUESTION)
    expect(chat.steps(article).first).to_have_attribute("data-state", "running")
    chat.standins.bundestakt.wait_for_requests(1)
    chat.stop.click()
    chat.wait_for_end()
    _aborted(chat.standins, "bundestakt")
    expect(chat.steps(article).first).to_have_attribute("data-state", "interrupted")
    assert chat.request_count == 1
    _goes_on(chat)


def test_stop_in_the_second_hop_keeps_the_first_lookup(warm_chat: ChatPage) -> None:
    warm_chat.standins.proxy.behave(Delay(0), Hang())
    article = warm_chat.ask(QUESTION)
    warm_chat.standins.proxy.wait_for_requests(2)
    warm_chat.stop.click()
    warm_chat.wait_for_end()
    expect(warm_chat.steps(article).first).to_have_attribute("data-state", "ok")
    _goes_on(warm_chat)


def test_stop_before_python_is_there_gives_the_question_back(chat: ChatPage) -> None:
    chat.standins.site.behave(Delay(3), path="/page.bin")
    chat.open(ready=False)
    chat.ask(QUESTION)
    chat.composer.fill("and then")
    chat.stop.click()
    expect(chat.questions).to_have_count(0)
    expect(chat.composer).to_have_value(f"{QUESTION}\n\nand then")
    chat.composer.fill(QUESTION)
    chat.wait_until("ready")
    assert chat.request_count == 0
    chat.composer.press("Enter")
    expect(chat.sources(chat.answers.last).first).to_be_visible()


def test_a_new_chat_during_a_run_asks_first_and_then_ends_it(warm_chat: ChatPage) -> None:
    warm_chat.standins.proxy.behave(Hang())
    warm_chat.ask(QUESTION)
    warm_chat.standins.proxy.wait_for_requests(1)
    new_chat = warm_chat.page.get_by_role("button", name="New chat")
    new_chat.click()
    warm_chat.page.get_by_role("button", name="Keep it").click()
    expect(warm_chat.questions).to_have_count(1)
    new_chat.click()
    warm_chat.page.get_by_role("button", name="Discard it").click()
    expect(warm_chat.log.locator("article")).to_have_count(0)
    _aborted(warm_chat.standins, "proxy")
    _goes_on(warm_chat)


def test_the_draft_typed_during_a_run_is_kept_and_cannot_be_sent_yet(warm_chat: ChatPage) -> None:
    warm_chat.standins.proxy.behave(Hang())
    warm_chat.ask(QUESTION)
    warm_chat.standins.proxy.wait_for_requests(1)
    warm_chat.composer.fill("and then?")
    warm_chat.composer.press("Enter")
    expect(warm_chat.questions).to_have_count(1)
    expect(warm_chat.composer).to_have_value("and then?")
    warm_chat.stop.click()
    warm_chat.wait_for_end()
    expect(warm_chat.composer).to_have_value("and then?")


def test_the_limit_of_hops_is_said_and_one_press_goes_on(chat: ChatPage) -> None:
    chat.standins.overlay({"max_hops": 1})
    article = chat.open().ask_and_wait(QUESTION)
    expect(chat.problem(article)).to_contain_text("used up")
    for _ in range(2):
        chat.answers.last.get_by_role("button", name="Go on").click()
        chat.wait_for_end()
    expect(chat.sources(chat.answers.last).first).to_be_visible()
    expect(chat.questions).to_have_count(1)
