"""All services of the page behind one fake network, of which one place can be broken.

Rule: a place that is not broken answers as the real service does; the network counts what was paid
by itself, so that a test can compare it with the page's own books.
"""

import asyncio
import json
from base64 import b64decode, b64encode
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from tabloop.core.http import (
    MAX_BODY,
    HttpRequest,
    HttpResponse,
    Streaming,
    Transport,
    TransportError,
    host_of,
)
from tabloop.payments.offers import decode_header

from tests.unit.fake_transport import FakeTransport, Pieces, answer
from tests.unit.paying import asks, channel_offer, encoded, exact_offer

__all__ = ["CEILING", "CHARGED", "FAULTS_OF_RESPONSES", "RECEIPTS", "Network", "has_tool_result"]

CHARGED = {"messages": 3_000, "pictures": 70_000}  # millionths of USDC
CEILING = {"messages": 10_000, "pictures": 70_000}
SESSION = {"slug": "21-92", "url": "https://record.test/21-92", "datum": "2026-09-14"}
CLAIM = {"aussage": "Water is wet.", "sitzungDatum": "2026-09-14", "bewertung": "belegt"}
COUNTED = {"hits": 7, "pages": {"/": 7}, "source": "beacon"}
VISITS = {"site": "s", "from": "2026-09-14", "to": "2026-09-14", "days": {"2026-09-14": COUNTED}}
FILES: Mapping[str, object] = {
    "record.test/sitzungen": {"sitzungen": [SESSION]},
    "record.test/claims": {"claims": [CLAIM]},
    "museum.test/index.json": {"docs": [{"location": "a/", "title": "Water", "text": "wet"}]},
    "museum.test/a/": "<h1>Water</h1><p>It is wet.</p>",
    "museum.test/llms.txt": "- [Water](/a/): what it is",
    "numbers.test/stats": VISITS,
}
PICTURE = {"created": 1, "data": [{"url": "https://paid.pictures.test/1.png"}], "model": "brush"}

Given: TypeAlias = HttpResponse | Pieces | Exception
Fault: TypeAlias = Callable[[HttpRequest, HttpResponse], Given]


def _half(response: HttpResponse) -> bytes:
    return response.body[: len(response.body) // 2]


def _status(status: int) -> Fault:
    page = f"<html><body><h1>{status}</h1></body></html>"
    return lambda _request, _good: answer(page, status, {"content-type": "text/html"})


def _no_response(kind: Any) -> Fault:
    return lambda request, _good: TransportError(kind, host_of(request.url))


def _body(response: HttpResponse, *pieces: Any) -> Pieces:
    return Pieces(pieces, response.status, response.headers)


def _reset(request: HttpRequest, good: HttpResponse) -> Given:
    return _body(good, _half(good), TransportError("cut_off", host_of(request.url)))


def _damaged(damage: Callable[[bytes], bytes]) -> Fault:
    """Damage a body, and the header of a 402, which holds the same price."""

    def fault(_request: HttpRequest, good: HttpResponse) -> Given:
        headers = dict(good.headers)
        if "payment-required" in headers:
            headers["payment-required"] = b64encode(
                damage(b64decode(headers["payment-required"]))
            ).decode()
        return HttpResponse(good.status, headers, damage(good.body))

    return fault


def _slow(_request: HttpRequest, good: HttpResponse) -> Given:
    return _body(good, 9, _half(good), 4, good.body[len(good.body) // 2 :])


FAULTS_OF_RESPONSES: Mapping[str, Fault] = {
    "refused": _no_response("unreachable"),
    "offline, then back": _no_response("offline"),
    "redirected": _no_response("redirected"),
    "no headers in time": _no_response("timeout"),
    "reset in mid-body": _reset,
    "body never ends": lambda _request, good: _body(good, _half(good), asyncio.Event()),
    "slow": _slow,
    "wrong type": _damaged(lambda _body: b'[7, null, "x"]'),
    "blank": _damaged(lambda _body: b""),
    "truncated": _damaged(lambda body: body[: len(body) // 2]),
    "huge": _damaged(lambda _body: b'"' + b"x" * MAX_BODY),
    "exception": lambda _request, _good: RuntimeError("a bug behind the port"),
    **{f"HTTP {status}": _status(status) for status in (400, 401, 403, 404, 429, 500, 502)},
}
RECEIPTS: Mapping[str, str | None] = {
    "missing": None,
    "wrong type": encoded([1, None]),
    "truncated": encoded({"success": True})[:9],
    "huge": "A" * 1_000_000,
    "more than was agreed": encoded({"success": True, "extra": {"chargedAmount": "9" * 30}}),
    "failed": encoded({"success": False, "errorReason": "no"}),
}


def has_tool_result(messages: list[dict[str, Any]]) -> bool:
    """Whether the model has read a result in the current run."""
    return messages[-1]["role"] == "tool"


@dataclass
class Network(Transport):
    """Answers each request as its service would.

    `broken` is a place with its fault; `hangs` a place that never answers. A model's host begins
    with the name of the tool that it calls first. `vouchers` maps each signature that was sent to
    the shop, and `receipts` to what its receipt says.
    """

    broken: str = ""
    fault: Fault = FAULTS_OF_RESPONSES["refused"]
    hangs: str = ""
    call: tuple[str, Mapping[str, object]] | None = None
    receipt: str | None = ""
    while_asked: Callable[[], None] = lambda: None
    hanging: asyncio.Event = field(default_factory=asyncio.Event)
    asked: list[str] = field(default_factory=list[str])
    vouchers: dict[str, str] = field(default_factory=dict[str, str])

    def stream(self, request: HttpRequest) -> AbstractAsyncContextManager[Streaming]:
        return self._stream(request)

    @asynccontextmanager
    async def _stream(self, request: HttpRequest) -> AsyncGenerator[Streaming, None]:
        place, good = self._good(request)
        self.asked.append(place)
        if place == self.hangs:
            self.hanging.set()
            await asyncio.Event().wait()
        if place == self.broken:
            self.while_asked()
        given = self.fault(request, good) if place == self.broken else good
        async with FakeTransport([given]).stream(request) as response:
            yield response

    def _good(self, request: HttpRequest) -> tuple[str, HttpResponse]:
        """Return the place that a request belongs to, and its right answer."""
        parts = urlsplit(request.url)
        if parts.path.endswith("/chat/completions"):
            return self._model(request, paid=parts.netloc.startswith("paid."))
        if parts.netloc == "paid.pictures.test":
            return self._pictures(request)
        name = f"{parts.netloc}{parts.path}"
        return name, answer(FILES[name])

    def _model(self, request: HttpRequest, *, paid: bool) -> tuple[str, HttpResponse]:
        document = json.loads(request.body or b"")
        _check_history(document["messages"])
        place = "model after a tool" if has_tool_result(document["messages"]) else "model"
        reply = _reply(document, self.call)
        if not paid:
            return place, reply
        return self._sold(request, "messages", asks(channel_offer()), reply)

    def _pictures(self, request: HttpRequest) -> tuple[str, HttpResponse]:
        if request.method == "GET":
            return "description of the picture service", answer({}, 404)
        return self._sold(request, "pictures", asks(exact_offer()), answer(PICTURE))

    def _sold(
        self, request: HttpRequest, what: str, challenge: HttpResponse, goods: HttpResponse
    ) -> tuple[str, HttpResponse]:
        payment = decode_header(request.headers.get("payment-signature", ""))
        if not payment:
            return f"price of {what}", challenge
        signature = json.dumps(payment["payload"])
        self.vouchers[signature] = what
        charged = {"success": True, "transaction": "0x1", "amount": str(CHARGED[what])}
        charged |= {"extra": {"chargedAmount": str(CHARGED[what])}}
        written = encoded(charged) if self.receipt == "" else self.receipt
        headers = {"payment-response": written} if written is not None else {}
        return f"paid {what}", HttpResponse(200, {**goods.headers, **headers}, goods.body)


def _reply(
    document: Mapping[str, Any], call: tuple[str, Mapping[str, object]] | None
) -> HttpResponse:
    """Call the tool in the first question's run, answer "Fine." otherwise."""
    messages = document["messages"]
    message: dict[str, Any] = {"role": "assistant", "content": "Fine."}
    if call and not has_tool_result(messages) and messages[-1]["content"] == "first":
        function = {"name": call[0], "arguments": json.dumps(call[1])}
        message["content"] = None
        message["tool_calls"] = [{"id": "abcdefgh1", "type": "function", "function": function}]
    reason = "tool_calls" if "tool_calls" in message else "stop"
    if not document.get("stream"):
        return answer({"choices": [{"message": message, "finish_reason": reason}]})
    delta = dict(message)
    if tool_calls := message.get("tool_calls"):
        delta["tool_calls"] = [{"index": 0, **tool_calls[0]}]
    choices: list[dict[str, object]] = [
        {"index": 0, "delta": delta, "finish_reason": None},
        {"index": 0, "delta": {}, "finish_reason": reason},
    ]
    events = "".join(f"data: {json.dumps({'choices': [choice]})}\n\n" for choice in choices)
    return answer(f"{events}data: [DONE]\n\n", headers={"content-type": "text/event-stream"})


def _check_history(messages: list[dict[str, Any]]) -> None:
    """Refuse what strict endpoints refuse: a blank turn, or calls and results that do not match."""
    open_calls: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            open_calls.remove(message["tool_call_id"])
            continue
        assert not open_calls, "a call has no result"
        open_calls = [call["id"] for call in message.get("tool_calls", ())]
        assert open_calls or message["content"], "a blank message"
    assert not open_calls
    assert messages[-1]["role"] in ("user", "tool")
