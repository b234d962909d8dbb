"""Services that are dead, slow or strange: a sentence says so, and the chat goes on."""

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.e2e.chat_page import ChatPage
from tests.standins.faults import NoCors, Reply, Truncate, garbage, html_502

pytestmark = pytest.mark.first_visit  # a cached reply would hide a fault of the service

QUESTION = "What did the Bundestag debate on 9 September 2026?"


def test_without_bundestakt_the_failure_is_shown_and_the_model_answers_without_the_tool(
    chat: ChatPage,
) -> None:
    chat.expected.append("net::ERR_CONNECTION_REFUSED")
    chat.open()
    chat.standins.down(chat.standins.bundestakt)
    try:
        article = chat.ask_and_wait(QUESTION)
    finally:
        chat.standins.up(chat.standins.bundestakt)
    expect(chat.steps(article)).to_have_count(1)
    expect(chat.steps(article)).to_have_attribute("data-state", "failed")
    expect(article.locator('[data-part="text"]')).to_contain_text("There is no result")
    expect(chat.sources(article)).to_have_count(0)
    offered = [
        [tool["function"]["name"] for tool in chat.sent(hop).get("tools", [])]
        for hop in range(chat.request_count)
    ]
    assert "get_sitzungen" in offered[0]
    assert offered[1:] == [[name for name in offered[0] if name != "get_sitzungen"]]
    # a failed fetch is not kept: the next question finds the record
    article = chat.ask_and_wait(QUESTION)
    expect(chat.sources(article).first).to_be_visible()


MALFORMED = {
    "a gateway's page": html_502(),
    "no JSON": garbage(),
    "another shape": Reply({"sitzungen": "none"}),
    "no CORS": NoCors(),
    "cut in the middle": Truncate(),
}


def test_malformed_data_of_bundestakt_is_never_shown_as_a_source(chat: ChatPage) -> None:
    """All in one tab, which keeps no failed fetch."""
    chat.expected += ["502", "CORS policy", "net::ERR"]
    chat.open()
    for name, fault in MALFORMED.items():
        chat.standins.bundestakt.behave(fault, always=True)
        asked = len(chat.standins.bundestakt.requests)
        article = chat.ask_and_wait(QUESTION)
        assert len(chat.standins.bundestakt.requests) > asked, name
        expect(chat.steps(article).first, name).to_have_attribute("data-state", "failed")
        expect(chat.sources(article), name).to_have_count(0)
        # the model answered, so the run is no problem
        expect(chat.problem(article), name).to_have_count(0)


def test_a_dead_proxy_is_named_and_can_be_tried_again(warm_chat: ChatPage) -> None:
    warm_chat.expected.append("net::ERR_CONNECTION_REFUSED")
    host = urlsplit(warm_chat.standins.proxy.url).netloc
    warm_chat.standins.down(warm_chat.standins.proxy)
    try:
        article = warm_chat.ask_and_wait(QUESTION)
        expect(warm_chat.problem(article)).to_contain_text(host)
        # search mode must not answer by itself
        expect(article.get_by_text("not a language model")).to_be_hidden()
        warm_chat.composer.fill("a draft that must survive")
    finally:
        warm_chat.standins.up(warm_chat.standins.proxy)
    warm_chat.problem(article).get_by_role("button", name="Try again").click()
    warm_chat.wait_for_end()
    expect(warm_chat.questions).to_have_count(1)
    expect(warm_chat.sources(warm_chat.answers.last).first).to_be_visible()
    expect(warm_chat.page.get_by_role("alert")).to_have_count(0)
    expect(warm_chat.composer).to_have_value("a draft that must survive")


def _error(message: str, **more: object) -> object:
    return {"error": {"message": message, "type": "invalid_request_error", **more}}


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        pytest.param(Reply(_error("No such model."), 404), "model", id="404"),
        pytest.param(Reply(_error("bad key"), 401), "key", id="401"),
        pytest.param(Reply(_error("pay"), 402), "payment required", id="402"),
        pytest.param(Reply(_error("too big"), 413), "too long", id="413"),
        pytest.param(Reply(_error("boom"), 500), "HTTP 500", id="500"),
        pytest.param(html_502(), "HTTP 502", id="502 page"),
        pytest.param(garbage(), "not a model", id="no JSON"),
        pytest.param(Reply({"ok": True}), "without a message", id="no choices"),
        pytest.param(Reply(_error("quota")), "quota", id="error in a 200"),
    ],
)
def test_each_fault_of_the_proxy_has_its_own_sentence(
    warm_chat: ChatPage, fault: Reply, says: str
) -> None:
    warm_chat.expected.append("Failed to load resource")
    warm_chat.standins.proxy.behave(fault, always=True)
    article = warm_chat.ask_and_wait(QUESTION)
    expect(warm_chat.problem(article)).to_contain_text(says)
    expect(warm_chat.problem(article)).to_contain_text(
        urlsplit(warm_chat.standins.proxy.url).netloc
    )
    warm_chat.standins.proxy.behave()
    after = warm_chat.ask_and_wait(QUESTION)
    expect(warm_chat.sources(after).first).to_be_visible()


def test_an_offline_device_and_an_unreachable_host_have_different_sentences(chat: ChatPage) -> None:
    chat.expected += ["net::ERR_INTERNET_DISCONNECTED", "net::ERR_NAME_NOT_RESOLVED"]
    chat.standins.overlay({"llm_url": "https://llm.invalid"})  # loopback needs no network
    chat.open()
    chat.page.context.set_offline(True)
    article = chat.ask_and_wait(QUESTION)
    expect(chat.problem(article)).to_contain_text("offline")
    expect(chat.problem(article)).to_contain_text("llm.invalid")
