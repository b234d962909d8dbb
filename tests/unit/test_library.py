"""The package as a library: one question and its answer, a test model, and HTTP on CPython."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from aiohttp import web
from tabloop import Agent, ChatCompletionsModel, ModelError, NoAnswer, ScriptedModel, calls, tool
from tabloop.agent.messages import AssistantMessage
from tabloop.agent.ports import ModelReply
from tabloop.agent.strategies import max_iterations
from tabloop.contrib.httpx_transport import HttpxTransport
from tabloop.core.http import HttpRequest, TransportError, send


@tool
async def weather(city: str) -> str:
    """Today's weather in one city."""
    return f"rain in {city}"


async def test_one_line_asks_and_gives_the_answer() -> None:
    model = ScriptedModel(calls("weather", city="Bonn"), "It rains.")
    assert await Agent(model, [weather]).answer("Do I need an umbrella in Bonn?") == "It rains."
    model.finish()
    assert model.offered == [["weather"], ["weather"]]
    assert "rain in Bonn" in str(model.asked[1][-1])


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (ModelReply(AssistantMessage("It ra"), "length"), "length"),
        (ModelReply(AssistantMessage("It not rains."), notes=("damaged",)), "damaged"),
        (calls("weather", city="Bonn"), "max_iterations"),
    ],
)
async def test_what_is_no_whole_answer_is_an_error(reply: ModelReply, code: str) -> None:
    agent = Agent(ScriptedModel(reply), [weather], strategy=max_iterations(1))
    with pytest.raises(NoAnswer) as raised:
        await agent.answer("Do I need an umbrella?")
    assert raised.value.code == code


async def test_a_models_own_error_is_raised() -> None:
    with pytest.raises(ModelError, match="unreachable"):
        await Agent(ScriptedModel(ModelError("unreachable"))).answer("Hello?")


async def test_a_script_that_does_not_fit_fails() -> None:
    with pytest.raises(AssertionError, match="more often"):
        await Agent(ScriptedModel()).answer("Hello?")
    model = ScriptedModel("Hello.", "Bye.")
    await Agent(model).answer("Hello?")
    with pytest.raises(AssertionError, match="Bye"):
        model.finish()


Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def served(handler: Handler) -> AsyncGenerator[str, None]:
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handler)
    runner = web.AppRunner(app, handler_cancellation=True)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield site.name
    finally:
        await runner.cleanup()


async def events(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"content-type": "text/event-stream"})
    await response.prepare(request)
    for text in ("It ", "rains."):
        piece = f'{{"choices": [{{"index": 0, "delta": {{"content": "{text}"}}}}]}}'
        await response.write(f"data: {piece}\n\n".encode())
    end = '{"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}'
    await response.write(f"data: {end}\n\ndata: [DONE]\n\n".encode())
    return response


async def redirects(request: web.Request) -> web.StreamResponse:
    raise web.HTTPTemporaryRedirect("http://localhost:9/elsewhere")


async def breaks_off(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"content-length": "100"})
    await response.prepare(request)
    await response.write(b"half")
    assert request.transport
    request.transport.close()
    return response


async def never(request: web.Request) -> web.StreamResponse:
    await asyncio.Event().wait()
    return web.Response()


@pytest.mark.real_time
async def test_a_streamed_answer_over_http() -> None:
    async with served(events) as url, HttpxTransport() as http:
        model = ChatCompletionsModel(http, url=f"{url}/v1", model="any", stream=True)
        assert await Agent(model).answer("Do I need an umbrella?") == "It rains."


@pytest.mark.real_time
@pytest.mark.parametrize(
    ("handler", "seconds", "kind", "detail"),
    [
        (redirects, 60, "redirected", "http://localhost:9/elsewhere"),
        (breaks_off, 60, "cut_off", "peer closed"),
        (never, 0.2, "timeout", ""),
    ],
)
async def test_a_failed_request_names_its_cause(
    handler: Handler, seconds: float, kind: str, detail: str
) -> None:
    async with served(handler) as url, HttpxTransport() as http:
        request = HttpRequest(f"{url}/v1", timeout=seconds, follow_redirects=False)
        with pytest.raises(TransportError) as raised:
            await send(http, request)
    assert raised.value.kind == kind
    assert detail in raised.value.detail


@pytest.mark.real_time
@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("http://127.0.0.1:9/v1", "unreachable"),
        ("ftp://127.0.0.1/v1", "invalid"),
        ("http://[::1/v1", "invalid"),
    ],
)
async def test_an_address_that_cannot_work_is_told_so(url: str, kind: str) -> None:
    async with HttpxTransport() as http:
        with pytest.raises(TransportError) as raised:
            await send(http, HttpRequest(url))
    assert raised.value.kind == kind
