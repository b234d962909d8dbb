"""The arguments of a tool: a pydantic model made of a function's signature.

Rule: arguments are validated once, and what was validated is what the function gets.
"""

import inspect
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, get_type_hints

from pydantic import BaseModel, PydanticUserError, ValidationError, create_model
from pydantic_core import PydanticSerializationError

from tabloop.agent.context import ToolContext, current_context
from tabloop.agent.errors import SetupError, ToolError

__all__ = ["ArgumentsModel", "ToolFunction", "arguments_of"]

ToolFunction: TypeAlias = Callable[..., Awaitable[object]]
_DATA_KEYS = ("default", "const", "enum", "examples")  # keys of a schema whose value is no schema


class _Validated(dict[str, Any]):
    """Arguments as JSON, with the values that the function gets.

    A validator may not accept its own result: "5%" becomes 5, and 5 has no percent sign.
    """

    for_function: BaseModel | None = None


@dataclass(frozen=True, slots=True)
class ArgumentsModel:
    """A pydantic model, and its JSON schema in the short form that a chat endpoint gets.

    `context` is the name of the function's parameter for the `ToolContext`, blank if it has none.
    """

    model: type[BaseModel]
    parameters: Mapping[str, Any]
    context: str = ""

    @classmethod
    def of(cls, model: type[BaseModel]) -> "ArgumentsModel":
        """Return the arguments for a model. Raises `SetupError` if it has no JSON schema."""
        try:
            return cls(model, _simplified(model.model_json_schema()))
        except PydanticUserError as error:
            reason = str(error).splitlines()[0]
            raise SetupError(f"{model.__name__} has no schema: {reason}") from error

    def validate(self, raw: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments as JSON with defaults filled in.

        Raises:
            ToolError: They are invalid; the reason names the fields.
        """
        values = self._parse(raw)
        try:
            plain = _Validated(_plain(values))
            json.dumps(plain, allow_nan=False)
        except (PydanticSerializationError, ValueError, RecursionError):
            reason = "The arguments are nested too deep, or hold a number that is no JSON."
            raise ToolError("invalid_arguments", reason) from None
        plain.for_function = values
        return plain

    def values(self, validated: Mapping[str, Any]) -> BaseModel:
        """Return the validated model; it is validated again if the JSON was changed since."""
        values = validated.for_function if isinstance(validated, _Validated) else None
        if values is not None and _plain(values) == validated:
            return values
        return self._parse(validated)

    def passed(self, validated: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values by the names of a function's parameters, with its context."""
        values = self.values(validated)
        passed: dict[str, Any] = {name: getattr(values, name) for name in self.model.model_fields}
        return {**passed, self.context: current_context()} if self.context else passed

    def _parse(self, raw: Mapping[str, Any]) -> BaseModel:
        try:
            return self.model.model_validate(raw)
        except ValidationError as error:
            problems = (
                f"{'.'.join(str(part) for part in item['loc']) or 'arguments'}: {item['msg']}"
                for item in error.errors()
            )
            raise ToolError("invalid_arguments", "; ".join(problems)) from None


def arguments_of(function: ToolFunction) -> ArgumentsModel:
    """Return the arguments of an async function.

    Raises:
        SetupError: It cannot be a tool; the sentence names the function and the parameter.
    """
    if not inspect.isroutine(function):
        raise SetupError(f"{function!r} is no function: write `async def name(...)` for a tool")
    name = function.__name__
    if not inspect.iscoroutinefunction(function):
        raise SetupError(f"the tool {name} must be an async function")
    if not inspect.getdoc(function):
        raise SetupError(f"the tool {name} has no docstring, so the model cannot know its use")
    try:
        hints = get_type_hints(function, include_extras=True)
        contexts = [name for name, hint in hints.items() if hint is ToolContext]
        model = create_model(name, **_fields(function, hints, contexts))
        return ArgumentsModel(model, _simplified(model.model_json_schema()), "".join(contexts[:1]))
    except (PydanticUserError, NameError) as error:
        reason = str(error).splitlines()[0]
        raise SetupError(f"the tool {name}: a parameter has no schema: {reason}") from error


def _fields(
    function: ToolFunction, hints: Mapping[str, Any], contexts: Sequence[str]
) -> dict[str, Any]:
    name = function.__name__
    if len(contexts) > 1:
        raise SetupError(f"the tool {name} has more than one parameter for the context")
    fields: dict[str, Any] = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise SetupError(f"the tool {name}: {parameter} cannot be passed by name")
        if parameter.name not in hints:
            raise SetupError(f"the tool {name}: the parameter {parameter.name} has no annotation")
        if parameter.name in contexts:
            continue
        if parameter.name.startswith("_") or hasattr(BaseModel, parameter.name):
            raise SetupError(f"the tool {name}: no parameter can be called {parameter.name}")
        default = ... if parameter.default is parameter.empty else parameter.default
        fields[parameter.name] = (hints[parameter.name], default)
    return fields


def _plain(values: BaseModel) -> dict[str, Any]:
    return values.model_dump(mode="json", by_alias=True)


def _simplified(schema: Any) -> Any:
    """Remove what the model does not need: titles, and "or null" where the default is null."""
    if isinstance(schema, list):
        return [_simplified(item) for item in schema]  # pyright: ignore[reportUnknownVariableType] -- any JSON value
    if not isinstance(schema, dict):
        return schema
    node: dict[str, Any] = dict(schema)  # pyright: ignore[reportUnknownArgumentType] -- any JSON value
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
