"""Hooks around a run.

Rule: what a middleware remembers belongs to one run: one instance may serve several at a time.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

from tabloop.agent.messages import Message
from tabloop.agent.ports import ModelReply, ModelRequest, Usage
from tabloop.agent.results import ToolResult
from tabloop.agent.strategies import LoopState
from tabloop.agent.tools import Tool

__all__ = [
    "Abort",
    "CallContext",
    "Decision",
    "Middleware",
    "ReplaceResult",
    "RunAborted",
    "RunContext",
    "Skip",
    "TransformArguments",
]

_T = TypeVar("_T")


class RunAborted(Exception):
    """Raised by a hook to end the run with outcome `aborted`; open calls get `interrupted`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(slots=True, eq=False)
class RunContext:
    """The state of the run. One object per run, the same for all hooks."""

    messages: list[Message]
    iteration_count: int = 0
    finish_reason: str = ""
    tool_call_count: int = 0
    last_turn_tool_call_count: int = 0
    _data: dict[int, Any] = field(default_factory=dict[int, Any], repr=False)

    def data(self, owner: object, make: Callable[[], _T]) -> _T:
        """Return what a middleware (`owner`) remembers of this run; `make` gives it at first."""
        if id(owner) not in self._data:
            self._data[id(owner)] = make()
        return self._data[id(owner)]

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
    """Base of all middleware: override the hooks that you need; by default each does nothing.

    Keep what a hook remembers in `run.data`, not in the instance.
    """

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
