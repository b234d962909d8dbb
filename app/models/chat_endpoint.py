"""A chat endpoint behind the port `ChatModel`: one request for each reply.

Rule: a request may cost money, so only two things are asked again: what was refused with 429,
after a capped and growing wait, and, once, a reply that announced calls and sent none.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from urllib.parse import urlsplit, urlunsplit

from app.agent.errors import ModelError
from app.agent.ports import ModelReply, ModelRequest, TextDelta, Usage
from app.agent.transport import HttpRequest, HttpResponse, Transport, TransportError, host_of
from app.models.chat_completions import read_reply, write_request

__all__ = ["ChatCompletionsModel", "completions_url"]

TIMEOUT = 180.0  # seconds; a local model on a slow machine needs them
WAITS = (2.0, 6.0)  # seconds before the second and third try of a 429
LONGEST_WAIT = 20.0  # seconds, whatever Retry-After asks for


def completions_url(address: str) -> str:
    """Return where to POST for an address as a person gives it.

    `http://localhost:11434/v1` is an API's base, as most servers print it, and gets
    `/chat/completions`; any other address is the endpoint itself (the paid proxy has no path).
    """
    parts = urlsplit(address.strip())
    path = parts.path.rstrip("/")
    if path.endswith("/v1"):
        return urlunsplit(parts._replace(path=f"{path}/chat/completions"))
    return address.strip()


class ChatCompletionsModel:
    """Any OpenAI-compatible endpoint, and the paid proxy behind a transport that pays.

    `key` is sent as a bearer token where it is set. `sleep` waits for seconds; cancelling the
    task that reads the reply ends a wait as well as a request.
    """

    def __init__(
        self,
        transport: Transport,
        *,
        url: str,
        model: str,
        key: str = "",
        timeout: float = TIMEOUT,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self.url = completions_url(url)
        self.model = model
        self._transport = transport
        self._key = key
        self._timeout = timeout
        self._sleep = sleep

    async def reply(self, request: ModelRequest) -> AsyncIterator[TextDelta | ModelReply]:
        """Yield the one ModelReply. Raises `ModelError`."""
        body = write_request(request, model=self.model)
        reply = await self._ask(body)
        if _announced_only(reply):
            again = await self._ask(body)
            if _announced_only(again):
                raise ModelError("no_reply", host=host_of(self.url))
            reply = replace(again, usage=_sum(reply.usage, again.usage))
        yield reply

    async def _ask(self, body: bytes) -> ModelReply:
        waits = iter(WAITS)
        while True:
            response = await self._send(body)
            try:
                return read_reply(response.body, response.status, host=host_of(self.url))
            except ModelError as error:
                wait = next(waits, None)
                if error.code != "rate_limited" or not error.retryable or wait is None:
                    raise
            await self._sleep(min(max(wait, _retry_after(response)), LONGEST_WAIT))

    async def _send(self, body: bytes) -> HttpResponse:
        headers = {"content-type": "application/json", "accept": "application/json"}
        if self._key:
            headers["authorization"] = f"Bearer {self._key}"
        request = HttpRequest(self.url, "POST", headers, body, self._timeout)
        try:
            return await self._transport.send(request)
        except TransportError as error:
            raise ModelError(error.kind, host=error.host or host_of(self.url)) from error


def _announced_only(reply: ModelReply) -> bool:
    return (
        reply.finish_reason == "tool_calls"
        and not reply.message.tool_calls
        and not reply.message.content
    )


def _retry_after(response: HttpResponse) -> float:
    """Return seconds; 0 where the header is missing, hidden by CORS, or a date."""
    try:
        seconds = float(response.headers.get("retry-after", ""))
    except ValueError:
        return 0.0
    return seconds if seconds > 0 else 0.0  # not a number is not greater either


def _sum(first: Usage | None, second: Usage | None) -> Usage | None:
    if first is None or second is None:
        return first or second
    return Usage(
        first.prompt_tokens + second.prompt_tokens,
        first.completion_tokens + second.completion_tokens,
    )
