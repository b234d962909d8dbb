"""A transport without a network: answers by a list, remembers what was asked."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field

from tabloop.core.http import HttpRequest, HttpResponse, Streaming, Transport

__all__ = ["FakeTransport", "Pieces", "answer"]


def answer(
    body: object, status: int = 200, headers: Mapping[str, str] | None = None
) -> HttpResponse:
    """A response: bytes and text as they are, anything else as JSON."""
    if isinstance(body, str):
        body = body.encode()
    raw = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
    return HttpResponse(status, headers or {}, raw)


@dataclass(frozen=True)
class Pieces:
    """A response that comes in pieces.

    Of what stands among them an exception is raised, an event awaited, a number slept (seconds).
    """

    pieces: Sequence[bytes | Exception | asyncio.Event | int]
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass
class FakeTransport(Transport):
    """Gives its answers in order, the last one for ever; an exception among them is raised.

    While `gate` is set to an event that nobody has set, requests hang; `aborted` counts those
    that were cancelled meanwhile.
    """

    answers: list[HttpResponse | Pieces | Exception]
    gate: asyncio.Event | None = None
    requests: list[HttpRequest] = field(default_factory=list[HttpRequest])
    aborted: int = 0

    def stream(self, request: HttpRequest) -> AbstractAsyncContextManager[Streaming]:
        return self._stream(request)

    @asynccontextmanager
    async def _stream(self, request: HttpRequest) -> AsyncGenerator[Streaming, None]:
        given = await self._given(request)
        pieces = [given.body] if isinstance(given, HttpResponse) else given.pieces
        cost = given.cost if isinstance(given, HttpResponse) else 0
        body = _Body(given.status, given.headers, pieces, cost)
        try:
            yield body
        finally:
            self.aborted += not body.ended

    async def _given(self, request: HttpRequest) -> HttpResponse | Pieces:
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


@dataclass
class _Body:
    """A body in pieces; `ended` once all of it was read."""

    status: int
    headers: Mapping[str, str]
    pieces: Sequence[bytes | Exception | asyncio.Event | int]
    cost: int = 0
    ended: bool = False

    async def chunks(self) -> AsyncIterator[bytes]:
        for piece in self.pieces:
            await asyncio.sleep(0)
            if isinstance(piece, Exception):
                raise piece
            if isinstance(piece, asyncio.Event):
                await piece.wait()
            elif isinstance(piece, int):
                await asyncio.sleep(piece)
            else:
                yield piece
        self.ended = True
