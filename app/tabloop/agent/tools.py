"""Makes tools of async functions: the signature gives the schema.

Rule: a definition is small, because each hop pays for it.
"""

import inspect
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, get_type_hints, overload

from pydantic import BaseModel, PydanticUserError, ValidationError, create_model
from pydantic_core import PydanticSerializationError

from tabloop.agent.errors import SetupError, ToolError
from tabloop.agent.presentation import PLAIN, Presentation
from tabloop.core.phrases import Text

__all__ = [
    "Source",
    "Tool",
    "ToolOutput",
    "tool",
]

ToolFunction: TypeAlias = Callable[..., Awaitable[object]]
_DATA_KEYS = ("default", "const", "enum", "examples")  # keys of a schema whose value is no schema


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
) -> Tool | Callable[[ToolFunction], Tool]:
    """Make a `Tool` of an async function: `@tool`, or `@tool(paid=True, ...)`.

    Its name and docstring become the tool's name and description. Each parameter needs an
    annotation; `Annotated[..., Field(description=...)]` describes it to the model.

    Returns:
        The tool, or a decorator. It raises `SetupError` if the function is not async, has no
        docstring, or has parameters without a name, an annotation, or a type with a JSON schema.
    """

    def make(function: ToolFunction) -> Tool:
        arguments, parameters = _arguments_model(function)

        def validate(raw: Mapping[str, Any]) -> dict[str, Any]:
            values = _validated(arguments, raw)
            try:
                plain = _Validated(_plain(values))
                json.dumps(plain, allow_nan=False)
            except (PydanticSerializationError, ValueError, RecursionError):
                reason = "The arguments are nested too deep, or hold a number that is no JSON."
                raise ToolError("invalid_arguments", reason) from None
            plain.for_function = values
            return plain

        async def run(validated: Mapping[str, Any]) -> object:
            values = _values(arguments, validated)
            return await function(
                **{name: getattr(values, name) for name in arguments.model_fields}
            )

        return Tool(
            name=function.__name__,
            description=inspect.getdoc(function) or "",
            parameters=_simplified(parameters),
            validate=validate,
            run=run,
            needs_approval=needs_approval,
            paid=paid,
            read_only=read_only,
            source=source,
            patch_urllib=patch_urllib,
            presentation=presentation,
        )

    return make(function) if function else make


def _arguments_model(function: ToolFunction) -> tuple[type[BaseModel], dict[str, Any]]:
    """Return the pydantic model of the arguments, and its JSON schema."""
    if not inspect.isroutine(function):
        raise SetupError(f"{function!r} is no function: write `async def name(...)` for a tool")
    name = function.__name__
    if not inspect.iscoroutinefunction(function):
        raise SetupError(f"the tool {name} must be an async function")
    if not inspect.getdoc(function):
        raise SetupError(f"the tool {name} has no docstring, so the model cannot know its use")
    try:
        model = create_model(name, **_fields(function))
        return model, model.model_json_schema()
    except (PydanticUserError, NameError) as error:
        reason = str(error).splitlines()[0]
        raise SetupError(f"the tool {name}: a parameter has no schema: {reason}") from error


def _fields(function: ToolFunction) -> dict[str, Any]:
    name = function.__name__
    hints = get_type_hints(function, include_extras=True)
    fields: dict[str, Any] = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise SetupError(f"the tool {name}: {parameter} cannot be passed by name")
        if parameter.name not in hints:
            raise SetupError(f"the tool {name}: the parameter {parameter.name} has no annotation")
        if parameter.name.startswith("_") or hasattr(BaseModel, parameter.name):
            raise SetupError(f"the tool {name}: no parameter can be called {parameter.name}")
        default = ... if parameter.default is parameter.empty else parameter.default
        fields[parameter.name] = (hints[parameter.name], default)
    return fields


def _validated(arguments: type[BaseModel], raw: Mapping[str, Any]) -> BaseModel:
    try:
        return arguments.model_validate(raw)
    except ValidationError as error:
        problems = (
            f"{'.'.join(str(part) for part in item['loc']) or 'arguments'}: {item['msg']}"
            for item in error.errors(include_url=False, include_context=False, include_input=False)
        )
        raise ToolError("invalid_arguments", "; ".join(problems)) from None


class _Validated(dict[str, Any]):
    """Arguments as JSON, with the values that the function gets: they are validated once.

    A validator may not accept its own result: "5%" becomes 5, and 5 has no percent sign.
    """

    for_function: BaseModel | None = None


def _plain(values: BaseModel) -> dict[str, Any]:
    return values.model_dump(mode="json", by_alias=True)


def _values(arguments: type[BaseModel], given: Mapping[str, Any]) -> BaseModel:
    """Return the values of validated arguments; they are validated again if they were changed."""
    values = given.for_function if isinstance(given, _Validated) else None
    if values is not None and _plain(values) == given:
        return values
    return _validated(arguments, given)


def _simplified(schema: Any) -> Any:
    """Remove what the model does not need: titles, and "or null" where the default is null."""
    if isinstance(schema, list):
        return [_simplified(item) for item in schema]  # pyright: ignore[reportUnknownVariableType]  # JSON
    if not isinstance(schema, dict):
        return schema
    node: dict[str, Any] = dict(schema)  # pyright: ignore[reportUnknownArgumentType]  # JSON
    if isinstance(node.get("title"), str):
        del node["title"]
    if node.get("default", ...) is None:
        del node["default"]
        options = [item for item in node.get("anyOf", []) if item != {"type": "null"}]
        if len(options) == 1:
            del node["anyOf"]
            node = {**options[0], **node}
    return {key: _simplified_value(key, value) for key, value in node.items()}


def _simplified_value(key: str, value: Any) -> Any:
    """Simplify the values of `properties`, not its keys: a parameter may be called "title"."""
    if key in _DATA_KEYS:
        return value
    if key in ("properties", "$defs"):
        return {name: _simplified(item) for name, item in value.items()}
    return _simplified(value)
