"""What endpoints are sent, and how what they send is read."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tabloop.agent.errors import ModelError, ModelErrorCode
from tabloop.agent.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from tabloop.agent.ports import ModelReply, ModelRequest, Usage
from tabloop.agent.tools import tool
from tabloop.endpoint.reply import read_reply
from tabloop.endpoint.request import write_request

ASK = UserMessage("What did they debate?")
LIST = ToolCall("Abc123xyz", "get_sitzungen", '{"von": "2026-09-09"}')


@tool()
async def get_sitzungen(von: str | None = None) -> str:
    """Sessions."""
    return von or ""


def sent(*messages: Message, **request: Any) -> dict[str, Any]:
    return json.loads(write_request(ModelRequest(messages, **request), model="m"))


def roles(*messages: Message) -> list[str]:
    return [message["role"] for message in sent(*messages)["messages"]]


# --- the writer ----------------------------------------------------------------------------------


def test_a_plain_question_carries_model_and_messages_and_nothing_else() -> None:
    body = sent(SystemMessage("Be brief."), ASK)
    assert body == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": ASK.content},
        ],
    }


def test_the_usage_of_a_stream_is_asked_for_only_where_it_is_wanted() -> None:
    asked = ModelRequest((ASK,))
    plain = json.loads(write_request(asked, model="m", stream=True))
    assert plain == sent(ASK) | {"stream": True}
    counted = json.loads(write_request(asked, model="m", stream=True, usage=True))
    assert counted == plain | {"stream_options": {"include_usage": True}}
    assert json.loads(write_request(asked, model="m", usage=True)) == sent(ASK)


def test_tools_are_sent_when_there_are_some() -> None:
    function = sent(ASK, tools=(get_sitzungen,))["tools"][0]["function"]
    assert function["name"] == "get_sitzungen"


def test_only_settings_of_the_allow_list_are_sent_and_tool_settings_only_with_tools() -> None:
    wanted = {"temperature": 0, "n": 3, "stream": True, "tool_choice": "none", "user": "x"}
    assert sent(ASK, settings=wanted).keys() == {"model", "messages", "temperature"}
    with_tools = sent(ASK, settings=wanted, tools=(get_sitzungen,))
    assert with_tools.keys() == {"model", "messages", "temperature", "tool_choice", "tools"}
    assert sent(ASK, settings={"max_tokens": 5})["max_tokens"] == 5


def test_an_assistant_turn_with_calls_has_null_content_and_arguments_as_a_string() -> None:
    turn = AssistantMessage("  ", (LIST,))
    assert sent(ASK, turn, ToolMessage(LIST.id, "{}"))["messages"][1] == {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "Abc123xyz",
                "type": "function",
                "function": {"name": "get_sitzungen", "arguments": '{"von":"2026-09-09"}'},
            }
        ],
    }


@pytest.mark.parametrize(
    ("written", "echoed"),
    [
        ("", {}),
        ("null", {}),
        ("[1]", {}),
        ('{"von": "2026', {}),
        ('"{\\"von\\": 1}"', {"von": 1}),
        ('{"x": NaN}', {"x": None}),
    ],
)
def test_arguments_are_always_sent_back_as_an_object(written: str, echoed: object) -> None:
    turn = AssistantMessage(None, (ToolCall("Abc123xyz", "t", written),))
    arguments = sent(ASK, turn)["messages"][1]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(arguments) == echoed


def test_ids_become_nine_letters_or_digits_the_same_on_both_sides_and_every_time() -> None:
    turn = AssistantMessage(
        None,
        (ToolCall("call_long-id-of-another-server", "a"), ToolCall("call_0", "b"), LIST),
    )
    results = [ToolMessage(call.id, f'{{"of":"{call.name}"}}') for call in turn.tool_calls]
    first, again = sent(ASK, turn, *results), sent(ASK, turn, *results)
    ids = [call["id"] for call in first["messages"][1]["tool_calls"]]
    assert first == again
    assert all(re.fullmatch("[A-Za-z0-9]{9}", item) for item in ids)
    assert len(set(ids)) == 3
    assert ids[2] == "Abc123xyz"
    assert [message["tool_call_id"] for message in first["messages"][2:]] == ids


def test_the_same_id_in_two_turns_is_sent_as_two() -> None:
    turn, result = AssistantMessage(None, (LIST,)), ToolMessage(LIST.id, "{}")
    messages = sent(ASK, turn, result, turn, result)["messages"]
    ids = [call["id"] for m in messages for call in m.get("tool_calls", ())]
    answered = [m["tool_call_id"] for m in messages if m["role"] == "tool"]
    assert len(set(ids)) == 2
    assert answered == ids


def test_a_blank_result_and_a_long_name_are_sent_as_endpoints_take_them() -> None:
    turn = AssistantMessage("I look.", (ToolCall("Abc123xyz", "n" * 65),))
    question, said, result = sent(ASK, turn, ToolMessage("Abc123xyz", ""))["messages"]
    assert (question["content"], said["content"], result["content"]) == (
        ASK.content,
        "I look.",
        "{}",
    )
    assert said["tool_calls"][0]["function"] == {"name": "n" * 64, "arguments": "{}"}


def test_a_tool_name_with_forbidden_characters_is_sent_back_with_allowed_ones() -> None:
    turn = AssistantMessage(None, (ToolCall("Abc123xyz", "Web search/ü"),))
    assert sent(ASK, turn)["messages"][1]["tool_calls"][0]["function"]["name"] == "Web_search__"


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        pytest.param([ASK, ASK], "user assistant user", id="two questions"),
        pytest.param(
            [ASK, AssistantMessage(None, (LIST,)), ToolMessage(LIST.id, "{}"), ASK],
            "user assistant tool assistant user",
            id="a question after a result",
        ),
        pytest.param(
            [ASK, AssistantMessage(None, (LIST,)), ASK],
            "user assistant tool assistant user",
            id="a call that was never answered",
        ),
        pytest.param([ASK, ToolMessage("gone", "{}")], "user", id="a result without its call"),
        pytest.param(
            [ASK, AssistantMessage("  "), ASK], "user assistant user", id="a blank answer"
        ),
        pytest.param([ASK, AssistantMessage("Half an")], "user assistant user", id="a cut answer"),
        pytest.param([ASK, SystemMessage("a"), SystemMessage("b")], "system user", id="system"),
        pytest.param([UserMessage(" "), ASK], "user", id="a blank question"),
        pytest.param([], "user", id="nothing at all"),
    ],
)
def test_messages_are_sent_in_an_order_that_every_endpoint_accepts(
    messages: list[Message], expected: str
) -> None:
    assert " ".join(roles(*messages)) == expected


def test_a_lone_surrogate_does_not_prevent_sending() -> None:
    assert json.loads(write_request(ModelRequest((UserMessage("a\ud83d"),)), model="m"))


TEXT = st.text(max_size=8)
IDS = st.sampled_from(["", "x", "call_1", "Abc123xyz"])
MESSAGES: st.SearchStrategy[Message] = st.one_of(
    st.builds(SystemMessage, TEXT),
    st.builds(UserMessage, TEXT),
    st.builds(ToolMessage, IDS, TEXT),
    st.builds(
        AssistantMessage,
        st.none() | TEXT,
        st.lists(st.builds(ToolCall, IDS, TEXT, TEXT), max_size=2).map(tuple),
    ),
)


@given(st.lists(MESSAGES, max_size=8))
def test_any_history_becomes_one_that_keeps_all_rules(history: list[Message]) -> None:
    before = list(history)
    messages = sent(*history)["messages"]
    assert history == before
    assert messages[-1]["role"] in ("user", "tool")
    open_ids: list[str] = []
    previous = "start"
    for message in messages:
        role, calls = message["role"], message.get("tool_calls")
        assert message["content"] or (role == "assistant" and calls) or role == "tool"
        assert isinstance(message["content"], str) or calls
        assert calls != []
        if role == "tool":
            assert message["tool_call_id"] == open_ids.pop(0)
        else:
            assert not open_ids
            allowed = {"user": ("start", "system", "assistant"), "assistant": ("user", "tool")}
            assert previous in allowed.get(role, ("start",))
        open_ids += [call["id"] for call in calls or ()]
        previous = role
    ids = [call["id"] for message in messages for call in message.get("tool_calls", ())]
    assert len(ids) == len(set(ids))


# --- the reader ----------------------------------------------------------------------------------


def body(message: object, finish_reason: object = "stop", **more: object) -> bytes:
    choice = {"index": 0, "message": message, "finish_reason": finish_reason}
    return json.dumps({"id": "1", "choices": [choice], **more}).encode()


def calling(*calls: object, **message: object) -> object:
    return {"role": "assistant", "content": None, "tool_calls": calls, **message}


def call(arguments: object = "{}", name: object = "t", **more: object) -> object:
    return {
        "id": "Abc123xyz",
        "type": "function",
        "function": {"name": name, "arguments": arguments},
        **more,
    }


def test_an_ordinary_reply_is_read_whole() -> None:
    reply = read_reply(
        body({"role": "assistant", "content": "Hello."}, usage={"prompt_tokens": 9, "total": 12})
    )
    assert reply == ModelReply(AssistantMessage("Hello."), "stop", Usage(9, 0))


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": ""}, None),
        ({"content": None}, None),
        ({"content": "  \n"}, None),
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "ab"),
        ({"content": [{"type": "image_url", "image_url": {"url": "x"}}, "c"]}, "c"),
        ({"content": [{"type": "thinking", "thinking": "hm"}, {"text": "d"}]}, "d"),
        ({"content": "e", "reasoning_content": "hm", "reasoning": "hm", "audio": {}}, "e"),
        ({"content": "<think>hm\n\nhm</think>\n\nf"}, "f"),
        ({"content": "the template opened it</think>g"}, "g"),
        ({"content": "<think>\nnever closed, and yet all"}, "never closed, and yet all"),
        ({"content": {"type": "text", "text": "one part alone"}}, "one part alone"),
        ({"content": "[THINK]hm[/THINK]h"}, "h"),
        ({"content": "<THINKING>`hm</THINKING>i\n<think>j</think>k"}, "i\nk"),
        ({"content": "Write `<think>` first."}, "Write `<think>` first."),
        ({"content": "```\n<think>\n```\nl"}, "```\n<think>\n```\nl"),
        ({"content": None, "refusal": "I cannot."}, "I cannot."),
        ({"content": 42}, "42"),
        ({"content": {"weird": 1}}, None),
    ],
)
def test_the_text_of_a_reply_holds_only_what_is_meant_for_the_person(
    message: object, text: str | None
) -> None:
    assert read_reply(body(message)).message.content == text


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (calling(call('{"a": 1}')), ToolCall("Abc123xyz", "t", '{"a": 1}')),
        (calling(call({"a": "ü"})), ToolCall("Abc123xyz", "t", '{"a":"ü"}')),
        (calling(call("")), ToolCall("Abc123xyz", "t", "{}")),
        (calling(call(None)), ToolCall("Abc123xyz", "t", "{}")),
        (calling(call('"{}"')), ToolCall("Abc123xyz", "t", '"{}"')),
        (calling(call([1])), ToolCall("Abc123xyz", "t", "[1]")),
        (calling(call(id=None)), ToolCall("", "t")),
        (calling(call(id=7)), ToolCall("7", "t")),
        (calling({"function": {"name": "t"}}), ToolCall("", "t")),
        (calling({"name": "t", "arguments": {}}), ToolCall("", "t")),
        ({"content": None, "function_call": {"name": "t", "arguments": "{}"}}, ToolCall("", "t")),
        ({"content": None, "tool_calls": {"function": {"name": "t"}}}, ToolCall("", "t")),
    ],
)
def test_a_call_is_read_in_every_known_variant(message: object, expected: ToolCall) -> None:
    assert read_reply(body(message, "stop")).message.tool_calls == (expected,)


@pytest.mark.parametrize(
    ("said", "read"),
    [
        (None, "stop"),
        ("", "stop"),
        ("tool_calls", "tool_calls"),
        ("function_call", "tool_calls"),
        ("MAX_TOKENS", "length"),
        ("model_length", "length"),
        ("content_filter", "content_filter"),
    ],
)
def test_the_finish_reason_is_one_of_the_formats_own(said: object, read: str) -> None:
    assert read_reply(body({"content": "x"}, said)).finish_reason == read


def test_announced_calls_that_were_not_sent_leave_an_empty_turn() -> None:
    reply = read_reply(body({"content": None, "tool_calls": None}, "tool_calls"))
    assert reply == ModelReply(AssistantMessage(None), "tool_calls", None)


def test_a_reply_of_the_older_completions_format_is_read_as_text() -> None:
    old = json.dumps({"choices": [{"text": "Hello.", "finish_reason": "stop"}]}).encode()
    assert read_reply(old).message.content == "Hello."


def refused(raw: object, status: int = 200) -> ModelError:
    sent_body = raw if isinstance(raw, bytes) else json.dumps(raw).encode()
    with pytest.raises(ModelError) as caught:
        read_reply(sent_body, status, host="llm.test")
    assert caught.value.host == "llm.test"
    return caught.value


GATEWAY = b"<html><head><title>502 Bad Gateway</title></head><body><h1>nginx</h1></body></html>"
CREDITS = "You have insufficient credits"
TOO_LONG = "maximum context length is 8192"
NO_MODEL = "model 'm' not found, try pulling it"
PROBLEMS: list[tuple[int, object, ModelErrorCode, str]] = [
    (200, {"error": {"message": "Out of memory", "type": "x"}}, "error_body", "Out of memory"),
    (200, {"error": "busy"}, "error_body", "busy"),
    (200, {"object": "error", "message": "busy", "code": 40303}, "error_body", "busy"),
    (200, {"choices": [{"error": {"message": "upstream"}}]}, "error_body", "upstream"),
    (200, {"error": {"message": TOO_LONG}}, "context_too_long", TOO_LONG),
    (200, {"id": "1", "choices": []}, "no_reply", ""),
    (200, {"choices": None}, "no_reply", ""),
    (200, {"choices": [{"message": None}]}, "no_reply", ""),
    (200, {}, "no_reply", ""),
    (200, [], "no_reply", ""),
    (200, None, "no_reply", ""),
    (200, GATEWAY, "not_json", "502 Bad Gateway"),
    (200, b"", "not_json", ""),
    (200, b"\xff\xfe\x00", "not_json", "\ufffd\ufffd\x00"),
    (200, b"[" * 100_000, "not_json", "[" * 300),
    (400, {"error": {"message": "tools: too many", "code": "x"}}, "bad_request", "tools: too many"),
    (400, {"detail": "no"}, "bad_request", "no"),
    (
        400,
        {"object": "error", "message": "Invalid model: m"},
        "model_not_found",
        "Invalid model: m",
    ),
    (400, {"error": {"message": "m", "code": "context_length_exceeded"}}, "context_too_long", "m"),
    (401, {"message": "Unauthorized"}, "unauthorized", "Unauthorized"),
    (402, {"error": "payment required"}, "payment_required", "payment required"),
    (403, b"<p>Forbidden &amp; closed</p>", "unauthorized", "Forbidden & closed"),
    (404, {"error": {"message": "x", "code": "model_not_found"}}, "model_not_found", "x"),
    (404, {"error": NO_MODEL}, "model_not_found", NO_MODEL),
    (404, b"404 page not found", "address_not_found", "404 page not found"),
    (408, b"", "timeout", ""),
    (413, b"", "too_large", ""),
    (422, {"detail": [{"loc": ["body", "n"], "msg": "extra"}]}, "bad_request", "body.n: extra"),
    (422, {"message": {"detail": [{"msg": "bad"}]}}, "bad_request", "bad"),
    (429, {"message": "Slow down"}, "rate_limited", "Slow down"),
    (
        500,
        {"error": {"message": "exceeds the available context size"}},
        "context_too_long",
        "exceeds the available context size",
    ),
    (500, [{"error": {"message": "boom"}}], "server_error", "boom"),
    (502, GATEWAY, "server_error", "502 Bad Gateway"),
    (503, b"", "server_error", ""),
    # the status of the server behind a gateway stands in the body, and counts
    (200, {"error": {"message": "slow", "code": 429}}, "rate_limited", "slow"),
    (200, {"error": {"message": "no", "code": "x", "type": "401"}}, "unauthorized", "no"),
    (200, {"error": {"message": "no", "code": 4290}}, "error_body", "no"),
    (200, {"error": {"message": "no", "code": 302}}, "error_body", "no"),
    (200, {"error": {"message": "You have insufficient credits"}}, "quota_used_up", CREDITS),
    (200, {"error": [{"message": "a"}, "b", {"msg": "c"}]}, "error_body", "a b c"),
    (500, b"x" * 4096 + b"<title>late</title>", "server_error", "x" * 300),
    (500, b"&lt;b&gt; &quot;a&quot; &#39;b&#39; &amp;lt;", "server_error", "<b> \"a\" 'b' &lt;"),
    (500, b" " * 4095 + b"ab", "server_error", "a"),
    (500, b"a < b <c>", "server_error", "a < b <c>"),
    (500, b" <p>a</p>\n<p>b", "server_error", "a b"),
    (500, b"\xffa", "server_error", "\ufffda"),
]


@pytest.mark.parametrize(("status", "raw", "code", "words"), PROBLEMS)
def test_a_problem_has_a_code_and_the_endpoints_words(
    status: int, raw: object, code: ModelErrorCode, words: str
) -> None:
    error = refused(raw, status)
    assert error.code == code
    told = {"rate_limited": 429, "unauthorized": 401}  # in a body of status 200
    assert error.status == (told.get(code, status) if status == 200 else status)
    assert error.detail == words


def test_only_what_may_succeed_later_is_called_retryable() -> None:
    final = {
        "unauthorized",
        "model_not_found",
        "address_not_found",
        "bad_request",
        "too_large",
        "context_too_long",
        "quota_used_up",
    }
    errors = [refused(raw, status) for status, raw, *_ in PROBLEMS]
    assert {error.code for error in errors if not error.retryable} == final
    assert not final & {error.code for error in errors if error.retryable}


def test_a_warning_beside_a_reply_does_not_lose_the_reply() -> None:
    assert read_reply(body({"content": "x"}, error={"message": "old key"})).message.content == "x"


KEYS = """choices message content tool_calls function name arguments error usage id
finish_reason type text code detail""".split()  # noqa: SIM905 -- readable as it is
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(KEYS),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.binary(max_size=40) | JSON.map(lambda value: json.dumps(value).encode()))
def test_any_body_is_read_or_refused_and_a_reply_can_be_sent_back(raw: bytes) -> None:
    for whole in (raw, b'{"choices":[{"message":' + raw + b"}]}"):
        for status in (200, 400, 500):
            try:
                reply = read_reply(whole, status)
            except ModelError:
                continue
            assert sent(ASK, reply.message)["messages"]
