"""The browser's fetch and storage, seen from Python, with stand-ins for JavaScript."""

import asyncio
import importlib
import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from tabloop.agent.errors import ModelError
from tabloop.agent.messages import UserMessage
from tabloop.agent.ports import ModelRequest
from tabloop.core.http import MAX_BODY, HttpRequest, TransportError, send
from tabloop.endpoint.chat_completions import ChatCompletionsModel

from tests.unit.fake_transport import FakeTransport


class JsError(Exception):
    """What a promise of the bridge is rejected with."""

    def __init__(self, kind: str = "network", detail: str = "Failed to fetch") -> None:
        super().__init__(kind)
        self.kind, self.host, self.detail = kind, "", detail


class Sent:
    """A request on its way: it fails where there is no `body`, which has no end otherwise.

    `breaks`: the body does not come.
    """

    def __init__(self, *, body: bool, breaks: bool = False) -> None:
        self.body = body
        self.breaks = breaks
        self.read_bytes = self.aborted = 0

    async def head(self) -> Any:
        if not self.body:
            raise JsError
        return SimpleNamespace(status=200, headers=SimpleNamespace(to_py=dict[str, str]))

    async def read(self) -> Any:
        await asyncio.sleep(0)
        if self.breaks:
            raise JsError("cut_off", "network error")
        self.read_bytes += 1_000_000
        return SimpleNamespace(to_bytes=lambda: b"x" * 1_000_000)

    def abort(self) -> None:
        self.aborted += 1


def browser(monkeypatch: pytest.MonkeyPatch, module: str, **bridge: Any) -> Any:
    """Import a module of `tabloop.browser` over this bridge."""
    web = ModuleType("tabloop.browser.web")
    window = SimpleNamespace(navigator=SimpleNamespace(onLine=True))
    web.__dict__.update(
        JsException=JsError,
        PageObject=lambda find: find(),  # pyright: ignore[reportUnknownLambdaType] -- a fake takes any value
        window=window,
        js_object=lambda fields: fields,  # pyright: ignore[reportUnknownLambdaType] -- a fake takes any value
    )
    scripts = ModuleType("tabloop_bridge")
    scripts.__dict__.update(bridge)
    monkeypatch.setitem(sys.modules, "tabloop.browser.web", web)
    monkeypatch.setitem(sys.modules, "tabloop_bridge", scripts)
    monkeypatch.delitem(sys.modules, "tabloop.browser.bridge", raising=False)
    monkeypatch.delitem(sys.modules, module, raising=False)
    return importlib.import_module(module)


def always(value: object) -> Callable[..., object]:
    return lambda *_args: value  # pyright: ignore[reportUnknownLambdaType] -- a fake takes any value


def refuse(*_args: object) -> None:
    raise JsError("invalid", "not a valid URL")


async def test_a_request_that_the_browser_refuses_differs_from_a_host_that_does_not_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module = browser(monkeypatch, "tabloop.browser.transport", request=refuse)
    with pytest.raises(TransportError) as caught:
        await send(module.BrowserTransport(), HttpRequest("https://%zz"))
    assert (caught.value.kind, caught.value.host) == ("invalid", "%zz")
    dead = Sent(body=False)
    module = browser(monkeypatch, "tabloop.browser.transport", request=always(dead))
    with pytest.raises(TransportError) as caught:
        await send(module.BrowserTransport(), HttpRequest("https://a.example"))
    assert (caught.value.kind, caught.value.detail) == ("unreachable", "Failed to fetch")
    assert dead.aborted == 1


async def test_a_body_that_breaks_off_differs_from_a_host_that_does_not_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    broken = Sent(body=True, breaks=True)
    module = browser(monkeypatch, "tabloop.browser.transport", request=always(broken))
    with pytest.raises(TransportError) as caught:
        await send(module.BrowserTransport(), HttpRequest("https://a.example"))
    assert (caught.value.kind, broken.aborted) == ("cut_off", 1)


async def test_the_person_reads_that_the_browser_refuses() -> None:
    transport = FakeTransport([TransportError("invalid", "llm.test")])
    model = ChatCompletionsModel(transport, url="https://llm.test", model="m", key="key")
    with pytest.raises(ModelError) as caught:
        _ = [part async for part in model.reply(ModelRequest((UserMessage("Hello"),)))]
    error = caught.value
    assert (error.code, error.host, error.retryable) == ("bad_request", "llm.test", False)
    assert "browser refuses to send" in error.detail
    assert len(transport.requests) == 1


async def test_an_endless_body_is_cut_off_and_its_request_aborted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sent = Sent(body=True)
    module = browser(monkeypatch, "tabloop.browser.transport", request=always(sent))
    response = await send(module.BrowserTransport(), HttpRequest("https://a.example"))
    assert len(response.body) == MAX_BODY
    assert sent.read_bytes < MAX_BODY + 2_000_000
    assert sent.aborted == 1
    async with module.BrowserTransport().stream(HttpRequest("https://a.example")) as streaming:
        size = sum([len(chunk) async for chunk in streaming.chunks()])
    assert size == module.MAX_STREAM
    assert sent.aborted == 2


@pytest.mark.parametrize(
    ("stored", "value"),
    [
        ("[" * 100_000, None),
        ('{"a":' * 100_000, None),
        ("nonsense", None),
        (None, None),
        ('{"a": 1}', {"a": 1}),
    ],
)
def test_a_stored_value_is_read_or_ignored(
    monkeypatch: pytest.MonkeyPatch, stored: str | None, value: object
) -> None:
    kept = {"tabloop.endpoint": stored}
    storage = browser(monkeypatch, "tabloop.browser.storage", recall=kept.get)
    assert storage.recall("endpoint") == value
