"""A loopback HTTP server with recording, CORS and planned faults. Rule: 127.0.0.1 only."""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import assert_never

from aiohttp import web
from aiohttp.typedefs import Handler

from tests.standins.faults import Delay, Drop, Fault, Hang, NoCors, Reply, Truncate
from tests.standins.recording import Recorded, json_bytes
from tests.standins.toml_overlay import TomlValue

__all__ = ["LOOPBACK", "StandIn"]

LOOPBACK = "127.0.0.1"
OWN_HOSTS = frozenset({LOOPBACK, "localhost"})
MAX_BODY = 16 * 1024 * 1024
NO_CORS = web.RequestKey("no_cors", bool)


@dataclass(frozen=True, slots=True)
class _Plan:
    fault: Fault
    path: str
    always: bool


class StandIn:
    """One server with its own origin. Subclasses add routes.

    `requests` holds all requests except preflights, which are in `preflights`. Other threads may
    read both and call `behave` (each is one operation on a list). Without `records` they stay
    empty, so that nobody can fill the memory.
    """

    name = "stand-in"
    description = ""  # one line for the terminal
    records = True
    cors = True
    allow_methods = "GET, HEAD, OPTIONS"
    allow_headers = "content-type"
    expose_headers = ""

    def __init__(self) -> None:
        self.requests: list[Recorded] = []
        self.preflights: list[Recorded] = []
        self._plans: list[_Plan] = []
        self._runner: web.AppRunner | None = None
        self._port = 0

    def routes(self, router: web.UrlDispatcher) -> None:
        """Add the routes; called at each start."""
        raise NotImplementedError

    def settings(self) -> Mapping[str, TomlValue]:
        """Return the page's settings that point to this stand-in; called after its start."""
        return {}

    def error(self, status: int, message: str) -> web.Response:
        """Return the server's own error response (unknown path, wrong method)."""
        return web.json_response({"error": message}, status=status)

    @property
    def url(self) -> str:
        """The origin, without a slash at the end. Raises `RuntimeError` before the first start."""
        if not self._port:
            raise RuntimeError(f"the {self.name} has never been started")
        return f"http://{LOOPBACK}:{self._port}"

    async def start(self, port: int = 0) -> None:
        """Listen on `port` (0: the one before, or any free one). Raises `OSError` if in use."""
        app = web.Application(middlewares=[self._middleware], client_max_size=MAX_BODY)
        app.on_response_prepare.append(self._add_cors)
        self.routes(app.router)
        runner = web.AppRunner(
            app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1
        )
        await runner.setup()
        try:
            await web.TCPSite(runner, LOOPBACK, port or self._port).start()
        except OSError:
            await runner.cleanup()
            raise
        self._port = int(runner.addresses[0][1])
        self._runner = runner
        await self.started()

    async def started(self) -> None:
        """Called after the start, when the address is known and the event loop runs."""

    async def stop(self) -> None:
        """Close all connections and refuse new ones. Idempotent."""
        runner, self._runner = self._runner, None
        if runner is not None:
            await runner.cleanup()

    def behave(self, *faults: Fault, path: str = "", always: bool = False) -> None:
        """Plan faults, one for each of the next requests (with `always`: for every request).

        `path` limits them to requests whose path ends with it. Without faults, all plans are
        removed.
        """
        plans = [_Plan(fault, path, always) for fault in faults]
        self._plans = [*self._plans, *plans] if plans else []

    @property
    def unused(self) -> tuple[Fault, ...]:
        """Faults that are planned for one request and not used yet."""
        return tuple(plan.fault for plan in self._plans if not plan.always)

    def wait_for_requests(self, count: int, within: float = 60.0) -> None:
        """Block until there were `count` requests in total. Not in the servers' own thread."""
        self.wait_until(lambda: len(self.requests) >= count, within)

    def wait_until(self, condition: Callable[[], bool], within: float = 60.0) -> None:
        """Block until `condition` is true. Raises `TimeoutError` after `within` seconds."""
        end = time.monotonic() + within
        while not condition():
            if time.monotonic() > end:
                states = ", ".join(request.state for request in self.requests)
                raise TimeoutError(f"{self.name}: still not so; requests: {states or 'none'}")
            time.sleep(0.005)

    def _next(self, path: str, preflight: bool = False) -> Fault | None:
        for plan in self._plans:
            if not path.endswith(plan.path):
                continue
            if preflight and not isinstance(plan.fault, NoCors):
                return None
            if not plan.always:
                self._plans = [other for other in self._plans if other is not plan]
            return plan.fault
        return None

    @web.middleware
    async def _middleware(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if not _names_this_computer(request):
            return self.error(403, f"Only {LOOPBACK} and localhost are served.")
        headers = {name.lower(): value for name, value in request.headers.items()}
        record = Recorded(request.method, request.path, request.query_string, headers, b"")
        if request.method == "OPTIONS" and self.cors:
            if self.records:
                self.preflights.append(record)
            request[NO_CORS] = self._next(request.path, preflight=True) is not None
            return web.Response(status=204)
        try:
            record.body = await request.read()
        except web.HTTPRequestEntityTooLarge:
            return self.error(413, "The request is too large.")
        except web.RequestPayloadError:
            return self.error(400, "The body is not what its Content-Encoding says, or broken off.")
        if self.records:
            self.requests.append(record)
        try:
            response = await self._answer(self._next(request.path), request, handler)
        except asyncio.CancelledError:
            record.state = "aborted"
            raise
        record.state = "answered"
        record.status = response.status
        return response

    async def _answer(
        self, fault: Fault | None, request: web.Request, handler: Handler
    ) -> web.StreamResponse:
        match fault:
            case None:
                return await self._usual(request, handler)
            case Reply():
                return _as_response(fault)
            case Hang():
                await asyncio.Event().wait()
                raise AssertionError("nothing sets this event")
            case Delay():
                await asyncio.sleep(fault.seconds)
                return await self._answer(fault.then, request, handler)
            case NoCors():
                request[NO_CORS] = True
                return await self._usual(request, handler)
            case Drop():
                if request.transport is not None:
                    request.transport.abort()
                return web.Response()
            case Truncate():
                return await _truncated(fault, request, await self._usual(request, handler))
            case _:
                assert_never(fault)

    async def _usual(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            return await handler(request)
        except web.HTTPException as error:
            if error.status < 400:
                raise
            return self.error(error.status, error.reason)

    async def _add_cors(self, request: web.Request, response: web.StreamResponse) -> None:
        if not self.cors or request.get(NO_CORS, False):
            return
        response.headers["Access-Control-Allow-Origin"] = "*"
        if self.expose_headers:
            response.headers["Access-Control-Expose-Headers"] = self.expose_headers
        if request.method == "OPTIONS":
            response.headers["Access-Control-Allow-Methods"] = self.allow_methods
            response.headers["Access-Control-Allow-Headers"] = self.allow_headers
            # no caching, so that the tests see every preflight
            response.headers["Access-Control-Max-Age"] = "0"


def _names_this_computer(request: web.Request) -> bool:
    """Whether `Host` is ours: a foreign name that leads here is DNS rebinding."""
    try:
        return request.url.host in OWN_HOSTS
    except ValueError:  # a header that is no host
        return False


def _as_response(reply: Reply) -> web.Response:
    body = reply.body
    if isinstance(body, str):
        body = body.encode()
    elif not isinstance(body, bytes):
        body = json_bytes(body)
    return web.Response(
        body=body,
        status=reply.status,
        headers={**reply.headers, "Content-Type": reply.content_type},
    )


async def _truncated(
    fault: Truncate, request: web.Request, whole: web.StreamResponse
) -> web.StreamResponse:
    body = whole.body if isinstance(whole, web.Response) else None
    if not isinstance(body, bytes | bytearray) or not body:
        raise AssertionError("only a response with a body of known length can be truncated")
    headers = {**whole.headers, "Content-Length": str(len(body))}
    part = web.StreamResponse(status=whole.status, headers=headers)
    await part.prepare(request)
    await part.write(bytes(body[: len(body) // 2 if fault.after is None else fault.after]))
    if request.transport is not None:
        request.transport.close()
    return part
