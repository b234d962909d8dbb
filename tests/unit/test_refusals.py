"""What a refusal means, in the wordings of many servers: each leads to another sentence."""

import json

import pytest
from tabloop.agent.errors import ModelError
from tabloop.endpoint.reply import read_reply


def refused(words: str, status: int = 400, **more: str) -> ModelError:
    body = json.dumps({"error": {"message": words, **more}}).encode()
    with pytest.raises(ModelError) as caught:
        read_reply(body, status, host="llm.test")
    return caught.value


@pytest.mark.parametrize(
    "words",
    [
        "Input length 61234 exceeds the maximum allowed input length of 32768 tokens.",
        "The input token count (61234) exceeds the maximum number of tokens allowed (32768).",
        "This model's maximum context length is 8192 tokens, you requested 9000.",
        "Requested tokens (9012) exceed context window of 8192",
        "the request exceeds the available context size. try increasing it",
        "prompt is too long: 210000 tokens > 200000 maximum",
        "Prompt contains 40211 tokens and is too large for a model with 32768 maximum.",
        "inputs tokens + max new tokens must be <= 4096. Given: 5000 inputs: too many",
        "Please reduce the length of the messages or completion.",
        "The sequence is longer than the model can take (4096 < 5000).",
        "Conversation does not fit: 5000 of 4096 tokens",
        "input is too long for requested model",
    ],
)
def test_too_long_is_known_by_its_meaning(words: str) -> None:
    assert refused(words).code == "context_too_long"


@pytest.mark.parametrize(
    "words",
    [
        "max_tokens must be at most 4096",
        "max_completion_tokens is too large: 9000",
        "tools.3.function.name: string too long, maximum length 64",
        "temperature exceeds the maximum of 2",
        "At most 4 stop sequences, more than the limit were given in the input",
        "Invalid JSON in messages.0",
        "The input is not valid.",
        "messages: at least one is required",
    ],
)
def test_another_limit_does_not_shorten_the_conversation(words: str) -> None:
    assert refused(words).code == "bad_request"


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (400, "models.test/library/tiny:1b does not support tools"),
        (500, "tools param requires --jinja flag"),
        (404, "No endpoints found that support tool use."),
        (400, '"auto" tool choice requires --enable-auto-tool-choice and a parser to be set'),
        (400, "Function calling is not enabled for this model"),
        (400, "`tool calling` is not supported with this model"),
        (422, "Extra inputs are not permitted: tools"),
        (400, "Unrecognized request argument supplied: tools"),
        (501, "Tools are not implemented by this backend."),
        (400, "This model knows no tools."),
    ],
)
def test_a_model_without_tools_is_known_in_any_wording(status: int, words: str) -> None:
    assert refused(words, status).code == "no_tools"


@pytest.mark.parametrize(
    ("status", "words", "code"),
    [
        (400, "Invalid schema for function 'look': unknown keyword", "bad_request"),
        (400, "Not the same number of function calls and responses", "bad_request"),
        (400, "tool_call_id c1 is unknown", "bad_request"),
        (400, "An assistant message with 'tool_calls' must be followed by tool messages", None),
        (500, "Something is broken", "server_error"),
        (404, "The model `m` does not exist", "model_not_found"),
        (404, "Not Found", "address_not_found"),
    ],
)
def test_what_only_mentions_tools_is_something_else(
    status: int, words: str, code: str | None
) -> None:
    assert refused(words, status).code == (code or "bad_request")


@pytest.mark.parametrize(
    ("status", "words", "endpoint_code"),
    [
        (400, "The response was filtered.", "content_filter"),
        (403, "Your input was flagged: violence", ""),
        (400, "The prompt triggered the content management policy.", ""),
        (400, "Rejected by the safety system.", ""),
    ],
)
def test_a_filter_is_not_blamed_on_the_endpoint(
    status: int, words: str, endpoint_code: str
) -> None:
    error = refused(words, status, code=endpoint_code)
    assert (error.code, error.retryable) == ("filtered", False)


@pytest.mark.parametrize(
    ("words", "endpoint_code"),
    [
        ("Failed to call a function. See 'failed_generation'.", "tool_use_failed"),
        ("Failed to parse a tool call from the model's text.", ""),
    ],
)
def test_a_call_that_the_endpoint_could_not_read_may_work_again(
    words: str, endpoint_code: str
) -> None:
    error = refused(words, code=endpoint_code)
    assert (error.code, error.retryable) == ("tool_use_failed", True)


def test_a_wrong_key_at_litellm_without_a_database_is_called_a_wrong_key() -> None:
    error = refused("No connected db.", 400, type="no_db_connection", code="400")
    assert error.code == "unauthorized"
