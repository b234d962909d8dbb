"""Calls that stand in the text, because the server did not read them: never shown as an answer."""

import json
from collections.abc import Sequence

import pytest
from tabloop.agent.errors import ModelError
from tabloop.agent.messages import UserMessage
from tabloop.agent.ports import ModelReply, ModelRequest, ReplyPart, TextDelta
from tabloop.agent.tools import tool
from tabloop.endpoint.chat_completions import ChatCompletionsModel

from tests.unit.fake_transport import FakeTransport, Pieces


@tool()
async def get_sitzungen() -> str:
    """List."""
    return ""


@tool()
async def search_claims(query: str) -> str:
    """Search."""
    return query


TOOLS = (get_sitzungen, search_claims)
Part = ReplyPart


async def streamed(text: str, size: int = 3, tools: Sequence[object] = TOOLS) -> list[Part]:
    deltas = [text[at : at + size] for at in range(0, len(text), size)]
    events = [{"choices": [{"delta": {"content": delta}}]} for delta in deltas]
    pieces = [f"data: {json.dumps(event)}\n\n".encode() for event in events]
    transport = FakeTransport([Pieces([*pieces, b"data: [DONE]\n\n"])])
    model = ChatCompletionsModel(transport, url="https://llm.test/v1", model="m", stream=True)
    request = ModelRequest((UserMessage("go"),), TOOLS if tools else ())
    return [part async for part in model.reply(request)]


def shown(parts: Sequence[Part]) -> str:
    text = ""
    for part in parts:
        if isinstance(part, TextDelta):
            text = part.text if part.replaces else text + part.text
    return text


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        (
            '<tool_call>{"name": "get_sitzungen", "arguments": {}}</tool_call>',
            [("get_sitzungen", "{}")],
        ),
        (
            '\n<tool_call>\n{"name": "search_claims", "arguments": {"query": "Rente"}}\n'
            '</tool_call>\n<tool_call>\n{"name": "get_sitzungen", "arguments": "{}"}\n</tool_call>',
            [("search_claims", '{"query":"Rente"}'), ("get_sitzungen", "{}")],
        ),
        (
            '[TOOL_CALLS][{"name": "search_claims", "arguments": {"query": "Rente"}}]',
            [("search_claims", '{"query":"Rente"}')],
        ),
        ('[TOOL_CALLS]get_sitzungen[ARGS]{"von": "1"}', [("get_sitzungen", '{"von":"1"}')]),
        (
            '<|python_tag|>{"name": "search_claims", "parameters": {"query": "x"}}<|eom_id|>',
            [("search_claims", '{"query":"x"}')],
        ),
        ('<function=search_claims>{"query": "x"}</function>', [("search_claims", '{"query":"x"}')]),
        ('<|tool_call|>{"name": "get_sitzungen"}<|/tool_call|>', [("get_sitzungen", "{}")]),
        (
            '[TOOL_CALLS][{"name": "search_claims", "arguments": {"query": "[TOOL_CALLS]"}}]',
            [("search_claims", '{"query":"[TOOL_CALLS]"}')],
        ),
        ('[TOOL_CALLS]search_claims{"query": "x"}', [("search_claims", '{"query":"x"}')]),
        (
            '<tool_call>{"name": "search_claims", "arguments": "{\\"query\\": \\"x\\"}"}',
            [("search_claims", '{"query":"x"}')],
        ),
        (
            '<|python_tag|>{"name": "search_claims", "parameters": {"query": "<|"}}<|eot_id|>',
            [("search_claims", '{"query":"<|"}')],
        ),
    ],
)
async def test_a_text_that_is_a_call_is_run_as_one(text: str, calls: list[tuple[str, str]]) -> None:
    for size in (1, 4, 1000):
        *before, reply = await streamed(text, size)
        assert before == []
        assert isinstance(reply, ModelReply)
        assert [(call.name, call.arguments) for call in reply.message.tool_calls] == calls
        assert not any(call.id for call in reply.message.tool_calls)  # the loop gives them one
        assert (reply.message.content, reply.finish_reason) == (None, "tool_calls")


async def test_text_before_a_call_stays_without_the_call() -> None:
    parts = await streamed('I look.\n\n<tool_call>{"name": "get_sitzungen"}</tool_call>')
    assert shown(parts) == "I look."
    reply = parts[-1]
    assert isinstance(reply, ModelReply)
    assert reply.message.content == "I look."
    assert [call.name for call in reply.message.tool_calls] == ["get_sitzungen"]


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "get_sitzungen", "argum',
        '<tool_call>{"name": "delete_all", "arguments": {}}</tool_call>',
        "<tool_call>",
        '<tool_call>{"name": "get_sitzungen", "arguments": [1]}</tool_call>',
        "<tool_call>{}</tool_call>",
        "<tool_call>5</tool_call>",
        "<tool_call>[]</tool_call>",
        '<tool_call>{"name": "get_sitzungen", "arguments": "{"}</tool_call>',
        '<tool_call>{"name": "get_sitzungen"}</tool_call><tool_call>{"name": "x"}</tool_call>',
        "<function=get_sitzungen>{</function>",
        '<tool_call>{"name": "get_sitzungen"}</tool_call><tool_call>{"na</tool_call>',
    ],
)
async def test_a_call_that_cannot_be_read_is_no_answer(text: str) -> None:
    with pytest.raises(ModelError) as caught:
        await streamed(text)
    assert (caught.value.code, caught.value.host) == ("tool_use_failed", "llm.test")


@pytest.mark.parametrize(
    "text",
    [
        "<tool",
        "[TOOLS] are listed here.",
        "<b>Hi</b>",
        "  <",
        "Write `<tool_call>` before it.",
        "The mark <tool_call> opens a call.",
        "An example:\n<tool_call>\nis how it begins.",
    ],
)
async def test_other_text_is_shown_as_it_comes(text: str) -> None:
    parts = await streamed(text)
    assert shown(parts).strip() == text.strip()
    reply = parts[-1]
    assert isinstance(reply, ModelReply)
    assert not reply.message.tool_calls


async def test_without_tools_nothing_is_a_call() -> None:
    text = '<tool_call>{"name": "get_sitzungen"}</tool_call>'
    assert shown(await streamed(text, tools=())) == text
