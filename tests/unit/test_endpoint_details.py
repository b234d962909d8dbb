"""Small things in replies and refusals that a person reads, or that an endpoint insists on."""

import json
from typing import Any

import pytest
from tabloop.agent.calls import refuse_damaged
from tabloop.agent.definitions import check_definitions
from tabloop.agent.errors import ModelError, SetupError
from tabloop.agent.messages import (
    AssistantMessage,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from tabloop.agent.ports import ModelReply, ModelRequest, Usage
from tabloop.agent.tools import tool
from tabloop.endpoint.call_accumulator import MAX_CALLS, CallAccumulator
from tabloop.endpoint.halves import SplitCharacters, marked_halves
from tabloop.endpoint.reasoning import without_reasoning
from tabloop.endpoint.reply import ReplyReader, read_reply
from tabloop.endpoint.request import write_request
from tabloop.endpoint.sse import MAX_EVENT, EventTooLong, SseDecoder, SseEvent
from tabloop.endpoint.trimming import shortened, target_size


def refused(document: object, status: int = 400) -> ModelError:
    with pytest.raises(ModelError) as caught:
        read_reply(json.dumps(document).encode(), status, host="llm.test")
    return caught.value


def replied(message: object, reason: str = "stop") -> ModelReply:
    choice = {"message": message, "finish_reason": reason}
    return read_reply(json.dumps({"choices": [choice]}).encode(), host="llm.test")


# --- what a refusal says ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("document", "detail"),
    [
        (
            {"detail": [{"loc": ["body", "stream"], "msg": "not allowed"}]},
            "body.stream: not allowed",
        ),
        ({"detail": [{"loc": "body", "msg": "not allowed"}]}, "not allowed"),
        ({"detail": [{"msg": "first"}, {"msg": "second"}]}, "first second"),
        ({"error": {"message": "first\n  second"}}, "first second"),
    ],
)
def test_a_refusal_is_quoted_with_its_place_and_nothing_else(document: Any, detail: str) -> None:
    assert refused(document).detail == detail


def test_a_message_is_found_however_deep_it_is() -> None:
    document: object = "deep"
    for _ in range(50):
        document = {"error": [document]}
    assert refused(document).detail == "deep"


def test_an_error_with_a_good_status_is_quoted_in_full_and_with_that_status() -> None:
    error = refused({"error": [{"message": "first"}, {"message": "second"}]}, 200)
    assert (error.code, error.detail, error.status) == ("error_body", "first second", 200)
    choice = {"message": {"content": "Hi"}, "finish_reason": "error"}
    error = refused({"choices": [choice]}, 200)
    assert (error.code, error.status) == ("error_body", 200)
    event = json.dumps({"choices": [{"delta": {}, "finish_reason": "error"}]})
    with pytest.raises(ModelError) as caught:
        read_reply(f"data: {event}\n\n".encode(), host="llm.test")
    error = caught.value
    assert (error.code, error.status, error.host) == ("error_body", 200, "llm.test")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        ({"message": "m", "code": "c" * 100}, "c" * 80),
        ({"message": "m", "code": "c7", "type": "invalid"}, "c7 invalid"),
        ({"message": "m", "code": 7}, "7"),
    ],
)
def test_the_code_of_an_endpoint_is_short_and_stands_beside_its_message(
    error: object, code: str
) -> None:
    for status in (400, 200):
        refusal = refused({"error": error}, status)
        assert (refusal.detail, refusal.facts) == ("m", {"endpoint_code": code})


@pytest.mark.parametrize("status", [400, 413, 422, 500, 503])
def test_a_conversation_that_is_too_long_is_recognized_by_the_message(status: int) -> None:
    said = {"error": {"message": "This exceeds the maximum context length."}}
    assert refused(said, status).code == "context_too_long"


@pytest.mark.parametrize("challenge", [{"accepts": []}, {"x402Version": 2}])
def test_a_challenge_about_a_balance_asks_for_payment(challenge: dict[str, Any]) -> None:
    words = {"error": "insufficient_balance"}
    assert refused(words, 402).code == "quota_used_up"
    assert refused(words | challenge, 402).code == "payment_required"


# --- what a reply says --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ([{"type": "reasoning", "text": "Hm."}, {"type": "text", "text": "Hi."}], "Hi."),
        ([{"type": "output_text", "text": "Hi."}], "Hi."),
        ([{"text": "Hi."}], "Hi."),
        (["Hi", "."], "Hi."),
    ],
)
def test_parts_of_a_reply_that_are_not_text_are_left_out(content: Any, text: str) -> None:
    assert replied({"content": content}).message.content == text


def test_text_beside_calls_without_a_function_keeps_its_finish_reason() -> None:
    reply = replied({"content": "Hi.", "tool_calls": [{"id": "a"}]})
    assert (reply.message.content, reply.finish_reason) == ("Hi.", "stop")
    assert replied({"content": None, "tool_calls": [{"id": "a"}]}).finish_reason == "tool_calls"
    delta = {"content": "Hi.", "tool_calls": [{"id": "a"}]}
    event = json.dumps({"choices": [{"delta": delta, "finish_reason": "stop"}]})
    streamed = read_reply(f"data: {event}\n\n".encode(), host="llm.test")
    assert (streamed.message.content, streamed.finish_reason) == ("Hi.", "stop")


def test_a_call_that_is_sent_again_under_its_id_is_the_same_call() -> None:
    calls = CallAccumulator()
    for arguments in ('{"n": 1}', ""):
        calls.add({"index": 0, "id": "a", "function": {"name": "look", "arguments": arguments}})
    assert calls.calls() == (ToolCall("a", "look", '{"n": 1}'),)


def added(*items: dict[str, Any]) -> list[tuple[str, str, str]]:
    calls = CallAccumulator()
    for item in items:
        calls.add(item)
    assert not calls.damaged
    return [(call.id, call.name, call.arguments) for call in calls.calls()]


def piece(arguments: str | None, name: str = "", **item: Any) -> dict[str, Any]:
    named = {"name": name} if name else {}
    return {**item, "function": named if arguments is None else {**named, "arguments": arguments}}


@pytest.mark.parametrize(
    ("items", "calls"),
    [
        pytest.param(
            [
                piece('{"n":', "look", id="a"),
                piece('{"n":', "read", id="b"),
                piece("1}", id="a"),
                piece("2}", id="b"),
            ],
            [("a", "look", '{"n":1}'), ("b", "read", '{"n":2}')],
            id="without an index the id decides",
        ),
        pytest.param(
            [piece("{}", "look"), piece('{"n":', "read", id="b"), piece("2}")],
            [("", "look", "{}"), ("b", "read", '{"n":2}')],
            id="without index and id it belongs to the last call",
        ),
        pytest.param(
            [{"function": {"name": name, "arguments": {"n": 1}}} for name in ("look", "read")],
            [("", "look", '{"n":1}'), ("", "read", '{"n":1}')],
            id="arguments that are no text are whole",
        ),
        pytest.param(
            [
                {"index": 0, "function": {"name": "look", "arguments": {"n": 1}}},
                {"index": 0, "function": {"arguments": {"n": 1, "m": "}"}}},
                piece("{}", "read"),
            ],
            [("", "look", '{"n":1,"m":"}"}'), ("", "read", "{}")],
            id="arguments that are no text replace those before",
        ),
        pytest.param(
            [piece('{"n": "a\\', "look"), piece('"b'), piece('"}'), piece("{}", "read")],
            [("", "look", '{"n": "a\\"b"}'), ("", "read", "{}")],
            id="a quotation mark behind a backslash of the piece before ends nothing",
        ),
        pytest.param(
            [piece('{"n": "a\\\\', "look"), piece('"}'), piece("{}", "read")],
            [("", "look", '{"n": "a\\\\"}'), ("", "read", "{}")],
            id="one behind two of them does",
        ),
        pytest.param(
            [piece("{}", "look", index=0), piece('{"n":1}', index=0)],
            [("", "look", '{"n":1}')],
            id="braces before the arguments",
        ),
        *(
            pytest.param([piece(given, "look")], [("", "look", read)], id=f"arguments {given!r}")
            for given, read in (
                (' {"n": 1} ', ' {"n": 1} '),
                ("{}", "{}"),
                ("{} ", "{} "),
                ("{}x", "{}x"),
                (" ", "{}"),
                ("", "{}"),
                (None, "{}"),
            )
        ),
    ],
)
def test_pieces_of_several_calls_are_kept_apart(
    items: list[dict[str, Any]], calls: list[tuple[str, str, str]]
) -> None:
    assert added(*items) == calls


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("```\na\n```\n<think>Hm.</think>Hi.", "```\na\n```\nHi."),
        ("<|start|>assistant to=functions.look<|channel|>commentary<|message|>{}", ""),
        ("<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|message|>Hi.", "Hi."),
        ("<|channel|>final<|message|>Hi.", "Hi."),
        ("<think>\n<|channel|>analysis<|message|>Hm.</think>Hi.", "Hi."),
        ("<|start|>assistant <|channel|>final<|message|>Hi.", "Hi."),
    ],
)
def test_text_that_a_model_addresses_to_itself_or_to_a_tool_is_hidden(text: str, seen: str) -> None:
    assert without_reasoning(text) == seen


def test_a_streamed_refusal_with_unclosed_reasoning_is_shown_as_the_answer() -> None:
    choice = {"delta": {"refusal": "<think>No."}, "finish_reason": "stop"}
    body = f"data: {json.dumps({'choices': [choice]})}\n\ndata: [DONE]\n\n"
    assert read_reply(body.encode(), host="llm.test").message.content == "No."


@pytest.mark.parametrize(
    ("usage", "prompt", "completion"),
    [
        ({"prompt_tokens": "many", "completion_tokens": 3}, 0, 3),
        ({"prompt_tokens": 3, "completion_tokens": None}, 3, 0),
    ],
)
def test_a_token_count_that_is_not_a_number_is_ignored(
    usage: object, prompt: int, completion: int
) -> None:
    choice = {"message": {"content": "Hi."}}
    body = json.dumps({"choices": [choice], "usage": usage}).encode()
    assert read_reply(body, host="llm.test").usage == Usage(prompt, completion)


@pytest.mark.parametrize(
    ("data", "detail"),
    [
        ('{"message": "Too busy"}', "Too busy"),
        ("Too busy", "Too busy"),
        ('"Too busy"', "Too busy"),
        ("Too\ndata: busy", "Too busy"),
        ('{"error": {"message": "Too busy"}}', "Too busy"),
        ('{"error": {"message": "Too busy"}, "message": "See error"}', "Too busy"),
        ("{}", "error"),  # it is called an error, and says no more
        ("null", "error"),
    ],
)
def test_an_event_that_is_called_an_error_is_quoted(data: str, detail: str) -> None:
    with pytest.raises(ModelError) as caught:
        read_reply(f"event: error\ndata: {data}\n\n".encode(), host="llm.test")
    error = caught.value
    assert (error.code, error.detail, error.host) == ("error_body", detail, "llm.test")
    assert error.status == 200


def test_a_reader_that_has_read_nothing_has_nothing_to_tell() -> None:
    reader = ReplyReader(host="llm.test")
    told = (reader.begun, reader.answered, reader.done, reader.opens_with_reasoning)
    assert told == (False,) * 4
    assert all(isinstance(value, bool) for value in told)
    assert (reader.flush(), list(reader.with_reasoning(None))) == (None, [])


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "not_json"),
        (b"data: x", "no_reply"),
        (b"data: [DONE]\n\n", "no_reply"),
        (b"data: {}", "no_reply"),
        (b'data: {"choices": []}\n\ndata: [DONE]\n\n', "no_reply"),
        (b'data: {"choices": [{"delta": {"content": "Hi"}}]}\n\n', "cut_off"),
        (b"{}", "no_reply"),
        (b'{"choices": [{"message": {}, "finish_reason": "error"}]}', "no_reply"),
    ],
)
def test_a_reply_that_is_missing_names_host_and_status(body: bytes, code: str) -> None:
    with pytest.raises(ModelError) as caught:
        read_reply(body, host="llm.test")
    status = None if body.startswith(b"data") else 200  # a stream that was begun has no other
    error = caught.value
    assert (error.code, error.host, error.status) == (code, "llm.test", status)


@pytest.mark.parametrize(("status", "good"), [(199, False), (200, True), (299, True), (300, False)])
def test_a_reply_has_a_status_of_200_to_299(status: int, good: bool) -> None:
    event = {"choices": [{"delta": {"content": "Hi."}, "finish_reason": "stop"}]}
    whole = {"choices": [{"message": {"content": "Hi."}, "finish_reason": "stop"}]}
    for body in (f"data: {json.dumps(event)}\n\n", json.dumps(whole)):
        if good:
            assert read_reply(body.encode(), status).message.content == "Hi."
            continue
        with pytest.raises(ModelError) as caught:
            read_reply(body.encode(), status)
        error = caught.value
        assert (error.code, error.status, error.host) == ("bad_request", status, "")


def test_text_after_an_error_is_not_shown() -> None:
    reader = ReplyReader(host="llm.test")
    said = json.dumps({"choices": [{"delta": {"content": "Hi."}}]})
    assert reader.feed(b'data: {"error": {"message": "Too busy"}}\n\n') is None
    assert reader.feed(f"data: {said}\n\n".encode()) is None


def test_a_lost_part_is_reported_even_if_more_text_follows() -> None:
    said = json.dumps({"choices": [{"delta": {"content": "Hi."}, "finish_reason": "stop"}]})
    body = f'data: {{"choices": [{{"del\n\ndata: ping\n\ndata: {said}\n\n'
    assert read_reply(body.encode(), host="llm.test").notes == ("damaged",)


def test_a_part_that_begins_like_json_after_a_blank_is_a_lost_part() -> None:
    said = json.dumps({"choices": [{"delta": {"content": "Hi."}, "finish_reason": "stop"}]})
    for lost in ("  {", " [", "{"):
        body = f"data: {lost}\n\ndata: {said}\n\n"
        assert read_reply(body.encode(), host="llm.test").notes == ("damaged",)


def test_text_in_another_encoding_is_not_damaged() -> None:
    whole = json.dumps({"choices": [{"message": {"content": "Hi."}}]})
    assert read_reply(whole.encode("utf-16")).notes == ()
    assert read_reply(whole.replace("Hi", "\xff").encode("latin-1")).notes == ("damaged",)


def events(*choices: dict[str, Any]) -> bytes:
    return b"".join(f"data: {json.dumps({'choices': [one]})}\n\n".encode() for one in choices)


CALL = {"id": "a", "function": {"name": "look", "arguments": "{}"}}
STOP: dict[str, Any] = {"delta": {}, "finish_reason": "stop"}


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        (
            [{"delta": {"content": "H"}}, {"delta": {"content": "i."}}, STOP],
            AssistantMessage("Hi."),
        ),
        ([{"text": "H"}, {"text": "i."}, STOP], AssistantMessage("Hi.")),
        (
            [{"delta": {"refusal": "N"}}, {"delta": {"refusal": "o."}}, STOP],
            AssistantMessage("No."),
        ),
        ([{"message": {"content": "Hi."}, "finish_reason": "stop"}], AssistantMessage("Hi.")),
        (
            [{"delta": {"content": "Hi."}}, {"message": {"content": "Hi."}}, STOP],
            AssistantMessage("Hi."),
        ),
        (
            [{"delta": {"tool_calls": [CALL]}}, {"message": {"tool_calls": [CALL]}}, STOP],
            AssistantMessage(None, (ToolCall("a", "look"),)),
        ),
    ],
)
def test_a_stream_is_read_in_each_form(
    choices: list[dict[str, Any]], message: AssistantMessage
) -> None:
    assert read_reply(events(*choices), host="llm.test").message == message


def test_only_half_a_character_waits_for_the_next_piece() -> None:
    split = SplitCharacters()
    pieces = [marked_halves(text) for text in (r"ab\ud83d", r"\ude00c", r"\ud83d", "d", r"\ude00")]
    assert [split.feed(piece) for piece in pieces] == ["ab", "😀c", "", "\ufffdd", "\ufffd"]


def test_an_endless_event_is_reported_with_the_host() -> None:
    with pytest.raises(ModelError) as caught:
        read_reply(b"data: {" + b" " * MAX_EVENT, host="llm.test")
    assert (caught.value.code, caught.value.host) == ("not_json", "llm.test")


def test_comments_are_not_events_and_do_not_reset_the_size_limit() -> None:
    decoder = SseDecoder(max_event=31)
    for _ in range(9):
        assert decoder.feed(b": still here\n") == []
    decoder.feed(b"data: 0123456789\n: still here\n")
    with pytest.raises(EventTooLong):
        decoder.feed(b"data: 0123456789\n")


def test_a_reply_with_too_many_calls_counts_as_damaged() -> None:
    calls = CallAccumulator()
    for number in range(MAX_CALLS + 1):
        assert not calls.damaged
        calls.add({"index": number, "function": {"name": "look", "arguments": "{}"}})
    assert calls.damaged
    assert len(calls.calls()) == MAX_CALLS


def test_a_line_end_that_is_split_between_chunks_ends_one_line() -> None:
    decoder = SseDecoder()
    events = [
        event for part in (b"data: a\r", b"\ndata: b\r\n\r\n") for event in decoder.feed(part)
    ]
    assert events == [SseEvent("a\nb")]


# --- what is sent -------------------------------------------------------------------------------


def test_the_model_reads_what_a_tool_returned() -> None:
    call = ToolCall("a", "look", "{}")
    said = AssistantMessage("I look.", (call,))
    messages = (UserMessage("go"), said, ToolMessage("a", '{"n": 42}'))
    body = json.loads(write_request(ModelRequest(messages), model="m"))
    assert [message["content"] for message in body["messages"]] == ["go", "I look.", '{"n": 42}']


def test_ids_that_cannot_be_sent_are_replaced_by_unused_ones() -> None:
    given = ("a", "a", "abcdefgh1", "abcdefgh1", "c00000002")
    calls = tuple(ToolCall(call_id, "look") for call_id in given)
    messages = (UserMessage("go"), AssistantMessage(None, calls))
    body = json.loads(write_request(ModelRequest(messages), model="m"))
    sent = [call["id"] for call in body["messages"][1]["tool_calls"]]
    assert sent == ["c00000001", "c00000003", "abcdefgh1", "c00000004", "c00000002"]


def test_a_call_without_a_name_is_sent_back_as_unknown() -> None:
    messages = (UserMessage("go"), AssistantMessage(None, (ToolCall("a", ""),)))
    body = json.loads(write_request(ModelRequest(messages), model="m"))
    [call] = body["messages"][1]["tool_calls"]
    assert call["function"]["name"] == "unknown"


def test_a_conversation_that_fits_exactly_is_not_shortened_further() -> None:
    rules, old, new = SystemMessage("123"), UserMessage("a" * 50), UserMessage("b" * 7)
    last = UserMessage("c")
    assert shortened((rules, old, new, last), 11) == (rules, new, last)
    assert shortened((rules, old, new, last), 10) == (rules, last)


def test_a_refusal_without_usable_numbers_halves_the_conversation() -> None:
    assert target_size(1000, "too long") == 500
    assert target_size(1000, "2000 tokens are too long") == 500
    assert target_size(1000, "maximum context 1000 tokens, requested 2000") == 400


def test_tools_with_the_same_name_are_named_in_the_error() -> None:
    @tool()
    async def look() -> None:
        """Look."""

    @tool()
    async def read() -> None:
        """Read."""

    with pytest.raises(SetupError, match=r"the same name: look, read$"):
        check_definitions([look, read, look, read])


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (b"<html><TITLE>502 Bad Gateway</TITLE></html>", "502 Bad Gateway"),
        (b'<title lang="en">Too \n busy</title><p>more', "Too busy"),
        (b"busy <title>Down</title>", "Down"),
        (b"\n <html><b>Too</b> <i>busy</i></html>", "Too busy"),
        (b"x" * 400, "x" * 300),
    ],
)
def test_a_web_page_is_quoted_without_its_tags(body: bytes, detail: str) -> None:
    with pytest.raises(ModelError) as caught:
        read_reply(body, 502, host="llm.test")
    assert caught.value.detail == detail


def test_the_code_of_an_error_in_a_list_is_kept() -> None:
    error = refused([{"error": {"message": "m", "code": "c7"}}])
    assert error.facts["endpoint_code"] == "c7"
    assert refused([[{"code": "c7"}]]).facts["endpoint_code"] == "c7"
    assert refused({"error": {"error": {"code": "c7"}}}).facts["endpoint_code"] == "c7"
    deeper: list[object] = [[[[{"code": "c7"}]]], {"error": {"error": {"error": {"code": "c7"}}}}]
    assert [refused(document).facts for document in deeper] == [{}, {}]  # in no real reply


def test_reasoning_that_a_filter_cut_stays_hidden() -> None:
    assert replied({"content": "<think>Hm."}, "content_filter").message.content is None
    assert replied({"content": "<think>Hm."}, "tool_calls").message.content is None
    calls = [{"id": "a", "function": {"name": "look", "arguments": "{}"}}]
    assert replied({"content": "<think>Hm.", "tool_calls": calls}).message.content is None
    assert replied({"content": "<think>Hm."}, "stop").message.content == "Hm."


def test_a_whole_reply_that_was_cut_in_reasoning_that_the_prompt_opened_has_no_text() -> None:
    choice = {"message": {"content": "Hm."}, "finish_reason": "length"}
    reader = ReplyReader(reasoning_opened=True)
    reader.feed(json.dumps({"choices": [choice]}).encode())
    assert reader.close().message.content is None


def test_calls_without_a_reason_end_alike_in_pieces_and_as_a_whole() -> None:
    message = {"tool_calls": [{"id": "a", "function": {"name": "look", "arguments": "{}"}}]}
    event = json.dumps({"choices": [{"delta": message}]})
    streamed = read_reply(f"data: {event}\n\ndata: [DONE]\n\n".encode(), host="llm.test")
    assert streamed.finish_reason == replied(message, "").finish_reason == "tool_calls"


def test_an_event_name_of_invalid_bytes_is_accepted() -> None:
    assert SseDecoder().feed(b"event: \xff\ndata: a\n\n") == [SseEvent("a", "\ufffd")]


def test_tools_of_one_source_can_be_switched_together() -> None:
    @tool(source="weather")
    async def look() -> None:
        """Look."""

    assert look.source == "weather"


def test_a_damaged_call_tells_the_model_to_send_it_again() -> None:
    refused = refuse_damaged(ToolCall("a", "look"), [])
    assert json.loads(refused.refusal.content)["reason"] == (
        "A part of the reply was lost on the way, so the call was not run. Send it again."
    )


def test_an_error_that_is_sent_as_an_event_is_quoted() -> None:
    with pytest.raises(ModelError) as caught:
        read_reply(b'data: {"error": {"message": "Too busy"}}\n\n', 400, host="llm.test")
    assert caught.value.detail == "Too busy"


def test_a_stream_that_was_cut_in_reasoning_that_the_prompt_opened_has_no_text() -> None:
    choice = {"delta": {"content": "Hm."}, "finish_reason": "length"}
    reader = ReplyReader(reasoning_opened=True)
    reader.feed(f"data: {json.dumps({'choices': [choice]})}\n\n".encode())
    reader.flush()
    assert reader.close().message.content is None
