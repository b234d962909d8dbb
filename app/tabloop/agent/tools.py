"""Makes tools of async functions: the signature gives the schema.

Rule: a definition is small, because each hop pays for it.
"""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, overload

from tabloop.agent.arguments import ToolFunction, arguments_of
from tabloop.agent.presentation import PLAIN, Presentation
from tabloop.core.phrases import Text

__all__ = ["Source", "Tool", "ToolOutput", "tool"]


@dataclass(frozen=True, slots=True)
class Source:
    """A page that a result came from. A blank `attribution` means that of the presentation."""

    url: str
    title: str
    attribution: Text = ""


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """A tool's result, and what only the page gets.

    The model gets `result`; `display` is for a view (a picture, a chart); `sources` are the pages
    that the result came from.
    """

    result: object
    display: object = None
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class Tool:
    """A function the model may call.

    `parameters` is a JSON schema of an object. `validate` turns raw arguments into a JSON object
    with defaults filled in, or raises `ToolError("invalid_arguments")` that names the fields.
    `run` takes validated arguments and returns anything that is JSON, a pydantic model or a
    `ToolOutput`. Tools of one `source` are switched on and off together. `patch_urllib` asks the
    page to make `urllib.request` work before the first call. The model never gets `presentation`.
    `brief` is what a small model reads instead of the description: a sentence and an example.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    validate: Callable[[Mapping[str, Any]], dict[str, Any]] = field(repr=False)
    run: Callable[[Mapping[str, Any]], Awaitable[object]] = field(repr=False)
    needs_approval: bool = False
    paid: bool = False
    read_only: bool = True
    source: str = ""
    patch_urllib: bool = False
    presentation: Presentation = field(default=PLAIN, repr=False)
    brief: str = ""

    @property
    def concurrent(self) -> bool:
        """Whether calls may run concurrently: free, read-only, and without approval."""
        return self.read_only and not self.paid and not self.needs_approval


@overload
def tool(function: ToolFunction, /) -> Tool: ...
@overload
def tool(
    *,
    source: str = "",
    needs_approval: bool = False,
    paid: bool = False,
    read_only: bool = True,
    patch_urllib: bool = False,
    presentation: Presentation = PLAIN,
    brief: str = "",
) -> Callable[[ToolFunction], Tool]: ...
def tool(
    function: ToolFunction | None = None,
    /,
    *,
    source: str = "",
    needs_approval: bool = False,
    paid: bool = False,
    read_only: bool = True,
    patch_urllib: bool = False,
    presentation: Presentation = PLAIN,
    brief: str = "",
) -> Tool | Callable[[ToolFunction], Tool]:
    """Make a `Tool` of an async function: `@tool`, or `@tool(paid=True, ...)`.

    Its name and docstring become the tool's name and description. Each parameter needs an
    annotation; `Annotated[..., Field(description=...)]` describes it to the model. A parameter
    annotated `ToolContext` gets the context of the call instead.

    Returns:
        The tool, or a decorator. It raises `SetupError` if the function is not async, has no
        docstring, or has parameters without a name, an annotation, or a type with a JSON schema.
    """

    def make(function: ToolFunction) -> Tool:
        arguments = arguments_of(function)

        async def run(validated: Mapping[str, Any]) -> object:
            return await function(**arguments.passed(validated))

        return Tool(
            name=function.__name__,
            description=inspect.getdoc(function) or "",
            parameters=arguments.parameters,
            validate=arguments.validate,
            run=run,
            needs_approval=needs_approval,
            paid=paid,
            read_only=read_only,
            source=source,
            patch_urllib=patch_urllib,
            presentation=presentation,
            brief=brief,
        )

    return make(function) if function else make
