"""`python -m tests.bench.hops`: what the loop itself costs for each hop, in CPython.

Rule: time of the process, not of the clock, so that other programs do not count.
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from statistics import median
from time import process_time

sys.path.insert(0, str(Path(__file__).parents[2] / "app"))

from tabloop import Agent, Message, ModelReply, UserMessage, max_iterations, tool
from tabloop.agent.messages import AssistantMessage, ToolCall
from tabloop.agent.ports import ModelRequest

__all__ = ["milliseconds_per_hop"]

HOPS = 10
RUNS = 40
SAMPLES = 25


@tool
async def look(n: int) -> dict[str, int]:
    """Look."""
    return {"n": n}


class _Model:
    """Calls the tool in each hop but the last, without any wait."""

    def __init__(self) -> None:
        self._asked = 0

    async def reply(self, request: ModelRequest) -> AsyncIterator[ModelReply]:
        self._asked += 1
        if self._asked % HOPS == 0:
            yield ModelReply(AssistantMessage("Done."))
            return
        call = ToolCall(f"c{self._asked}", "look", f'{{"n": {self._asked}}}')
        yield ModelReply(AssistantMessage(None, (call,)), "tool_calls")


def milliseconds_per_hop() -> list[float]:
    """Return samples, each the mean of many hops."""
    return asyncio.run(_measured())


async def _measured() -> list[float]:
    agent = Agent(_Model(), [look], strategy=max_iterations(HOPS + 1))
    samples: list[float] = []
    for _ in range(SAMPLES):
        began = process_time()
        for _ in range(RUNS):
            messages: list[Message] = [UserMessage("go")]
            async for _event in agent.run(messages):
                pass
        samples.append((process_time() - began) * 1000 / (RUNS * HOPS))
    return samples


if __name__ == "__main__":
    found = milliseconds_per_hop()
    print(f"{median(found):.3f} ms per hop ({min(found):.3f} to {max(found):.3f})")
