"""The event decoder: any cut of the bytes gives the same events."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tabloop.endpoint.sse import EventTooLong, SseDecoder, SseEvent


def decoded(*chunks: bytes) -> list[SseEvent]:
    decoder = SseDecoder()
    return [event for chunk in chunks for event in decoder.feed(chunk)] + decoder.close()


@pytest.mark.parametrize(
    ("body", "events"),
    [
        (b"data: a\n\ndata: b\n\n", [SseEvent("a"), SseEvent("b")]),
        (b"data: a\r\n\r\ndata: b\r\n\r\n", [SseEvent("a"), SseEvent("b")]),
        (b"data: a\r\rdata: b\r\r", [SseEvent("a"), SseEvent("b")]),
        (b"data: a\r\n\ndata: b\n\r\n", [SseEvent("a"), SseEvent("b")]),
        (b"\xef\xbb\xbfdata: a\n\n", [SseEvent("a")]),
        (
            b"data: a\n\n\xef\xbb\xbfdata: b\n\n",
            [SseEvent("a")],
        ),  # a byte order mark elsewhere is a normal character
        (b"data:a\ndata: b\ndata:  c\n\n", [SseEvent("a\nb\n c")]),
        (b"data\ndata\n\n", [SseEvent("\n")]),
        (b": nothing\n\n:\n\ndata: a\n\n", [SseEvent("a")]),
        (b"event: error\ndata: a\n\ndata: b\n\n", [SseEvent("a", "error"), SseEvent("b")]),
        (b"event: lost\n\ndata: a\n\n", [SseEvent("a")]),
        (b"id: 7\nretry: 10\nunknown: x\ndata: a\n\n", [SseEvent("a")]),
        (b"data: a", [SseEvent("a")]),
        (b"data: a\n", [SseEvent("a")]),
        (b"data: \xc3\xbc\n\n", [SseEvent("ü")]),
        (b"data: \xc3\n\n", [SseEvent("\ufffd", damaged=True)]),
        (b"data: \xef\xbf\xbd\n\n", [SseEvent("\ufffd")]),  # as the server wrote it
        (b"daxa: {}\n\ndata: a\n\n", [SseEvent("", damaged=True), SseEvent("a")]),
        (b"dat\xff: a\n\n", [SseEvent("", damaged=True)]),
        (b"id: 7\nretry: 9\nfoo\ndata: a\n\n", [SseEvent("a")]),
        (b": {a comment}\ndata: a\n\n", [SseEvent("a")]),
        (b"", []),
        (b"\n\n\n", []),
    ],
)
def test_events_are_read_as_the_format_says(body: bytes, events: list[SseEvent]) -> None:
    assert decoded(body) == events
    assert decoded(*(body[at : at + 1] for at in range(len(body)))) == events


FIELDS = [b"data: x", b"data:", b"data: \xc3\xbc\xf0\x9f\x98\x80", b"event: error", b": c"]
BROKEN = [b"", b"\xef", b"\xef\xbb\xbf", b"\xbb\xbfdata: y", b"da", b"data: \xff"]
LINES = st.sampled_from([*FIELDS, *BROKEN])
ENDS = st.sampled_from([b"\n", b"\r", b"\r\n", b"\n\n", b"\r\n\r\n", b""])
BODIES = st.lists(st.tuples(LINES, ENDS), max_size=12).map(
    lambda pairs: b"".join(part for pair in pairs for part in pair)
)


@given(BODIES | st.binary(max_size=60), st.data())
def test_any_cut_gives_the_same_events(body: bytes, data: st.DataObject) -> None:
    places = data.draw(st.lists(st.integers(0, len(body)), max_size=6).map(sorted))
    chunks = [body[a:b] for a, b in zip([0, *places], [*places, len(body)], strict=True)]
    assert decoded(*chunks) == decoded(body)


def test_an_endless_line_is_refused_before_it_fills_the_memory() -> None:
    decoder = SseDecoder(max_event=1000)
    decoder.feed(b"x" * 900)
    with pytest.raises(EventTooLong):
        decoder.feed(b"x" * 101)


def test_an_endless_event_is_refused_before_it_fills_the_memory() -> None:
    decoder = SseDecoder(max_event=1000)
    decoder.feed(b"data: xxx\n" * 100)
    with pytest.raises(EventTooLong):
        decoder.feed(b"data: xxx\n" * 20)


@pytest.mark.parametrize(
    "before", [b"", b"data: 0123\n\n", b": a comment\n", b"event: x\n\n", b"\xef\xbb\xbf\n"]
)
def test_each_event_has_the_same_limit_to_the_byte(before: bytes) -> None:
    decoder = SseDecoder(max_event=15)
    decoder.feed(before)
    assert decoder.feed(b"data: 0\ndata: 1\n") == []
    with pytest.raises(EventTooLong, match=r"^more than 15 bytes in one event$"):
        decoder.feed(b"data: 2")
    decoder = SseDecoder(max_event=15)
    decoder.feed(before)
    assert decoder.feed(b"data: 0\ndata: 12\n\n") == [SseEvent("0\n12")]


def test_comments_may_keep_a_line_open_for_ever() -> None:
    decoder = SseDecoder(max_event=1000)
    for _ in range(1000):
        assert decoder.feed(b": keep-alive\n") == []
    assert decoder.feed(b"data: a\n\n") == [SseEvent("a")]


def test_many_small_pieces_of_one_long_line_are_joined_once() -> None:
    pieces = [b"data: ", *[b"x"] * 200_000, b"\n\n"]
    assert decoded(*pieces) == [SseEvent("x" * 200_000)]
