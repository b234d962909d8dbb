"""Every quirk is read as stated, however its body is cut and whatever was asked for."""

from collections.abc import Iterable, Sequence

import pytest
from tabloop.agent.errors import ModelError
from tabloop.agent.messages import UserMessage
from tabloop.agent.ports import ModelReply, ModelRequest, TextDelta
from tabloop.core.http import HttpResponse
from tabloop.endpoint.chat_completions import ChatCompletionsModel
from tabloop.endpoint.reply import ReplyReader, read_reply

from tests.unit.fake_transport import FakeTransport, Pieces
from tests.unit.reply_corpus import QUIRKS, Quirk

EACH = pytest.mark.parametrize("quirk", QUIRKS.values(), ids=QUIRKS.keys())


class Reading:
    """What came of a response: text that was shown, then a reply or an error."""

    def __init__(self) -> None:
        self.shown = ""
        self.reply: ModelReply | None = None
        self.error: ModelError | None = None

    def show(self, delta: TextDelta | None) -> None:
        if delta:
            self.shown = delta.text if delta.replaces else self.shown + delta.text


def read_in_pieces(quirk: Quirk, pieces: Iterable[bytes]) -> Reading:
    reading = Reading()
    reader = ReplyReader(quirk.status, quirk.headers, host="llm.test")
    try:
        for piece in pieces:
            if reader.done:
                break
            reading.show(reader.feed(piece))
        reading.show(reader.flush())
        reading.reply = reader.close()
    except ModelError as error:
        reading.error = error
    return reading


def check(reading: Reading, quirk: Quirk, *, shown: bool) -> None:
    expected = quirk.expected
    if "error" in expected:
        error = reading.error
        assert error is not None, f"read as {reading.reply}"
        assert (error.code, error.retryable) == (expected["error"], expected["retryable"])
        assert expected.get("says", "") in error.detail
        assert error.host == "llm.test"
        assert expected.get("facts", {}).items() <= error.facts.items()
        if shown:
            assert reading.shown.strip() == expected.get("kept", "")
        return
    reply = reading.reply
    assert reply is not None, f"refused: {reading.error}"
    assert reply.message.content == expected.get("text")
    calls = [[call.id, call.name, call.arguments] for call in reply.message.tool_calls]
    assert calls == expected.get("calls", [])
    assert reply.finish_reason == expected.get("finish_reason", "stop")
    usage = reply.usage and [reply.usage.prompt_tokens, reply.usage.completion_tokens]
    assert usage == expected.get("usage")
    assert list(reply.notes) == expected.get("notes", [])
    if shown and quirk.streams and quirk.name != "stream-refusal":
        assert reading.shown.strip() == (expected.get("text") or "")


@EACH
def test_each_reply_is_read_in_one_piece(quirk: Quirk) -> None:
    reading = Reading()
    try:
        reading.reply = read_reply(quirk.body, quirk.status, quirk.headers, host="llm.test")
    except ModelError as error:
        reading.error = error
    check(reading, quirk, shown=False)


@EACH
def test_each_reply_is_read_byte_by_byte(quirk: Quirk) -> None:
    pieces = [quirk.body[at : at + 1] for at in range(len(quirk.body))]
    check(read_in_pieces(quirk, pieces), quirk, shown=True)


@pytest.mark.no_cover  # the same lines thousands of times, and tracing them triples the time
@EACH
def test_each_reply_is_read_in_two_pieces_cut_anywhere(quirk: Quirk) -> None:
    for at in range(0, len(quirk.body) + 1, 5):  # a cut at each byte would take half a minute
        pieces = (quirk.body[:at], quirk.body[at:])
        check(read_in_pieces(quirk, pieces), quirk, shown=True)


async def asked(
    responses: Sequence[HttpResponse | Pieces], *, stream: bool
) -> tuple[Reading, FakeTransport]:
    async def no_time(_seconds: float) -> None:
        pass

    transport = FakeTransport(list(responses))
    model = ChatCompletionsModel(
        transport, url="https://llm.test", model="m", stream=stream, sleep=no_time
    )
    reading = Reading()
    try:
        async for part in model.reply(ModelRequest((UserMessage("Hello"),))):
            if isinstance(part, ModelReply):
                reading.reply = part
            elif isinstance(part, TextDelta):
                reading.show(part)
    except ModelError as error:
        reading.error = error
    return reading, transport


@pytest.mark.parametrize("stream", [True, False], ids=["asked to stream", "asked for all"])
@EACH
async def test_each_reply_is_read_whatever_was_requested(quirk: Quirk, stream: bool) -> None:
    response = HttpResponse(quirk.status, quirk.headers, quirk.body)
    reading, transport = await asked([response], stream=stream)
    if "announced" in quirk.name:
        assert reading.error is not None
        assert reading.error.code == "no_reply"
        assert len(transport.requests) == 2
        return
    if quirk.expected.get("error") == "no_tools":  # none were offered, so it means something else
        assert reading.error is not None
        assert reading.error.code == "bad_request"
        return
    if quirk.expected.get("error") == "bad_request" and stream:
        assert len(transport.requests) == 3  # without usage, then without streaming
    check(reading, quirk, shown=stream)


def test_each_quirk_says_who_has_it_and_each_code_of_a_response_is_met() -> None:
    assert all(quirk.expected["about"].endswith(".") for quirk in QUIRKS.values())
    met = {quirk.expected.get("error") for quirk in QUIRKS.values()}
    assert met >= {
        "unauthorized",
        "payment_required",
        "model_not_found",
        "address_not_found",
        "too_large",
        "context_too_long",
        "rate_limited",
        "quota_used_up",
        "server_error",
        "bad_request",
        "not_json",
        "no_reply",
        "cut_off",
        "error_body",
    }
