"""A tool of one's own that asks the person first: it gets a card without a line written for it.

Rule: it runs once for each call that was allowed, and never for any other.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.e2e.accessibility import check_accessibility
from tests.e2e.chat_page import ANSWER_WITHIN_MS, ChatPage
from tests.e2e.conftest import DIST
from tests.e2e.picture_card import (
    calls_tool,
    check_can_continue,
    says,
    tool_results,
)
from tests.standins.servers import WITHOUT_WORKER, running_standins

# what a developer would write into app/tabloop/tools and app/tabloop/main.py
TOOL = """
from pyscript import window
import tabloop.tools.bundestakt.tool as bundestakt
from tabloop.agent.tools import tool

sent = []

@tool(source="bundestakt", needs_approval=True, read_only=False)
async def send_letter(to: str, text: str = "Hello") -> dict[str, int]:
    '''Send a letter.'''
    window.lastLetter = text
    sent.append(to)
    return {"sent": sent.count(to)}

others = bundestakt.bundestakt_tools
bundestakt.bundestakt_tools = lambda api: (*others(api), send_letter)
"""
LETTER = {"to": "Ada <b>&amp; Bob</b>", "text": "Dear Ada,\n" + "a very long line of words " * 60}


class LetterCard:
    """The card as a person finds it."""

    def __init__(self, chat: ChatPage) -> None:
        self.chat = chat
        self.region = chat.page.get_by_role("region", name="Confirm call")
        self.allow = self.region.get_by_role("button", name="Allow")
        self.cancel = self.region.get_by_role("button", name="Cancel")

    def request_picture(self, *letters: dict[str, str]) -> Locator:
        """Let the model ask for these letters, and wait for the first card."""
        self.chat.standins.proxy.behave(calls_tool("send_letter", *letters), says("So be it."))
        article = self.chat.ask("Write to Ada")
        expect(self.allow).to_be_enabled(timeout=ANSWER_WITHIN_MS)
        return article

    def statuses(self) -> list[str]:
        self.chat.wait_for_end()
        return [str(result["status"]) for result in tool_results(self.chat)]


@pytest.fixture(scope="module")
def own_page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChatPage]:
    folder = Path(shutil.copytree(DIST, tmp_path_factory.mktemp("own") / "dist"))
    index = folder / "index.html"
    html, start = index.read_text("utf-8"), "from tabloop.main import main"
    assert html.count(start) == 1
    index.write_text(html.replace(start, TOOL + start), "utf-8")
    with running_standins(folder, settings=WITHOUT_WORKER) as running:
        context = browser.new_context(locale="en-GB")
        yield ChatPage(context.new_page(), running).open()
        context.close()


@pytest.fixture
def card(own_page: ChatPage) -> Iterator[LetterCard]:
    own_page.reset()
    own_page.standins.proxy.requests.clear()
    yield LetterCard(own_page)
    own_page.check_console()


def test_an_allowed_call_runs_once_with_what_the_card_showed(card: LetterCard) -> None:
    article = card.request_picture(LETTER)
    expect(card.region).to_contain_text("Send letter send_letter")
    for text in (LETTER["to"], "words"):
        expect(card.region.locator("pre")).to_contain_text(text)
    expect(card.chat.steps(article)).to_contain_text("Send letter")
    expect(card.chat.steps(article)).to_contain_text("waiting for you")
    expect(card.chat.status).to_contain_text("Waiting for you")
    expect(card.chat.composer).to_be_focused()
    card.chat.page.keyboard.press("Enter")
    expect(card.allow).to_be_enabled()
    card.allow.dblclick()
    assert card.statuses() == ["ok"]
    [result] = tool_results(card.chat)
    assert result["sent"] == 1
    expect(card.region).to_have_count(0)
    check_can_continue(card.chat)


def test_a_declined_call_never_runs(card: LetterCard) -> None:
    article = card.request_picture({"to": "Ada"})
    card.cancel.click()
    assert card.statuses() == ["user_declined"]
    expect(card.chat.steps(article)).to_have_attribute("data-state", "declined")


def test_two_calls_are_asked_for_one_after_the_other(card: LetterCard) -> None:
    card.request_picture({"to": "Ada"}, {"to": "Bob"})
    expect(card.region).to_contain_text("Ada")
    card.cancel.dblclick()  # the second press must not confirm Bob's card
    expect(card.region).to_contain_text("Bob")
    expect(card.allow).to_be_enabled()
    card.allow.click()
    assert card.statuses() == ["user_declined", "ok"]


def test_stop_closes_the_card(card: LetterCard) -> None:
    article = card.request_picture({"to": "Ada"})
    card.chat.stop.click()
    card.chat.wait_for_end()
    expect(card.region).to_have_count(0)
    expect(card.chat.steps(article)).to_have_attribute("data-state", "interrupted")
    card.chat.standins.proxy.behave()
    check_can_continue(card.chat)


def test_a_new_chat_closes_the_card(card: LetterCard) -> None:
    card.request_picture({"to": "Ada"})
    card.chat.page.get_by_role("button", name="New chat").click()
    card.chat.page.get_by_role("button", name="Discard it").click()
    expect(card.chat.log.locator("article")).to_have_count(0)
    card.chat.standins.proxy.behave()


def test_axe_finds_nothing_on_a_small_screen(card: LetterCard) -> None:
    card.chat.page.set_viewport_size({"width": 360, "height": 740})
    card.request_picture({**LETTER, "to": "Eve"})
    check_accessibility(card.chat.page)
    card.allow.focus()
    card.chat.page.keyboard.press("Enter")
    assert card.statuses() == ["ok"]
