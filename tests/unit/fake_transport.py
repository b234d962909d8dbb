"""A transport without a network: answers by a list, remembers what was asked."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field

from app.agent.transport import HttpRequest, HttpResponse, Streaming, Transport

__all__ = ["FakeTransport", "answer"]


def answer(
    body: object, status: int = 200, headers: Mapping[str, str] | None = None
) -> HttpResponse:
    """A response: bytes and text as they are, anything else as JSON."""
    if isinstance(body, str):
        body = body.encode()
    raw = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
    return HttpResponse(status, headers or {}, raw)


@dataclass
class FakeTransport(Transport):
    """Gives its answers in order, the last one for ever; an exception among them is raised.

    While `gate` is set to an event that nobody has set, requests hang; `aborted` counts those
    that were cancelled meanwhile.
    """

    answers: list[HttpResponse | Exception]
    gate: asyncio.Event | None = None
    requests: list[HttpRequest] = field(default_factory=list[HttpRequest])
    aborted: int = 0

    async def send(self, request: HttpRequest) -> HttpResponse:
        self.requests.append(request)
        try:
            if self.gate:
                await self.gate.wait()
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            self.aborted += 1
            raise
        given = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(given, Exception):
            raise given
        return given

    def stream(self, request: HttpRequest) -> AbstractAsyncContextManager[Streaming]:
        return self._stream(request)

    @asynccontextmanager
    async def _stream(self, request: HttpRequest) -> AsyncGenerator[Streaming, None]:
        response = await self.send(request)
        yield _Body(response.status, response.headers, response.body)


@dataclass
class _Body(Streaming):
    """A whole body, in one piece."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    async def chunks(self) -> AsyncIterator[bytes]:
        yield self.body
