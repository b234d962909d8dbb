"""Hostile replies of a model or of the record: a sentence, or an answer, and never for ever.

Time is virtual here; the work is counted in steps of Python, so that no machine's speed matters.
"""

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from typing import Any, cast

import pytest
from tabloop.agent.errors import ModelError, ToolError
from tabloop.agent.limits import MAX_REPLY
from tabloop.agent.messages import UserMessage
from tabloop.agent.ports import ModelReply, ModelRequest
from tabloop.endpoint.chat_completions import ChatCompletionsModel
from tabloop.endpoint.reply import read_reply
from tabloop.tools.bundestakt.api import BundestaktApi
from tabloop.tools.bundestakt.tool import bundestakt_tools

from tests.conftest import Tried
from tests.unit.fake_transport import FakeTransport, Pieces, answer
from tests.unit.step_counter import work

KEY = "sk-a-key-that-nobody-may-read"


class Endless(Sequence[bytes | int]):
    """Pieces of a body that never ends; `read` counts them."""

    def __init__(self, *pieces: bytes | int) -> None:
        self._pieces = pieces
        self.read = 0

    def __iter__(self) -> Iterator[bytes | int]:
        for pieces in repeat(self._pieces):
            for piece in pieces:
                self.read += 1
                assert self.read < 2_000, "it is read for ever"
                yield piece

    def __getitem__(self, index: Any) -> Any:
        return self._pieces[int(index) % len(self._pieces)]

    def __len__(self) -> int:
        return len(self._pieces)


def model(given: Any, **options: Any) -> ChatCompletionsModel:
    transport = FakeTransport([given])
    return ChatCompletionsModel(
        transport, url="https://llm.test/v1", model="m", sleep=no_wait, **options
    )


async def no_wait(_seconds: float) -> None:
    await asyncio.sleep(0)


async def reply_of(given: Any, **options: Any) -> ModelReply | ModelError:
    parts: list[object] = []
    try:
        async for part in model(given, **options).reply(ModelRequest((UserMessage("Hello"),))):
            parts.append(part)  # noqa: PERF401 -- an error may come in the middle
    except ModelError as error:
        return error
    return cast("ModelReply", parts[-1])


def whole(content: str) -> bytes:
    return json.dumps(
        {"choices": [{"message": {"content": content}, "finish_reason": "stop"}]}
    ).encode()


MARKS: dict[str, Callable[[int], bytes]] = {
    "ends of reasoning": lambda n: whole("a</think>" * n),
    "begins of reasoning": lambda n: whole("<think>" * n),
    "tool calls": lambda n: json.dumps(
        {"choices": [{"message": {"tool_calls": [{"id": "x", "function": {"name": "a"}}] * n}}]}
    ).encode(),
}


@pytest.mark.parametrize("name", MARKS)
def test_twice_the_whole_reply_is_twice_the_work(name: str, tried: Tried) -> None:
    def read(count: int) -> Callable[[], object]:
        return lambda: read_reply(MARKS[name](count), host="llm.test")

    assert work(read(400)) < 2.3 * work(read(200)) + 5_000
    tried("replies", 1)


BODIES: dict[str, Any] = {
    "lists in lists": lambda: answer(b"[" * 500_000),
    "objects in objects": lambda: answer(b'{"a":' * 300_000),
    "600 MB of spaces": lambda: Pieces(Endless(b" " * 1_000_000)),
    "JSON without an end": lambda: Pieces(Endless(b'{"choices": [' + b'"x",' * 100_000)),
    "7 MB of x": lambda: answer(b"x" * 7_000_000),
}


@pytest.mark.parametrize("name", BODIES)
async def test_no_body_is_read_for_ever(name: str, tried: Tried) -> None:
    for stream in (False, True):
        error = await reply_of(BODIES[name](), stream=stream)
        assert isinstance(error, ModelError)
        assert error.host == "llm.test"
    get_sitzungen, _ = bundestakt_tools(
        BundestaktApi(FakeTransport([BODIES[name]()]), "https://b.test")
    )
    with pytest.raises(ToolError):
        await get_sitzungen.run({})
    tried("replies", 2)


@pytest.mark.parametrize("ping", [b": ping\n\n", b"event: ping\ndata: {}\n\n", b"data: {}\n\n"])
async def test_signs_of_life_without_a_reply_end(ping: bytes, tried: Tried) -> None:
    pings = Endless(ping, 10)
    error = await reply_of(
        Pieces(pings, headers={"content-type": "text/event-stream"}), stream=True
    )
    assert isinstance(error, ModelError)
    assert error.code == "timeout"
    assert pings.read < 4 * 150
    tried("replies", 1)


@pytest.mark.parametrize("stream", [True, False])
async def test_a_key_that_a_refusal_quotes_is_not_said_again(*, stream: bool) -> None:
    words = f"Incorrect API key provided: {KEY}. " + "x" * 250 + KEY
    error = await reply_of(answer({"error": {"message": words}}, 401), key=KEY, stream=stream)
    assert isinstance(error, ModelError)
    assert "provided: …." in error.detail
    assert KEY[:8] not in error.detail + str(error) + str(error.facts)


DELTAS: dict[str, dict[str, object]] = {
    "text": {"content": "again " * 2_000},
    "reasoning": {"reasoning_content": "again " * 2_000},
    "arguments": {
        "tool_calls": [{"index": 0, "function": {"name": "t", "arguments": "9" * 9_999}}]
    },
}


@pytest.mark.parametrize("kind", DELTAS)
async def test_a_stream_without_an_end_is_a_cut_reply(kind: str, tried: Tried) -> None:
    event = f"data: {json.dumps({'choices': [{'delta': DELTAS[kind]}]})}\n\n".encode()
    pieces = Pieces(Endless(event), headers={"content-type": "text/event-stream"})
    reply = await reply_of(pieces, stream=True)
    assert isinstance(reply, ModelReply)
    assert (reply.finish_reason, reply.notes) == ("length", ("endless",))
    assert len(reply.message.content or "") < MAX_REPLY + 12_001
    tried("replies", 1)
