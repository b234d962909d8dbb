"""What an agent's answer is: a text, or a validated object of a pydantic model.

Rule: an object comes as JSON of the model's schema where the model can be held to it, and else from
a call of a final tool, which works with every endpoint that has tools.
"""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any, Protocol, TypeAlias, cast

from pydantic import BaseModel
from typing_extensions import TypeVar  # with a default, from Python 3.13 on in `typing`

from tabloop.agent.arguments import ArgumentsModel
from tabloop.agent.errors import NoAnswer, SetupError, ToolError
from tabloop.agent.events import Event, RunFinished, ToolCallResult
from tabloop.agent.messages import Message, UserMessage
from tabloop.agent.middleware import CallContext, Middleware, RunContext
from tabloop.agent.ports import ChatModel, HasAnswerSettings, ModelRequest
from tabloop.agent.results import ToolResult
from tabloop.agent.stop import Stop
from tabloop.agent.tools import Tool, ToolOutput
from tabloop.core.json_text import parsed

__all__ = ["FINAL_TOOL", "AnswerT", "Answering", "Run", "answering"]

FINAL_TOOL = "final_answer"

AnswerT = TypeVar("AnswerT", bound=BaseModel | str, default=str)
_T = TypeVar("_T", bound=BaseModel)
_T_co = TypeVar("_T_co", covariant=True)
Run: TypeAlias = Callable[[list[Message], Stop | None], AsyncGenerator[Event, None]]


class Answering(Protocol[_T_co]):
    """How an agent gives its answer; `tools` and `middleware` come after the agent's own."""

    @property
    def tools(self) -> Sequence[Tool]:
        """Tools that the answer needs."""
        ...

    @property
    def middleware(self) -> Sequence[Middleware]:
        """Hooks that the answer needs."""
        ...

    async def answer(self, run: Run, messages: list[Message], stop: Stop | None) -> _T_co:
        """Run to the end and return the answer. Raises `NoAnswer`, or a run's own error."""
        ...


def answering(output: type[AnswerT], model: ChatModel) -> Answering[AnswerT]:
    """Return the way to an answer of this type.

    Raises:
        SetupError: It is neither `str` nor a pydantic model with a JSON schema.
    """
    kind = _model_of(output)
    return cast("Answering[AnswerT]", _ObjectAnswer(kind, model) if kind else _TextAnswer())


def _model_of(output: object) -> type[BaseModel] | None:
    if output is str:
        return None
    if not isinstance(output, type) or not issubclass(output, BaseModel):
        raise SetupError(f"output={output!r}: give a pydantic model, or leave it out for a text")
    return output


class _TextAnswer:
    tools: tuple[Tool, ...] = ()
    middleware: tuple[Middleware, ...] = ()

    async def answer(self, run: Run, messages: list[Message], stop: Stop | None) -> str:
        ended, _ = await _end_of(run(messages, stop))
        return ended.answer()


class _ObjectAnswer:
    """An answer in text that is no valid object is asked for again once."""

    def __init__(self, output: type[BaseModel], model: ChatModel) -> None:
        self._output = output
        self._arguments = ArgumentsModel.of(output)
        self.tools = (_final_tool(output, self._arguments),)
        self.middleware = (_EndsWithObject(model, self._arguments),)

    async def answer(self, run: Run, messages: list[Message], stop: Stop | None) -> BaseModel:
        text = ""
        for _ in range(2):
            ended, found = await _end_of(run(messages, stop))
            if isinstance(found, self._output):
                return found
            text = ended.answer()
            try:
                return self._read(text)
            except ToolError as error:
                messages.append(UserMessage(f"This is not the answer that I need: {error.reason}"))
        raise NoAnswer("no_output", detail=text)

    def _read(self, text: str) -> BaseModel:
        """Return the object that stands in a text, also one between other words."""
        found = parsed(text[text.find("{") : text.rfind("}") + 1])
        if not found or not isinstance(found[0], dict):
            reason = f"it is no JSON. Call the tool {FINAL_TOOL} if there is one."
            raise ToolError("invalid_arguments", reason)
        return self._arguments.values(self._arguments.validate(found[0]))


class _EndsWithObject(Middleware):
    """Asks for the object, and ends a run once the final tool has taken it."""

    def __init__(self, model: ChatModel, arguments: ArgumentsModel) -> None:
        self._model = model
        self._arguments = arguments

    async def on_config(self, run: RunContext, request: ModelRequest) -> ModelRequest | None:
        """Offer no final tool where the model can be held to the schema."""
        others = tuple(tool for tool in request.tools if tool.name != FINAL_TOOL)
        if not isinstance(self._model, HasAnswerSettings):
            return None
        schema = self._arguments.parameters
        settings = self._model.answer_settings(schema, beside_tools=bool(others))
        if settings is None:
            return None
        return replace(request, tools=others, settings={**request.settings, **settings})

    async def on_after_tool_call(
        self, run: RunContext, call: CallContext, result: ToolResult
    ) -> None:
        """See `Middleware.on_after_tool_call`."""
        if call.tool.name == FINAL_TOOL and result.status == "ok":
            run.data(self, list[str]).append(call.id)

    async def on_should_continue(self, run: RunContext) -> bool:
        """See `Middleware.on_should_continue`."""
        return not run.data(self, list[str])


async def _end_of(run: AsyncGenerator[Event, None]) -> tuple[RunFinished, object]:
    """Return how the run ended, and what the final tool took last."""
    ended, found = None, None
    async with aclosing(run) as events:
        async for event in events:
            if isinstance(event, RunFinished):
                ended = event
            elif isinstance(event, ToolCallResult) and event.name == FINAL_TOOL:
                found = event.display
    assert ended is not None  # the last event of each run
    return ended, found


def _final_tool(output: type[BaseModel], arguments: ArgumentsModel) -> Tool:
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
