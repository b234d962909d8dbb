"""A tool that is an agent: the model of one run hands a task to another agent.

Rule: its hops count in the run that called it, and a stop of that run stops it, too.
"""

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from copy import copy
from typing import Annotated, Any

from pydantic import BaseModel, Field

from tabloop.agent.arguments import ArgumentsModel
from tabloop.agent.context import ToolContext, current_context
from tabloop.agent.errors import NoAnswer, ToolError
from tabloop.agent.events import Event, SubagentEvent, ToolCallResult
from tabloop.agent.loop import Agent
from tabloop.agent.messages import Message, UserMessage
from tabloop.agent.middleware import Middleware, RunContext
from tabloop.agent.presentation import PLAIN, Presentation
from tabloop.agent.stop import Stop
from tabloop.agent.tools import Source, Tool, ToolOutput
from tabloop.core.errors import AgentError

__all__ = ["agent_tool"]


class _Task(BaseModel):
    task: Annotated[str, Field(description="What to do, with all that is needed to know for it.")]


class _CountedHops(Middleware):
    """Counts each hop in the run that called the agent, which may end it."""

    def __init__(self, context: ToolContext) -> None:
        self._context = context

    async def on_should_continue(self, run: RunContext) -> bool:
        """See `Middleware.on_should_continue`."""
        return await self._context.count_hop()


def agent_tool(
    agent: Agent[Any], *, name: str, description: str, presentation: Presentation = PLAIN
) -> Tool:
    """Make a tool of an agent. The model that calls it gives a task in words, and gets the answer.

    The agent sees the task only, and keeps its own strategy, approver and middleware. Each of its
    hops counts as one of the calling run, which keeps one for its own answer. Its events come as
    `SubagentEvent`, its sources as those of the result. It is paid if one of its tools is, and runs
    beside other calls if all of its tools may.

    Returns:
        The tool. Its result has the answer's text under `answer`, or is the object of `output`.
    """
    arguments = ArgumentsModel.of(_Task)

    async def run(validated: Mapping[str, Any]) -> ToolOutput:
        context, sources = current_context(), dict[Source, None]()
        inner = copy(agent)
        inner.middleware = (*agent.middleware, _CountedHops(context))

        async def nested(messages: list[Message], stop: Stop | None) -> AsyncGenerator[Event, None]:
            async with aclosing(inner.run(messages, stop)) as events:
                async for event in events:
                    if isinstance(event, ToolCallResult) and event.status == "ok":
                        sources.update(dict.fromkeys(event.sources))
                    context.emit(SubagentEvent(context.call_id, event))
                    yield event

        messages: list[Message] = [UserMessage(arguments.passed(validated)["task"])]
        try:
            answer: object = await agent.answering.answer(nested, messages, context.stop)
        except AgentError as error:
            raise _for_the_model(error) from error
        result = {"answer": answer} if isinstance(answer, str) else answer
        return ToolOutput(result, sources=tuple(sources))

    return Tool(
        name=name,
        description=description,
        parameters=arguments.parameters,
        validate=arguments.validate,
        run=run,
        paid=any(tool.paid for tool in agent.tools),
        read_only=all(tool.concurrent for tool in agent.tools),
        presentation=presentation,
    )


def _for_the_model(error: AgentError) -> ToolError:
    if not isinstance(error, NoAnswer):
        return ToolError("tool_error", f"The agent failed: {error.code}.")
    if error.code in ("max_iterations", "halted"):
        return ToolError("budget_exhausted", "The agent had no hop left before its answer.")
    if error.code == "stopped":
        return ToolError("interrupted", "The agent was stopped.")
    return ToolError("generation_failed", f"The agent gave no whole answer: {error.code}.")
