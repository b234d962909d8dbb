"""The agent loop: send the messages, run the tools that the model calls, repeat until it answers.

Rule: however a run ends, every call in `messages` has exactly one result, exactly one of
`on_finish`, `on_abort` and `on_error` is called, and exactly one `RunFinished` comes, last.

An async generator cannot return a value, so the last item of those here is their result:
`take_turn` ends with a `Turn`, `_hops` with `RunFinished`.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import Generic

from tabloop.agent.definitions import check_definitions
from tabloop.agent.events import Event, RunFinished, RunStarted, StepFinished, StepStarted
from tabloop.agent.history import CheckedHistory, Question, as_messages
from tabloop.agent.hooks import MiddlewareChain, as_middleware
from tabloop.agent.limits import DEFAULT_LIMITS, Limits
from tabloop.agent.messages import Message
from tabloop.agent.middleware import RunAborted, RunContext
from tabloop.agent.output import Answering, AnswerT, answering
from tabloop.agent.ports import NO_TOOL_LIMITS, Approver, ChatModel, HasToolLimits, ModelRequest
from tabloop.agent.stop import Stop, Stopped
from tabloop.agent.strategies import Strategy, check_strategy, default_strategy
from tabloop.agent.tool_phase import ToolPhase
from tabloop.agent.tool_search import tool_search
from tabloop.agent.tools import Tool
from tabloop.agent.turn import Turn, take_turn

__all__ = ["Agent"]


class Agent(Generic[AnswerT]):
    """A model with tools. `run` appends to the messages it is given; those are the conversation.

    Without an `approver`, calls that need approval are declined. `middleware` may be any objects
    with some of the hooks. If the model's endpoint takes fewer tools, there is a tool to search
    them. `output` is a pydantic model where `answer` shall return an object of it. Raises
    `SetupError` for a part that could not work.
    """

    def __init__(
        self,
        model: ChatModel,
        tools: Sequence[Tool] = (),
        *,
        approver: Approver | None = None,
        strategy: Strategy | None = None,
        middleware: Sequence[object] = (),
        output: type[AnswerT] = str,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        limits_of_model = model.tool_limits if isinstance(model, HasToolLimits) else NO_TOOL_LIMITS
        self.model = model
        self._checked = CheckedHistory()
        self.answering: Answering[AnswerT] = answering(output, model)
        self.tools = (*tools, *self.answering.tools)
        check_definitions(self.tools)
        search = tool_search(self.tools, limits_of_model)
        self.tools += tuple(one.tool for one in search)
        self.approver = approver
        self.limits = limits
        self.strategy = check_strategy(strategy or default_strategy())
        members = (*middleware, *self.answering.middleware, *search)
        self.middleware = tuple(as_middleware(member) for member in members)

    async def run(
        self, messages: list[Message], stop: Stop | None = None
    ) -> AsyncGenerator[Event, None]:
        """Yield the run's events; `messages` grows, and can be given to the next run.

        Cancelling the task or closing the generator ends the run too, without `RunFinished`.
        """
        self._checked.repair(messages)
        run = RunContext(messages)
        stop = stop or Stop()
        hooks = MiddlewareChain(self.middleware, run, stop)
        ended: RunFinished | None = None
        try:
            yield RunStarted()
            async with aclosing(self._hops(run, hooks, stop)) as events:
                async for event in events:
                    if isinstance(event, RunFinished):
                        ended = event
                    else:
                        yield event
        except Stopped:
            ended = RunFinished("stopped", finish_reason=run.finish_reason)
            await hooks.abort("stopped")
        except RunAborted as decision:
            ended = RunFinished("aborted", finish_reason=run.finish_reason, reason=decision.reason)
            await hooks.abort(decision.reason)
        except Exception as error:
            ended = RunFinished("error", finish_reason=run.finish_reason, error=error)
            await hooks.error(error)
        except BaseException:  # cancelled or closed
            await hooks.abort("closed")
            raise
        else:
            assert ended is not None  # the last item of _hops, unless it raises
            try:
                await hooks.finish(ended.text)
            except Exception as error:  # on_finish was called, so on_error must not be
                ended = replace(ended, outcome="error", error=error)
        yield ended

    async def answer(self, question: Question, stop: Stop | None = None) -> AnswerT:
        """Run to the end. An answer that is no valid object of `output` is asked for again once.

        Returns:
            The answer's text, or the object.

        Raises:
            NoAnswer: There is no whole answer. A run's own error is raised as it is.
        """
        return await self.answering.answer(self.run, as_messages(question), stop)

    async def _hops(
        self, run: RunContext, hooks: MiddlewareChain, stop: Stop
    ) -> AsyncGenerator[Event, None]:
        phase = ToolPhase(self.approver, hooks, stop, self.strategy, self.limits)
        await hooks.start()
        while True:
            offered = tuple(tool for tool in self.tools if tool.name not in phase.withdrawn)
            request = await hooks.configure(ModelRequest(tuple(run.messages), offered))
            hop = run.iteration_count + 1
            yield StepStarted(hop, tuple(tool.name for tool in request.tools), request)
            turn: Turn | None = None
            ids = partial(self._checked.call_ids, run.messages)
            stream = take_turn(self.model, request, ids, f"text{hop}", stop)
            async with aclosing(stream) as parts:
                async for part in parts:
                    if isinstance(part, Turn):
                        turn = part
                    else:
                        yield part
            assert turn is not None  # the last item of take_turn, unless it raises
            yield StepFinished(hop, turn.reply.finish_reason, turn.reply.usage)
            run.record_turn(turn.reply, calls=len(turn.calls))  # `answer` must follow directly
            async with aclosing(phase.answer(turn.calls, turn.reply.usage)) as events:
                async for event in events:
                    yield event
            may_continue = self.strategy(run.state()) is True  # a coroutine would be true, too
            hooks_agree = await hooks.should_continue()
            if not (turn.calls and may_continue and hooks_agree):
                yield turn.finished(may_continue=may_continue)
                return
