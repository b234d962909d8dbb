"""A cache of tool results. Rule: only results of tools that ran successfully are stored."""

import asyncio
import math
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from tabloop.agent.calls import canonical_key
from tabloop.agent.middleware import CallContext, Middleware, RunContext, Skip
from tabloop.agent.results import ToolResult

__all__ = ["CacheKey", "ToolCache", "tool_cache"]

CacheKey: TypeAlias = Callable[[str, Mapping[str, Any]], str]


@dataclass(frozen=True, slots=True)
class _Entry:
    result: ToolResult
    stored_at: float


class ToolCache(Middleware):
    """Answers a call with the result of an earlier one with the same arguments.

    An entry's age counts from when it was stored; a hit does not change it. A call waits while an
    equal one is running, in this run or in another one. Paid tools and tools that change something
    are not cached.
    """

    def __init__(
        self,
        ttl: float,
        max_size: int,
        tool_names: Collection[str] | None,
        key: CacheKey,
        clock: Callable[[], float],
    ) -> None:
        self.ttl = ttl
        self.max_size = max_size
        self.tool_names = tool_names
        self.key = key
        self.clock = clock
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._running: dict[str, asyncio.Future[None]] = {}  # key -> the call that fills it

    async def on_before_tool_call(self, run: RunContext, call: CallContext) -> Skip | None:
        """See `Middleware.on_before_tool_call`."""
        if not self._applies(call):
            return None
        key = self.key(call.tool.name, call.arguments)
        while running := self._running.get(key):
            await asyncio.shield(running)
        entry = self._entries.get(key)
        if entry and self.clock() - entry.stored_at < self.ttl:
            self._entries.move_to_end(key)
            return Skip(entry.result)
        self._running[key] = asyncio.get_running_loop().create_future()
        self._filled_by(run)[call.id] = key
        return None

    async def on_after_tool_call(
        self, run: RunContext, call: CallContext, result: ToolResult
    ) -> None:
        """See `Middleware.on_after_tool_call`."""
        if call.ran and result.status == "ok" and self._applies(call):
            key = self.key(call.tool.name, call.arguments)
            self._entries[key] = _Entry(result, self.clock())
            self._entries.move_to_end(key)
            while len(self._entries) > self.max_size:
                self._entries.popitem(last=False)
        self._release(run, call.id)

    async def on_abort(self, run: RunContext, reason: str) -> None:
        """Release the calls that the run did not finish."""
        self._release(run, *self._filled_by(run))

    async def on_error(self, run: RunContext, error: Exception) -> None:
        """Release the calls that the run did not finish."""
        self._release(run, *self._filled_by(run))

    def _applies(self, call: CallContext) -> bool:
        return call.tool.concurrent and (
            self.tool_names is None or call.tool.name in self.tool_names
        )

    def _filled_by(self, run: RunContext) -> dict[str, str]:
        """Return the keys that calls of this run are filling, by the id of the call."""
        return run.data(self, dict[str, str])

    def _release(self, run: RunContext, *call_ids: str) -> None:
        for call_id in call_ids:
            if key := self._filled_by(run).pop(call_id, None):
                self._running.pop(key).set_result(None)


def tool_cache(
    *,
    ttl: float = math.inf,
    max_size: int = 100,
    tool_names: Collection[str] | None = None,
    key: CacheKey = canonical_key,
    clock: Callable[[], float] = time.monotonic,
) -> ToolCache:
    """Cache at most `max_size` results for `ttl` seconds; drop the least recently used first.

    `tool_names` limits it to some tools; `clock` counts seconds.

    Returns:
        The middleware. `key` makes the key of a result from the tool's name and the arguments.
    """
    return ToolCache(ttl, max_size, tool_names, key, clock)
