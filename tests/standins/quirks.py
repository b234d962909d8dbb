"""An endpoint with deviations from the chat completions format, each with a switch.

Rule: it sends the recorded replies in tests/unit/replies byte by byte, streamed event by event.
With all switches off it is a normal endpoint that supports streaming.
"""

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from aiohttp import web

from tests.standins.base import StandIn
from tests.standins.recording import json_bytes
from tests.unit.reply_corpus import QUIRKS

__all__ = ["HELLO", "Played", "Quirks", "quirk", "spoken"]

MODELS = ("m", "small-1", "large-1")
HELLO = "Hello from the quirky endpoint."
USAGE = {"prompt_tokens": 20, "completion_tokens": 8, "total_tokens": 28}
EVENT_END = re.compile(rb"(?<=\n\n)|(?<=\r\n\r\n)|(?<=\r\r)")
PAUSE = 0.001  # seconds between two pieces, so that they arrive separately


@dataclass(frozen=True, slots=True)
class Played:
    """One response in pieces. It waits after `hold_after` pieces for `release` or a disconnect.

    With several numbers in `hold_after`, each needs a `release`.
    `hang_up`: the connection is closed before the end of the body.
    """

    pieces: Sequence[bytes]
    content_type: str = "text/event-stream"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    pause: float = PAUSE
    hold_after: int | tuple[int, ...] | None = None
    hang_up: bool = False


def quirk(name: str, **changes: Any) -> Played:
    """Return a recorded reply by its name; `changes` are fields of `Played`."""
    found = QUIRKS[name]
    pieces = EVENT_END.split(found.body) if found.streams else [found.body]
    played = Played(
        [piece for piece in pieces if piece], found.content_type, found.status, found.headers
    )
    return replace(played, **changes)


def spoken(text: str, size: int = 12, **changes: Any) -> Played:
    """Return a stream of this text, with `size` characters in each event."""
    deltas = [{"content": text[start : start + size]} for start in range(0, len(text), size)]
    events = [_event({"delta": delta, "finish_reason": None}) for delta in deltas]
    events.append(_event({"delta": {}, "finish_reason": "stop"}, usage=USAGE))
    return Played([*events, b"data: [DONE]\n\n"], **changes)


class Quirks(StandIn):
    """`play` plans responses. `/<name>/v1` is an endpoint that always has that deviation.

    A request with a key in `refuses` gets a 400. `longest` is the most characters of a conversation
    (`None`: no limit). `reset` switches everything off.
    """

    name = "quirky endpoint"
    description = "no model: /<name>/v1 replies as tests/unit/replies/<name> does"
    allow_methods = "GET, POST, OPTIONS"
    allow_headers = "content-type, authorization"
    expose_headers = "retry-after"

    def __init__(self) -> None:
        super().__init__()
        self._loop: asyncio.AbstractEventLoop | None = None
        self.reset()

    def reset(self) -> None:
        """Switch all deviations off, and forget recorded requests."""
        self.behave()
        self.requests.clear()
        self.preflights.clear()
        # a semaphore, so that a release before the wait is not lost
        self._released = asyncio.Semaphore(0)
        self._planned: list[Played] = []
        self.refuses: frozenset[str] = frozenset()
        self.longest: int | None = None

    def play(self, *played: Played | str) -> None:
        """Plan responses, one for each of the next requests; a `str` is the name of a quirk."""
        self._planned += [quirk(item) if isinstance(item, str) else item for item in played]

    def release(self) -> None:
        """Continue the response that waits. Safe from another thread."""
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._released.release)

    def routes(self, router: web.UrlDispatcher) -> None:
        router.add_get("/openapi.json", self._openapi)
        router.add_get("/v1/models", self._models)
        router.add_get("/{quirk}/v1/models", self._models)
        router.add_post("/v1/chat/completions", self._chat)
        router.add_post("/{quirk}/v1/chat/completions", self._one_quirk)

    async def started(self) -> None:
        self._loop = asyncio.get_running_loop()

    async def _openapi(self, _request: web.Request) -> web.Response:
        return _json({}, 200)  # no owner; a 404 would be an error in the browser's console

    async def _models(self, _request: web.Request) -> web.Response:
        return _json({"data": [{"id": name, "max_model_len": 8192} for name in MODELS]}, 200)

    async def _one_quirk(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["quirk"]
        if name not in QUIRKS:
            return self.error(404, f"There is no quirk {name}.")
        return await self._send(request, quirk(name))

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        asked = await request.json()
        if refused := sorted(self.refuses & asked.keys()):
            return _refusal(f"{', '.join(refused)}: not supported")
        size = len(json.dumps(asked["messages"], ensure_ascii=False))
        if self.longest is not None and size > self.longest:
            said = f"maximum context length is {self.longest} tokens, you requested {size} tokens"
            return _refusal(said, code="context_length_exceeded")
        if self._planned:
            return await self._send(request, self._planned.pop(0))
        if asked.get("stream"):
            return await self._send(request, spoken(HELLO))
        message = {"role": "assistant", "content": HELLO}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return _json({"choices": [choice], "usage": USAGE}, 200)

    async def _send(self, request: web.Request, played: Played) -> web.StreamResponse:
        headers = {**played.headers, "Content-Type": played.content_type}
        response = web.StreamResponse(status=played.status, headers=headers)
        response.enable_chunked_encoding()
        await response.prepare(request)
        held = played.hold_after
        holds = held if isinstance(held, tuple) else (held,)
        for number, piece in enumerate(played.pieces):
            if number in holds:
                await self._released.acquire()
            await response.write(piece)
            if played.pause:
                await asyncio.sleep(played.pause)
        if played.hang_up and request.transport is not None:
            request.transport.abort()
            return response
        await response.write_eof()
        return response


def _event(choice: Mapping[str, object], **more: object) -> bytes:
    return b"data: " + json_bytes({"choices": [{"index": 0, **choice}], **more}) + b"\n\n"


def _json(body: object, status: int) -> web.Response:
    return web.Response(body=json_bytes(body), status=status, content_type="application/json")


def _refusal(message: str, **more: str) -> web.Response:
    return _json({"error": {"message": message, "type": "invalid_request_error", **more}}, 400)
