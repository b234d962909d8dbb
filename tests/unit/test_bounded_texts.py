"""Every text that is painted has a bound: one of any length would block the tab."""

import ast
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from tabloop.agent.calls import MAX_ARGUMENTS, MAX_CALLS, MAX_NAME, normalize_calls, parse_call
from tabloop.agent.messages import AssistantMessage, ToolCall
from tabloop.agent.tools import Source, tool
from tabloop.ui.actions import actions_html
from tabloop.ui.answer_state import ToolStep
from tabloop.ui.approval_card import approval_html
from tabloop.ui.html import MOST_CHARACTERS, Html, button, fragment, h
from tabloop.ui.page_notice import notice_html
from tabloop.ui.problems import words_html
from tabloop.ui.sources import sources_html
from tabloop.ui.steps import FIRST_CHARACTERS, reasoning_html, step_html
from tabloop.ui.strings import load_strings

EN = load_strings("en")
LONG = "wörd " * 100_000
BROWSER = Path("app/tabloop/browser")
# Html texts are bounded where they are written; these are the others
PAINTED_AS_TEXT: Mapping[str, str] = {
    "answer_view.py": "our own words, the question's first 100 characters; text by markdown.py",
    "copy_buttons.py": "our own words",
    "device_panel.py": "our own words and numbers",
    "elapsed.py": "seconds",
    "endpoint_panel.py": "whom one pays: 120 characters of a title, 120 of a contact",
    "image_card.py": "our own words with a price, the number of characters",
    "keeping.py": "our own words",
    "page.py": "the status line: MOST_OF_STATUS",
    "picture_service.py": "our own words",
    "who_answers.py": "our own words and the endpoint that the person or the owner chose",
}
PLACES: Mapping[str, Callable[[], Html]] = {
    "any text": lambda: h("p", {}, LONG),
    "any text beside others": lambda: fragment(LONG, h("b", {}, "x")),
    "any attribute": lambda: h("p", {"title": LONG}),
    "button": lambda: button(LONG, "do", value=LONG),
    "words of an endpoint": lambda: words_html(EN, LONG) or fragment(),
    "reasoning": lambda: reasoning_html(EN, LONG),
    "error of the page": lambda: notice_html(EN, ValueError(LONG)),
    "source": lambda: sources_html(EN, [Source("https://a.test/", LONG)], ""),
}


@pytest.mark.parametrize("place", PLACES)
def test_one_text_has_a_bound_and_says_how_much_more_there_is(place: str) -> None:
    markup = PLACES[place]().markup
    assert len(markup) < 3 * MOST_CHARACTERS
    if len(markup) > MOST_CHARACTERS:
        assert re.search(r"… \(\+[34]", markup)


@pytest.mark.parametrize(
    "step",
    [
        ToolStep("1", "search", raw_arguments=LONG),
        ToolStep("1", "search", raw_arguments="[" + "1,\n" * 20_000),
        ToolStep("1", "search", arguments={"query": LONG}),
        ToolStep("1", "search", aside=LONG),
        ToolStep("1", "search", state="ok", result=LONG),
    ],
)
def test_a_step_shows_the_beginning_of_long_texts(step: ToolStep) -> None:
    markup = step_html(EN, step).markup
    assert len(markup) < 2 * FIRST_CHARACTERS
    assert "more characters" in markup
    assert step.aside or "Show all" in markup
    assert len(step_html(EN, step, whole=True).markup) < 2 * MOST_CHARACTERS


@tool
async def send(prompt: str) -> str:
    """Send."""
    return prompt


def test_what_a_person_approves_is_shown_to_its_end() -> None:
    text = "wörd " * (MAX_ARGUMENTS // 5)
    markup = approval_html(EN, send, {"text": text, "last": "the end"}).markup
    assert "the end" in markup
    assert markup.count("wörd") == text.count("wörd")


def test_a_title_of_a_source_has_the_length_of_a_title() -> None:
    thai = sources_html(EN, [Source("https://a.test/", "\u0e33" * 20_000)], "").markup
    assert len(thai) < 1_000


def test_an_address_is_never_cut() -> None:
    address = f"data:image/png;base64,{'A' * 2 * MOST_CHARACTERS}"
    assert address in h("img", {"src": address}).markup


def test_what_is_left_out_of_an_answer_is_said() -> None:
    shown = actions_html(EN, text=True, again=False, too_long=True, left_out=4_900_000).markup
    assert "4,900,000 more characters are not shown" in shown


def test_a_reply_has_no_more_calls_and_none_longer_than_any_sensible_one() -> None:
    many = tuple(ToolCall(str(at), LONG, LONG) for at in range(5_000))
    message = normalize_calls(AssistantMessage("", many), set(), [])
    assert len(message.tool_calls) == MAX_CALLS
    for call in message.tool_calls:
        assert len(call.name) <= MAX_NAME
        assert len(call.arguments) <= MAX_ARGUMENTS + 1
    refused = parse_call(message.tool_calls[0], [], truncated=False)
    assert "longer than" in str(refused)


def test_the_list_of_places_that_write_text_is_complete() -> None:
    """A new place needs a bound, or a reason why its text is short."""
    found = {
        path.name
        for path in BROWSER.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Attribute)
        and node.attr in ("textContent", "innerText")
        and isinstance(node.ctx, ast.Store)
    }
    assert found == set(PAINTED_AS_TEXT)
