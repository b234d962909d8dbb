"""Calls the hooks of all middleware of a run.

Rule: middleware is called in list order, the first decision counts, and an exception ends the run.
Only exceptions of `on_abort` and `on_error` are just logged, since the run has ended by then.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from inspect import iscoroutinefunction

from tabloop.agent.errors import SetupError
from tabloop.agent.middleware import (
    CallContext,
    Decision,
    Middleware,
    ReplaceResult,
    RunContext,
    Skip,
)
from tabloop.agent.ports import ModelRequest, Usage
from tabloop.agent.results import ToolResult
from tabloop.agent.stop import Stop, Stopped, being_cancelled

__all__ = ["MiddlewareChain", "as_middleware"]

_HOOKS = frozenset(name for name in vars(Middleware) if name.startswith("on_"))
_log = logging.getLogger(__name__)


def _has(member: Middleware, hook: str) -> bool:
    """Whether a member has a hook of its own, as a method or as an attribute of the instance."""
    return getattr(type(member), hook) is not getattr(Middleware, hook) or hook in vars(member)


def as_middleware(member: object) -> Middleware:
    """Return a middleware for any object with some of the hooks.

    Raises:
        SetupError: It has none, one with an unknown name, or one that is not async.
    """
    kind = type(member).__name__
    names = [name for name in dir(member) if name.startswith("on_")]
    if not names or isinstance(member, type):
        raise SetupError(f"{member!r} is no middleware: give an object with hooks like on_start")
    for name in names:
        if name not in _HOOKS:
            known = ", ".join(sorted(_HOOKS))
            raise SetupError(f"the middleware {kind} has an unknown hook {name}; known: {known}")
        if not iscoroutinefunction(getattr(member, name)):
            raise SetupError(f"the hook {name} of {kind} must be an async function")
    if isinstance(member, Middleware):
        return member
    complete = Middleware()
    for name in names:
        setattr(complete, name, getattr(member, name))
    return complete


class MiddlewareChain:
    """Calls the members' hooks in list order. A stop ends what awaits between two hops."""

    def __init__(self, members: Sequence[Middleware], run: RunContext, stop: Stop) -> None:
        self.members = members
        self.run = run
        self._stop = stop
        # most members have few of the hooks, and a hop should not pay for those that do nothing
        self._having = {hook: [one for one in members if _has(one, hook)] for hook in _HOOKS}

    async def start(self) -> None:
        """See `Middleware.on_start`."""
        for member in self._having_hook("on_start"):
            await self._stop.race(member.on_start(self.run))

    async def configure(self, request: ModelRequest) -> ModelRequest:
        """Call `on_iteration` of all members, then `on_config`; return the final request."""
        for member in self._having_hook("on_iteration"):
            await self._stop.race(member.on_iteration(self.run))
        for member in self._having_hook("on_config"):
            request = await self._stop.race(member.on_config(self.run, request)) or request
        return request

    async def usage(self, usage: Usage | None) -> None:
        """See `Middleware.on_usage`; not called where the endpoint told no usage."""
        for member in self._having_hook("on_usage"):
            if usage:
                await self._stop.race(member.on_usage(self.run, usage))

    async def before_approval(self, call: CallContext) -> Skip | None:
        """See `Middleware.on_before_approval`; the first `Skip` counts."""
        for member in self._having["on_before_approval"]:
            if skip := await member.on_before_approval(self.run, call):
                return skip
        return None

    async def before_tool_call(self, call: CallContext) -> Decision:
        """See `Middleware.on_before_tool_call`; the first decision counts."""
        for member in self._having["on_before_tool_call"]:
            if decision := await member.on_before_tool_call(self.run, call):
                return decision
        return None

    async def after_tool_call(self, call: CallContext, result: ToolResult) -> ReplaceResult | None:
        """Call all members, since each may want to see the result; the first replacement counts."""
        replacement: ReplaceResult | None = None
        for member in self._having["on_after_tool_call"]:
            answer = await member.on_after_tool_call(self.run, call, result)
            replacement = replacement or answer
        return replacement

    async def tool_phase_complete(self, results: Sequence[tuple[str, ToolResult]]) -> None:
        """See `Middleware.on_tool_phase_complete`."""
        for member in self._having_hook("on_tool_phase_complete"):
            await self._stop.race(member.on_tool_phase_complete(self.run, results))

    async def should_continue(self) -> bool:
        """See `Middleware.on_should_continue`; all members are called."""
        having = self._having_hook("on_should_continue")
        answers = [await self._stop.race(one.on_should_continue(self.run)) for one in having]
        return False not in answers

    async def finish(self, text: str) -> None:
        """Call `on_finish` of all members, then raise the first exception if there was one."""
        for failure in await self._call_all(lambda member: member.on_finish(self.run, text)):
            raise failure

    async def abort(self, reason: str) -> None:
        """See `Middleware.on_abort`; exceptions are logged."""
        for failure in await self._call_all(lambda member: member.on_abort(self.run, reason)):
            _log.error("on_abort failed", exc_info=failure)

    async def error(self, error: Exception) -> None:
        """See `Middleware.on_error`; exceptions are logged."""
        for failure in await self._call_all(lambda member: member.on_error(self.run, error)):
            _log.error("on_error failed", exc_info=failure)

    def _having_hook(self, hook: str) -> Sequence[Middleware]:
        """Return the members with this hook. Raises `Stopped`, also if there are none."""
        if self._stop.pressed:
            raise Stopped
        return self._having[hook]

    async def _call_all(self, hook: Callable[[Middleware], Awaitable[None]]) -> list[Exception]:
        """Call the hook of every member, even after an exception; return the exceptions."""
        errors: list[Exception] = []
        cancellation: asyncio.CancelledError | None = None
        for member in self.members:
            try:
                await hook(member)
            except Exception as error:
                errors.append(error)
            except asyncio.CancelledError as error:
                cancellation = error
        if cancellation and being_cancelled():
            raise cancellation
        if cancellation:
            errors.append(RuntimeError("something that a hook awaited was cancelled"))
        return errors
