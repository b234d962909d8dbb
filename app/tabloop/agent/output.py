"""Structured answers: an agent whose answer is a validated object of a pydantic model.

Rule: the object comes from a call of a final tool, which works with every endpoint that has tools.
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from tabloop.agent.arguments import ArgumentsModel
from tabloop.agent.errors import NoAnswer
from tabloop.agent.events import Event, RunFinished, ToolCallResult
from tabloop.agent.loop import Agent
from tabloop.agent.messages import Message, UserMessage
from tabloop.agent.middleware import CallContext, Middleware, RunContext
from tabloop.agent.ports import Approver, ChatModel
from tabloop.agent.results import ToolResult
from tabloop.agent.stop import Stop
from tabloop.agent.strategies import Strategy
from tabloop.agent.tools import Tool, ToolOutput

__all__ = ["FINAL_TOOL", "OutputAgent"]

FINAL_TOOL = "final_answer"
_REPAIR = f"Give your answer by calling the tool {FINAL_TOOL}, not as text."

T = TypeVar("T", bound=BaseModel)


class OutputAgent(Generic[T]):
    """An agent whose `answer` is an object of `output`. The other parameters: see `Agent`.

    Raises `SetupError` if the model has no JSON schema.
    """

    def __init__(
        self,
        model: ChatModel,
        tools: Sequence[Tool] = (),
        *,
        output: type[T],
        approver: Approver | None = None,
        strategy: Strategy | None = None,
        middleware: Sequence[object] = (),
    ) -> None:
        self.output = output
        self.agent = Agent(
            model,
            (*tools, _final_tool(output)),
            approver=approver,
            strategy=strategy,
            middleware=(*middleware, _EndsWithOutput()),
        )

    def run(self, messages: list[Message], stop: Stop | None = None) -> AsyncGenerator[Event, None]:
        """See `Agent.run`; the object is the `display` of the final tool's result."""
        return self.agent.run(messages, stop)

    async def answer(self, question: str | list[Message], stop: Stop | None = None) -> T:
        """Run to the end and return the object.

        Arguments that are invalid are sent back to the model like those of every tool. An answer
        in text is asked for again once.

        Returns:
            The validated object.

        Raises:
            NoAnswer: The model gave none. A run's own error is raised as it is.
        """
        messages: list[Message] = [UserMessage(question)] if isinstance(question, str) else question
        found, text = None, ""
        for _ in range(2):
            async for event in self.run(messages, stop):
                if isinstance(event, ToolCallResult) and isinstance(event.display, self.output):
                    found = event.display
                elif isinstance(event, RunFinished) and found is None:
                    text = event.answer()
            if found is not None:
                return found
            messages.append(UserMessage(_REPAIR))
        raise NoAnswer("no_output", detail=text)


class _EndsWithOutput(Middleware):
    """Ends a run once the final tool was called with valid arguments."""

    async def on_after_tool_call(
        self, run: RunContext, call: CallContext, result: ToolResult
    ) -> None:
        """See `Middleware.on_after_tool_call`."""
        if call.tool.name == FINAL_TOOL and result.status == "ok":
            run.data(self, list[str]).append(call.id)

    async def on_should_continue(self, run: RunContext) -> bool:
        """See `Middleware.on_should_continue`."""
        return not run.data(self, list[str])


def _final_tool(output: type[BaseModel]) -> Tool:
    arguments = ArgumentsModel.of(output)

    async def run(validated: Mapping[str, Any]) -> ToolOutput:
        return ToolOutput({"accepted": True}, display=arguments.values(validated))

    about = (output.__doc__ or "").strip()
    return Tool(
        name=FINAL_TOOL,
        description=f"Give the final answer. {about}".strip(),
        parameters=arguments.parameters,
        validate=arguments.validate,
        run=run,
    )
