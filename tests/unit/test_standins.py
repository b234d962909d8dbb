"""The stand-ins keep to the wire formats, misbehave on demand, and leave nothing behind."""

import asyncio
import gzip
import json
import tomllib
import urllib.request
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import aiohttp
import pytest
from tabloop import Agent, tool
from tabloop.agent.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from tabloop.agent.ports import ModelReply, ModelRequest, TextDelta
from yarl import URL

from tests.standins import (
    Delay,
    Drop,
    Fault,
    Hang,
    NoCors,
    Reply,
    Standins,
    Truncate,
    garbage,
    html_502,
    running_standins,
)
from tests.standins.__main__ import main, settings_lines
from tests.standins.base import StandIn
from tests.standins.drawing import draw
from tests.standins.images import Images
from tests.standins.llm_proxy import LlmProxy
from tests.standins.pass_through import PassThrough
from tests.standins.recording import json_bytes
from tests.standins.script_file import ScriptFile
from tests.standins.servers import ServerGroup
from tests.standins.static_site import StaticSite
from tests.standins.toml_overlay import TomlValue, overlay, toml_value

pytestmark = pytest.mark.real_time

SETTINGS = """\
interpreter = "./boot.js"  # first

[tabloop]
# whom to ask
llm_url = "https://one.example/#a" # the # is no comment
owners = [ # several
  "0x1",   # one
]
stream = false                     # true where the endpoint streams

[tabloop.payment]
max = "0.01"                       # USDC
llm_url = "not this one"
"""


class Says:
    """A model that plays its replies and keeps what it was asked."""

    def __init__(self, *replies: ModelReply) -> None:
        self.replies = list(replies)
        self.asked: list[ModelRequest] = []

    async def reply(self, request: ModelRequest) -> AsyncIterator[TextDelta | ModelReply]:
        self.asked.append(request)
        yield self.replies.pop(0) if self.replies else ModelReply(AssistantMessage("Hello."))


@pytest.fixture
def dist(tmp_path: Path) -> Path:
    folder = tmp_path / "dist"
    (folder / "a").mkdir(parents=True)
    (folder / "index.html").write_text("<title>Page</title>", "utf-8")
    (folder / "pyscript.toml").write_text(SETTINGS, "utf-8")
    for name in ("boot.mjs", "a/core.wasm", "a/main.py"):
        (folder / name).write_bytes(b"x" * 1000)
    (tmp_path / "secret.txt").write_text("no", "utf-8")
    return folder


class TestTomlOverlay:
    def test_values_change_and_comments_stay(self) -> None:
        settings: dict[str, TomlValue] = {"llm_url": "http://h", "owners": [], "stream": True}
        expected = (
            SETTINGS.replace('"https://one.example/#a"', '"http://h"')
            .replace('[ # several\n  "0x1",   # one\n]', "[]")
            .replace("false ", "true ")
        )
        assert overlay(SETTINGS, settings) == expected

    def test_a_new_key_comes_last_in_its_table(self) -> None:
        text = overlay(SETTINGS, {"max_hops": 4, "payment.networks": ["eip155:10"]})
        assert "endpoint streams\nmax_hops = 4\n\n[tabloop.payment]" in text
        assert text.endswith('llm_url = "not this one"\nnetworks = ["eip155:10"]\n')

    def test_a_missing_table_comes_last_in_the_file(self) -> None:
        assert overlay("a = 1", {"b": 2}) == "a = 1\n\n[tabloop]\nb = 2\n"
        assert tomllib.loads(overlay("", {"b": 2})) == {"tabloop": {"b": 2}}

    @pytest.mark.parametrize(
        "value",
        [
            'a "b" \\ \n\t\x00\x7f ü\u2028',
            True,
            False,
            7,
            0.5,
            [1, 2],
            ["a", "#"],
            {},
            {"a b": "]"},
        ],
    )
    def test_every_kind_of_value_survives(self, value: TomlValue) -> None:
        assert tomllib.loads(f"v = {toml_value(value)}") == {"v": value}
        assert tomllib.loads(overlay(SETTINGS, {"stream": value}))["tabloop"]["stream"] == value

    def test_a_layout_it_does_not_understand_is_refused(self) -> None:
        with pytest.raises(ValueError, match="cannot be laid over"):
            overlay('tabloop.llm_url = "x"\n[other]\n', {"llm_url": "y"})
        with pytest.raises(ValueError, match="cannot be laid over"):
            overlay('[ tabloop ]\n"a" = 1\n["tabloop"."b"]\nc = 1\n', {"b.c": 2})
        with pytest.raises(tomllib.TOMLDecodeError):
            overlay("no toml", {"a": 1})


async def test_the_page_comes_with_addresses_of_the_stand_ins(dist: Path) -> None:
    before = (dist / "pyscript.toml").read_bytes()
    async with Standins(dist, model=Says(), settings={"max_hops": 2}) as all_of_it:
        async with aiohttp.ClientSession(all_of_it.page_url) as client:
            settings = tomllib.loads(await (await client.get("pyscript.toml")).text())
        assert settings["tabloop"]["llm_url"] == all_of_it.proxy.url
        assert settings["tabloop"]["bundestakt_url"] == f"{all_of_it.bundestakt.url}/api/v1"
        assert settings["tabloop"]["image_url"] == all_of_it.images.url
        assert settings["tabloop"]["max_hops"] == 2
        assert settings["tabloop"]["payment"] == tomllib.loads(SETTINGS)["tabloop"]["payment"]
    assert (dist / "pyscript.toml").read_bytes() == before


async def test_the_site_serves_like_a_plain_host_below_any_folder(dist: Path) -> None:
    site = StaticSite(dist, "/some/where")
    await site.start()
    async with aiohttp.ClientSession() as client:
        for path, kind in {
            "": "text/html; charset=utf-8",
            "boot.mjs": "text/javascript; charset=utf-8",
            "a/core.wasm": "application/wasm",
            "pyscript.toml": "application/toml; charset=utf-8",
        }.items():
            async with client.get(site.page_url + path) as answer:
                assert (answer.status, answer.headers["Content-Type"]) == (200, kind)
                assert answer.headers["Cache-Control"] == "no-cache"
                assert "Access-Control-Allow-Origin" not in answer.headers
                etag = {"If-None-Match": answer.headers["ETag"]}
            async with client.get(site.page_url + path, headers=etag) as answer:
                assert (answer.status, await answer.read()) == (304, b"")
        for path in ("/some/where/none.js", "/boot.mjs", "/some/where/..%2fsecret.txt"):
            async with client.get(site.url + path) as answer:
                assert answer.status == 404
        async with client.get(f"{site.url}/some/where", allow_redirects=False) as answer:
            assert (answer.status, answer.headers["Location"]) == (301, "/some/where/")
        async with client.head(f"{site.page_url}boot.mjs") as answer:
            assert (answer.status, answer.headers["Content-Length"]) == (200, "1000")
        (dist / "boot.mjs").write_bytes(b"new")
        async with client.get(f"{site.page_url}boot.mjs") as answer:
            assert await answer.read() == b"new"
    await site.stop()


@pytest.mark.parametrize(
    ("accepted", "sent", "body"),
    [("gzip, br", "br", b"brotli"), ("gzip", "gzip", b"zipped"), ("", None, b"x" * 1000)],
)
async def test_the_site_sends_the_compressed_file_that_the_client_accepts(
    dist: Path, accepted: str, sent: str | None, body: bytes
) -> None:
    for suffix, content in ((".br", b"brotli"), (".gz", b"zipped")):
        (dist / "a" / f"core.wasm{suffix}").write_bytes(content)
    site = StaticSite(dist)
    site.precompressed = True
    await site.start()
    async with (
        aiohttp.ClientSession(auto_decompress=False) as client,
        client.get(f"{site.url}/a/core.wasm", headers={"Accept-Encoding": accepted}) as answer,
    ):
        assert answer.headers.get("Content-Encoding") == sent
        assert answer.content_type == "application/wasm"
        assert await answer.read() == body
    await site.stop()


async def test_the_site_compresses_only_where_it_is_told_to(dist: Path) -> None:
    for compress in (False, True):
        site = StaticSite(dist, compress=compress)
        await site.start()
        async with (
            aiohttp.ClientSession(auto_decompress=False) as client,
            client.get(f"{site.url}/a/core.wasm", headers={"Accept-Encoding": "gzip"}) as answer,
        ):
            body = await answer.read()
            assert answer.headers.get("Content-Encoding") == ("gzip" if compress else None)
            assert (gzip.decompress(body) if compress else body) == b"x" * 1000
        await site.stop()


async def test_bundestakt_answers_as_the_real_one(dist: Path) -> None:
    async with Standins(dist, model=Says()) as running:
        url = running.bundestakt.url
        async with aiohttp.ClientSession(url) as client:
            async with client.get("/api/v1/sitzungen") as answer:
                document = await answer.json()
                assert answer.headers["Access-Control-Allow-Origin"] == "*"
                assert "max-age=3600" in answer.headers["Cache-Control"]
                assert answer.headers["Content-Encoding"] == "gzip"
                etag = {"If-None-Match": answer.headers["ETag"]}
            async with client.get("/api/v1/sitzungen", headers=etag) as answer:
                assert answer.status == 304
            async with client.head("/api/v1/claims", headers={"Accept-Encoding": ""}) as answer:
                assert int(answer.headers["Content-Length"]) > 800_000
            async with client.get("/api/v1/none") as answer:
                assert (answer.status, await answer.json()) == (404, {"error": "Not Found"})
            link = document["sitzungen"][0]["url"]
            async with client.get(link) as answer:
                page = await answer.text()
            assert link.startswith(url)
            assert "Beispieldaten" in page
            assert 'id="claim-197"' in page
            assert document["sitzungen"][0]["in30Sekunden"][0]["titel"] in page
            async with client.get("/sitzung/none") as answer:
                assert answer.status == 404
            async with client.get("/") as answer:
                assert (await answer.text()).count("<li>") == 21


async def test_the_image_service_draws_what_it_is_asked_and_takes_nothing_else() -> None:
    images = Images()
    await images.start()
    asked = {"prompt": 'a <cat> & "co"', "size": "1792x1024", "network": "eip155:10"}
    wrong: list[object] = [
        [1],
        {**asked, "seed": 7},
        {**asked, "prompt": " "},
        {**asked, "size": "512x512"},
        {**asked, "network": "eip155:1"},
    ]
    async with aiohttp.ClientSession(images.url) as client:
        async with client.get("/openapi.json") as answer:
            described = await answer.json()
        assert (described["x-service-type"], described["x-price"]) == ("images/v1", "0")
        for body in (b"no json", *map(json_bytes, wrong)):
            async with client.post("/", data=body) as answer:
                assert (answer.status, "error" in await answer.json()) == (400, True)
        async with client.post("/", data=json_bytes(asked)) as answer:
            url = (await answer.json())["data"][0]["url"]
        async with client.get(url) as answer:
            drawing = ElementTree.fromstring(await answer.text())
            assert answer.headers["Content-Type"].startswith("image/svg+xml")
        for number in ("0", "2", "x"):
            async with client.get(f"/pictures/{number}.svg") as answer:
                assert answer.status == 404
    assert drawing.get("width") == "1792"
    text = " ".join(drawing.itertext())
    assert asked["prompt"] in text
    assert "PRACTICE" in text
    # a request without a prompt does not count as an order
    assert [order.status for order in images.ordered] == [400] * (len(wrong) - 1) + [200]
    await images.stop()


def test_a_drawing_is_the_same_for_the_same_words_and_takes_any() -> None:
    assert draw("a cat", 1024, 1024) == draw("a cat", 1024, 1024) != draw("a dog", 1024, 1024)
    for prompt in ("", "x" * 300, "a\x00b \x1f", "word " * 200):
        ElementTree.fromstring(draw(prompt, 1024, 1024))


async def _proxy(*replies: ModelReply) -> tuple[LlmProxy, Says]:
    model = Says(*replies)
    proxy = LlmProxy(model)
    await proxy.start()
    return proxy, model


async def _post(proxy: LlmProxy, body: object) -> tuple[int, Any]:
    data = body if isinstance(body, bytes) else json_bytes(body)
    async with aiohttp.ClientSession() as client, client.post(proxy.url, data=data) as answer:
        return answer.status, await answer.json()


ASKED = {"role": "user", "content": "What?"}
CALL = {"id": "abcDEF123", "type": "function", "function": {"name": "f", "arguments": "{}"}}
CALLED = {"role": "assistant", "content": None, "tool_calls": [CALL]}
TOLD = {"role": "tool", "tool_call_id": "abcDEF123", "content": "{}"}
TOOL: dict[str, object] = {
    "type": "function",
    "function": {"name": "f", "description": "d", "parameters": {}},
}


def _chat(*messages: object, **more: object) -> dict[str, object]:
    return {"model": "mistral-large-latest", "messages": list(messages), **more}


async def test_the_proxy_hands_messages_and_tools_to_its_model() -> None:
    call = ToolCall("too long an id", "f", '{"a":1}')
    proxy, model = await _proxy(ModelReply(AssistantMessage(None, (call,)), "tool_calls"))
    status, reply = await _post(proxy, _chat(ASKED, CALLED, TOLD, tools=[TOOL]))
    message = reply["choices"][0]["message"]
    assert status == 200
    assert (message["content"], reply["choices"][0]["finish_reason"]) == (None, "tool_calls")
    assert message["tool_calls"][0]["function"] == {"name": "f", "arguments": '{"a":1}'}
    assert len(message["tool_calls"][0]["id"]) == 9
    assert reply["usage"]["total_tokens"] == sum(list(reply["usage"].values())[:2]) > 20
    expected: tuple[Message, ...] = (
        UserMessage("What?"),
        AssistantMessage(None, (ToolCall("abcDEF123", "f", "{}"),)),
        ToolMessage("abcDEF123", "{}"),
    )
    assert model.asked[0].messages == expected
    assert [tool.name for tool in model.asked[0].tools] == ["f"]
    assert proxy.requests[0].json["model"] == "mistral-large-latest"
    await proxy.stop()


BIG = {**TOOL, "function": {"name": "f", "description": "ü" * 4100, "parameters": {"a": 1}}}
LONG_ID = {"role": "assistant", "content": "", "tool_calls": [{**CALL, "id": "call_1234567"}]}
ECHOED = {"role": "assistant", "content": None, "tool_calls": [{**CALL, "index": 0}]}
OBJECT = {**CALL, "function": {"name": "f", "arguments": {"a": 1}}}


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (b"{", 400, "not valid JSON"),
        ([], 400, "body must be a JSON object"),
        (_chat(), 400, "messages must be a non-empty array"),
        (_chat(ASKED, stream=True), 400, "Streaming"),
        (_chat(ASKED, n=2), 400, "n = 1"),
        (_chat(ASKED, max_tokens=None), 400, "max_tokens"),
        (_chat(ASKED, tool_choice="any"), 400, "tool_choice"),
        (_chat(ASKED, tools=[]), 400, "tools must be a non-empty array"),
        (_chat(ASKED, tools=[TOOL] * 9), 400, "At most 8"),
        (_chat(ASKED, tools=[BIG]), 400, "8192 bytes"),
        (_chat(ASKED, tools=[{"type": "function"}]), 400, "function must be a JSON object"),
        (_chat(ASKED, model="gpt"), 404, "does not exist"),
        (_chat(ASKED, user="me"), 422, "body.user: Extra inputs"),
        (_chat("hello"), 400, "messages[0] must be a JSON object"),
        (_chat({"role": "user"}), 400, "messages[0] needs content"),
        (_chat({"role": "robot", "content": ""}), 422, "unknown role robot"),
        (_chat({"role": "user", "content": [ASKED]}), 422, "valid string"),
        (_chat({**ASKED, "id": 1}), 422, "messages[0].user.id: Extra inputs"),
        (_chat(ASKED, {"role": "assistant", "content": " "}, ASKED), 400, "either content or"),
        (_chat(ASKED, {**CALLED, "tool_calls": []}, ASKED), 400, "non-empty array"),
        (_chat(ASKED, {**CALLED, "reasoning": ""}, TOLD), 422, "assistant.reasoning"),
        (_chat(ASKED, {**CALLED, "tool_calls": [OBJECT]}, TOLD), 400, "JSON object as text"),
        (_chat(ASKED, {**CALLED, "tool_calls": [CALL, CALL]}, TOLD), 400, "Duplicate"),
        (_chat(ASKED, ECHOED, TOLD), 422, "tool_calls.index: Extra inputs"),
        (_chat(ASKED, LONG_ID, TOLD), 400, "length of 9"),
        (_chat(ASKED, CALLED, TOLD, ASKED), 400, "Unexpected role 'user' after role 'tool'"),
        (_chat(ASKED, CALLED), 400, "Expected last role"),
        (_chat(ASKED, CALLED, ASKED), 400, "Not the same number"),
        (_chat(ASKED, CALLED, TOLD, TOLD), 400, "Unexpected tool call id"),
        (_chat(ASKED, {"role": "assistant", "content": "Yes."}), 400, "Expected last role"),
    ],
)
async def test_the_proxy_refuses(body: object, status: int, words: str) -> None:
    proxy, model = await _proxy()
    got, reply = await _post(proxy, body)
    await proxy.stop()
    assert (got, model.asked) == (status, [])
    assert words in reply["error"]["message"]
    assert reply["error"]["type"]


async def test_the_proxy_refuses_two_calls_with_one_result() -> None:
    proxy, _ = await _proxy()
    two = {**CALLED, "tool_calls": [CALL, {**CALL, "id": "000000000"}]}
    status, reply = await _post(proxy, _chat(ASKED, two, TOLD))
    assert (status, reply["error"]["code"]) == (400, "3230")
    await proxy.stop()


async def test_a_preflight_is_answered_and_counted_apart() -> None:
    proxy, _ = await _proxy()
    asked = {"Origin": "http://page", "Access-Control-Request-Method": "POST"}
    async with (
        aiohttp.ClientSession() as client,
        client.options(f"{proxy.url}/", headers=asked) as answer,
    ):
        assert answer.status == 204
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        allowed = answer.headers["Access-Control-Allow-Headers"].split(", ")
        assert {"content-type", "authorization", "payment-signature"} <= set(allowed)
        assert "payment-required" in answer.headers["Access-Control-Expose-Headers"]
    assert (len(proxy.preflights), proxy.requests) == (1, [])
    await proxy.stop()


async def test_openapi_says_whom_one_pays() -> None:
    proxy, _ = await _proxy()
    async with aiohttp.ClientSession() as client:
        document = await (await client.get(f"{proxy.url}/openapi.json")).json()
        async with client.get(proxy.url) as answer:
            assert (answer.status, "error" in await answer.json()) == (405, True)
    assert document["x-service-type"] == "llm/v1"
    assert {"title", "contact"} <= set(document["info"])
    await proxy.stop()


async def test_scripted_replies_come_in_order_then_the_usual_ones() -> None:
    proxy, model = await _proxy()
    proxy.behave(Reply({"choices": []}), html_502(), garbage())
    assert await _post(proxy, _chat(ASKED)) == (200, {"choices": []})
    assert len(proxy.unused) == 2
    async with aiohttp.ClientSession() as client:
        async with client.post(proxy.url, data=b"") as answer:
            assert (answer.status, answer.content_type) == (502, "text/html")
            assert answer.headers["Access-Control-Allow-Origin"] == "*"
        async with client.post(proxy.url, data=b"") as answer:
            with pytest.raises(ValueError):  # noqa: PT011  # the subclass depends on the decoder
                json.loads(await answer.read())
    assert model.asked == []
    assert (await _post(proxy, _chat(ASKED)))[0] == 200
    assert [request.state for request in proxy.requests] == ["answered"] * 4
    await proxy.stop()


async def test_a_fault_may_stay_and_may_be_for_one_path() -> None:
    proxy, _ = await _proxy()
    proxy.behave(Reply("busy", status=429, headers={"Retry-After": "2"}), path="/", always=True)
    async with aiohttp.ClientSession(proxy.url) as client:
        for _ in range(2):
            async with client.post("/", data=b"{}") as answer:
                assert (answer.status, answer.headers["Retry-After"]) == (429, "2")
        async with client.get("/openapi.json") as answer:
            assert answer.status == 200
    proxy.behave()
    assert (await _post(proxy, _chat(ASKED)))[0] == 200
    await proxy.stop()


async def _fails(proxy: StandIn, fault: Fault) -> aiohttp.ClientError | None:
    proxy.behave(fault)
    try:
        async with (
            aiohttp.ClientSession() as client,
            client.post(proxy.url, data=json_bytes(_chat(ASKED))) as answer,
        ):
            await answer.read()
    except aiohttp.ClientError as error:
        return error
    return None


async def test_connections_can_be_cut_and_dropped() -> None:
    proxy, _ = await _proxy()
    assert isinstance(await _fails(proxy, Truncate()), aiohttp.ClientPayloadError)
    assert isinstance(await _fails(proxy, Truncate(after=0)), aiohttp.ClientPayloadError)
    assert isinstance(await _fails(proxy, Drop()), aiohttp.ClientConnectionError)
    assert await _fails(proxy, Delay(0.001)) is None
    assert isinstance(await _fails(proxy, Delay(0.001, Truncate())), aiohttp.ClientPayloadError)
    await proxy.stop()


async def test_a_hanging_request_ends_when_the_client_goes() -> None:
    proxy, _ = await _proxy()
    task = asyncio.create_task(_fails(proxy, Hang()))
    await asyncio.to_thread(proxy.wait_for_requests, 1)
    assert proxy.requests[0].state == "open"
    task.cancel()
    await asyncio.to_thread(proxy.wait_until, lambda: proxy.requests[0].state == "aborted", 2)
    await proxy.stop()


async def test_stopping_does_not_wait_for_a_hanging_request() -> None:
    proxy, _ = await _proxy()
    task = asyncio.create_task(_fails(proxy, Hang()))
    await asyncio.to_thread(proxy.wait_for_requests, 1)
    async with asyncio.timeout(60):  # else the request would hang for ever
        await proxy.stop()
    assert isinstance(await task, aiohttp.ClientError)


async def test_cors_can_be_withheld_from_preflight_and_answer() -> None:
    proxy, _ = await _proxy()
    proxy.behave(NoCors(), NoCors())
    async with aiohttp.ClientSession(proxy.url) as client:
        for asking in (client.options("/"), client.post("/", data=json_bytes(_chat(ASKED)))):
            async with asking as answer:
                assert answer.status in (200, 204)
                assert not [name for name in answer.headers if name.startswith("Access-Control")]
        async with client.get("/openapi.json") as answer:
            assert answer.headers["Access-Control-Allow-Origin"] == "*"
    await proxy.stop()


def test_a_thread_runs_it_all_for_tests_that_are_not_async(dist: Path) -> None:
    with running_standins(dist, model=Says()) as running:
        running.proxy.behave(Reply({"a": 1}))
        with urllib.request.urlopen(running.proxy.url, data=b"{}") as answer:
            assert json.load(answer) == {"a": 1}
        running.proxy.wait_for_requests(1)
        with pytest.raises(TimeoutError, match="requests: answered"):
            running.proxy.wait_for_requests(2, within=0.01)
        address = running.bundestakt.url
        running.down(running.bundestakt)
        with pytest.raises(OSError, match="refused"):
            urllib.request.urlopen(address)
        running.up(running.bundestakt)
        assert running.bundestakt.url == address
        with urllib.request.urlopen(f"{address}/api/v1/sitzungen") as answer:
            assert len(json.load(answer)["sitzungen"]) == 21
        running.overlay({"llm_model": "other"})
        with urllib.request.urlopen(f"{running.page_url}pyscript.toml") as answer:
            assert tomllib.loads(answer.read().decode())["tabloop"]["llm_model"] == "other"


async def test_a_taken_port_gives_way_to_the_next_free_one(dist: Path) -> None:
    async with Standins(dist, model=Says()) as first:
        port = int(first.page_url.rsplit(":", 1)[1].strip("/"))
        async with Standins(dist, model=Says(), port=port) as second:
            assert int(second.page_url.rsplit(":", 1)[1].strip("/")) > port
            assert len({second.site.url, second.proxy.url, second.bundestakt.url}) == 3


async def test_the_terminal_has_settings_that_can_be_pasted_as_they_are(dist: Path) -> None:
    async with Standins(dist, model=Says()) as running:
        lines = list(settings_lines(running))
        pasted = "\n".join(line for line in lines if " = " in line)
        assert tomllib.loads(pasted) == {
            "llm_url": running.proxy.url,
            "llm_model": "tabloop-search",
            "stream": False,
            "bundestakt_url": f"{running.bundestakt.url}/api/v1",
            "image_url": running.images.url,
            "analytics_url": running.analytics.url,
            "analytics_owners": [],
        }
        assert f'    llm_url = "{running.proxy.url}"' in lines
    assert list(settings_lines(ServerGroup(StaticSite(dist), ()))) == []


async def test_a_key_is_added_on_the_way_and_only_for_the_page() -> None:
    target, model = await _proxy()
    address = f"{target.url}/v1/chat?x=1"
    through = PassThrough(address, "m", "sk-secret", lambda origin: origin == "http://p")
    await through.start()
    assert through.settings() == {"llm_url": f"{through.url}/v1/chat?x=1", "llm_model": "m"}
    body = json_bytes(_chat(ASKED))
    target.behave(Reply("data: 1\n\n", status=201, content_type="text/event-stream"))
    async with aiohttp.ClientSession(through.url) as client:
        page = {"Origin": "http://p", "Authorization": "Bearer page's own"}
        page |= {"X-Original-URL": "/files", "X-HTTP-Method-Override": "DELETE"}
        async with client.post("/v1/chat?x=1", data=body, headers=page) as answer:
            assert (answer.status, await answer.text()) == (201, "data: 1\n\n")
            assert answer.headers["Access-Control-Allow-Origin"] == "*"
            assert answer.content_type == "text/event-stream"
        for other in ({"Origin": "http://evil"}, {}):
            async with client.post("/v1", data=body, headers=other) as answer:
                assert answer.status == 403
        await target.stop()
        async with client.post("/v1/chat?x=1", data=body, headers=page) as answer:
            assert (answer.status, "gave no answer" in await answer.text()) == (502, True)
    got = target.requests[0]
    assert (len(target.requests), got.path, got.query, got.body) == (1, "/v1/chat", "x=1", body)
    assert got.headers["authorization"] == "Bearer sk-secret"
    assert not {"origin", "x-original-url", "x-http-method-override"} & got.headers.keys()
    assert model.asked == []
    await through.stop()


async def test_the_key_opens_the_chat_and_the_list_of_models_and_nothing_else() -> None:
    target, _ = await _proxy()
    through = PassThrough(f"{target.url}/v1", "m", "sk-secret", lambda origin: origin == "http://p")
    await through.start()
    target.behave(Reply("{}"), always=True)
    page = {"Origin": "http://p"}
    async with aiohttp.ClientSession(through.url, headers=page) as client:
        for method, path, status in (
            ("POST", "/v1/chat/completions", 200),
            ("GET", "/v1/models", 200),
            ("GET", "/v1/chat/completions", 404),
            ("DELETE", "/v1/models", 404),
            ("GET", "/v1/files", 404),
            ("POST", "/v1/fine_tuning/jobs", 404),
            ("POST", "/v1/chat/completions/../../files", 404),
            ("POST", "/v1/chat/completions?api=other", 404),
            ("POST", "/v1/chat/completions%2f..%2ffiles", 404),
            ("GET", "/dashboard/billing", 404),
        ):
            async with client.request(method, URL(path, encoded=True)) as answer:
                assert (path, answer.status) == (path, status)
    paths = [(request.method, request.path) for request in target.requests]
    assert paths == [("POST", "/v1/chat/completions"), ("GET", "/v1/models")]
    await through.stop()
    await target.stop()


async def test_a_key_that_the_endpoint_sends_back_does_not_reach_the_page() -> None:
    secret = "sk-secret"

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = await reader.readuntil(b"\r\n\r\n")
        assert b"Bearer sk-secret" in asked
        head = "HTTP/1.1 401 No\r\nX-Echo: Bearer sk-secret\r\nConnection: close\r\n\r\n"
        for piece in (head, "Wrong: ", "sk-", "secret, sk-s", "ecret. sk-secre"):
            writer.write(piece.encode())
            await writer.drain()
            await asyncio.sleep(0.01)
        writer.close()

    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    through = PassThrough(f"http://127.0.0.1:{port}/v1", "m", secret, lambda _origin: True)
    await through.start()
    async with aiohttp.ClientSession(through.url) as client, client.get("/v1/models") as answer:
        assert await answer.text() == "Wrong: [key], [key]. sk-secre"
        assert answer.headers["X-Echo"] == "Bearer [key]"
    await through.stop()
    server.close()


async def test_a_request_that_is_refused_stays_nowhere_and_a_broken_one_is_said() -> None:
    through = PassThrough("http://127.0.0.1:9/v1", "m", "sk-secret", lambda _origin: False)
    await through.start()
    async with aiohttp.ClientSession(through.url) as client:
        async with client.post("/v1", data=b"x" * 1_000_000) as answer:
            assert answer.status == 403
        packed = {"Content-Encoding": "gzip"}
        async with client.post("/v1", data=b"no gzip", headers=packed) as answer:
            assert answer.status == 400
            assert "Content-Encoding" in (await answer.json())["error"]
    assert (through.requests, through.preflights) == ([], [])
    await through.stop()


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "192.168.0.1", "", "["])
async def test_a_foreign_name_that_leads_to_this_computer_is_refused(host: str, dist: Path) -> None:
    site = StaticSite(dist)
    await site.start()
    async with aiohttp.ClientSession(site.url) as client:
        async with client.get("/", headers={"Host": host}) as answer:
            assert answer.status in (400, 403)
        port = site.url.rpartition(":")[2]
        async with client.get("/", headers={"Host": f"localhost:{port}"}) as answer:
            assert answer.status == 200
    await site.stop()


@pytest.mark.parametrize(
    "path",
    [
        *(
            "/%00",
            "/a%00.js",
            "/%ff",
            "/%c0%ae%c0%ae/",
            "/..%2f..%2fetc%2fpasswd",
            "/%2e%2e/%2e%2e/",
        ),
        *("//etc/passwd", "/%2fetc%2fpasswd", "/" + "x" * 300, "/%0d%0aX:y", "/index.html/", "/%"),
        *("/\\..\\..", "/%5c..%5c", "/con", "/%ed%a0%80", "/index.html/x"),
    ],
)
async def test_an_odd_path_is_no_file_and_no_fault_of_the_server(path: str, dist: Path) -> None:
    site = StaticSite(dist)
    await site.start()
    async with (
        aiohttp.ClientSession() as client,
        client.get(URL(site.url + path, encoded=True), allow_redirects=False) as answer,
    ):
        assert answer.status in (400, 404) or (path.strip("/.%2e") == "" and answer.status == 200)
        assert "root:" not in await answer.text()
    await site.stop()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("--live --llm-url http://h --llm-model m", "--live uses the real endpoints"),
        ("--llm-url http://h", "give both"),
        ("--llm-model m", "give both"),
        ("--llm-key-env K", "give both"),
        ("--llm-url h --llm-model m", "must start with http"),
        ("--llm-url http:// --llm-model m", "names no host"),
        ("--llm-url http://h --llm-model m --llm-key-env TABLOOP_NONE", "is not set"),
        ("--port 0", "--port must lie between"),
        ("--dist none", "run `python build.py` first"),
        ("--script none.json", "--script: "),
        ("--script none.json --live", "--script answers by itself"),
    ],
)
def test_arguments_that_do_not_fit_are_explained(
    arguments: str, sentence: str, dist: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--dist", str(dist), *arguments.split()])
    assert ended.value.code == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[1]", "turn 1: "),
        ('["Hello", {"txt": "Hello"}]', "turn 2: Extra inputs"),
        ("{}", "the file: "),
        ("[", "the file: Invalid JSON"),
    ],
)
def test_a_script_that_cannot_be_played_names_the_turn(
    text: str, sentence: str, tmp_path: Path
) -> None:
    file = tmp_path / "turns.json"
    file.write_text(text, "utf-8")
    with pytest.raises(ValueError, match=sentence):
        ScriptFile(file)


async def test_a_script_calls_tools_and_answers_and_begins_again(tmp_path: Path) -> None:
    file = tmp_path / "turns.json"
    call = {"name": "double", "arguments": {"n": 2}}
    file.write_text(json.dumps([{"text": "So:", "calls": [call]}, "Four."]), "utf-8")

    @tool
    async def double(n: int) -> int:
        """Double a number."""
        return 2 * n

    agent = Agent(ScriptFile(file), [double])
    assert await agent.answer("Twice two?") == "Four."
    assert "no further turn" in await agent.answer("Again?")
    assert await agent.answer("And now?") == "Four."
