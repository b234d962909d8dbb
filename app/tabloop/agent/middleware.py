"""Hooks around a run.

Rule: middleware is called in list order, the first decision counts, and an exception ends the run.
Only exceptions of `on_abort` and `on_error` are just logged, since the run has ended by then.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from tabloop.agent.messages import Message
from tabloop.agent.ports import ModelReply, ModelRequest, Usage
from tabloop.agent.results import ToolResult
from tabloop.agent.stop import being_cancelled
from tabloop.agent.strategies import LoopState
from tabloop.agent.tools import Tool

__all__ = [
    "Abort",
    "CallContext",
    "Decision",
    "Middleware",
    "MiddlewareChain",
    "ReplaceResult",
    "RunAborted",
    "RunContext",
    "Skip",
    "TransformArguments",
]

_log = logging.getLogger(__name__)


class RunAborted(Exception):
    """Raised by a hook to end the run with outcome `aborted`; open calls get `interrupted`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(slots=True)
class RunContext:
    """The state of the run. One object per run, the same for all hooks."""

    messages: list[Message]
    iteration_count: int = 0
    finish_reason: str = ""
    tool_call_count: int = 0
    last_turn_tool_call_count: int = 0

    def record_turn(self, reply: ModelReply, *, calls: int) -> None:
        """Add the model's reply to the history and to the counts."""
        self.messages.append(reply.message)
        self.iteration_count += 1
        self.finish_reason = reply.finish_reason
        self.tool_call_count += calls
        self.last_turn_tool_call_count = calls

    def state(self) -> LoopState:
        """Return what a strategy decides by."""
        return LoopState(
            iteration_count=self.iteration_count,
            finish_reason=self.finish_reason,
            messages=tuple(self.messages),
            tool_call_count=self.tool_call_count,
            last_turn_tool_call_count=self.last_turn_tool_call_count,
        )


@dataclass(frozen=True, slots=True)
class CallContext:
    """One call with valid arguments. `ran` is true once the tool itself has run."""

    id: str
    tool: Tool
    arguments: Mapping[str, Any]
    ran: bool = False


@dataclass(frozen=True, slots=True)
class Skip:
    """Don't run the tool; this is its result (a `ToolResult`, or any value a tool may return)."""

    result: object


@dataclass(frozen=True, slots=True)
class TransformArguments:
    """Run the tool with these arguments; they are validated again."""

    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Abort:
    """End the run with outcome `aborted`."""

    reason: str


@dataclass(frozen=True, slots=True)
class ReplaceResult:
    """Answer the call with this instead (a `ToolResult`, or any value a tool may return)."""

    result: object


Decision: TypeAlias = Skip | TransformArguments | Abort | None


class Middleware:
    """Base of all middleware: override the hooks that you need; by default each does nothing."""

    async def on_start(self, run: RunContext) -> None:
        """The run begins; nothing has been sent."""

    async def on_iteration(self, run: RunContext) -> None:
        """A hop begins; `run.iteration_count` hops are done."""

    async def on_config(self, run: RunContext, request: ModelRequest) -> ModelRequest | None:
        """Return a changed request (messages, tools, settings) for this hop, or None to keep it."""

    async def on_usage(self, run: RunContext, usage: Usage) -> None:
        """The endpoint told how many tokens the hop used."""

    async def on_before_approval(self, run: RunContext, call: CallContext) -> Skip | None:
        """A person is about to be asked; `Skip` answers the call without asking."""

    async def on_before_tool_call(self, run: RunContext, call: CallContext) -> Decision:
        """A tool is about to run (and was approved, with the final arguments)."""

    async def on_after_tool_call(
        self, run: RunContext, call: CallContext, result: ToolResult
    ) -> ReplaceResult | None:
        """A tool ran, was skipped by a hook, or its call was truncated by the endpoint."""

    async def on_tool_phase_complete(
        self, run: RunContext, results: Sequence[tuple[str, ToolResult]]
    ) -> None:
        """All calls of the hop have results; `results` are pairs (id, result) in call order."""

    async def on_should_continue(self, run: RunContext) -> bool | None:
        """Called after every hop; `False` ends the run, whatever the strategy says."""

    async def on_finish(self, run: RunContext, text: str) -> None:
        """The run ended by itself or by a limit. Exactly one of finish, abort, error is called."""

    async def on_abort(self, run: RunContext, reason: str) -> None:
        """The run was stopped by a person or ended by a middleware."""

    async def on_error(self, run: RunContext, error: Exception) -> None:
        """The run ended with an exception."""


@dataclass(frozen=True, slots=True)
class MiddlewareChain:
    """Calls the members' hooks in list order."""

    members: tuple[Middleware, ...]
    run: RunContext

    async def start(self) -> None:
        """See `Middleware.on_start`."""
        for member in self.members:
            await member.on_start(self.run)

    async def configure(self, request: ModelRequest) -> ModelRequest:
        """Call `on_iteration` of all members, then `on_config`; return the final request."""
        for member in self.members:
            await member.on_iteration(self.run)
        for member in self.members:
            request = await member.on_config(self.run, request) or request
        return request

    async def usage(self, usage: Usage | None) -> None:
        """See `Middleware.on_usage`; not called where the endpoint told no usage."""
        if usage:
            for member in self.members:
                await member.on_usage(self.run, usage)

    async def before_approval(self, call: CallContext) -> Skip | None:
        """See `Middleware.on_before_approval`; the first `Skip` counts."""
        for member in self.members:
            if skip := await member.on_before_approval(self.run, call):
                return skip
        return None

    async def before_tool_call(self, call: CallContext) -> Decision:
        """See `Middleware.on_before_tool_call`; the first decision counts."""
        for member in self.members:
            if decision := await member.on_before_tool_call(self.run, call):
                return decision
        return None

    async def after_tool_call(self, call: CallContext, result: ToolResult) -> ReplaceResult | None:
        """Call all members, since each may want to see the result; the first replacement counts."""
        replacement: ReplaceResult | None = None
        for member in self.members:
            answer = await member.on_after_tool_call(self.run, call, result)
            replacement = replacement or answer
        return replacement

    async def tool_phase_complete(self, results: Sequence[tuple[str, ToolResult]]) -> None:
        """See `Middleware.on_tool_phase_complete`."""
        for member in self.members:
            await member.on_tool_phase_complete(self.run, results)

    async def should_continue(self) -> bool:
        """See `Middleware.on_should_continue`; all members are called."""
        answers = [await member.on_should_continue(self.run) for member in self.members]
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
