"""An endpoint that streams: when text comes, what ends it, and what is asked again without."""

import asyncio
import contextlib
import json
from collections.abc import Mapping
from dataclasses import replace
from itertools import groupby
from typing import Any

import pytest
from tabloop.agent.errors import ModelError
from tabloop.agent.events import RunFinished, TextMessageEnd, TextMessageStart
from tabloop.agent.messages import (
    AssistantMessage,
    ImagePart,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from tabloop.agent.ports import (
    ModelReply,
    ModelRequest,
    ReasoningDelta,
    ReplyPart,
    TextDelta,
    Usage,
    Waiting,
)
from tabloop.contrib.scripted import ScriptedModel
from tabloop.core.http import HttpResponse, TransportError
from tabloop.endpoint.capabilities import EndpointCapabilities
from tabloop.endpoint.chat_completions import ChatCompletionsModel
from tabloop.endpoint.profiles import KnownEndpoints
from tabloop.endpoint.trimming import shortened, size_of, target_size
from tabloop.ui.answer_state import AnswerState, reduce

from tests.unit.fake_transport import FakeTransport, Pieces, answer
from tests.unit.fakes import play
from tests.unit.fakes import says as says_whole

HELLO = ModelRequest((UserMessage("Hello"),))


def event(delta: object, reason: str | None = None, **more: object) -> bytes:
    choice: dict[str, object] = {"index": 0, "delta": delta, "finish_reason": reason}
    return f"data: {json.dumps({'choices': [choice], **more})}\n\n".encode()


def says(text: str) -> bytes:
    return event({"content": text})


STOP = event({}, reason="stop", usage={"prompt_tokens": 3, "completion_tokens": 2})
DONE = b"data: [DONE]\n\n"
WHOLE = answer({"choices": [{"message": {"content": "Whole."}, "finish_reason": "stop"}]})


def refusal(words: str, status: int = 400) -> HttpResponse:
    return answer({"error": {"message": words}}, status)


async def no_wait(_seconds: float) -> None:
    await asyncio.sleep(0)


def streaming(
    *answers: HttpResponse | Pieces | Exception, **options: Any
) -> tuple[ChatCompletionsModel, FakeTransport]:
    transport = FakeTransport(list(answers))
    options = {"stream": True, "sleep": no_wait, **options}
    return ChatCompletionsModel(transport, url="https://llm.test", model="m", **options), transport


async def collect(model: ChatCompletionsModel, request: ModelRequest = HELLO) -> list[ReplyPart]:
    parts = [part async for part in model.reply(request)]
    return [part for part in parts if not isinstance(part, Waiting)]


def bodies(transport: FakeTransport) -> list[Mapping[str, Any]]:
    return [json.loads(request.body or b"") for request in transport.requests]


async def test_text_comes_before_the_end_and_the_reply_holds_all_of_it() -> None:
    gate = asyncio.Event()
    model, transport = streaming(Pieces([says("One "), gate, says("two."), STOP, DONE]))
    parts = model.reply(HELLO)
    assert await anext(parts) == TextDelta("One ")
    gate.set()
    assert [part async for part in parts] == [
        TextDelta("two."),
        ModelReply(AssistantMessage("One two."), "stop", Usage(3, 2)),
    ]
    (body,) = bodies(transport)
    assert (body["stream"], body["stream_options"]) == (True, {"include_usage": True})
    assert "text/event-stream" in transport.requests[0].headers["accept"]


async def test_an_endpoint_set_not_to_stream_is_never_asked_to_stream() -> None:
    model, transport = streaming(WHOLE, stream=False)
    await collect(model)
    assert not {"stream", "stream_options"} & bodies(transport)[0].keys()


async def test_pieces_of_one_chunk_come_as_one() -> None:
    model, _ = streaming(Pieces([says("a") + says("b") + says("c") + STOP]))
    assert await collect(model) == [
        TextDelta("abc"),
        ModelReply(AssistantMessage("abc"), "stop", Usage(3, 2)),
    ]


async def test_stop_aborts_the_request_in_the_middle() -> None:
    model, transport = streaming(Pieces([says("One "), asyncio.Event()]))
    parts = model.reply(HELLO)
    assert await anext(parts) == TextDelta("One ")
    task = asyncio.ensure_future(anext(parts))
    await asyncio.sleep(0.01)
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    assert task.cancelled()
    assert transport.aborted == 1


async def test_nothing_is_awaited_after_the_end_of_a_stream() -> None:
    model, transport = streaming(Pieces([says("One."), STOP, DONE, asyncio.Event()]))
    assert len(await collect(model)) == 2
    assert transport.aborted == 1  # closed by the client, as the server keeps it open


async def test_a_server_that_keeps_the_line_open_after_the_end_costs_two_seconds() -> None:
    model, _ = streaming(Pieces([says("One."), STOP, asyncio.Event()]))
    now = asyncio.get_running_loop().time
    began = now()
    assert len(await collect(model)) == 2
    assert now() - began == pytest.approx(2)


async def broken(*pieces: bytes | Exception | asyncio.Event, **options: Any) -> tuple[str, str]:
    """Return what came, and the code of the error that followed."""
    model, transport = streaming(Pieces(pieces), **options)
    came: list[ReplyPart] = []

    async def read() -> None:
        async for part in model.reply(HELLO):
            came.append(part)  # noqa: PERF401 -- a comprehension would lose it at the error

    with pytest.raises(ModelError) as caught:
        await read()
    assert caught.value.host == "llm.test"
    assert len(transport.requests) == 1
    text = "".join(part.text for part in came if isinstance(part, TextDelta))
    return text, caught.value.code


LOST = TransportError("unreachable", "llm.test")


async def test_text_that_arrived_is_kept_when_a_stream_breaks() -> None:
    assert await broken(says("One "), says("two")) == ("One two", "cut_off")
    assert await broken(says("One "), LOST) == ("One ", "cut_off")
    assert await broken(says("One "), asyncio.Event(), idle_timeout=30) == ("One ", "cut_off")


async def test_text_of_a_stream_that_nobody_asked_for_is_kept_when_it_breaks() -> None:
    assert await broken(says("One "), says("two"), stream=False) == ("One two", "cut_off")


async def test_a_stream_without_any_data_is_reported_with_its_cause() -> None:
    assert await broken(LOST) == ("", "unreachable")
    assert await broken(asyncio.Event(), timeout=30) == ("", "timeout")
    with pytest.raises(ModelError) as caught:
        await collect(streaming(Pieces([asyncio.Event()]), timeout=30)[0])
    assert caught.value.host == "llm.test"
    assert await broken(b": ping\n\n", asyncio.Event(), idle_timeout=30) == ("", "timeout")


async def test_a_line_that_is_kept_open_by_comments_is_not_silent() -> None:
    pings = [part for _ in range(4) for part in (b": ping\n\n", 20)]
    model, _ = streaming(Pieces([*pings, says("One."), STOP]), idle_timeout=30)
    assert len(await collect(model)) == 2


async def test_a_connection_lost_after_the_end_loses_nothing() -> None:
    model, _ = streaming(Pieces([says("One."), STOP, LOST]))
    assert len(await collect(model)) == 2


async def test_an_error_after_text_is_not_tried_again() -> None:
    limit = b'data: {"error": {"message": "slow down", "code": 429}}\n\n'
    assert await broken(says("One "), limit) == ("One ", "rate_limited")


async def test_an_error_before_text_is_treated_as_if_it_were_the_status() -> None:
    limit = Pieces([b'data: {"error": {"message": "slow down", "code": 429}}\n\n'])
    model, transport = streaming(limit, Pieces([says("One."), STOP]))
    assert len(await collect(model)) == 2
    assert len(transport.requests) == 2


# --- what an endpoint does not take --------------------------------------------------------------


@pytest.mark.parametrize(
    ("refused", "asked"),
    [
        ([refusal("stream_options: Extra inputs are not permitted", 422)], ["both", "stream"]),
        ([refusal("Streaming is not supported.")], ["both", "neither"]),
        ([refusal("Cannot use tools with stream", 500)], ["both", "neither"]),
        ([refusal("bad request")] * 2, ["both", "stream", "neither"]),
    ],
)
async def test_a_refused_setting_is_left_out_and_remembered(
    refused: list[HttpResponse], asked: list[str]
) -> None:
    accepted = Pieces([says("One."), STOP]) if asked[-1] == "stream" else WHOLE
    known = KnownEndpoints()
    model, transport = streaming(*refused, accepted, capabilities=known.of("u", "m"))
    assert isinstance((await collect(model))[-1], ModelReply)
    again = ChatCompletionsModel(
        transport, url="https://llm.test", model="m", stream=True, capabilities=known.of("u", "m")
    )
    await collect(again)

    def form(body: Mapping[str, Any]) -> str:
        return "both" if "stream_options" in body else "stream" if "stream" in body else "neither"

    assert [form(body) for body in bodies(transport)] == [*asked, asked[-1]]
    assert known.of("u", "other") == EndpointCapabilities()


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("Streaming is not supported.", ["stream", "whole"]),
        ("stream_options: Extra inputs are not permitted", ["stream", "stream"]),
        ("I do not like it", ["stream", "stream"]),
    ],
)
async def test_a_person_who_tries_a_paid_endpoint_again_does_not_pay_for_the_same_refusal(
    words: str, asked: list[str]
) -> None:
    paid = replace(refusal(words), cost=10_000)
    model, transport = streaming(paid, WHOLE, capabilities=EndpointCapabilities())
    with pytest.raises(ModelError):
        await collect(model)
    await collect(model)
    assert ["stream" if "stream" in body else "whole" for body in bodies(transport)] == asked
    options = ["stream_options" in body for body in bodies(transport)]
    assert options == [True, words == "I do not like it"]


async def test_a_refusal_that_is_not_about_streaming_is_not_remembered() -> None:
    capabilities = EndpointCapabilities()
    model, transport = streaming(refusal("I do not like it"), capabilities=capabilities)
    with pytest.raises(ModelError, match="I do not like it"):
        await collect(model)
    assert len(transport.requests) == 3
    assert capabilities == EndpointCapabilities()


@pytest.mark.parametrize("status", [401, 402, 404, 429, 503])
async def test_other_refusals_are_not_taken_for_a_refused_setting(status: int) -> None:
    capabilities = EndpointCapabilities()
    model, transport = streaming(refusal("no", status), capabilities=capabilities)
    with pytest.raises(ModelError):
        await collect(model)
    assert all("stream" in body for body in bodies(transport))
    assert capabilities == EndpointCapabilities()


async def test_thinking_without_a_tag_is_known_the_next_time() -> None:
    thinks = Pieces([says("hm "), says("hm</think>"), says("Yes."), STOP])
    model, _ = streaming(thinks)
    assert TextDelta("", replaces=True) in await collect(model)
    assert await collect(model) == [
        ReasoningDelta("hm "),
        ReasoningDelta("hm"),
        TextDelta("Yes."),
        ModelReply(AssistantMessage("Yes."), "stop", Usage(3, 2)),
    ]


async def test_on_the_page_thinking_without_a_tag_is_replaced_by_the_answer() -> None:
    parts = [TextDelta("hm"), TextDelta("", replaces=True), TextDelta("Yes."), says_whole("Yes.")]
    events = await play(ScriptedModel(parts))
    state, texts = AnswerState(), list[str]()
    for happened in events:
        state = reduce(state, happened)
        texts.append(state.text)
    assert [text for text, _ in groupby(texts)] == ["", "hm", "", "Yes."]
    begun = [it.message_id for it in events if isinstance(it, TextMessageStart)]
    ended = [it.message_id for it in events if isinstance(it, TextMessageEnd)]
    assert begun == ended
    assert len(set(begun)) == 2


async def test_notes_on_a_reply_are_shown_at_the_end_of_the_run() -> None:
    reply = replace(says_whole("Yes."), notes=("shortened",))
    ended = (await play(ScriptedModel(reply)))[-1]
    assert isinstance(ended, RunFinished)
    assert (ended.outcome, ended.notes) == ("stop", ("shortened",))


# --- too long ------------------------------------------------------------------------------------

OLD: tuple[Message, ...] = (
    SystemMessage("Be brief."),
    UserMessage("first " * 50),
    AssistantMessage("one " * 50),
    UserMessage("second " * 50),
    AssistantMessage("two " * 50),
    UserMessage("now"),
    AssistantMessage(None, (ToolCall("Abc123xyz", "t"),)),
    ToolMessage("Abc123xyz", "{}"),
)
TOO_LONG = refusal("maximum context length is 800 tokens, your messages have 1000 tokens")


def questions(body: Mapping[str, Any]) -> list[str]:
    return [m["content"].split()[0] for m in body["messages"] if m["role"] == "user"]


@pytest.mark.parametrize("stream", [True, False])
async def test_too_long_a_conversation_loses_its_oldest_run_and_says_so(stream: bool) -> None:
    model, transport = streaming(TOO_LONG, WHOLE, stream=stream)
    (reply,) = await collect(model, ModelRequest(OLD))
    assert isinstance(reply, ModelReply)
    assert reply.notes == ("shortened",)
    first, second = bodies(transport)
    assert questions(first) == ["first", "second", "now"]
    assert questions(second) == ["second", "now"]
    assert second["messages"][0] == {"role": "system", "content": "Be brief."}
    assert [message["role"] for message in second["messages"]][-3:] == ["user", "assistant", "tool"]


async def test_a_body_that_is_too_large_is_shortened_as_well() -> None:
    model, transport = streaming(answer(b"", 413), WHOLE)
    (reply,) = await collect(model, ModelRequest(OLD))
    assert isinstance(reply, ModelReply)
    assert reply.notes == ("shortened",)
    assert [questions(body) for body in bodies(transport)][-1] == ["now"]


async def test_a_conversation_is_shortened_only_once() -> None:
    model, transport = streaming(TOO_LONG)
    with pytest.raises(ModelError) as caught:
        await collect(model, ModelRequest(OLD))
    assert caught.value.code == "context_too_long"
    assert len(transport.requests) == 2


async def test_one_question_alone_is_not_shortened() -> None:
    model, transport = streaming(TOO_LONG)
    with pytest.raises(ModelError):
        await collect(model, ModelRequest((SystemMessage("x"), UserMessage("now"))))
    assert len(transport.requests) == 1


async def test_the_next_request_is_shortened_before_it_is_sent() -> None:
    capabilities = EndpointCapabilities()
    model, _ = streaming(TOO_LONG, WHOLE, capabilities=capabilities)
    await collect(model, ModelRequest(OLD))
    model, transport = streaming(WHOLE, capabilities=capabilities)
    (reply,) = await collect(model, ModelRequest(OLD))
    assert isinstance(reply, ModelReply)
    assert reply.notes == ("shortened",)
    assert [questions(body) for body in bodies(transport)] == [["second", "now"]]
    (reply,) = await collect(model, HELLO)
    assert isinstance(reply, ModelReply)
    assert reply.notes == ()


@pytest.mark.parametrize(
    ("refused", "size"),
    [
        ("maximum context length is 8,192 tokens, you requested 16,384 tokens", 400),
        ("request (9100 tokens) exceeds the available context size (4550 tokens)", 400),
        (
            "Prompt contains 40000 tokens, too large for model with 32000 maximum context length",
            640,
        ),
        ("the context is too long", 500),
        ("maximum context length is 100 tokens, you requested 1000000 tokens", 50),
    ],
)
def test_how_much_fits_is_read_from_the_refusal(refused: str, size: int) -> None:
    assert target_size(1000, refused) == size


@pytest.mark.parametrize(
    ("message", "size"),
    [
        (SystemMessage("abc"), 3),
        (UserMessage("abc", (ImagePart.of_bytes(b"x"),) * 2), 8003),
        (AssistantMessage(None), 0),
        (AssistantMessage("abc", (ToolCall("id", "ab", "{}"), ToolCall("id", "c", "[1]"))), 11),
        (ToolMessage("id", "{}"), 2),
    ],
)
def test_the_size_of_a_message_is_that_of_what_the_model_reads(message: Message, size: int) -> None:
    assert size_of([message]) == size


def test_only_whole_runs_are_removed_and_no_more_than_needed() -> None:
    everything = size_of(OLD)
    assert shortened(OLD, everything) == (OLD[0], *OLD[3:])
    assert shortened(OLD, 0) == (OLD[0], *OLD[5:])
    assert shortened(OLD[5:], 0) is None
