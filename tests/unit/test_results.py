"""What the model reads as a tool's result: one JSON object with a status, whatever happens."""

import json
import logging
from typing import Any, NoReturn

import pytest
from pydantic import BaseModel, field_serializer
from tabloop.agent.results import MAX_REASON, ToolResult, error_result, success
from tabloop.agent.tools import Source, ToolOutput


def content(result: ToolResult) -> Any:
    def refuse(word: str) -> NoReturn:
        raise AssertionError(f"{word} is no JSON")

    return json.loads(result.content, parse_constant=refuse)


class Owl(BaseModel):
    name: str
    age: int | None = None


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ({"n": 1}, {"status": "ok", "n": 1}),
        (Owl(name="Ü"), {"status": "ok", "name": "Ü", "age": None}),
        ([1, 2], {"status": "ok", "result": [1, 2]}),
        ("text", {"status": "ok", "result": "text"}),
        (None, {"status": "ok", "result": None}),
        ({}, {"status": "ok"}),
        ({"x": float("nan"), "y": float("inf")}, {"status": "ok", "x": None, "y": None}),
        ({"n": 10**400}, {"status": "ok", "n": 10**400}),
        ({1: {2}}, {"status": "ok", "1": [2]}),
    ],
)
def test_what_a_tool_returns_gets_a_status(value: object, read: object) -> None:
    assert content(success(value)) == read
    assert success(value).status == "ok"


def test_results_are_compact_and_keep_letters_as_they_are() -> None:
    assert success({"a": ["ß", 1]}).content == '{"status":"ok","a":["ß",1]}'


class Stubborn(BaseModel):
    x: int = 1

    @field_serializer("x")
    def no(self, value: int) -> int:
        raise RuntimeError("no")


DEEP: list[Any] = json.loads("[" * 900 + "]" * 900)


@pytest.mark.parametrize(
    "value",
    [
        object(),
        {"x": object()},
        "\ud800",
        {"\ud800": 1},
        b"\xff",
        10**5000,
        Stubborn(),
        DEEP,
    ],
    ids=["object", "inside", "surrogate", "key", "bytes", "huge", "serializer", "deep"],
)
def test_a_result_that_is_not_json_is_a_tool_error(
    value: object, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        result = success(value)
    assert content(result) == {
        "status": "tool_error",
        "reason": "The tool's result could not be written as JSON.",
    }
    assert not result.recoverable
    assert caplog.records[0].exc_info, "the console gets the whole story"


@pytest.mark.parametrize(
    "status", ["ok", "not_found", "user_declined", "active", 200, None, ["ok"], {"code": "ok"}]
)
def test_a_status_in_the_data_is_data_and_never_a_failure(status: object) -> None:
    result = success({"status": status, "reason": "The person declined."})
    assert result.status == "ok"
    assert result.recoverable
    data = {"status": status, "reason": "The person declined."}
    assert content(result) == {"status": "ok", "result": data}


def test_a_result_that_is_too_large_to_be_paid_for_on_each_hop_is_refused() -> None:
    result = success({"text": "ü" * 40_000})
    assert result.status == "invalid_response"
    assert result.recoverable
    assert content(result)["reason"] == (
        "The result has 80025 bytes, at most 65536 fit. Ask for less."
    )
    fits = len('{"status":"ok","n":1}')
    assert success({"n": 1}, fits).status == "ok"
    assert success({"n": 1}, fits - 1).status == "invalid_response"


def test_a_result_that_is_nested_too_deep_to_be_read_again_is_a_tool_error() -> None:
    deep: object = "end"
    for _ in range(300):
        deep = [deep]
    assert success({"nested": deep}).status == "tool_error"


def test_a_reason_is_one_short_line() -> None:
    long = "First line.\n\tSecond " + "word " * 99
    reason = content(error_result("not_found", long))["reason"]
    assert reason.startswith("First line. Second word")
    assert reason.endswith("word…")
    assert len(reason) <= MAX_REASON
    exact = "x" * MAX_REASON
    assert content(error_result("not_found", exact))["reason"] == exact
    cut = content(error_result("not_found", exact + "x"))["reason"]
    assert cut == "x" * (MAX_REASON - 1) + "…"


def test_the_reason_of_a_success_is_the_tools_own_text() -> None:
    assert content(success({"reason": "a\nb" * 99}))["reason"] == "a\nb" * 99


@pytest.mark.parametrize(
    ("code", "recoverable"),
    [
        ("not_found", True),
        ("invalid_arguments", True),
        ("repeated_call", True),
        ("max_tokens", True),
        ("fetch_failed", False),
        ("user_declined", False),
        ("tool_error", False),
        ("budget_exhausted", False),
    ],
)
def test_the_status_says_whether_the_tool_stays(code: Any, recoverable: bool) -> None:
    assert error_result(code, "x").recoverable is recoverable
    assert error_result(code, "x", recoverable=not recoverable).recoverable is not recoverable


def test_things_for_the_page_never_reach_the_model() -> None:
    source = Source("https://a.example", "A", "Zoo, CC0")
    result = success(ToolOutput({"n": 1}, display={"url": "blob:secret"}, sources=(source,)))
    assert content(result) == {"status": "ok", "n": 1}
    assert result.display == {"url": "blob:secret"}
    assert result.sources == (source,)


def test_a_result_stays_as_it_is() -> None:
    result = error_result("not_found", "Nothing.")
    assert success(result) is result
    assert success(ToolOutput(result)) is result


def test_final_arguments_stand_beside_the_result() -> None:
    result = success(ToolOutput({"url": 1}, display="picture")).with_arguments({"prompt": "owl"})
    assert content(result) == {"status": "ok", "url": 1, "arguments": {"prompt": "owl"}}
    assert result.display == "picture"
