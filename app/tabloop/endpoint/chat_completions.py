"""A `ChatModel` that uses a chat completions endpoint, with whole or streamed replies.

Rule: the request is closed whenever waiting ends (answer, stop, timeout), and there is no retry
once text was yielded: the text stays, and an error says that it is incomplete.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from datetime import datetime
from math import ceil
from typing import Any

from tabloop.agent.errors import ModelError
from tabloop.agent.ports import (
    ModelReply,
    ModelRequest,
    ReasoningDelta,
    ReplyPart,
    TextDelta,
    ToolLimits,
    Waiting,
)
from tabloop.core.http import (
    HttpRequest,
    HttpResponse,
    Streaming,
    Transport,
    TransportError,
    host_of,
    send,
)
from tabloop.endpoint.capabilities import EndpointCapabilities
from tabloop.endpoint.errors import error_of_transport
from tabloop.endpoint.pauses import local_now
from tabloop.endpoint.profiles import profile_of
from tabloop.endpoint.reply import ReplyReader
from tabloop.endpoint.request import write_request
from tabloop.endpoint.retry import RetryState
from tabloop.endpoint.urls import completions_urls
from tabloop.endpoint.written_calls import WithheldCalls, read_written_calls

__all__ = ["ChatCompletionsModel"]

TIMEOUT = 180.0  # seconds until the first piece; a local model on a slow machine needs them
WHOLE_TIMEOUT = 600.0  # seconds for a reply that comes as a whole
IDLE_TIMEOUT = 60.0  # seconds between two pieces of a stream
TICK = 5.0  # seconds between two notes of a pause; a screen reader reads each of them
USAGE_TIMEOUT = 2.0  # seconds to wait for the usage after the end of the reply


class ChatCompletionsModel:
    """Any OpenAI-compatible endpoint, and the paid proxy with a transport that pays.

    `key` is sent as a bearer token if set. `stream` asks for a stream, unless `capabilities` say
    that there is none; other streams are read too. `capabilities` may be shared by several models
    at one URL; without them, what `profiles` knows of the host is where it begins.
    `timeout` and `idle_timeout` are seconds until the first and the next piece of a stream,
    `whole_timeout` those for a whole reply; `sleep` waits for seconds. Cancelling the task that
    reads the reply ends its wait and its request.
    """

    def __init__(
        self,
        transport: Transport,
        *,
        url: str,
        model: str,
        key: str = "",
        stream: bool = False,
        capabilities: EndpointCapabilities | None = None,
        timeout: float = TIMEOUT,
        idle_timeout: float = IDLE_TIMEOUT,
        whole_timeout: float = WHOLE_TIMEOUT,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        now: Callable[[], datetime] = local_now,
    ) -> None:
        self.capabilities = capabilities or profile_of(url).capabilities()
        known = self.capabilities.url
        self.url, *self._other_urls = (known,) if known else completions_urls(url)
        self.model = model
        self.stream = stream
        self._transport = transport
        self._key = key
        self._timeout = timeout
        self._idle_timeout = idle_timeout
        self._whole_timeout = whole_timeout
        self._sleep = sleep
        self._now = now
        self.host = host_of(self.url)
        self._cost = 0  # of the last request, at most

    async def reply(self, request: ModelRequest) -> AsyncIterator[ReplyPart]:
        """Yield text and reasoning as they arrive, then one ModelReply. Raises `ModelError`."""
        state = RetryState(
            request, self.capabilities, stream=self.stream, host=self.host, now=self._now
        )
        while True:
            begun, reply, self._cost = False, None, 0
            withheld = WithheldCalls()
            try:
                async with aclosing(self._send(state)) as parts:
                    async for part in parts:
                        if isinstance(part, ModelReply):
                            reply = part
                        elif isinstance(part, ReasoningDelta):
                            yield part
                        elif shown := withheld.feed(part):
                            begun = True
                            yield shown
            except ModelError as error:
                error.hide(self._key)
                if begun:
                    raise
                if self._try_other_url(error):
                    continue
                wait = state.prepare_retry(error, cost=self._cost)
                while wait > 0:
                    yield Waiting(ceil(wait))
                    await self._sleep(min(wait, TICK))
                    wait -= TICK
                continue
            assert reply is not None  # the last item of _send, unless it raises
            state.note_success()
            self.capabilities.url = self.url
            if whole := state.complete_reply(reply, host=self.host):
                async for part in self._finished(whole, state.request, withheld):
                    yield part
                return

    @property
    def tool_limits(self) -> ToolLimits:
        """See `HasToolLimits`."""
        return self.capabilities.tool_limits

    def answer_settings(
        self, schema: Mapping[str, Any], *, beside_tools: bool
    ) -> Mapping[str, Any] | None:
        """See `HasAnswerSettings`."""
        use = self.capabilities.json_schema
        if use == "never" or (use == "without tools" and beside_tools):
            return None
        form = {"name": "answer", "schema": schema}
        return {"response_format": {"type": "json_schema", "json_schema": form}}

    async def _finished(
        self, reply: ModelReply, request: ModelRequest, withheld: WithheldCalls
    ) -> AsyncIterator[TextDelta | ModelReply]:
        """Yield the end of a reply, whose text may be a call."""
        read = read_written_calls(reply, {tool.name for tool in request.tools})
        if read is None:
            raise ModelError("tool_use_failed", host=self.host)
        if read is reply and (rest := withheld.rest()):
            yield rest
        elif read is not reply and read.message.content:
            yield TextDelta(read.message.content, replaces=True)
        yield read

    def _try_other_url(self, error: ModelError) -> bool:
        """Take the next URL that the address may mean, if this one has no chat endpoint."""
        if error.code != "address_not_found" or self._cost or not self._other_urls:
            return False
        self.url = self._other_urls.pop(0)
        return True

    async def _send(
        self, state: RetryState
    ) -> AsyncGenerator[TextDelta | ReasoningDelta | ModelReply, None]:
        """Send one request and read its response."""
        if wrong := re.search(r"[^\x21-\x7e]", self._key):
            facts = {"sign": f"U+{ord(wrong[0]):04X}", "place": str(wrong.start() + 1)}
            raise ModelError("bad_key", host=self.host, retryable=False, facts=facts)
        body = write_request(
            state.request,
            model=self.model,
            stream=state.stream,
            usage=state.usage,
            host=self.host,
            form=state.form,
        )
        accept = "text/event-stream, application/json" if state.stream else "application/json"
        headers = {"content-type": "application/json", "accept": accept}
        if self._key:
            headers["authorization"] = f"Bearer {self._key}"
        timeout = self._timeout if state.stream else self._whole_timeout
        request = HttpRequest(self.url, "POST", headers, body, timeout, follow_redirects=False)
        reader = ReplyReader(host=self.host)
        try:
            if state.stream:
                async with self._transport.stream(request) as response:
                    reader, self._cost = self._reader(response), response.cost
                    async with aclosing(self._chunks(response, reader)) as chunks:
                        async for chunk in chunks:
                            for part in reader.with_reasoning(reader.feed(chunk)):
                                yield part
            else:
                response = await send(self._transport, request)
                reader, self._cost = self._reader(response), response.cost
                for part in reader.with_reasoning(reader.feed(response.body)):
                    yield part  # a stream that nobody asked for, and that may break off
        except TransportError as error:
            if not reader.answered:
                raise error_of_transport(
                    error, self.url, key=bool(self._key), begun=reader.begun
                ) from error
        for part in reader.with_reasoning(reader.flush()):
            yield part
        self.capabilities.opens_with_reasoning |= reader.opens_with_reasoning
        yield reader.close()

    def _reader(self, response: HttpResponse | Streaming) -> ReplyReader:
        return ReplyReader(
            response.status,
            response.headers,
            host=self.host,
            reasoning_opened=self.capabilities.opens_with_reasoning,
        )

    async def _chunks(
        self, response: Streaming, reader: ReplyReader
    ) -> AsyncGenerator[bytes, None]:
        """Yield the body until the reply is complete; each wait for a piece has its own limit.

        Signs of life without a reply have one together.

        Raises:
            TransportError: Nothing arrived in time.
        """
        chunks = aiter(response.chunks())
        limit, clock = self._timeout, asyncio.get_running_loop().time
        silent_until = clock() + self._whole_timeout
        try:
            while not reader.done:
                try:
                    async with asyncio.timeout(limit):
                        chunk = await anext(chunks)
                except StopAsyncIteration:
                    return
                except TimeoutError:
                    raise TransportError("timeout", self.host) from None
                yield chunk
                limit = USAGE_TIMEOUT if reader.answered else self._idle_timeout
                if not reader.begun:
                    limit = min(limit, silent_until - clock())
        finally:
            if isinstance(chunks, AsyncGenerator):
                await chunks.aclose()
