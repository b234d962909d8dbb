"""Requests to one endpoint: what is sent, what is tried again, and when the client gives up."""

import asyncio
import contextlib
import json
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone

import pytest
from tabloop.agent.errors import ModelError
from tabloop.agent.messages import AssistantMessage, UserMessage
from tabloop.agent.ports import ModelReply, ModelRequest, ReplyPart, Usage, Waiting
from tabloop.core.http import HttpRequest, HttpResponse, TransportError
from tabloop.endpoint.chat_completions import ChatCompletionsModel

from tests.unit.fake_transport import FakeTransport, answer

ASK = ModelRequest((UserMessage("Hello"),))
URL = "https://llm.test"
NOON = datetime(2026, 9, 9, 10, 0, tzinfo=timezone(timedelta(hours=2)))


def saying(text: str | None, finish_reason: str = "stop", tokens: int = 1) -> HttpResponse:
    message = {"role": "assistant", "content": text}
    usage = {"prompt_tokens": tokens, "completion_tokens": tokens}
    return answer(
        {"choices": [{"message": message, "finish_reason": finish_reason}], "usage": usage}
    )


BUSY = answer({"message": "slow down"}, 429)
EMPTY = saying(None, "tool_calls")


class Waits:
    """A sleep that takes no time and remembers how long it was meant to be."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        await asyncio.sleep(0)


async def ask(
    *answers: HttpResponse | Exception, waits: Waits | None = None, key: str = ""
) -> tuple[ModelReply, list[HttpRequest]]:
    transport = FakeTransport(list(answers))
    model = ChatCompletionsModel(
        transport, url=URL, model="m", key=key, sleep=waits or Waits(), now=lambda: NOON
    )
    [reply] = [part for part in await all_of(model) if not isinstance(part, Waiting)]
    assert isinstance(reply, ModelReply)
    return reply, transport.requests


async def all_of(model: ChatCompletionsModel) -> list[ReplyPart]:
    return [part async for part in model.reply(ASK)]


async def refused(*answers: HttpResponse | Exception, waits: Waits | None = None) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await ask(*answers, waits=waits)
    assert caught.value.host == "llm.test"
    return caught.value


async def test_one_reply_is_one_post_of_json() -> None:
    reply, (request,) = await ask(saying("Hi."))
    assert reply.message == AssistantMessage("Hi.")
    assert (request.method, request.url) == ("POST", URL)
    assert request.headers["content-type"] == "application/json"
    assert "authorization" not in request.headers
    assert json.loads(request.body or b"")["model"] == "m"


@pytest.mark.parametrize(
    ("stream", "accept", "seconds"),
    [
        (False, "application/json", 600),
        (True, "text/event-stream, application/json", 180),
    ],
)
async def test_key_and_question_follow_no_redirect_to_another_host(
    stream: bool, accept: str, seconds: float
) -> None:
    transport = FakeTransport([saying("Hi.")])
    model = ChatCompletionsModel(transport, url=URL, model="m", key="secret", stream=stream)
    await all_of(model)
    headers = {
        "content-type": "application/json",
        "accept": accept,
        "authorization": "Bearer secret",
    }
    [request] = transport.requests
    assert (request.method, request.url, request.headers) == ("POST", URL, headers)
    assert (request.timeout, request.follow_redirects) == (seconds, False)


async def test_a_key_is_sent_as_bearer() -> None:
    _, (request,) = await ask(saying("Hi."), key="secret")
    assert request.headers["authorization"] == "Bearer secret"


@pytest.mark.parametrize("kind", ["unreachable", "timeout", "offline"])
async def test_no_response_at_all_names_the_host_and_is_not_tried_again(kind: str) -> None:
    error = await refused(TransportError(kind, "llm.test"))  # type: ignore[arg-type]  # each kind in turn
    assert (error.code, error.retryable) == (kind, True)


async def test_a_busy_endpoint_is_asked_twice_more_after_growing_waits() -> None:
    waits = Waits()
    reply, requests = await ask(BUSY, BUSY, saying("Hi."), waits=waits)
    assert reply.message.content == "Hi."
    assert len(requests) == 3
    assert waits.seconds == [2.0, 5.0, 1.0]  # 2 and 6, the longer one in steps


async def test_an_endpoint_that_stays_busy_is_given_up() -> None:
    waits = Waits()
    error = await refused(BUSY, waits=waits)
    assert (error.code, error.facts) == ("rate_limited", {})
    assert waits.seconds == [2.0, 5.0, 1.0]


@pytest.mark.parametrize(
    ("header", "waited"),
    [
        ("9", [5.0, 4.0]),
        ("30", [5.0] * 6),
        ("0", [2.0]),
        ("-7", [2.0]),
        ("Wed, 09 Sep 2026 08:00:12 GMT", [5.0, 5.0, 2.0]),
        ("Wed, 09 Sep 2026 08:00:12", [5.0, 5.0, 2.0]),
        ("Wed, 09 Sep 2020 08:00:00 GMT", [2.0]),
        ("Wednesday", [2.0]),
        ("nan", [2.0]),
        ("inf", [2.0]),
    ],
)
async def test_retry_after_is_followed_and_counted_down(header: str, waited: list[float]) -> None:
    waits = Waits()
    busy = answer(b"", 429, {"retry-after": header})
    await ask(busy, saying("Hi."), waits=waits)
    assert waits.seconds == waited


async def test_a_pause_is_told_while_it_lasts() -> None:
    busy = answer(b"", 429, {"retry-after": "12"})
    model = ChatCompletionsModel(
        FakeTransport([busy, saying("Hi.")]), url=URL, model="m", sleep=Waits(), now=lambda: NOON
    )
    parts = [part async for part in model.reply(ASK)]
    assert parts[:3] == [Waiting(12), Waiting(7), Waiting(2)]
    assert len(parts) == 4


@pytest.mark.parametrize(
    ("header", "again"),
    [
        ("31", {"again_at": "2026-09-09T10:01", "today": "yes"}),
        ("3597", {"again_at": "2026-09-09T11:00", "today": "yes"}),
        ("86400", {"again_at": "2026-09-10T10:00"}),
        ("Wed, 09 Sep 2026 08:30:00 GMT", {"again_at": "2026-09-09T10:30", "today": "yes"}),
        ("1e300", {"again_at": "2027-09-10T10:00"}),
    ],
)
async def test_a_long_pause_is_not_waited_for_and_its_end_is_named(
    header: str, again: Mapping[str, str]
) -> None:
    waits = Waits()
    error = await refused(answer(b"", 429, {"retry-after": header}), waits=waits)
    assert (error.code, waits.seconds) == ("rate_limited", [])
    assert {key: error.facts[key] for key in error.facts if key != "retry_after"} == again


async def test_a_used_up_quota_is_not_waited_for() -> None:
    waits = Waits()
    spent = answer({"error": {"message": "m", "code": "insufficient_quota"}}, 429)
    assert (await refused(spent, waits=waits)).code == "quota_used_up"
    assert waits.seconds == []


async def test_stop_ends_a_wait() -> None:
    transport = FakeTransport([BUSY])
    model = ChatCompletionsModel(transport, url=URL, model="m", sleep=lambda _: asyncio.sleep(60))
    task = asyncio.ensure_future(all_of(model))
    await asyncio.sleep(0.01)
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    assert task.cancelled()
    assert len(transport.requests) == 1


async def test_stop_aborts_a_request() -> None:
    transport = FakeTransport([saying("late")], gate=asyncio.Event())
    model = ChatCompletionsModel(transport, url=URL, model="m")
    task = asyncio.ensure_future(anext(model.reply(ASK)))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    assert transport.aborted == 1


async def test_calls_announced_but_not_sent_are_asked_for_once_more_and_both_are_counted() -> None:
    reply, requests = await ask(EMPTY, saying("Hi.", tokens=5))
    assert reply.message.content == "Hi."
    assert reply.usage == Usage(6, 6)
    assert len(requests) == 2


async def test_announced_calls_that_never_come_are_reported_as_an_error() -> None:
    assert (await refused(EMPTY, EMPTY, saying("too late"))).code == "no_reply"


async def test_text_beside_announced_calls_is_an_answer() -> None:
    reply, requests = await ask(saying("Let me look.", "tool_calls"))
    assert reply.message.content == "Let me look."
    assert len(requests) == 1


async def test_a_problem_in_a_reply_is_raised_as_an_error() -> None:
    error = await refused(answer(b"<title>Bad Gateway</title>", 502))
    assert (error.code, error.status, error.detail) == ("server_error", 502, "Bad Gateway")
