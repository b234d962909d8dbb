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
from tabloop.core.http import HttpRequest, TransportError
from tabloop.endpoint.chat_completions import ChatCompletionsModel

from tests.unit.fake_transport import FakeTransport


class JsError(Exception):
    """What JavaScript throws."""


class Body:
    """A body without end."""

    def __init__(self) -> None:
        self.read_bytes = 0

    def getReader(self) -> "Body":  # JavaScript's name
        return self

    async def read(self) -> Any:
        await asyncio.sleep(0)
        self.read_bytes += 1_000_000
        return SimpleNamespace(done=False, value=SimpleNamespace(to_bytes=lambda: b"x" * 1_000_000))


class Controller:
    signal = "signal"
    aborted = 0

    @classmethod
    def new(cls) -> "Controller":
        return cls()

    def abort(self) -> None:
        Controller.aborted += 1


def browser(monkeypatch: pytest.MonkeyPatch, module: str, window: Any) -> Any:
    """Import a module of `tabloop.browser` with this window."""
    web = ModuleType("tabloop.browser.web")
    web.__dict__.update(JsException=JsError, window=window, js_object=lambda fields: fields)  # pyright: ignore[reportUnknownLambdaType]
    monkeypatch.setitem(sys.modules, "tabloop.browser.web", web)
    monkeypatch.delitem(sys.modules, module, raising=False)
    return importlib.import_module(module)


def network(make_request: Any, body: Any) -> Any:
    async def fetch(_request: object) -> Any:
        if body is None:
            raise JsError
        return SimpleNamespace(status=200, headers=None, body=body)

    table = SimpleNamespace(to_py=dict[str, str])
    return SimpleNamespace(
        AbortController=Controller,
        Request=SimpleNamespace(new=make_request),
        Object=SimpleNamespace(fromEntries=always(table)),
        navigator=SimpleNamespace(onLine=True),
        fetch=fetch,
    )


def always(value: object) -> Callable[..., object]:
    return lambda *_args: value  # pyright: ignore[reportUnknownLambdaType]


def refuse(*_args: object) -> None:
    raise JsError


async def test_what_the_browser_cannot_even_send_is_kept_apart_from_a_silent_host(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module = browser(monkeypatch, "tabloop.browser.transport", network(refuse, None))
    with pytest.raises(TransportError) as caught:
        await module.BrowserTransport().send(HttpRequest("https://%zz"))
    assert (caught.value.kind, caught.value.host) == ("invalid", "%zz")
    module = browser(monkeypatch, "tabloop.browser.transport", network(always("request"), None))
    with pytest.raises(TransportError) as caught:
        await module.BrowserTransport().send(HttpRequest("https://a.example"))
    assert caught.value.kind == "unreachable"


async def test_and_the_person_reads_that_the_browser_refuses() -> None:
    transport = FakeTransport([TransportError("invalid", "llm.test")])
    model = ChatCompletionsModel(
        transport, url="https://llm.test", model="m", key="schlüssel\u2028"
    )
    with pytest.raises(ModelError) as caught:
        _ = [part async for part in model.reply(ModelRequest((UserMessage("Hello"),)))]
    error = caught.value
    assert (error.code, error.host, error.retryable) == ("bad_request", "llm.test", False)
    assert "browser refuses to send" in error.detail
    assert len(transport.requests) == 1


async def test_a_body_without_end_is_cut_and_its_request_aborted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    body = Body()
    module = browser(monkeypatch, "tabloop.browser.transport", network(always("request"), body))
    before = Controller.aborted
    response = await module.BrowserTransport().send(HttpRequest("https://a.example"))
    assert len(response.body) == module.MAX_BODY
    assert body.read_bytes < module.MAX_BODY + 2_000_000
    assert Controller.aborted == before + 1
    async with module.BrowserTransport().stream(HttpRequest("https://a.example")) as streaming:
        size = sum([len(chunk) async for chunk in streaming.chunks()])
    assert size == module.MAX_STREAM
    assert Controller.aborted == before + 2


class Throwing:
    """A storage that is there, and refuses."""

    def __getattr__(self, name: str) -> Any:
        if name in ("getItem", "setItem", "removeItem"):
            return refuse
        raise AttributeError(name)


class Forbidding:
    """A window that throws where its storage is asked for."""

    @property
    def localStorage(self) -> Any:  # JavaScript's name
        raise JsError


@pytest.mark.parametrize(
    "window",
    [
        SimpleNamespace(localStorage=None),
        SimpleNamespace(),
        SimpleNamespace(localStorage=Throwing()),
        Forbidding(),
    ],
    ids=["null", "missing", "full", "forbidden"],
)
def test_a_browser_without_storage_remembers_nothing_and_says_nothing(
    monkeypatch: pytest.MonkeyPatch, window: Any
) -> None:
    storage = browser(monkeypatch, "tabloop.browser.storage", window)
    storage.remember("endpoint", {"url": "x"})
    storage.forget("endpoint")
    assert storage.recall("endpoint") is None


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
def test_what_is_stored_is_read_or_is_nothing(
    monkeypatch: pytest.MonkeyPatch, stored: str | None, value: object
) -> None:
    kept = SimpleNamespace(getItem={"tabloop.endpoint": stored}.get)
    storage = browser(monkeypatch, "tabloop.browser.storage", SimpleNamespace(localStorage=kept))
    assert storage.recall("endpoint") == value
