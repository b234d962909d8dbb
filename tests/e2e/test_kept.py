"""Nothing is thrown away by accident: undo, leaving, a reload."""

import json

import pytest
from playwright.sync_api import Dialog, Locator, expect
from tabloop.agent.conversation import Exchange
from tabloop.core.pricing import Cost
from tabloop.ui.kept import Kept, KeptAnswer, as_text, from_text

from tests.e2e.chat_page import ChatPage
from tests.standins.faults import Hang

QUESTION = "What did the Bundestag debate on 9 September 2026?"
FULL = """() => {
    Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };
}"""


def asked_when_leaving(chat: ChatPage) -> list[str]:
    """Reload, and return the kinds of questions that the browser asked; all are agreed to."""
    asked: list[str] = []

    def agree(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    chat.page.on("dialog", agree)
    chat.page.reload(wait_until="domcontentloaded")
    chat.page.remove_listener("dialog", agree)
    chat.wait_until("ready")
    return asked


def keep(chat: ChatPage) -> Locator:
    return chat.page.get_by_role("checkbox", name="Survive a reload")


def test_a_new_chat_can_be_undone_with_what_the_model_knows(warm_chat: ChatPage) -> None:
    warm_chat.ask_and_wait("first")
    warm_chat.page.get_by_role("button", name="New chat").click()
    expect(warm_chat.questions).to_have_count(0)
    warm_chat.page.get_by_role("button", name="Undo").click()
    expect(warm_chat.questions).to_have_count(1)
    expect(warm_chat.page.get_by_role("button", name="Undo")).to_be_hidden()
    expect(warm_chat.answers.get_by_role("button", name="Try again")).to_be_visible()
    warm_chat.ask_and_wait("second")
    users = [m["content"] for m in warm_chat.sent(-1)["messages"] if m["role"] == "user"]
    assert users == ["first", "second"]


def test_undo_is_gone_after_ten_seconds_and_with_the_next_question(chat: ChatPage) -> None:
    chat.page.clock.install()
    chat.open().ask_and_wait("first")
    new, undo = (chat.page.get_by_role("button", name=name) for name in ("New chat", "Undo"))
    new.click()
    expect(undo).to_be_visible()
    chat.page.clock.run_for(11_000)
    expect(undo).to_be_hidden()
    chat.ask_and_wait("second")
    new.click()
    expect(undo).to_be_visible()
    chat.ask_and_wait("third")
    expect(undo).to_be_hidden()


def test_leaving_asks_only_when_there_is_something_to_lose(chat: ChatPage) -> None:
    chat.open()
    assert asked_when_leaving(chat) == []
    chat.composer.press_sequentially("a draft")
    assert asked_when_leaving(chat) == ["beforeunload"]
    chat.composer.click()
    chat.ask_and_wait("first")
    assert asked_when_leaving(chat) == ["beforeunload"]
    expect(chat.questions).to_have_count(0)  # nothing is stored unless it is asked for
    stored = chat.page.evaluate("JSON.stringify([{...sessionStorage}, {...localStorage}])")
    assert "draft" not in stored
    assert "first" not in stored


def test_a_conversation_survives_a_reload_if_asked_to(chat: ChatPage) -> None:
    article = chat.open().ask_and_wait(QUESTION)
    text = article.locator('[data-part="text"]').inner_text()
    expect(keep(chat)).not_to_be_checked()
    keep(chat).check()
    expect(chat.page.get_by_text("also after a reload")).to_be_visible()
    chat.composer.press_sequentially("and then")
    assert asked_when_leaving(chat) == []
    expect(chat.status).to_contain_text("Restored after the reload")
    expect(chat.composer).to_have_value("and then")
    assert chat.answers.locator('[data-part="text"]').inner_text() == text
    expect(chat.sources(chat.answers.last).first).to_be_visible()
    expect(chat.steps(chat.answers.last)).to_have_count(2)
    expect(keep(chat)).to_be_checked()
    chat.composer.press("Enter")
    chat.wait_for_end()
    users = [m["content"] for m in chat.sent(-1)["messages"] if m["role"] == "user"]
    assert users == [QUESTION, "and then"]
    keep(chat).uncheck()
    assert chat.page.evaluate("sessionStorage.length") == 0
    assert asked_when_leaving(chat) == ["beforeunload"]
    expect(chat.questions).to_have_count(0)


def test_a_kept_draft_survives_a_link_an_edit_and_what_is_typed_meanwhile(chat: ChatPage) -> None:
    chat.open("?q=from+a+link")
    keep(chat).check()
    chat.composer.fill("a draft")
    asked_when_leaving(chat)
    expect(chat.composer).to_have_value("a draft")
    chat.ask_and_wait("first")
    chat.composer.fill("second")
    chat.page.get_by_role("button", name="Edit question").click()
    asked_when_leaving(chat)
    expect(chat.composer).to_have_value("second\n\nfirst")
    typed = "document.getElementById('message').value = 'typed'"  # before Python has started
    chat.page.add_init_script(f"addEventListener('DOMContentLoaded', () => {{ {typed} }})")
    asked_when_leaving(chat)
    expect(chat.composer).to_have_value("second\n\nfirst\n\ntyped")
    asked_when_leaving(chat)  # as a browser that fills in a part of the draft itself
    expect(chat.composer).to_have_value("second\n\nfirst\n\ntyped")


PAINTED = """() => {
    window.tasks = [];  // of each task that painted answers, their numbers
    addEventListener('DOMContentLoaded', () => new MutationObserver(() => {
        const painted = document.querySelectorAll('article[data-phase]:not([data-seen])');
        painted.forEach(article => article.dataset.seen = '');
        if (painted.length) tasks.push([...painted].map(article => article.id));
    }).observe(document.getElementById('log'), { childList: true, subtree: true }));
}"""


def test_a_long_conversation_is_painted_in_many_tasks_from_its_end(chat: ChatPage) -> None:
    answers = tuple(
        KeptAnswer(
            *(f"Question {number}?", f"Answer **{number}**. " + "Some words. " * 50, True, False),
            *("a-model", "", Cost(), Cost(), (), ()),
        )
        for number in range(1, 301)
    )
    told = tuple(Exchange(answer.question, answer.text) for answer in answers)
    text = as_text(Kept(answers, told, told[-1].question, answered=True, draft="and then"))
    chat.page.add_init_script(
        f"sessionStorage['tabloop.conversation'] ??= {json.dumps(text)}; ({PAINTED})();"
    )
    chat.open()
    expect(chat.questions.last).to_be_in_viewport()  # as after each answer
    article = chat.answers.last
    chat.composer.press("Enter")
    expect(chat.questions).to_have_count(301)
    chat.wait_for_end()
    assert len(chat.sent(-1)["messages"]) == 1 + 2 * 300 + 1
    expect(article).not_to_have_attribute("id", "answer-300")
    expect(chat.answers.get_by_role("button", name="Copy answer")).to_have_count(301)
    tasks = chat.page.evaluate("tasks")
    assert tasks[0] == ["answer-300"]
    assert len(tasks) > 5
    stored = from_text(chat.page.evaluate("sessionStorage['tabloop.conversation']"))
    assert stored is not None
    assert stored.answers[:300] == answers


def test_an_answer_that_a_reload_interrupted_says_so_and_runs_no_further(chat: ChatPage) -> None:
    chat.open("?lang=de").page.get_by_role("checkbox", name="Neuladen überstehen").check()
    chat.standins.proxy.behave(Hang())
    chat.page.locator("#message").fill("Hallo")
    chat.page.keyboard.press("Enter")
    chat.standins.proxy.wait_for_requests(1)
    assert asked_when_leaving(chat) == ["beforeunload"]
    expect(chat.page.get_by_text("Das Neuladen hat diese Antwort unterbrochen")).to_be_visible()
    assert chat.request_count == 1
    chat.page.get_by_role("button", name="Noch einmal versuchen").click()
    expect(chat.page.get_by_role("button", name="Antwort kopieren")).to_be_visible()
    expect(chat.page.get_by_text("Hallo", exact=True)).to_have_count(1)


def test_a_browser_that_does_not_store_it_says_so_and_nothing_is_lost(chat: ChatPage) -> None:
    chat.open().ask_and_wait("first")
    chat.page.evaluate(FULL)
    keep(chat).click()
    expect(chat.status).to_contain_text("a reload would lose it")
    expect(keep(chat)).not_to_be_checked()
    for box in chat.page.get_by_role("checkbox", name="Remember on this device").all():
        box.evaluate("box => box.click()")  # one stands in a closed part of the page
        expect(chat.status).to_contain_text("this is not remembered")
        expect(box).not_to_be_checked()
    expect(chat.questions).to_have_count(1)
    assert asked_when_leaving(chat) == ["beforeunload"]


@pytest.mark.parametrize("stored", ["{", '{"answers": 3}'])
def test_what_cannot_be_read_again_is_said(chat: ChatPage, stored: str) -> None:
    chat.page.add_init_script(f"sessionStorage.setItem('tabloop.conversation', '{stored}')")
    chat.open()
    expect(chat.status).to_contain_text("cannot be read any more")
    expect(chat.page.get_by_role("heading", name="What did the Bundestag debate?")).to_be_visible()


STORED = (
    *("tabloop.endpoint", "tabloop.pictures", "tabloop.pins", "tabloop.network", "tabloop.payer"),
    *("tabloop.wallet", "tabloop.switched-off", "tabloop.device-model", "tabloop.no-question-mark"),
    *("tabloop:unfinished-starts", "tabloop:x402:key:0xab", "tabloop:x402:channels"),
)
DAMAGE = (
    "{",
    "\x00",
    "null",
    "[[7]]",
    '"x"',
    '{"url": {}, "on": [1]}',
    "1e999",
    "\ud800",
    "[" * 5000,
)


def test_damaged_entries_of_the_storage_cost_nothing_but_themselves(chat: ChatPage) -> None:
    """Each entry has another kind of damage at each start; a stranger's entry stays as it is."""
    chat.open(ready=False)
    for shift in (0, 4, 7):
        damaged = {name: DAMAGE[(at + shift) % len(DAMAGE)] for at, name in enumerate(STORED)}
        chat.page.evaluate(
            "all => { for (const [n, text] of Object.entries(all)) localStorage.setItem(n, text) }",
            damaged | {"somebody.else": "theirs"},
        )
        article = chat.open().ask_and_wait(QUESTION)
        expect(chat.sources(article).first).to_be_visible()
        expect(chat.problem(article)).to_have_count(0)
        assert chat.page.evaluate("localStorage['somebody.else']") == "theirs"


def test_two_tabs_leave_each_other_what_they_remember(chat: ChatPage) -> None:
    chat.open()
    other = ChatPage(chat.page.context.new_page(), chat.standins).open()
    one, two = (tab.page.get_by_role("group", name="Model endpoint") for tab in (chat, other))
    box = one.get_by_role("checkbox", name="Remember on this device")
    one.get_by_label("Model", exact=True).fill("model-of-one")
    box.check()
    two.get_by_label("Model", exact=True).fill("model-of-two")  # nobody asked to remember this one
    two.get_by_label("Model", exact=True).press("Tab")
    assert "model-of-one" in chat.page.evaluate("localStorage['tabloop.endpoint']")
    two.get_by_role("button", name="Use the page").click()
    assert "model-of-one" in chat.page.evaluate("localStorage['tabloop.endpoint']")
    expect(box).to_be_checked()
    two.get_by_role("checkbox", name="Remember on this device").check()
    expect(box).not_to_be_checked()  # what stands here is not remembered any more
    other.check_console()


def test_what_another_frame_of_the_tab_keeps_is_left_alone(warm_chat: ChatPage) -> None:
    warm_chat.page.evaluate("sessionStorage['tabloop.conversation'] = 'of another frame'")
    warm_chat.page.evaluate("window.dispatchEvent(new Event('pagehide'))")
    assert warm_chat.page.evaluate("sessionStorage['tabloop.conversation']") == "of another frame"
    warm_chat.page.evaluate("sessionStorage.clear()")
