"""The card that waits for a person, in each engine: what they see is what is made, and paid for."""

from typing import Any

from tests.e2e.picture_card import PROMPT, WISH, calls, says
from tests.engines.engine_page import EnginePage


def test_a_confirmed_picture_appears(chat: EnginePage) -> None:
    chat.reset()
    article = chat.ask_for_picture(WISH)
    assert chat.card.within("textbox", "Prompt").read("first.value") == PROMPT
    chat.card.within("button", "Generate").click()
    chat.wait_for_end()
    picture = article.within("img", PROMPT)
    picture.until("first && first.complete && first.naturalWidth > 0")
    assert len(chat.standins.images.ordered) == 1


def test_an_edited_prompt_is_what_is_made(chat: EnginePage) -> None:
    chat.reset()
    article = chat.ask_for_picture(WISH)
    chat.card.within("textbox", "Prompt").click()
    chat.driver.press("Control+a")
    chat.driver.type("a red dog")
    chat.card.within("button", "Generate").click()
    chat.wait_for_end()
    article.within("img", "a red dog").until("first && first.complete && first.naturalWidth > 0")
    [ordered] = chat.standins.images.ordered
    assert ordered.json["prompt"] == "a red dog"


def test_a_cancelled_picture_is_never_made(chat: EnginePage) -> None:
    chat.reset()
    article = chat.ask_for_picture(WISH)
    chat.card.within("button", "Cancel").click()
    chat.wait_for_end()
    assert chat.card.count == 0
    assert chat.steps(article).read("first.dataset.state") == "declined"
    assert chat.standins.images.ordered == []


def test_the_whole_prompt_is_seen_before_it_is_confirmed(chat: EnginePage) -> None:
    lines = [f"{number}. a cat with a hat on the Reichstag" for number in range(1, 15)]
    chat.reset()
    chat.standins.proxy.behave(calls("\n".join(lines)), says("No."))
    chat.ask_for_picture("Draw cats")
    prompt = chat.card.within("textbox", "Prompt")
    assert prompt.read("first.value.split('\\n').length") == 14
    hidden: Any = prompt.read("first.scrollHeight - first.clientHeight")
    chat.card.within("button", "Cancel").click()
    chat.wait_for_end()
    assert hidden <= 2, f"{hidden} pixels of the prompt are out of sight"
