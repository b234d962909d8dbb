"""Looks for model servers on this computer, at the addresses that they have by default.

Rule: only when a person asks for it, because a page must not explore a computer by itself; and
what a server does not tell is reported as unknown.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Literal

from tabloop.core.http import HttpRequest, Transport, TransportError, host_of, send
from tabloop.core.json_text import Json, JsonObject, as_list, as_object, as_text, parsed
from tabloop.endpoint.model_list import model_list
from tabloop.endpoint.profiles import PROFILES

__all__ = ["SERVERS", "Found", "LocalModel", "LocalServer", "find_models"]

TIMEOUT = 60.0  # seconds; a browser may ask the person first, and holds the request meanwhile
MAX_MODELS = 50  # of a server
MAX_ASKED = 20  # models that are asked about one by one
NOT_FOR_CHAT = ("embedding", "embeddings")

State = Literal["models", "empty", "refused", "silent", "key"]


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A kind of server. `origins` are where it is by default; `path` is the API's base there."""

    name: str
    origins: tuple[str, ...]
    path: str


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A model. `tools` is `None` if the server does not tell whether it can use tools.

    `elsewhere` is the host that computes the answers if that is not this computer.
    """

    name: str
    tools: bool | None = None
    elsewhere: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """What is at a server's address.

    "refused": it runs, but does not let this page read its answers (CORS). "silent": nothing
    answers. "key": it wants a key. `url` is the endpoint's address for the page.
    """

    server: LocalServer
    state: State
    url: str
    models: tuple[LocalModel, ...] = ()


SERVERS = tuple(
    LocalServer(one.name, tuple(f"http://{host}" for host in one.hosts), one.base)
    for one in PROFILES
    if one.name in ("Ollama", "llama.cpp", "LM Studio")
)
Reachable = Callable[[str], Awaitable[bool]]  # whether anything answers, readable or not


async def find_models(
    transport: Transport, reachable: Reachable, servers: Sequence[LocalServer] = SERVERS
) -> list[Found]:
    """Look at all servers at once; the result has the order of `servers`."""
    return await asyncio.gather(*(_find(transport, reachable, server) for server in servers))


async def _find(transport: Transport, reachable: Reachable, server: LocalServer) -> Found:
    """Look at the server's addresses, until one answers."""
    refused = ""
    for origin in server.origins:
        url = origin + server.path
        try:
            status, models = await _models(transport, server.name, origin, url)
        except TransportError:
            refused = refused or (url if await reachable(origin) else "")
            continue
        if models:
            return Found(server, "models", url, tuple(models[:MAX_MODELS]))
        return Found(server, "key" if status in (401, 403) else "empty", url)
    if refused:
        return Found(server, "refused", refused)
    return Found(server, "silent", server.origins[0] + server.path)


async def _models(
    transport: Transport, name: str, origin: str, url: str
) -> tuple[int, list[LocalModel]]:
    """Return the status of the server's own list, and its models. Raises `TransportError`."""
    own = {"Ollama": "/api/tags", "llama.cpp": "/props", "LM Studio": "/api/v0/models"}[name]
    status, answer = await _asked(transport, origin + own)
    if name == "llama.cpp":
        offered = await model_list(transport, f"{url}/chat/completions", "")
        caps = as_object(answer.get("chat_template_caps")).get("supports_tools")
        tools = caps if isinstance(caps, bool) else None
        return status, [LocalModel(one.name, tools) for one in offered]
    if name == "Ollama":
        models = [_ollama(as_object(item)) for item in as_list(answer.get("models"))]
        return status, await _with_tools(transport, origin, models)
    return status, list(_lm_studio(as_list(answer.get("data"))))


async def _asked(
    transport: Transport, url: str, body: JsonObject | None = None
) -> tuple[int, JsonObject]:
    """Return status and answer, an empty one if it is no object. Raises `TransportError`."""
    request = HttpRequest(url, timeout=TIMEOUT, follow_redirects=False)
    if body is not None:
        headers = {"content-type": "application/json"}
        request = replace(request, method="POST", headers=headers, body=json.dumps(body).encode())
    response = await send(transport, request)
    document = parsed(response.body) if response.status == 200 else None
    return response.status, as_object(document[0] if document else None)


def _ollama(entry: JsonObject) -> tuple[LocalModel, Json]:
    elsewhere = host_of(as_text(entry.get("remote_host")))
    return LocalModel(as_text(entry.get("name")), None, elsewhere), entry.get("capabilities")


async def _with_tools(
    transport: Transport, origin: str, listed: Iterable[tuple[LocalModel, Json]]
) -> list[LocalModel]:
    """Add what each model can do; older versions of Ollama tell it for one model at a time."""

    async def told(place: int, model: LocalModel, able: Json) -> LocalModel | None:
        if not able and place < MAX_ASKED:
            with suppress(TransportError):
                _, shown = await _asked(transport, f"{origin}/api/show", {"model": model.name})
                able = shown.get("capabilities")
        names = as_list(able)
        if names and "completion" not in names:
            return None  # it writes no text, for example an embedding model
        return replace(model, tools="tools" in names) if names else model

    named = [(model, able) for model, able in listed if model.name]
    asked = [told(place, model, able) for place, (model, able) in enumerate(named)]
    return [model for model in await asyncio.gather(*asked) if model]


def _lm_studio(listed: Sequence[Json]) -> Iterable[LocalModel]:
    """Yield the models; a version that names no capabilities at all leaves them unknown."""
    entries = [as_object(item) for item in listed]
    tells = any("capabilities" in entry for entry in entries)
    for entry in entries:
        name = as_text(entry.get("id"))
        if name and as_text(entry.get("type")) not in NOT_FOR_CHAT:
            able = "tool_use" in as_list(entry.get("capabilities"))
            yield LocalModel(name, able if tells else None)
