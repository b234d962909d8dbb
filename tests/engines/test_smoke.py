"""What the page is for, in each engine: a start, an answer, a stop, a picture, the keyboard."""

import json
from collections.abc import Mapping
from typing import Any

from tests.e2e.picture_card import PROMPT, WISH, says
from tests.engines.driver import Driver, poll
from tests.engines.engine_page import ENABLED, WINDOW, EnginePage
from tests.engines.launch import launched
from tests.engines.locator import Locator
from tests.standins.faults import Hang, Reply
from tests.standins.quirks import Quirks, quirk
from tests.standins.servers import Running
from tests.standins.toml_overlay import TomlValue

QUESTION = "What did the Bundestag debate on 9 September 2026?"
SAID = "The Bundestag debated the Budget — für “alle”."
# each download is a blob first, and that can be read in every engine
KEEP_BLOBS = """
    const make = URL.createObjectURL;
    window.saved = [];
    URL.createObjectURL = (blob) => {
        blob.text().then((text) => saved.push(text));
        return make(blob);
    };
"""
# what a browser does that keeps nothing: cookies blocked, or a frame of another site
REFUSING = b"""
for (const name of ["localStorage", "sessionStorage"]) {
    Object.defineProperty(window, name, {
        get() { throw new DOMException("The operation is insecure.", "SecurityError"); },
    });
}
IDBFactory.prototype.open = () => { throw new DOMException("Denied.", "SecurityError"); };
"""


def streaming(quirks: Quirks) -> Mapping[str, TomlValue]:
    """Settings of a page whose endpoint streams."""
    return {"llm_url": f"{quirks.url}/v1", "llm_model": "m", "stream": True}


def steps(chat: EnginePage, article: Locator) -> Any:
    """Return name and state of each step."""
    return chat.steps(article).read("all.map(({ dataset }) => [dataset.tool, dataset.state])")


def calls_two() -> Reply:
    """A turn of the model that looks up sessions and statements at once."""
    day, query = {"von": "2026-09-09", "bis": "2026-09-09"}, {"query": "Industrie"}
    wanted = [("get_sitzungen", day), ("search_claims", query)]
    calls = [
        {
            "id": f"call{number:05}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for number, (name, arguments) in enumerate(wanted)
    ]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    return Reply({"choices": [{"message": message, "finish_reason": "tool_calls"}]})


def test_it_starts(chat: EnginePage) -> None:
    chat.open()
    assert chat.status.text.startswith("Ready")
    assert chat.document.within("h2").text == "What did the Bundestag debate?"


def test_an_answer_has_the_days_session_and_its_source(chat: EnginePage) -> None:
    chat.reset()
    article = chat.ask_and_wait(QUESTION)
    assert steps(chat, article) == [["get_sitzungen", "ok"]] * 2
    assert "9 September 2026" in chat.text(article).text
    assert chat.sources(article).count >= 1
    assert chat.problem(article) == ""


def test_two_tools_of_one_turn_both_bring_sources(chat: EnginePage) -> None:
    chat.reset()
    chat.standins.proxy.behave(calls_two(), says("Both were looked up."))
    article = chat.ask_and_wait("What was said, and was it true?")
    assert sorted(steps(chat, article)) == [["get_sitzungen", "ok"], ["search_claims", "ok"]]
    assert chat.text(article).text == "Both were looked up."
    assert chat.sources(article).count >= 2


def test_text_grows_as_it_comes(chat: EnginePage) -> None:
    quirks = chat.standins.quirks
    chat.reset(streaming(quirks))
    quirks.play(quirk("stream-plain", hold_after=(2, 3)))
    article = chat.ask("What was debated?")
    for so_far in ("The Bunde", "The Bundestag debated"):
        chat.text(article).until(f"first?.innerText.trim() === {so_far!r}")
        assert chat.status.text.startswith("Writing")
        quirks.release()
    chat.wait_for_end()
    assert chat.text(article).text == SAID


def test_stop_keeps_what_came_and_ends_the_request(chat: EnginePage) -> None:
    quirks = chat.standins.quirks
    chat.reset(streaming(quirks))
    quirks.play(quirk("stream-plain", hold_after=3))
    article = chat.ask("What was debated?")
    chat.text(article).until_text("The Bundestag debated")
    chat.button("Stop").click()
    chat.wait_for_end()
    quirks.wait_until(lambda: quirks.requests[-1].state == "aborted")
    assert chat.text(article).text == "The Bundestag debated"
    assert "You stopped this answer." in article.text
    chat.reset(streaming(quirks))
    quirks.play("stream-plain")
    assert chat.text(chat.ask_and_wait("Again?")).text == SAID


def test_stop_while_the_model_answers_aborts_the_request(chat: EnginePage) -> None:
    chat.reset()
    proxy = chat.standins.proxy
    proxy.behave(Hang())
    article = chat.ask(QUESTION)
    proxy.wait_for_requests(1)
    chat.button("Stop").click()
    chat.wait_for_end()
    proxy.wait_until(lambda: proxy.requests[-1].state == "aborted")
    assert "You stopped this answer." in article.text


def test_the_card_works_by_keyboard_alone(chat: EnginePage) -> None:
    chat.reset()
    chat.driver.evaluate("document.getElementById('message').focus()")
    chat.driver.type(WISH)
    chat.driver.press("Enter")
    chat.card.within("button", "Generate").until(ENABLED)
    focused = "return document.activeElement.textContent.trim()"
    for name in ("Cancel", "Generate, free of charge"):
        chat.driver.press("Shift+Tab")
        assert chat.driver.evaluate(focused) == name
    chat.driver.press("Enter")
    chat.wait_for_end()
    assert chat.answer.within("img", PROMPT).count == 1


def test_the_export_holds_question_answer_and_source(chat: EnginePage) -> None:
    chat.reset()
    article = chat.ask_and_wait(QUESTION)
    source = chat.sources(article).read("first.href")
    chat.driver.evaluate(KEEP_BLOBS)
    chat.button("Export").click()
    [saved] = poll("an export", lambda: chat.driver.evaluate("return window.saved"))
    assert "# Conversation with Tabloop" in saved
    assert QUESTION in saved
    assert source in saved
    chat.status.until_text("Exported")


def test_it_speaks_german(chat: EnginePage) -> None:
    chat.open("?lang=de")
    assert chat.document.within("html").read("first.lang") == "de"
    article = chat.ask_and_wait("Was hat der Bundestag am 9. September 2026 debattiert?")
    assert article.within("region", "Quellen").within("link").count >= 1
    assert "9. September 2026" in chat.text(article).text


def test_nothing_is_wider_than_a_phone(chat: EnginePage) -> None:
    chat.reset()
    chat.driver.resize(320, 700)
    try:
        poll("a narrow page", lambda: chat.driver.evaluate("return innerWidth === 320"))
        wide = "return document.documentElement.scrollWidth - innerWidth"
        assert chat.driver.evaluate(wide) <= 0
        article = chat.ask_and_wait(QUESTION)
        assert chat.sources(article).count >= 1
        assert chat.driver.evaluate(wide) <= 0
        chat.ask_for_picture(WISH)
        assert chat.driver.evaluate(wide) <= 0
        chat.card.within("button", "Cancel").click()
        chat.wait_for_end()
    finally:
        chat.driver.resize(*WINDOW)


def test_a_private_window_answers(engine: Driver, standins: Running) -> None:
    with launched(engine.engine, private=True) as driver:
        chat = EnginePage(driver, standins)
        chat.open()
        assert chat.sources(chat.ask_and_wait(QUESTION)).count >= 1


def test_where_nothing_may_be_stored_it_answers_all_the_same(chat: EnginePage) -> None:
    chat.standins.site.first_script = REFUSING
    chat.open()
    chat.forget()
    refused = "try { return String(localStorage); } catch (error) { return error.name; }"
    assert chat.driver.evaluate(refused) == "SecurityError"
    assert chat.sources(chat.ask_and_wait(QUESTION)).count >= 1
