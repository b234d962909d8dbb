"""What is learned of an endpoint from its refusals: once for each tab."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from tabloop.agent.errors import ModelError
from tabloop.agent.events import RunFinished
from tabloop.agent.loop import Agent
from tabloop.agent.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from tabloop.agent.ports import ModelReply, ModelRequest
from tabloop.agent.tools import tool
from tabloop.core.http import HttpResponse, TransportError
from tabloop.core.json_text import Json
from tabloop.endpoint.capabilities import EndpointCapabilities
from tabloop.endpoint.chat_completions import ChatCompletionsModel
from tabloop.endpoint.echo import Echo
from tabloop.endpoint.profiles import profile_of
from tabloop.ui.answer_state import AnswerState, reduce
from tabloop.ui.status import status_line
from tabloop.ui.strings import load_strings

from tests.unit.fake_transport import FakeTransport, Pieces, answer


@tool()
async def look() -> str:
    """Look."""
    return "seen"


def refusal(words: str, status: int = 400) -> HttpResponse:
    return answer([{"error": {"message": words}}], status)


def whole(message: Mapping[str, Any]) -> HttpResponse:
    return answer({"choices": [{"message": message, "finish_reason": "stop"}]})


def streamed(*deltas: Mapping[str, Any]) -> Pieces:
    events = [{"choices": [{"delta": delta}]} for delta in deltas]
    pieces = [f"data: {json.dumps(event)}\n\n".encode() for event in events]
    return Pieces([*pieces, b"data: [DONE]\n\n"])


def call(number: int = 0, **fields: object) -> dict[str, Any]:
    function = {"name": "look", "arguments": "{}"}
    return {"index": number, "id": f"abcdefgh{number}", "function": function, **fields}


DONE = whole({"content": "Hi."})


class Endpoint:
    """An endpoint with these answers, and what was learned of it."""

    def __init__(self, *answers: HttpResponse | Pieces | Exception, key: str = "") -> None:
        self.known = EndpointCapabilities()
        self.transport = FakeTransport(list(answers))
        self.key = key

    def model(self, url: str = "https://llm.test") -> ChatCompletionsModel:
        return ChatCompletionsModel(
            self.transport, url=url, model="m", key=self.key, capabilities=self.known
        )

    async def run(self) -> tuple[RunFinished, list[Message]]:
        """Ask one question with the tool `look`."""
        messages: list[Message] = [UserMessage("go")]
        events = [event async for event in Agent(self.model(), [look]).run(messages)]
        assert isinstance(events[-1], RunFinished)
        return events[-1], messages

    @property
    def bodies(self) -> list[Mapping[str, Any]]:
        return [json.loads(request.body or b"") for request in self.transport.requests]


# --- what is wanted back after a call ------------------------------------------------------------

THOUGHT = {"google": {"thought_signature": "c2ln"}}


@pytest.mark.parametrize(
    ("turn", "words", "place", "value"),
    [
        (
            whole({"content": None, "reasoning_content": "Hm.", "tool_calls": [call()]}),
            "The `reasoning_content` in the thinking mode must be passed back to the API.",
            "reasoning_content",
            "Hm.",
        ),
        (
            streamed(
                {"reasoning_content": "H"}, {"reasoning_content": "m."}, {"tool_calls": [call()]}
            ),
            "Missing reasoning content of the last turn",
            "reasoning_content",
            "Hm.",
        ),
        (
            streamed(
                {"reasoning_details": [1]}, {"reasoning_details": [2]}, {"tool_calls": [call()]}
            ),
            "reasoning_details are required",
            "reasoning_details",
            [1, 2],
        ),
        (
            whole({"tool_calls": [call(extra_content=THOUGHT)]}),
            "Function call is missing a thought_signature in functionCall parts.",
            "extra_content",
            THOUGHT,
        ),
        (
            streamed(
                {"tool_calls": [call()]}, {"tool_calls": [{"index": 0, "extra_content": THOUGHT}]}
            ),
            "missing a thought_signature",
            "extra_content",
            THOUGHT,
        ),
    ],
)
async def test_what_a_refusal_names_is_sent_back_and_from_then_on_unasked(
    turn: HttpResponse | Pieces, words: str, place: str, value: object
) -> None:
    endpoint = Endpoint(turn, refusal(words), DONE, turn, DONE)
    ended, messages = await endpoint.run()
    assert (ended.outcome, ended.text) == ("stop", "Hi.")
    await endpoint.run()

    def sent_back(body: Mapping[str, Any]) -> object:
        turn = body["messages"][1]
        return turn.get(place, turn["tool_calls"][0].get(place))

    _, without, mended, _, again = endpoint.bodies
    assert [sent_back(body) for body in (without, mended, again)] == [None, value, value]
    assert all("Hm." not in str(message) for message in messages)  # nobody else reads it


async def test_what_one_host_sent_goes_to_no_other() -> None:
    turn = whole({"reasoning_content": "Hm.", "tool_calls": [call()]})
    endpoint = Endpoint(turn, refusal("reasoning_content is missing"), DONE, DONE)
    _, messages = await endpoint.run()
    endpoint.known = EndpointCapabilities(wanted_back=endpoint.known.wanted_back)
    other = endpoint.model("https://other.test")
    request = ModelRequest((*messages, UserMessage("and?")), (look,))
    assert [part async for part in other.reply(request)]
    assert "Hm." in (endpoint.transport.requests[-2].body or b"").decode()
    assert "Hm." not in (endpoint.transport.requests[-1].body or b"").decode()


@pytest.mark.parametrize(
    ("words", "fields"),
    [
        ("Missing `deep_thought`.", {"deep_thought"}),
        ("deepThought and notes_ are required", {"deep_thought"}),  # five letters may be a word
        ("no outer_name", {"nested"}),
        ("no inner-name", {"nested"}),
        ("no innermost", set[str]()),
        ("The call's signature_1 is lost", {"signature_1"}),
    ],
)
def test_a_field_is_asked_for_by_its_name_or_that_of_a_part(words: str, fields: set[str]) -> None:
    nested: Json = {"outer_name": {"inner_name": {"innermost": 1}}}
    kept = Echo({"deep_thought": "Hm.", "notes": 1, "nested": nested}, [{}, {"signature_1": 1}])
    assert kept.asked_for(words) == fields


def test_what_is_kept_goes_back_to_its_place_and_host_up_to_a_size() -> None:
    fields = {"a": "x", "b": 1}
    text = Echo(fields, [{}, {"c": 2}]).text("llm.test")
    kept = Echo.of(AssistantMessage(echo=text), "llm.test")
    assert kept.in_message(["a", "c"]) == {"a": "x"}
    assert kept.in_message(["reasoning_content"]) == {"reasoning_content": ""}
    assert [kept.in_call(number, ["a", "c"]) for number in range(3)] == [{}, {"c": 2}, {}]
    assert Echo.of(AssistantMessage(echo=text), "other.test").in_message(["a"]) == {}
    assert Echo({}, [{}, {}]).text("llm.test") == ""
    frame = len(Echo({"a": ""}, ()).text(""))
    longest = Echo({"a": "x" * (1_000_000 - frame)}, ())
    assert len(longest.text("")) == 1_000_000
    assert longest.text("h") == ""


async def test_reasoning_is_sent_back_even_where_a_turn_had_none() -> None:
    """DeepSeek refuses the second request otherwise."""
    endpoint = Endpoint(whole({"tool_calls": [call()]}), DONE)
    endpoint.known = profile_of("https://api.deepseek.com").capabilities()
    await endpoint.run()
    assert endpoint.bodies[-1]["messages"][1]["reasoning_content"] == ""


async def test_a_refusal_that_names_nothing_kept_teaches_nothing() -> None:
    turn = whole({"reasoning_content": "Hm.", "tool_calls": [call()]})
    endpoint = Endpoint(turn, refusal("temperature is wrong"))
    ended, _ = await endpoint.run()
    assert ended.outcome == "error"
    assert len(endpoint.bodies) == 2
    assert endpoint.known == EndpointCapabilities(url="https://llm.test")


@pytest.mark.parametrize(
    "words",
    [
        "'content' field must be a string or an array of objects",
        "messages.1.content: Input should be a valid string",
        "Missing required parameter: content (null is not allowed)",
    ],
)
async def test_a_text_of_null_becomes_a_blank_one_when_it_is_refused(words: str) -> None:
    turn = whole({"content": None, "tool_calls": [call()]})
    endpoint = Endpoint(turn, refusal(words), DONE, turn, DONE)
    assert (await endpoint.run())[0].outcome == "stop"
    await endpoint.run()
    contents = [body["messages"][1]["content"] for body in endpoint.bodies if body["messages"][1:]]
    assert contents == [None, "", ""]


async def test_what_several_refusals_name_is_all_sent_back() -> None:
    turn = whole({"reasoning_content": "Hm.", "tool_calls": [call(extra_content=THOUGHT)]})
    refusals = (refusal("reasoning_content is missing"), refusal("no thought_signature"))
    endpoint = Endpoint(turn, *refusals, DONE)
    assert (await endpoint.run())[0].text == "Hi."
    assert endpoint.known.wanted_back == {"reasoning_content", "extra_content"}
    sent = endpoint.bodies[-1]["messages"][1]
    assert sent["reasoning_content"] == "Hm."
    assert sent["tool_calls"][0]["extra_content"] == THOUGHT


@pytest.mark.parametrize("words", ["content must be a string", "Invalid schema for function look"])
async def test_a_refusal_of_something_that_was_not_sent_is_an_error(words: str) -> None:
    turn = whole({"content": "I look.", "tool_calls": [call()]})
    endpoint = Endpoint(turn, refusal(words))
    assert (await endpoint.run())[0].outcome == "error"
    assert len(endpoint.bodies) == 2


async def test_a_refused_content_that_is_no_null_is_an_error() -> None:
    endpoint = Endpoint(refusal("content must be a string"))
    assert (await endpoint.run())[0].outcome == "error"
    assert len(endpoint.bodies) == 1
    assert endpoint.known == EndpointCapabilities()


# --- no tools ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (400, "m does not support tools"),
        (500, "tools param requires --jinja flag"),
        (404, "No endpoints found that support tool use."),
    ],
)
async def test_a_model_without_tools_answers_without_and_says_so(status: int, words: str) -> None:
    endpoint = Endpoint(refusal(words, status), DONE)
    for _ in range(2):
        ended, _ = await endpoint.run()
        assert (ended.outcome, ended.text, ended.notes) == ("stop", "Hi.", ("without_tools",))
    assert ["tools" in body for body in endpoint.bodies] == [True, False, False]
    question = ModelRequest((UserMessage("go"),))
    [reply] = [part async for part in endpoint.model().reply(question)]
    assert isinstance(reply, ModelReply)
    assert reply.notes == ()  # there were no tools to leave out
    assert endpoint.known.tools is False


async def test_a_model_without_tools_gets_no_calls_of_earlier_ones() -> None:
    endpoint = Endpoint(refusal("no support for tools: not supported"), DONE)
    said = AssistantMessage("I look.", (ToolCall("a", "look"),))
    asked = (UserMessage("go"), said, ToolMessage("a", "{}"), UserMessage("and?"))
    async for _ in endpoint.model().reply(ModelRequest(asked, (look,))):
        pass
    roles = [message["role"] for message in endpoint.bodies[-1]["messages"]]
    assert roles == ["user", "assistant", "user"]
    assert "tool_calls" not in endpoint.bodies[-1]["messages"][1]


async def test_a_paid_request_is_repeated_only_by_the_person() -> None:
    paid = HttpResponse(400, {}, b'{"error": "tools are not supported"}', cost=10_000)
    endpoint = Endpoint(paid, DONE)
    ended, _ = await endpoint.run()
    assert isinstance(ended.error, ModelError)
    assert (ended.error.code, ended.error.retryable) == ("no_tools", True)
    assert len(endpoint.bodies) == 1
    assert (await endpoint.run())[0].notes == ("without_tools",)  # "Try again"
    assert ["tools" in body for body in endpoint.bodies] == [True, False]


async def test_a_refusal_with_and_without_tools_is_not_about_tools() -> None:
    words = {"message": "tools are not supported", "code": "c7"}
    endpoint = Endpoint(answer({"error": words}, 400))
    ended, _ = await endpoint.run()
    error = ended.error
    assert isinstance(error, ModelError)
    assert (error.code, error.status, error.host) == ("bad_request", 400, "llm.test")
    assert (error.detail, error.facts) == ("tools are not supported", {"endpoint_code": "c7"})
    assert not error.retryable
    assert endpoint.known.tools


# --- the key -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "sign", "place"),
    [
        ("sk-1\u200b", "U+200B", "5"),
        ("\ufeffsk", "U+FEFF", "1"),
        ("sk 1", "U+0020", "3"),
        ("sk\x7f", "U+007F", "3"),
        ("ü ", "U+00FC", "1"),
    ],
)
async def test_a_key_with_an_invisible_sign_is_not_sent(key: str, sign: str, place: str) -> None:
    endpoint = Endpoint(DONE, key=key)
    ended, _ = await endpoint.run()
    assert isinstance(ended.error, ModelError)
    assert (ended.error.code, ended.error.host) == ("bad_key", "llm.test")
    assert not ended.error.retryable
    assert ended.error.facts == {"sign": sign, "place": place}
    assert endpoint.bodies == []


async def test_each_visible_sign_of_ascii_may_stand_in_a_key() -> None:
    key = "".join(map(chr, range(0x21, 0x7F)))
    endpoint = Endpoint(DONE, key=key)
    assert (await endpoint.run())[0].text == "Hi."
    assert endpoint.transport.requests[0].headers["authorization"] == f"Bearer {key}"


@pytest.mark.parametrize(
    ("url", "key", "facts"),
    [
        ("https://llm.test", "sk", {"key": "Key"}),
        ("https://llm.test", "", {"key": "NoKey"}),
        ("http://localhost:11434/v1", "", {}),
    ],
)
async def test_a_key_may_be_why_a_host_gives_no_answer(
    url: str, key: str, facts: Mapping[str, str]
) -> None:
    endpoint = Endpoint(TransportError("unreachable", "llm.test"), key=key)
    with pytest.raises(ModelError) as caught:
        await anext(aiter(endpoint.model(url).reply(ModelRequest((UserMessage("go"),)))))
    assert caught.value.facts == facts


@pytest.mark.parametrize(
    ("failure", "code", "facts", "retryable"),
    [
        (TransportError("unreachable", "proxy.test"), "unreachable", {"key": "NoKey"}, True),
        (TransportError("timeout", "proxy.test"), "timeout", {"key": "NoKey"}, True),
        (TransportError("invalid", "proxy.test"), "bad_request", {}, False),
        (
            TransportError("redirected", "proxy.test", "https://b.test"),
            "redirected",
            {"where": "https://b.test"},
            False,
        ),
    ],
)
async def test_a_request_without_a_response_tells_where_it_failed(
    failure: TransportError, code: str, facts: Mapping[str, str], retryable: bool
) -> None:
    with pytest.raises(ModelError) as caught:
        await anext(aiter(Endpoint(failure).model().reply(ModelRequest((UserMessage("go"),)))))
    error = caught.value
    assert (error.code, error.host, error.facts) == (code, "proxy.test", facts)
    assert error.retryable is retryable


async def test_a_stream_that_breaks_off_tells_where() -> None:
    begun = b'data: {"choices": [{"delta": {"content": "Hi"}}]}\n\n'
    broken = Pieces([begun, TransportError("unreachable", "proxy.test")])
    model = ChatCompletionsModel(
        FakeTransport([broken]), url="https://llm.test", model="m", key="k", stream=True
    )
    with pytest.raises(ModelError) as caught:
        _ = [part async for part in model.reply(ModelRequest((UserMessage("go"),)))]
    assert (caught.value.code, caught.value.host) == ("cut_off", "proxy.test")
    assert caught.value.facts == {"key": "Key"}


async def test_a_reply_is_kept_as_the_loop_gives_it_back() -> None:
    endpoint = Endpoint(whole({"content": "Hi.", "reasoning_content": "Hm."}))
    [reply] = [part async for part in endpoint.model().reply(ModelRequest((UserMessage("go"),)))]
    assert isinstance(reply, ModelReply)
    assert reply.message.echo == ""  # no call follows, so nobody can want it back


# --- a pause -------------------------------------------------------------------------------------


async def test_a_pause_reaches_the_page_and_ends_with_the_text() -> None:
    async def no_time(_seconds: float) -> None:
        pass

    busy = answer(b"", 429, {"retry-after": "7"})
    model = ChatCompletionsModel(
        FakeTransport([busy, DONE]), url="https://llm.test", model="m", sleep=no_time
    )
    state, lines = AnswerState(), list[str]()
    async for event in Agent(model).run([UserMessage("go")]):
        state = reduce(state, event)
        lines.append(status_line(load_strings("en"), state, 4))
    assert list(dict.fromkeys(lines)) == [
        "Thinking (hop 1 of 4)",
        "Too many requests: asking again in 7 s",
        "Too many requests: asking again in 2 s",
        "Writing (hop 1 of 4)",
        "Answered",
    ]
