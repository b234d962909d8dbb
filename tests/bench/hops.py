"""What the loop itself costs for each hop: a model and a tool that answer at once.

Rule: this source also runs in the page, so it imports only the package and the standard library.
"""

import asyncio
from collections.abc import AsyncIterator
from time import perf_counter, process_time

from tabloop import Agent, Message, ModelReply, UserMessage, max_iterations, tool
from tabloop.agent.messages import AssistantMessage, ToolCall
from tabloop.agent.ports import ModelRequest

__all__ = ["milliseconds_of_slow_tools", "milliseconds_per_hop"]

HOPS_OF_A_SAMPLE = 200
WAIT = 0.1  # seconds of a slow tool
SLOW_TOOLS = 3


@tool
async def look(n: int) -> dict[str, int]:
    """Look."""
    return {"n": n}


@tool
async def wait(n: int) -> dict[str, int]:
    """Wait."""
    await asyncio.sleep(WAIT)
    return {"n": n}


class _Model:
    """Calls the tool in each hop of a run but the last, without any wait."""

    def __init__(self, hops: int) -> None:
        self._hops = hops
        self._asked = 0

    async def reply(self, request: ModelRequest) -> AsyncIterator[ModelReply]:
        self._asked += 1
        if self._asked % self._hops == 0:
            yield ModelReply(AssistantMessage("Done."))
            return
        call = ToolCall(f"c{self._asked}", "look", f'{{"n": {self._asked}}}')
        yield ModelReply(AssistantMessage(None, (call,)), "tool_calls")


async def milliseconds_per_hop(hops: int, samples: int) -> list[float]:
    """Return samples of runs with so many hops, each the mean of many hops.

    It is the time of the process, not of the clock, so that other programs do not count.
    """
    agent = Agent(_Model(hops), [look], strategy=max_iterations(hops + 1))
    runs = HOPS_OF_A_SAMPLE // hops
    found: list[float] = []
    for _ in range(samples):
        began = process_time()
        for _ in range(runs):
            messages: list[Message] = [UserMessage("go")]
            async for _event in agent.run(messages):
                pass
        found.append((process_time() - began) * 1000 / (runs * hops))
    return found


class _SlowModel:
    """Calls the slow tool several times in one reply, then answers."""

    async def reply(self, request: ModelRequest) -> AsyncIterator[ModelReply]:
        if len(request.messages) > 1:
            yield ModelReply(AssistantMessage("Done."))
            return
        calls = (ToolCall(f"c{n}", "wait", f'{{"n": {n}}}') for n in range(SLOW_TOOLS))
        yield ModelReply(AssistantMessage(None, tuple(calls)), "tool_calls")


async def milliseconds_of_slow_tools(samples: int) -> list[float]:
    """Return samples of the whole time of a run whose first reply calls three slow tools."""
    agent = Agent(_SlowModel(), [wait])
    found: list[float] = []
    for _ in range(samples):
        began = perf_counter()
        async for _event in agent.run([UserMessage("go")]):
            pass
        found.append((perf_counter() - began) * 1000)
    return found
