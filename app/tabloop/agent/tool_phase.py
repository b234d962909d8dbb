"""Runs the calls of one hop. Rule: each gets exactly one result.

Free, read-only calls run concurrently, the others one by one.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from tabloop.agent.calls import ParsedCall, RefusedCall, ValidCall, canonical_key, validated
from tabloop.agent.context import CALL, ToolContext
from tabloop.agent.errors import ToolError
from tabloop.agent.events import (
    ApprovalDecided,
    ApprovalRequested,
    Event,
    ToolCallProgress,
    ToolCallResult,
    ToolWithdrawn,
)
from tabloop.agent.history import INTERRUPTED
from tabloop.agent.hooks import MiddlewareChain
from tabloop.agent.limits import Limits
from tabloop.agent.messages import ToolMessage
from tabloop.agent.middleware import (
    Abort,
    CallContext,
    RunAborted,
    Skip,
    TransformArguments,
)
from tabloop.agent.ports import Approved, Approver, Declined, Usage
from tabloop.agent.results import ToolResult, error_result, result_of_error, success
from tabloop.agent.stop import Put, Stop, Stopped, being_cancelled, run_concurrently
from tabloop.agent.strategies import Strategy

__all__ = ["ToolPhase"]

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class ToolPhase:
    """Runs the calls of each hop of one run. `withdrawn` names tools that are not offered again."""

    approver: Approver | None
    hooks: MiddlewareChain
    stop: Stop
    strategy: Strategy
    limits: Limits
    withdrawn: set[str] = field(default_factory=set[str])
    _seen: Counter[str] = field(default_factory=Counter[str])
    _results: dict[str, ToolResult] = field(default_factory=dict[str, ToolResult])
    _running: set[str] = field(default_factory=set[str])
    _open: bool = False  # results that come later are dropped
    _put: Put[Event] = field(default=lambda _: None)

    async def answer(
        self, calls: Sequence[ParsedCall], usage: Usage | None = None
    ) -> AsyncGenerator[Event, None]:
        """Answer every call, then append the results to the history in call order.

        The hooks get the hop's `usage` first, even if there are no calls. Before anything is
        raised, each call has its result in the history: `interrupted` if it had none by then.

        Yields:
            The events of the calls, as they happen.

        Raises:
            Stopped: The person stopped the run. A hook's exception is raised as well.
        """
        if not calls:
            await self.hooks.usage(usage)
            return
        self._results, self._open = {}, True
        told, failed = set[str](), None
        try:
            async with aclosing(self.stop.stream(partial(self._run_all, calls, usage))) as events:
                async for event in events:
                    if isinstance(event, ToolCallResult):
                        told.add(event.tool_call_id)
                    yield event
        except Exception as error:
            failed = error
        finally:  # also if the run was cancelled or closed
            self._open = False
            answered = dict(self._results)
            ids = [parsed.call.id for parsed in calls]
            results = [(key, answered.get(key, INTERRUPTED)) for key in ids]
            self.hooks.run.messages.extend(ToolMessage(key, it.content) for key, it in results)
        for parsed, (key, result) in zip(calls, results, strict=True):
            if key not in told:
                yield result.event(parsed.call, _arguments(parsed))
        if failed:
            raise failed
        await self.hooks.tool_phase_complete(results)

    async def _run_all(
        self, calls: Sequence[ParsedCall], usage: Usage | None, put: Put[Event]
    ) -> None:
        self._put = put
        self._raise_if_ended()
        await self.hooks.usage(usage)
        sequential = [
            parsed
            for parsed in calls
            if isinstance(parsed, ValidCall) and not parsed.tool.concurrent
        ]
        one_by_one = [self._run_one_by_one(sequential)] if sequential else []
        concurrent = [self._answer_one(parsed) for parsed in calls if parsed not in sequential]
        await run_concurrently(*concurrent, *one_by_one)

    async def _run_one_by_one(self, calls: Sequence[ParsedCall]) -> None:
        for parsed in calls:
            await self._answer_one(parsed)

    async def _answer_one(self, parsed: ParsedCall) -> None:
        if isinstance(parsed, RefusedCall):
            truncated = parsed.tool if parsed.refusal.status == "max_tokens" else None
            context = CallContext(parsed.call.id, truncated, {}) if truncated else None
            await self._record_result(parsed, parsed.refusal, context)
            return
        call = CallContext(parsed.call.id, parsed.tool, parsed.arguments)
        if self._is_repeated(call):
            reason = "The same call was made before with the same arguments. Use its result."
            await self._record_result(parsed, error_result("repeated_call", reason))
            return
        try:
            call, skip = await self._check_call(call)
        except ToolError as error:  # the person declined, or made the arguments invalid
            await self._record_result(parsed, result_of_error(error))
            return
        self._raise_if_ended()
        result = self._success(skip.result) if skip else await self._run_tool(call)
        if call.tool.needs_approval and call.arguments != parsed.arguments:
            result = result.with_arguments(call.arguments)
        await self._record_result(parsed, result, replace(call, ran=skip is None))

    async def _record_result(
        self, parsed: ParsedCall, result: ToolResult, call: CallContext | None = None
    ) -> None:
        """Call the after-hooks (if there is a `call`) and store the one result.

        It is stored in `finally`: what a tool has done is recorded even if a hook fails afterwards
        or the run is stopped.
        """
        if not self._open:
            return
        try:
            if call and (replacement := await self.hooks.after_tool_call(call, result)):
                result = self._success(replacement.result)
        finally:
            self._results[parsed.call.id] = result
            final = call if isinstance(parsed, ValidCall) else None
            arguments = final.arguments if final else _arguments(parsed)
            self._put(result.event(parsed.call, arguments))
            if parsed.tool and not result.recoverable and parsed.tool.name not in self.withdrawn:
                self.withdrawn.add(parsed.tool.name)
                self._put(ToolWithdrawn(parsed.tool.name, result.status))

    async def _check_call(self, call: CallContext) -> tuple[CallContext, Skip | None]:
        """Ask the person if needed, then the hooks; a `Skip` says that the tool must not run."""
        if call.tool.needs_approval:
            if skip := await self.hooks.before_approval(call):
                return call, skip
            call = await self._ask_person(call)
        match await self.hooks.before_tool_call(call):
            case Skip() as skip:
                return call, skip
            case Abort(reason):
                raise RunAborted(reason)
            case TransformArguments(arguments):
                try:
                    changed = replace(call, arguments=validated(call.tool, arguments))
                except ToolError as error:
                    return call, Skip(result_of_error(error))
                if call.tool.needs_approval and changed.arguments != call.arguments:
                    changed = await self._ask_person(changed)  # nobody has approved these
                return changed, None
            case _:
                return call, None

    async def _ask_person(self, call: CallContext) -> CallContext:
        self._raise_if_ended()
        self._put(ApprovalRequested(call.id, call.tool.name, call.arguments))
        decision: object = Declined("There is nobody who could approve this.")
        if self.approver:
            decision = await self.approver.decide(call.tool, call.arguments)
        arguments, approved = call.arguments, isinstance(decision, Approved)
        try:
            if isinstance(decision, Approved) and decision.arguments is not None:
                arguments = validated(call.tool, arguments := decision.arguments)
        finally:  # the person has decided, even if the edited arguments are invalid
            self._put(ApprovalDecided(call.id, approved, arguments))
        if approved:
            return replace(call, arguments=arguments)
        reason = decision.reason if isinstance(decision, Declined) else "Nobody approved this call."
        raise ToolError("user_declined", reason)

    async def _run_tool(self, call: CallContext) -> ToolResult:
        def emit(event: Event) -> None:
            if self._open and call.id in self._running:
                self._put(event)

        def tell(text: str) -> None:
            emit(ToolCallProgress(call.id, text))

        CALL.set(ToolContext(call.id, self.stop, tell, emit, self._count_hop))
        self._running.add(call.id)
        try:
            return self._success(await call.tool.run(call.arguments))
        except ToolError as error:
            return result_of_error(error)
        except (Exception, asyncio.CancelledError):
            if being_cancelled():
                raise
            _log.exception("the tool %s failed", call.tool.name)
            return error_result("tool_error", f"The tool {call.tool.name} failed inside.")
        finally:
            self._running.discard(call.id)

    def _success(self, value: object) -> ToolResult:
        return success(value, self.limits.result_bytes)

    async def _count_hop(self) -> bool:
        """Count a hop of a run inside a call; one hop is left for the answer of this run."""
        run = self.hooks.run
        run.iteration_count += 1
        state = run.state()
        state = replace(state, iteration_count=state.iteration_count + 1)
        return self.strategy(state) is True and await self.hooks.should_continue()

    def _raise_if_ended(self) -> None:
        """Raise `Stopped` if the run has ended, even if a tool ignored its cancellation."""
        if self.stop.pressed or being_cancelled():
            raise Stopped

    def _is_repeated(self, call: CallContext) -> bool:
        key = canonical_key(call.tool.name, call.arguments)
        self._seen[key] += 1
        return self._seen[key] > self.limits.same_call


def _arguments(parsed: ParsedCall) -> Mapping[str, Any] | None:
    return parsed.arguments if isinstance(parsed, ValidCall) else None
