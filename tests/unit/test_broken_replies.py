"""Replies that broke on the way: never a crash, and never a part that looks like the whole."""

import os
from collections.abc import Iterator

import pytest
from tabloop.agent.errors import ModelError
from tabloop.agent.ports import ModelReply
from tabloop.endpoint.reply import read_reply

from tests.unit.reply_corpus import QUIRKS, Quirk

EACH = pytest.mark.parametrize("quirk", QUIRKS.values(), ids=QUIRKS.keys())
# 1: at each byte, which takes minutes; each file has its own first place
EVERY = int(os.environ.get("TABLOOP_BREAK_EVERY", "23"))


def places(quirk: Quirk) -> Iterator[int]:
    return iter(range(len(quirk.name) % EVERY, len(quirk.body), EVERY))


def read(quirk: Quirk, body: bytes) -> ModelReply | None:
    try:
        return read_reply(body, quirk.status, quirk.headers, host="llm.test")
    except ModelError:
        return None


def looks_whole(reply: ModelReply) -> bool:
    return "damaged" not in reply.notes and reply.finish_reason != "length"


@EACH
def test_a_reply_that_is_cut_off_is_an_error_or_all_of_it(quirk: Quirk) -> None:
    intact = read(quirk, quirk.body)
    for at in places(quirk):
        reply = read(quirk, quirk.body[:at])
        assert reply is None or (intact and reply.message == intact.message), quirk.body[:at]


@EACH
def test_a_damaged_byte_is_noticed_or_harmless(quirk: Quirk) -> None:
    intact = read(quirk, quirk.body)
    for at in places(quirk):
        body = quirk.body[:at] + b"\xff" + quirk.body[at + 1 :]
        reply = read(quirk, body)
        if reply is not None and looks_whole(reply):
            assert intact, body
            assert reply.message == intact.message, body
