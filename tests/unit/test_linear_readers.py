"""Twice the reply is twice the work: no reply can freeze the tab."""

import json
from collections.abc import Callable

import pytest
from tabloop.agent.errors import ModelError
from tabloop.agent.messages import AssistantMessage
from tabloop.agent.ports import ModelReply, TextDelta
from tabloop.endpoint.halves import marked_halves, whole_characters
from tabloop.endpoint.reply import ReplyReader
from tabloop.endpoint.written_calls import MARKS, WithheldCalls, read_written_calls
from tabloop.tools.site import indexes
from tabloop.tools.site.lists import listed_pages
from tabloop.tools.site.ports import Passage
from tabloop.tools.site.reader import markdown_page
from tabloop.ui import export_text
from tabloop.ui.export_text import disarmed

from tests.unit.step_counter import work


def event(delta: object) -> bytes:
    return b"data: " + json.dumps({"choices": [{"index": 0, "delta": delta}]}).encode() + b"\n\n"


def call(number: int) -> dict[str, object]:
    function = {"name": "look", "arguments": '{"a":'}
    return {"tool_calls": [{"index": number, "id": f"c{number}", "function": function}]}


def read(body: bytes, size: int) -> Callable[[], object]:
    def feed() -> None:
        reader = ReplyReader(host="llm.test")
        try:
            for at in range(0, len(body), size):
                reader.feed(body[at : at + size])
            reader.flush()
            reader.close()
        except ModelError:
            pass

    return feed


STREAMS: dict[str, Callable[[int], bytes]] = {
    "text": lambda n: event({"content": "word "}) * n,
    "reasoning marks": lambda n: event({"content": "<think>"}) * n,
    "marks in one event": lambda n: event({"content": "a <think> ``` ` " * (3 * n)}),
    "pieces of one call": lambda n: event(call(0)) * n,
    "many calls": lambda n: b"".join(event(call(number)) for number in range(n)),
    "homeless pieces": lambda n: b"".join(
        event({"tool_calls": [{"index": 7 + number, "function": {"arguments": "1"}}]})
        for number in range(n)
    ),
    "reasoning to keep": lambda n: event({"reasoning_content": "Hm. "}) * n + event(call(0)),
    "halves": lambda n: (
        rb'data: {"choices": [{"delta": {"content": "\ud83d"}}]}' * 1
        + b"\n\n"
        + rb'data: {"choices": [{"delta": {"content": "\ude00\ud83d"}}]}'.join([b"\n\n"] * n)
    ),
    "noise": lambda n: b"data: undefined\n\n" * n,
    "comments": lambda n: b": here\n" * n,
    "lines of one event": lambda n: b"data: {}\n" * n + b"\n",
    "white space": lambda n: b" \n" * n,
    "a call in the text": lambda n: event({"content": '<tool_call>{"a": '}) * n,
}


@pytest.mark.parametrize("name", STREAMS)
def test_twice_the_stream_is_twice_the_work(name: str) -> None:
    once, twice = STREAMS[name](100), STREAMS[name](200)
    assert work(read(twice, 100)) < 2.3 * work(read(once, 100)) + 5_000


@pytest.mark.parametrize("unit", ["<tool_call>", "\n", " ", "\n<tool", "a", "</tool_call>", "{"])
def test_twice_the_text_of_a_call_is_twice_the_work(unit: str) -> None:
    def withheld(count: int) -> Callable[[], object]:
        def feed() -> None:
            held = WithheldCalls()
            for _ in range(count):
                held.feed(TextDelta(unit))
            held.rest()
            read_written_calls(ModelReply(AssistantMessage(unit * count)), {"look"})

        return feed

    assert work(withheld(800)) < 2.3 * work(withheld(400)) + 5_000


@pytest.mark.parametrize("text", [r"\ud83d", r"\ud83d\ude00", "\\", r"\u"])
def test_halves_are_joined_in_time_that_grows_as_they_do(text: str) -> None:
    def join(count: int) -> Callable[[], object]:
        return lambda: whole_characters(marked_halves(text * count))

    assert work(join(800)) < 2.3 * work(join(400)) + 5_000


def test_the_marks_of_calls_are_short_enough_to_wait_for() -> None:
    assert max(map(len, MARKS)) < 20


@pytest.mark.parametrize("part", ['"' + r"\"" * 100, "a" * 100, "1" * 100])
def test_a_damaged_index_of_sphinx_is_read_once(part: str) -> None:
    """Else a string without an end in a large index stops the tab for long."""
    assert [found.span() for found in indexes.KEY.finditer(part)] == [(0, len(part))]


@pytest.mark.parametrize("damaged", ["\n" * 9, "- [\n" * 9, "- [a](\n" * 9])
def test_a_damaged_line_of_a_list_of_pages_ends_with_the_line(damaged: str) -> None:
    """Else each of many lines is read to the end of the list."""
    assert listed_pages(damaged + "- [A](a) \n : b\n", "/l") == [Passage("A", "", "a", "", "")]


@pytest.mark.parametrize(
    ("start", "entry", "end"),
    [("<urlset>", "<loc>https://a.test/b</loc>", "</urlset>"), ("# Site\n", "- [A](b): c\n", "")],
)
def test_only_the_pages_that_are_taken_from_a_list_cost_work(
    start: str, entry: str, end: str
) -> None:
    def read(count: int) -> Callable[[], object]:
        return lambda: listed_pages(start + entry * count + end, "/list")

    assert work(read(20_000)) < 2 * work(read(5_000))


def test_blanks_in_a_sitemap_are_read_once() -> None:
    """Else the time grows with a power of their number."""
    blanks = " " * 5_000
    text = f"<urlset><loc>{blanks}<<loc>{blanks}<![CDATA[ /a{blanks}]]>{blanks}</loc>"
    assert [one.url for one in listed_pages(text, "/sitemap.xml")] == ["/a"]


@pytest.mark.parametrize("line", ["# a" + " #" * 100_000 + "x", "[" * 200_000, "[a](" * 100_000])
def test_a_long_line_of_a_markdown_page_is_read_once(line: str) -> None:
    """Before, the time grew with the square of the length, or faster."""
    [section] = markdown_page(line).sections
    assert line == ("# " + section.title if section.level else section.text)


def test_a_picture_in_a_link_becomes_its_text() -> None:
    [section] = markdown_page("[![Map](map.png)](/map_(old)) and [b](c)").sections
    assert "![" not in section.text
    assert section.text.endswith("and b")


def test_a_row_of_backslashes_is_read_once() -> None:
    """Else 200,000 of them in an answer stop the tab for minutes when it is copied or exported."""
    row = "\\" * 1_000 + "!["
    assert [at for at in range(len(row)) if export_text.LIVE.match(row, at)] == [0]
    assert disarmed(row) == "\\" * 1_001 + "!["
    assert disarmed(row[1:]) == row[1:]  # it has one already
