"""What the page's own work costs: a search in a whole record, and many runs in one conversation.

Rule: this source also runs in the page, so it imports only the package and the standard library.
"""

import tracemalloc
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from time import process_time

from tabloop import Agent, Message, ModelReply, UserMessage, tool
from tabloop.agent.messages import AssistantMessage, ToolCall
from tabloop.agent.ports import ModelRequest
from tabloop.core.http import HttpRequest, Streaming
from tabloop.tools.bundestakt.api import BundestaktApi
from tabloop.tools.bundestakt.tool import bundestakt_tools

__all__ = ["conversation", "searches"]

RUNS = 200
EARLY = 10  # what later runs are compared with
AROUND = 5  # a sample is the quickest of so many runs: the collector stops some of them
QUERY = {"query": "Arbeitsplätze", "fraktion": None, "bewertung": None}


class _Record:
    """A response that is there at once."""

    status = 200
    headers: Mapping[str, str] = {}
    cost = 0

    def __init__(self, body: bytes) -> None:
        self._body = body

    async def chunks(self) -> AsyncIterator[bytes]:
        yield self._body


class _Host:
    """A transport whose host answers everything with one record."""

    def __init__(self, record: str) -> None:
        self._body = record.encode()

    @asynccontextmanager
    async def stream(self, request: HttpRequest) -> AsyncGenerator[Streaming, None]:
        yield _Record(self._body)


async def searches(record: str, samples: int) -> list[list[float]]:
    """Return the milliseconds of `search_claims` in a record: first calls, and later ones."""
    first: list[float] = []
    later: list[float] = []
    for _ in range(samples):
        _, search = bundestakt_tools(BundestaktApi(_Host(record), "https://record.example"))
        for times in (first, later):
            began = process_time()
            await search.run(QUERY)
            times.append((process_time() - began) * 1000)
    return [first, later]


@tool
async def look(n: int) -> dict[str, int]:
    """Look."""
    return {"n": n}


class _Answers:
    """Calls the tool once in each run, and then answers with a page of text."""

    async def reply(self, request: ModelRequest) -> AsyncIterator[ModelReply]:
        if isinstance(request.messages[-1], UserMessage):
            call = ToolCall(f"c{len(request.messages)}", "look", '{"n": 1}')
            yield ModelReply(AssistantMessage(None, (call,)), "tool_calls")
        else:
            yield ModelReply(AssistantMessage("A sentence of an answer. " * 80))


async def conversation(samples: int) -> list[list[float]]:
    """Return milliseconds of the tenth and of the last of 200 runs, and the growth between them.

    The growth is that of Python's memory, in megabytes.
    """
    early: list[float] = []
    late: list[float] = []
    growth: list[float] = []
    for _ in range(samples):
        times = [took async for took, _ in _runs()]
        early.append(min(times[EARLY - AROUND : EARLY + AROUND]))
        late.append(min(times[-2 * AROUND :]))
        tracemalloc.start()  # in another conversation, because it makes each run slower
        held = [size async for _, size in _runs()]
        tracemalloc.stop()
        growth.append((held[-1] - held[EARLY]) / 1e6)
    return [early, late, growth]


async def _runs() -> AsyncIterator[tuple[float, int]]:
    """Yield the milliseconds of each run, and the bytes that Python holds after it."""
    agent = Agent(_Answers(), [look])
    messages: list[Message] = []
    for _ in range(RUNS):
        began = process_time()
        messages.append(UserMessage("And now?"))
        async for _event in agent.run(messages):
            pass
        yield (process_time() - began) * 1000, tracemalloc.get_traced_memory()[0]
