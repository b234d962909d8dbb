"""Checks an endpoint, as the page would use it. Rule: it ends with the first step that fails."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from tabloop.agent.errors import ModelError
from tabloop.agent.messages import UserMessage
from tabloop.agent.ports import ModelRequest, TextDelta
from tabloop.agent.tools import tool
from tabloop.core.http import HttpRequest, Transport, TransportError, send
from tabloop.core.json_text import as_object, read_json
from tabloop.endpoint.capabilities import EndpointCapabilities
from tabloop.endpoint.chat_completions import ChatCompletionsModel
from tabloop.endpoint.model_list import model_list

__all__ = ["CheckStep", "Owner", "check_endpoint", "owner_of", "ping"]

TIMEOUT = 10.0  # seconds for `/openapi.json`
# "bad_request" without a status: the browser sent nothing
NOT_REACHED = ("unreachable", "offline", "timeout", "bad_request", "bad_key")
PROBE = ModelRequest((UserMessage("Reply with the word OK."),))


StepName = Literal["Reachable", "Model", "Tools", "Streaming", "Listed", "Context", "Price"]


@dataclass(frozen=True, slots=True)
class CheckStep:
    """One step; `error` is set if it failed.

    `paid`: the endpoint works, and asks for a payment. A step that is no fault may not be `works`:
    "Tools" where there are none, "Streaming" where text comes as a whole, "Listed" if the model is
    not among `models`. `tokens` belongs to "Context", `price`
    (in US dollars for a million tokens) to "Price".
    """

    name: StepName
    error: ModelError | None = None
    paid: bool = False
    works: bool = True
    tokens: int = 0
    price: str = ""
    models: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Owner:
    """Who runs the endpoint, as it says itself; `contact` may be blank.

    `service` is the API that it names: "llm/v1" is a paid one that never streams.
    """

    title: str
    contact: str = ""
    service: str = ""


@tool()
async def ping() -> str:
    """Do not call this."""
    return ""


async def owner_of(transport: Transport, url: str) -> Owner | None:
    """Read `/openapi.json` of the endpoint's origin; `None` if there is none."""
    parts = urlsplit(url)
    request = HttpRequest(f"{parts.scheme}://{parts.netloc}/openapi.json", timeout=TIMEOUT)
    try:
        response = await send(transport, request)
        document = read_json(response.body) if response.status == 200 else None
    except (TransportError, ValueError):
        return None
    info = as_object(as_object(document).get("info"))
    title, contact = info.get("title"), as_object(info.get("contact"))
    if not isinstance(title, str) or not title.strip():
        return None
    contacts = (contact.get(key) for key in ("name", "email", "url"))
    service = as_object(document).get("x-service-type")
    return Owner(
        title[:120],
        next((text[:120] for text in contacts if isinstance(text, str) and text), ""),
        service if isinstance(service, str) else "",
    )


async def check_endpoint(
    transport: Transport,
    *,
    url: str,
    model: str,
    key: str,
    may_stream: bool = False,
    capabilities: EndpointCapabilities | None = None,
) -> AsyncIterator[CheckStep]:
    """Check an endpoint; `may_stream`: whether to try a stream, too.

    What the check learns is noted in `capabilities`, so that no question has to learn it again.

    Yields:
        The steps in order. Those after "Model" come only if it replies; "Listed", "Context" and
        "Price" only if the list of models tells. A model that does not reply may still be listed.
    """
    known = capabilities or EndpointCapabilities()
    chat = ChatCompletionsModel(transport, url=url, model=model, key=key, capabilities=known)
    error = await _try_request(chat)
    if error is not None and error.status is None and error.code in NOT_REACHED:
        yield CheckStep("Reachable", error)
        return
    yield CheckStep("Reachable")
    if error is not None:
        if error.code == "payment_required":
            yield CheckStep("Model", paid=True)
            return
        yield CheckStep("Model", error)
        if error.code == "model_not_found":
            async for step in _listed(transport, chat.url, model, key):
                yield step
        return
    yield CheckStep("Model")
    yield CheckStep("Tools", works=known.tools)
    if may_stream:
        again = ChatCompletionsModel(
            transport, url=url, model=model, key=key, stream=True, capabilities=known
        )
        yield CheckStep("Streaming", works=await _streams(again))
    async for step in _listed(transport, chat.url, model, key):
        yield step


async def _listed(transport: Transport, url: str, model: str, key: str) -> AsyncIterator[CheckStep]:
    offered = await model_list(transport, url, key)
    if not offered:
        return
    names = tuple(one.name for one in offered)
    entry = next((one for one in offered if one.name in (model, f"{model}:latest")), None)
    yield CheckStep("Listed", works=entry is not None, models=names)
    if entry is None and len(offered) == 1:  # a server of one model takes any name
        [entry] = offered
    if entry and entry.context:
        yield CheckStep("Context", tokens=entry.context)
    if entry and entry.price:
        yield CheckStep("Price", price=entry.price)


async def _try_request(chat: ChatCompletionsModel) -> ModelError | None:
    """Ask with a tool. A model that refuses tools is asked without by itself."""
    try:
        async for _part in chat.reply(ModelRequest(PROBE.messages, (ping,))):
            pass
    except ModelError as error:
        return error
    return None


async def _streams(chat: ChatCompletionsModel) -> bool:
    try:
        return any([isinstance(part, TextDelta) async for part in chat.reply(PROBE)])
    except ModelError:
        return False
