"""What a model wrote as calls, row by row of the table "Calls"."""

import json
from dataclasses import replace
from typing import Annotated

import pytest
from pydantic import Field
from tabloop.agent.calls import (
    MAX_ARGUMENTS,
    RefusedCall,
    ValidCall,
    canonical_key,
    normalize_calls,
    parse_call,
)
from tabloop.agent.history import call_ids
from tabloop.agent.messages import AssistantMessage, Message, ToolCall, ToolMessage
from tabloop.agent.tools import tool


@tool()
async def search(query: str = "all", limit: Annotated[int, Field(ge=1)] = 3) -> str:
    """Search."""
    return query


@tool()
async def look() -> str:
    """Look."""
    return ""


def read(
    arguments: str, *, name: str = "search", truncated: bool = False
) -> ValidCall | RefusedCall:
    return parse_call(ToolCall("c1", name, arguments), [search], truncated=truncated)


def refusal(answer: ValidCall | RefusedCall) -> dict[str, str]:
    assert isinstance(answer, RefusedCall)
    return json.loads(answer.refusal.content)


@pytest.mark.parametrize(
    "arguments",
    [
        '{"query": "owls"}',
        ' {"query": "owls", "limit": 3} ',
        '"{\\"query\\": \\"owls\\"}"',  # encoded twice
        '{"query": "owls", "no_such_field": 1}',
    ],
)
def test_an_object_runs_with_defaults_filled_in(arguments: str) -> None:
    answer = read(arguments)
    assert isinstance(answer, ValidCall)
    assert answer.arguments == {"query": "owls", "limit": 3}


@pytest.mark.parametrize("arguments", ["", "  ", "null", "{}"])
def test_blank_arguments_mean_no_arguments(arguments: str) -> None:
    answer = read(arguments)
    assert isinstance(answer, ValidCall)
    assert answer.arguments == {"query": "all", "limit": 3}


@pytest.mark.parametrize(
    "arguments",
    ["{not json", "[1]", "5", '"text"', '"\\"twice\\""', "true", "[" * 9_999, "9" * 5_000],
)
def test_arguments_that_are_not_an_object_never_run(arguments: str) -> None:
    answer = refusal(read(arguments))
    assert answer["status"] == "invalid_arguments"
    assert answer["reason"] == "The arguments are not a JSON object."


def test_a_schema_failure_names_the_fields() -> None:
    answer = refusal(read('{"query": 5, "limit": 0}'))
    assert answer["status"] == "invalid_arguments"
    assert "query: " in answer["reason"]
    assert "limit: " in answer["reason"]


def test_an_unknown_tool_is_told_which_ones_there_are() -> None:
    answer = refusal(read("{}", name="find"))
    assert answer == {
        "status": "unknown_tool",
        "reason": "There is no tool find on offer now. On offer: search.",
    }
    several = refusal(parse_call(ToolCall("c1", "find"), [search, look], truncated=False))
    assert several["reason"].endswith("On offer: search, look.")
    nothing_left = refusal(parse_call(ToolCall("c1", "search"), [], truncated=False))
    assert nothing_left["reason"].endswith("On offer: none.")


@pytest.mark.parametrize("arguments", ['{"query": "ow', "", "null", '"{\\"query\\": '])
def test_a_truncated_call_never_runs_and_says_so(arguments: str) -> None:
    answer = refusal(read(arguments, truncated=True))
    assert answer["status"] == "max_tokens"
    assert "smaller parts" in answer["reason"]


def test_a_complete_call_in_a_truncated_reply_runs() -> None:
    assert isinstance(read('{"query": "owls"}', truncated=True), ValidCall)


def tidied(*calls: ToolCall, history: list[Message] | None = None) -> list[tuple[str, str]]:
    message = normalize_calls(AssistantMessage("text", calls), call_ids(history or []), [search])
    assert message.content == "text"
    return [(call.id, call.name) for call in message.tool_calls]


def test_missing_or_repeated_ids_are_replaced() -> None:
    earlier: list[Message] = [
        AssistantMessage(None, (ToolCall("a", "search"), ToolCall("call00001", "search"))),
        ToolMessage("a", "{}"),
        ToolMessage("call00001", "{}"),
    ]
    calls = [ToolCall(call_id, "search") for call_id in ("", "b", "b", "a", "call00002")]
    ids = [call_id for call_id, _ in tidied(*calls, history=earlier)]
    assert ids == ["call00002", "b", "call00003", "call00004", "call00005"]
    assert all(len(call_id) == 9 for call_id in ids if call_id != "b")


def test_a_call_without_a_name_is_dropped() -> None:
    assert tidied(ToolCall("a", ""), ToolCall("b", " \n"), ToolCall("c", "search")) == [
        ("c", "search")
    ]


@pytest.mark.parametrize(
    "name", ["search", " search ", "functions.search", "tools:search", "a/b/search"]
)
def test_a_prefixed_name_becomes_the_tools_own(name: str) -> None:
    assert tidied(ToolCall("a", name)) == [("a", "search")]


def test_an_unknown_name_stays_as_the_model_wrote_it() -> None:
    assert tidied(ToolCall("a", "functions.find")) == [("a", "functions.find")]


def test_equal_arguments_have_one_key_whatever_their_order() -> None:
    assert canonical_key("t", {"a": 1, "b": [2]}) == canonical_key("t", {"b": [2], "a": 1})
    assert canonical_key("t", {"a": 1}) != canonical_key("t", {"a": "1"})
    assert canonical_key("t", {}) != canonical_key("u", {})


@pytest.mark.parametrize(
    ("name", "arguments", "truncated", "status", "reason"),
    [
        (
            "search",
            '"' + "x" * (MAX_ARGUMENTS - 1) + '"',
            False,
            "invalid_arguments",
            "The arguments are longer than 32768 characters.",
        ),
        (
            "search",
            '{"query": "ow',
            True,
            "max_tokens",
            "The reply was cut before the arguments ended. Send it again, in smaller parts.",
        ),
        (
            "f" * 61,
            "{}",
            False,
            "unknown_tool",
            f"There is no tool {'f' * 60} on offer now. On offer: search.",
        ),
        ("search", "[]", False, "invalid_arguments", "The arguments are not a JSON object."),
        (
            "search",
            '{"limit": 0}',
            False,
            "invalid_arguments",
            "limit: Input should be greater than or equal to 1",
        ),
    ],
)
def test_a_refusal_says_why_to_the_call_that_it_answers(
    name: str, arguments: str, truncated: bool, status: str, reason: str
) -> None:
    answer = read(arguments, name=name, truncated=truncated)
    assert refusal(answer) == {"status": status, "reason": reason}
    assert answer.call == ToolCall("c1", name, arguments)
    assert answer.tool is (search if name == "search" else None)


def test_arguments_of_the_largest_size_run() -> None:
    start = '{"query": "'
    longest = start + "x" * (MAX_ARGUMENTS - len(start) - 2) + '"}'
    assert isinstance(read(longest), ValidCall)


def test_a_validator_that_fails_by_itself_is_told_as_arguments_that_cannot_be_checked() -> None:
    def fails(_raw: object) -> dict[str, object]:
        raise RuntimeError("a bug")

    broken = replace(search, validate=fails)
    answer = parse_call(ToolCall("c1", "search", "{}"), [broken], truncated=False)
    assert refusal(answer) == {
        "status": "invalid_arguments",
        "reason": "The arguments could not be checked. Send other ones.",
    }
