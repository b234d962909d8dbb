"""What "Check" tells: each step that was taken, and whom the address belongs to."""

import json
from collections.abc import Mapping, Sequence

import pytest
from tabloop.core.http import HttpResponse, TransportError, TransportErrorKind
from tabloop.endpoint.capabilities import EndpointCapabilities
from tabloop.endpoint.check import CheckStep, Owner, check_endpoint, owner_of
from tabloop.ui.endpoint import check_html
from tabloop.ui.strings import load_strings

from tests.unit.fake_transport import FakeTransport, Pieces, answer

URL = "https://llm.test/v1/chat/completions"
OK = answer({"choices": [{"message": {"content": "OK"}, "finish_reason": "stop"}]})
STREAMED = Pieces(
    [
        b'data: {"choices": [{"delta": {"content": "OK"}}]}\n\n',
        b'data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}\n\n',
        b"data: [DONE]\n\n",
    ]
)
NO_TOOLS = answer({"error": {"message": "This model knows no tools."}}, 400)
NO_MODEL = answer({"error": {"message": "The model m does not exist."}}, 404)
Answer = HttpResponse | Pieces | Exception


async def checked(
    *answers: Answer, may_stream: bool = False
) -> tuple[list[CheckStep], FakeTransport]:
    transport = FakeTransport(list(answers))
    steps = check_endpoint(transport, url=URL, model="m", key="k", may_stream=may_stream)
    return [step async for step in steps], transport


def told(steps: Sequence[CheckStep]) -> list[tuple[str, str]]:
    """Each step's name with the code of its error, "paid" or "ok"."""
    return [
        (
            step.name,
            step.error.code
            if step.error
            else "paid"
            if step.paid
            else "ok"
            if step.works
            else "no",
        )
        for step in steps
    ]


async def test_an_endpoint_that_supports_everything_passes_each_step() -> None:
    steps, transport = await checked(OK, STREAMED, may_stream=True)
    assert told(steps) == [
        ("Reachable", "ok"),
        ("Model", "ok"),
        ("Tools", "ok"),
        ("Streaming", "ok"),
    ]
    posts = [request for request in transport.requests if request.method == "POST"]
    bodies = [json.loads(request.body or b"") for request in posts]
    assert [body["model"] for body in bodies] == ["m", "m"]
    assert [tool["function"]["name"] for tool in bodies[0]["tools"]] == ["ping"]
    assert [body.get("stream", False) for body in bodies] == [False, True]
    assert [one.url for one in posts] == [URL, URL]
    assert {one.headers["authorization"] for one in transport.requests} == {"Bearer k"}


@pytest.mark.parametrize("second", [OK, NO_MODEL])
async def test_an_endpoint_without_streaming_passes(second: Answer) -> None:
    steps, _ = await checked(OK, second, may_stream=True)
    assert told(steps)[:3] == [("Reachable", "ok"), ("Model", "ok"), ("Tools", "ok")]
    assert told(steps)[3] == ("Streaming", "no")


async def test_streaming_is_not_tested_where_it_is_switched_off() -> None:
    steps, transport = await checked(OK)
    assert told(steps) == [("Reachable", "ok"), ("Model", "ok"), ("Tools", "ok")]
    assert [request.method for request in transport.requests] == ["POST", "GET"]


@pytest.mark.parametrize("kind", ["unreachable", "offline", "timeout"])
async def test_an_endpoint_that_does_not_answer_is_not_reachable(kind: TransportErrorKind) -> None:
    steps, transport = await checked(TransportError(kind, "llm.test"), OK)
    assert told(steps) == [("Reachable", kind)]
    assert len(transport.requests) == 1


async def test_an_address_that_cannot_be_sent_to_is_not_reachable() -> None:
    steps, _ = await checked(TransportError("invalid", "llm.test"))
    assert told(steps) == [("Reachable", "bad_request")]


async def test_a_server_that_is_too_slow_was_reached() -> None:
    steps, _ = await checked(answer({}, 408))
    assert told(steps) == [("Reachable", "ok"), ("Model", "timeout")]


async def test_a_model_without_tools_is_asked_again_without_them() -> None:
    steps, transport = await checked(NO_TOOLS, OK)
    assert told(steps) == [("Reachable", "ok"), ("Model", "ok"), ("Tools", "no")]
    assert "tools" not in json.loads(transport.requests[1].body or b"")


async def test_an_unknown_model_fails_the_step_of_the_model_and_is_asked_once() -> None:
    steps, transport = await checked(NO_MODEL)
    assert [step.name for step in steps] == ["Reachable", "Model"]
    assert steps[0].error is None
    assert steps[1].error is not None
    assert [request.method for request in transport.requests] == ["POST", "GET"]


async def test_a_request_refused_with_and_without_tools_fails_the_step_of_the_model() -> None:
    steps, _ = await checked(NO_TOOLS)
    assert told(steps) == [("Reachable", "ok"), ("Model", "bad_request")]


async def test_an_endpoint_that_names_a_price_is_reachable() -> None:
    steps, _ = await checked(answer({"accepts": []}, 402))
    assert told(steps) == [("Reachable", "ok"), ("Model", "paid")]


# --- what the list of models tells --------------------------------------------------------------


@pytest.mark.parametrize(
    ("entry", "found"),
    [
        ({"id": "m"}, []),
        ({"id": "m", "max_model_len": 4096}, ["Context 4096"]),
        (
            {"id": "m", "context_length": 8192, "pricing": {"prompt": "0.00000015"}},
            ["Context 8192", "Price 0.15"],
        ),
        ({"id": "m", "meta": {"n_ctx": 2048, "n_ctx_train": 32768}}, ["Context 2048"]),
        ({"id": "m", "meta": {"n_ctx_train": 32768}}, []),
        ({"id": "m", "context_window": "big", "pricing": {"prompt": "-1"}}, []),
        ({"id": "m", "pricing": {"prompt": "0"}}, ["Price 0"]),
        ({"id": "models/m", "pricing": "free"}, []),
        ({"id": "m", "pricing": {"prompt": "free"}}, []),
        ({"id": "m", "pricing": {"prompt": "1e-15"}}, []),  # the least that is no price
        ({"id": "m", "pricing": {"prompt": "1.1e-15"}}, ["Price 0.0000000011"]),
        ({"id": "m", "pricing": {"prompt": "999.9999"}}, ["Price 999999900"]),
        ({"id": "m", "pricing": {"prompt": "1000"}}, []),
        ({"id": "m", "pricing": {"prompt": "1e999999999"}}, []),
        ({"id": "m", "max_model_len": 0, "context_length": 4096}, ["Context 4096"]),
    ],
)
async def test_context_and_price_are_told_where_the_list_has_them(
    entry: Mapping[str, object], found: list[str]
) -> None:
    steps, transport = await checked(OK, answer({"data": [{"id": "other"}, entry]}))
    listed, *more = steps[3:]
    assert (listed.name, listed.works, listed.models) == ("Listed", True, ("other", "m"))
    assert [f"{step.name} {step.tokens or step.price}" for step in more] == found
    assert transport.requests[-1].url == "https://llm.test/v1/models"
    assert transport.requests[-1].headers == {"authorization": "Bearer k"}


async def test_the_latest_version_of_a_model_is_that_model() -> None:
    entries = [{"id": "other"}, {"id": "m:latest", "max_model_len": 4096}]
    steps, _ = await checked(OK, answer({"data": entries}))
    assert [(step.name, step.works) for step in steps[3:]] == [("Listed", True), ("Context", True)]


async def test_a_server_of_one_model_takes_any_name_and_tells_its_context() -> None:
    entry = {"id": "gemma.gguf", "meta": {"n_ctx": 2048}}
    steps, _ = await checked(OK, answer({"data": [entry]}))
    assert [(step.name, step.works) for step in steps[3:]] == [("Listed", False), ("Context", True)]
    assert steps[-1].tokens == 2048


@pytest.mark.parametrize(
    "listed",
    [
        answer({"data": []}),
        answer({"data": [{"id": "m"}]}, 404),
        answer("no JSON"),
        answer([1]),
        TransportError("unreachable", "llm.test"),
    ],
)
async def test_a_list_that_cannot_be_read_is_no_fault(listed: Answer) -> None:
    steps, _ = await checked(OK, listed)
    assert told(steps) == [("Reachable", "ok"), ("Model", "ok"), ("Tools", "ok")]


async def test_a_model_that_nobody_knows_is_followed_by_those_that_there_are() -> None:
    steps, _ = await checked(NO_MODEL, answer({"models": [{"name": "small:1b"}, {"name": "big"}]}))
    assert told(steps)[1:] == [("Model", "model_not_found"), ("Listed", "no")]
    shown = str(check_html(load_strings("en"), steps, model="m"))
    assert "Its list of models does not have “m”. It has: small:1b, big" in shown


async def test_what_the_check_found_is_said_in_words() -> None:
    entry = {"id": "m", "context_length": 131072, "pricing": {"prompt": "0.00000015"}}
    steps, _ = await checked(NO_TOOLS, OK, STREAMED, answer({"data": [entry]}), may_stream=True)
    shown = str(check_html(load_strings("en"), steps, model="m"))
    assert "(CORS allows it)" in shown
    assert "It cannot use tools: the model answers, but looks nothing up" in shown
    assert "It sends text as it is written" in shown
    assert "It reads up to 131,072 tokens at once" in shown
    assert "cost 0.15 US dollars" in shown


async def test_what_the_check_learned_is_known_to_the_questions_after_it() -> None:
    known = EndpointCapabilities()
    transport = FakeTransport([NO_TOOLS, OK])
    steps = check_endpoint(transport, url=URL, model="m", key="", capabilities=known)
    assert [step async for step in steps]
    assert (known.tools, known.url) == (False, URL)


# --- whose address it is ------------------------------------------------------------------------


async def owner(document: object, status: int = 200) -> Owner | None:
    return await owner_of(FakeTransport([answer(document, status)]), URL)


async def test_the_description_is_fetched_from_the_origin() -> None:
    transport = FakeTransport([answer({"info": {"title": "Ours"}})])
    assert await owner_of(transport, URL) == Owner("Ours", "", "")
    [request] = transport.requests
    assert (request.url, request.method) == ("https://llm.test/openapi.json", "GET")
    assert request.timeout == 10.0  # seconds: a server that stays silent does not end the check


@pytest.mark.parametrize(
    ("contact", "shown"),
    [
        ({"name": "Ann", "email": "a@x.test", "url": "https://x.test"}, "Ann"),
        ({"email": "a@x.test", "url": "https://x.test"}, "a@x.test"),
        ({"name": "", "url": "https://x.test"}, "https://x.test"),
        ({"name": 7, "url": ["https://x.test"]}, ""),
        ({"name": "n" * 200}, "n" * 120),
    ],
)
async def test_a_contact_is_the_first_way_that_is_given(
    contact: Mapping[str, object], shown: str
) -> None:
    document = {"info": {"title": "t" * 200, "contact": contact}, "x-service-type": "llm/v1"}
    assert await owner(document) == Owner("t" * 120, shown, "llm/v1")


@pytest.mark.parametrize("service", [None, 1, ["llm/v1"]])
async def test_a_contract_address_that_is_not_text_is_ignored(service: object) -> None:
    assert await owner({"info": {"title": "Ours"}, "x-service-type": service}) == Owner("Ours")


@pytest.mark.parametrize(
    "document", ["no JSON", [], {}, {"info": []}, {"info": {"title": " "}}, {"info": {"title": 1}}]
)
async def test_a_description_without_a_title_names_nobody(document: object) -> None:
    assert await owner(document) is None


async def test_an_error_page_or_a_failed_connection_describes_nobody() -> None:
    assert await owner({"info": {"title": "Ours"}}, 404) is None
    dead = FakeTransport([TransportError("unreachable", "llm.test")])
    assert await owner_of(dead, URL) is None
