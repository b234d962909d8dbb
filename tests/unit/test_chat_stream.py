"""Generated streams: any bytes are read or refused, and the split into chunks changes nothing."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tabloop.agent.errors import ModelError
from tabloop.agent.messages import UserMessage
from tabloop.agent.ports import ModelReply, ModelRequest, TextDelta
from tabloop.core.json_text import as_text, compact
from tabloop.endpoint.reasoning import VisibleText, without_reasoning
from tabloop.endpoint.reply import MAX_BODY, ReplyReader
from tabloop.endpoint.request import write_request

from tests.unit.reply_corpus import QUIRKS

KEYS = """choices delta message content tool_calls function name arguments index id error code
usage prompt_tokens finish_reason text type refusal object x_groq""".split()  # noqa: SIM905 -- readable as it is
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 600),
    st.floats(),
    st.sampled_from(["", "stop", "<think>", "</think>", "`", "{}", "x", "length", "error"]),
)
JSON = st.recursive(
    VALUES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
    ),
    max_leaves=10,
)
DELTAS = JSON.map(lambda value: {"choices": [{"delta": {"content": value, "tool_calls": value}}]})
EVENTS = (JSON | DELTAS).map(lambda value: f"data: {json.dumps(value)}\n\n".encode())
LINES = st.sampled_from([b"data: [DONE]\n\n", b"event: error\n", b": x\n", b"data: {\n\n", b"\n"])
STREAMS = st.lists(EVENTS | LINES, max_size=6).map(b"".join)


def read(
    *pieces: bytes, status: int = 200, opened: bool = False
) -> tuple[str, ModelReply | tuple[str, str]]:
    """Return the text that was shown, and the reply or the error."""
    shown = ""
    reader = ReplyReader(status, host="llm.test", reasoning_opened=opened)

    def show(delta: TextDelta | None) -> None:
        nonlocal shown
        if delta:
            shown = delta.text if delta.replaces else shown + delta.text

    try:
        for piece in pieces:
            show(reader.feed(piece))
        show(reader.flush())
        return shown, reader.close()
    except ModelError as error:
        return shown, (error.code, error.detail)


def cut(body: bytes, places: list[int]) -> list[bytes]:
    return [body[a:b] for a, b in pairwise([0, *sorted(places), len(body)])]


@given(STREAMS | st.binary(max_size=80), st.booleans(), st.sampled_from([200, 400, 500]))
def test_any_body_is_read_or_refused_and_a_reply_can_be_sent_back(
    body: bytes, opened: bool, status: int
) -> None:
    _, reply = read(body, status=status, opened=opened)
    if isinstance(reply, ModelReply):
        assert write_request(ModelRequest((UserMessage("x"), reply.message)), model="m")


@given(STREAMS, st.data())
def test_any_cut_of_any_stream_is_read_like_the_whole(body: bytes, data: st.DataObject) -> None:
    places = data.draw(st.lists(st.integers(0, len(body)), max_size=5))
    assert read(*cut(body, places)) == read(body)


@given(st.sampled_from(sorted(QUIRKS)), st.data())
def test_any_cut_of_the_corpus_is_read_like_the_whole(name: str, data: st.DataObject) -> None:
    body = QUIRKS[name].body
    places = data.draw(st.lists(st.integers(0, len(body)), max_size=5))
    status = QUIRKS[name].status
    assert read(*cut(body, places), status=status) == read(body, status=status)


@given(st.sampled_from(sorted(QUIRKS)), st.data())
def test_a_reply_that_ends_anywhere_is_read_or_refused(name: str, data: st.DataObject) -> None:
    body = QUIRKS[name].body
    read(body[: data.draw(st.integers(0, len(body)))])


TAGS = ["<think>", "</think>", "[THINK]", "[/THINK]", "</thinking>", "<Thought>", "<thi", "<", "["]
CHANNELS = [
    "<|start|>",
    "<|channel|>",
    "analysis",
    "final",
    "<|message|>",
    "<|end|>",
    "◁think▷",
    "◁",
]
MARKS = [*TAGS, *CHANNELS, "`", "``", "```", "a", "ü", " ", "\n"]
TEXTS = st.lists(st.sampled_from(MARKS), max_size=12).map("".join)


@given(TEXTS, st.booleans(), st.booleans(), st.data())
def test_thinking_is_hidden_in_pieces_as_in_the_whole(
    text: str, opened: bool, finished: bool, data: st.DataObject
) -> None:
    places = data.draw(st.lists(st.integers(0, len(text)), max_size=5).map(sorted))
    reader, shown = VisibleText(opened=opened), ""
    for a, b in pairwise([0, *places, len(text)]):
        piece = reader.feed(text[a:b])
        shown = piece.text if piece.replaces else shown + piece.text
    last = reader.close(finished=finished)
    shown = last.text if last.replaces else shown + last.text
    assert shown.strip() == without_reasoning(text, opened=opened, finished=finished)


LONG = "a" * 3000


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("<think>a</think><think>b</think>c", "c"),
        ("Yes.\n  <think>hm</think>\nNo.", "Yes.\n  \nNo."),
        ("Thoughts end with </think>", "Thoughts end with"),
        ("First.\n<think>\nNever closed.", "First.\n\nNever closed."),
        ("The mark <|end|> ends it.", "The mark <|end|> ends it."),
        ("<|channel|>final<|message|>Yes.", "Yes."),
        ("<|channel|>commentary to=functions.x<|message|>{}<|end|>Yes.", "Yes."),
        ("~ `</think>` ~", "~ `</think>` ~"),
        ("```\n</think>\n```\nb", "```\n</think>\n```\nb"),
        (f"`{LONG}` <think>", f"`{LONG}` <think>"),
    ],
)
def test_what_is_thinking_in_a_finished_text(text: str, seen: str) -> None:
    assert without_reasoning(text, finished=True) == seen
    reader = VisibleText()
    pieces = [reader.feed(letter) for letter in text]
    assert not any(piece.replaces for piece in pieces) or "</think>" in text


def test_thinking_that_was_cut_or_ends_in_a_call_stays_hidden() -> None:
    assert without_reasoning("<think>\nI call it") == ""
    assert without_reasoning("I call it.\n</think>") == ""


@pytest.mark.parametrize("status", [200, 500])
@pytest.mark.parametrize("begin", [b"{", b" ", b"<p>"])
def test_an_endless_body_is_aborted_at_the_size_limit(status: int, begin: bytes) -> None:
    reader, count = ReplyReader(status, host="llm.test"), 0
    while not reader.done:
        reader.feed((begin if not count else b"") + b" " * 65_536)
        count += 1
    assert count * 65_536 <= MAX_BODY + 65_536
    with pytest.raises(ModelError) as caught:
        reader.close()
    assert caught.value.code == ("not_json" if status == 200 else "server_error")


def test_many_small_pieces_are_joined_once() -> None:
    reader = ReplyReader()
    for piece in (b" " * 40, b"{", *[b" "] * 300_000, b"}"):
        assert reader.feed(piece) is None
    arguments = [
        b'data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"t"}}]}}]}'
    ]
    more = (
        b'data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"x"}}]}}]}'
    )
    _, reply = read(*[line + b"\n\n" for line in (*arguments, *[more] * 20_000, b"data: [DONE]")])
    assert isinstance(reply, ModelReply)
    assert len(reply.message.tool_calls[0].arguments) == 20_000


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan")])
def test_a_number_that_json_cannot_write_becomes_null(value: float) -> None:
    assert compact({"a": [value, (1.5, value)]}) == '{"a":[null,[1.5,null]]}'
    assert as_text(value) == ""


def content(*pieces: str) -> list[bytes]:
    choices: list[object] = [{"delta": {"content": piece}} for piece in pieces]
    choices.append({"delta": {}, "finish_reason": "stop"})
    return [f"data: {json.dumps({'choices': [choice]})}\n\n".encode() for choice in choices]


def deltas(*pieces: str, opened: bool = False) -> list[TextDelta]:
    reader = ReplyReader(reasoning_opened=opened)
    found = [reader.feed(chunk) for chunk in content(*pieces)]
    return [delta for delta in (*found, reader.flush()) if delta]


def test_text_is_passed_on_as_soon_as_its_chunk_arrives() -> None:
    assert deltas("\n\n", "The ", "Bundes", "tag [", "9]") == [
        TextDelta("The "),
        TextDelta("Bundes"),
        TextDelta("tag "),
        TextDelta("[9]"),
    ]


def test_thinking_without_an_opening_tag_is_removed_when_its_closing_tag_comes() -> None:
    assert deltas("hm ", "hm</think>\n\n", "Yes.") == [
        TextDelta("hm "),
        TextDelta("", replaces=True),
        TextDelta("Yes."),
    ]


def test_thinking_without_an_opening_tag_is_not_shown_if_the_endpoint_is_known_for_it() -> None:
    assert deltas("hm ", "hm</think>\n\n", "Yes.", opened=True) == [TextDelta("Yes.")]


def test_an_answer_without_thinking_is_complete_at_such_an_endpoint() -> None:
    assert deltas("Yes.", opened=True) == [TextDelta("Yes.")]
    _, reply = read(*content("Yes."), opened=True)
    assert isinstance(reply, ModelReply)
    assert reply.message.content == "Yes."


def test_of_several_choices_only_the_first_is_read() -> None:
    def piece(index: int, text: str, reason: str | None = None) -> bytes:
        choice = {"index": index, "delta": {"content": text}, "finish_reason": reason}
        return f"data: {json.dumps({'choices': [choice]})}\n\n".encode()

    pieces = (piece(0, "First "), piece(1, "Other."), piece(1, "", "length"), piece(0, "one."))
    shown, reply = read(*pieces, piece(0, "", "stop"))
    assert isinstance(reply, ModelReply)
    assert (shown, reply.message.content, reply.finish_reason) == ("First one.",) * 2 + ("stop",)


def test_a_stream_without_server_sent_events_is_refused_early() -> None:
    shown, error = read(b"data: " + b"x" * 2_000_000)
    assert (shown, isinstance(error, tuple) and error[0]) == ("", "not_json")
