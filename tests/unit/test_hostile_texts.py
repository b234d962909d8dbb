"""Hostile texts on their way out of the page: exports, copies, CSV, sentences, addresses.

What must not happen is read with a Markdown parser of somebody else, not with patterns of ours.
"""

import csv
import io
import json
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from tabloop.agent.displays import Chart, Picture, Series
from tabloop.agent.errors import ModelError
from tabloop.agent.events import RunFinished
from tabloop.agent.tools import Source, tool
from tabloop.tools.images.response import may_load
from tabloop.ui.answer_state import AnswerState, ToolStep
from tabloop.ui.approval_card import approval_html
from tabloop.ui.chart_table import chart_csv
from tabloop.ui.copying import copied_sources, copied_text
from tabloop.ui.export import ExportedAnswer, as_markdown
from tabloop.ui.html import Html
from tabloop.ui.image_card import CardState, card_html
from tabloop.ui.links import links_in
from tabloop.ui.pictures import picture_html
from tabloop.ui.problems import problem_html, problem_of
from tabloop.ui.sources import sources_html
from tabloop.ui.strings import load_strings
from tabloop.ui.unseen import is_unseen

from tests.conftest import Tried
from tests.hostile import inputs

EN, DE = load_strings("en"), load_strings("de")
OTHER_PROGRAM = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
# a parser that shows every address as a link, because another program may do so
OTHER_PROGRAM.validateLink = lambda url: True
SAFE = re.compile(r"https?://[^/?#@\\]+(?:[/?#][^\\]*)?|mailto:[^?&,%]+@[^?&,%]+")


class Live(HTMLParser):
    """What another program would make of an export: tags, headings, addresses of links."""

    def __init__(self, markdown: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.headings: list[str] = []
        self.links: list[str] = []
        self._heading = False
        self.feed(OTHER_PROGRAM.render(markdown))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        self._heading = tag in ("h1", "h2")

    def handle_data(self, data: str) -> None:
        if self._heading:
            self.headings.append(data)
            self._heading = False


TAGS = "p h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code a table thead tbody tr td th em strong hr"
OURS = {*TAGS.split(), "s", "br"}


class Shown(HTMLParser):
    """The text of the block with a call's arguments."""

    def __init__(self, html: Html) -> None:
        super().__init__()
        self.text = ""
        self._inside = False
        self.feed(str(html))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside = tag == "pre"

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.text += data

    def handle_endtag(self, tag: str) -> None:
        self._inside = False


FRAME = ["Conversation with Tabloop", "Question", "Answer"]


def check(exported: str, exchanges: int) -> None:
    live = Live(exported)
    assert live.tags <= OURS
    assert live.headings == FRAME[:1] + FRAME[1:] * exchanges
    assert [url for url in live.links if not SAFE.fullmatch(url)] == []


def exported_twice(text: str) -> str:
    answer = ExportedAnswer(text, AnswerState(text=text), problem=text)
    return as_markdown(EN, [answer, answer], "2026-09-10")


@pytest.mark.parametrize("text", inputs("exported_answers"))
def test_no_answer_is_live_again_in_an_export(text: str, tried: Tried) -> None:
    check(exported_twice(text), 2)
    copied = Live(copied_text(EN, AnswerState(text=text)))
    assert copied.tags <= OURS
    assert [url for url in copied.links if not SAFE.fullmatch(url)] == []
    tried("answers that are exported", 1)


def test_what_the_page_makes_harmless_is_harmless_in_an_export(tried: Tried) -> None:
    for text in inputs("markdown"):
        check(exported_twice(text), 2)
    tried("answers that are exported", len(inputs("markdown")))


PIECES = (
    "!|[|]|(|)|<|>|\\|`|```|~~~|#|##|===|---|-|1.|>|\t|    | |\n|\n\n|a|img src=x|script|/b|:|"
    "https://a.example/|javascript:x|mailto:a@b.example?bcc=c@d.example|[r]|[r]:|&colon;|@|\r|"
    "\u2028|\u00a0|'|\"|x| |- |\n  ```|\n   ~~~"
)


@given(st.lists(st.sampled_from(PIECES.split("|")), max_size=24).map("".join))
def test_no_text_is_live_again_in_an_export(text: str) -> None:
    check(exported_twice(text), 2)


@pytest.mark.parametrize(
    "text", ["!\r ```", "a\n\n   ~~~ x", "- a\n  ```\n  b\nc\n  ```\nd", "1. ```a\n b"]
)
def test_a_fence_that_an_answer_leaves_open_takes_nothing_of_the_export(text: str) -> None:
    check(exported_twice(text), 2)


def test_closed_fences_of_a_list_are_exported_as_they_are() -> None:
    text = "1. a\n   ```python\n   x = 1\n   ```\n2. ~~~\n\n   b\n   ~~~"
    assert text in exported_twice(text)


@pytest.mark.parametrize("address", inputs("exported_addresses"))
def test_no_source_or_picture_makes_an_odd_link_in_an_export(address: str, tried: Tried) -> None:
    step = ToolStep("a", "draw", state="ok", display=Picture(address, "An apple", 1, 1))
    state = AnswerState(text="Yes.", steps=(step,), sources=(Source(address, "Title"),))
    check(as_markdown(EN, [ExportedAnswer("?", state)], "2026-09-10"), 1)
    assert [url for url in Live(copied_text(EN, state)).links if not SAFE.fullmatch(url)] == []
    linked = re.findall('href="([^"]*)"', str(copied_sources(EN, state)))
    assert all(url.startswith("https://evil.example/") for url in linked)
    tried("addresses that are exported", 1)


@pytest.mark.parametrize("label", inputs("csv_labels"))
def test_no_label_is_a_formula_in_any_spreadsheet(label: str, tried: Tried) -> None:
    chart = Chart("bars", "Title", "Party", (label,), (Series("yes", (1,)),), "votes")
    written = chart_csv(EN, chart).split("\r\n", 1)[1]
    [cell, _] = next(csv.reader(io.StringIO(written, newline="")))
    assert cell.startswith("'") or written.startswith('"')
    tried("labels of CSV", 1)


def test_a_source_whose_title_shows_nothing_is_named_by_its_address() -> None:
    shown = str(sources_html(EN, [Source("https://a.test/pier", "\u200b\u3164")], ""))
    assert ">https://a.test/pier</a>" in shown


@pytest.mark.parametrize("address", inputs("user_addresses"))
def test_no_address_with_a_user_is_linked_or_loaded(address: str, tried: Tried) -> None:
    assert "href" not in str(sources_html(EN, [Source(address, "Title")], ""))
    shown = str(picture_html(EN, Picture(address, "An apple", 1, 1)))
    assert "href" not in shown
    assert "src=" not in shown
    assert not may_load(address)
    tried("addresses with a user", 1)


@pytest.mark.parametrize("words", inputs("error_words"))
def test_no_foreign_word_turns_or_hides_a_sentence(words: str, tried: Tried) -> None:
    error = ModelError("server_error", host=f"a{words}.example", detail=words, retryable=True)
    ended = RunFinished("error", error=error)
    problem = problem_of(EN, ended, has_text=False, hops=1, model=words)
    assert problem
    shown = problem.sentence + str(problem_html(EN, problem))
    assert [sign for sign in shown if is_unseen(sign)] == []
    tried("words of errors", 1)


def test_only_addresses_in_results_that_succeeded_are_known_links() -> None:
    text = 'see https://a.example/b. And [x](https://a.example/c) or "https://a.example/ä?d=1".'
    found = ToolStep(
        "1", "get_page", state="ok", result=json.dumps({"text": text}, ensure_ascii=False)
    )
    failed = ToolStep("2", "get_page", state="failed", result='"https://b.example/"')
    asked = ToolStep("3", "get_page", state="ok", raw_arguments='{"url": "https://c.example/"}')
    known = links_in([found, failed, asked])
    assert {"https://a.example/b", "https://a.example/c", "https://a.example/ä?d=1"} <= set(known)
    assert all(link.startswith("https://a.example/") for link in known)


@tool
async def send(prompt: str) -> str:
    """Send."""
    return prompt


@pytest.mark.parametrize("prompt", inputs("prompts"))
def test_what_a_person_agrees_to_can_be_seen_and_its_length_stands_there(
    prompt: str, tried: Tried
) -> None:
    state = CardState.asked({"prompt": prompt, "size": "1024x1024"})
    runs = state.arguments["prompt"]
    assert [sign for sign in runs if sign != "\n" and is_unseen(sign)] == []
    assert runs == state.prompt
    card = str(card_html(EN, state, longest=4000))
    assert f">{len(runs)} characters" in card
    assert ("left out" in card) is any(is_unseen(sign) and sign != "\n" for sign in prompt)
    asked = Shown(approval_html(EN, send, {"prompt": prompt}))
    assert json.loads(asked.text)["prompt"] == prompt  # exactly what runs
    assert [sign for sign in asked.text if sign != "\n" and is_unseen(sign)] == []
    assert asked.text.count("\n") == 2
    tried("texts that a person approves", 1)


def test_a_long_text_that_a_person_approves_says_how_long_it_is() -> None:
    state = CardState.asked({"prompt": "line\n" * 1000, "size": "1024x1024"})
    assert "4,999 characters · 1,000 lines<" in str(card_html(EN, state, longest=4000))
    pasted = CardState("a cat\u200b\U000e0041", "1024x1024")
    assert "5 characters. 2 characters that cannot be seen were left out." in str(
        card_html(EN, pasted, longest=4000)
    )
    assert "1.003 Zeichen · 3 Zeilen" in str(approval_html(DE, send, {"prompt": "x" * 985}))
