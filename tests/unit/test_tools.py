"""Tools from functions: what a model is told, what a function gets, what is refused at start."""

import json
from collections.abc import Callable
from datetime import date
from enum import StrEnum
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field
from tabloop.agent.context import ToolContext
from tabloop.agent.definitions import check_definitions, definition, fitting
from tabloop.agent.errors import SetupError, ToolError
from tabloop.agent.loop import Agent
from tabloop.agent.ports import ToolLimits
from tabloop.agent.presentation import PLAIN, Presentation
from tabloop.agent.tools import (
    Source,
    Tool,
    ToolOutput,
    tool,
)
from tabloop.contrib.scripted import ScriptedModel
from tabloop.core.json_text import compact


class Kind(StrEnum):
    SPEECH = "speech"
    VOTE = "vote"


class Span(BaseModel):
    start: date
    title: str = "Span"


async def find(
    query: Annotated[str | None, Field(description="Words to find.")] = None,
    kinds: list[Kind] | None = None,
    span: Span = Span(start=date(2024, 1, 2), title="Title"),  # noqa: B008 -- it is frozen, so calls may share it
    title: Annotated[str, Field(description="The heading.")] = "none",
) -> object:
    """Find things.

    Second paragraph.
    """
    return ToolOutput([query, kinds, span, title], sources=(Source("https://a.example", "A"),))


def finder() -> Tool:
    """The tool, made anew for each test: what makes it is what is tested."""
    make = tool(
        source="house",
        needs_approval=True,
        paid=True,
        read_only=False,
        patch_urllib=True,
        presentation=Presentation(title="Finder"),
        brief="Finds.",
    )
    return make(find)


def test_the_signature_is_the_schema() -> None:
    assert finder().parameters == {
        "type": "object",
        "$defs": {
            "Kind": {"enum": ["speech", "vote"], "type": "string"},
            "Span": {
                "type": "object",
                "properties": {
                    "start": {"format": "date", "type": "string"},
                    "title": {"default": "Span", "type": "string"},
                },
                "required": ["start"],
            },
        },
        "properties": {
            "query": {"type": "string", "description": "Words to find."},
            "kinds": {"type": "array", "items": {"$ref": "#/$defs/Kind"}},
            "span": {
                "$ref": "#/$defs/Span",
                "default": {"start": "2024-01-02", "title": "Title"},
            },
            "title": {"type": "string", "default": "none", "description": "The heading."},
        },
    }


def test_a_definition_is_what_a_chat_endpoint_takes() -> None:
    made = finder()
    assert definition(made) == {
        "type": "function",
        "function": {
            "name": "find",
            "description": "Find things.\n\nSecond paragraph.",
            "parameters": made.parameters,
        },
    }


def test_flags_are_kept_and_only_free_readers_run_side_by_side() -> None:
    made = finder()
    assert (made.source, made.paid, made.needs_approval) == ("house", True, True)
    assert (made.read_only, made.patch_urllib) == (False, True)
    assert (made.presentation.title, made.brief) == ("Finder", "Finds.")

    async def act() -> None:
        """Act."""

    assert tool()(act).concurrent
    assert tool(act).concurrent
    assert not tool(act).patch_urllib
    assert (tool(act).source, tool(act).brief, tool(act).presentation) == ("", "", PLAIN)
    assert not any(
        make(act).concurrent
        for make in (tool(paid=True), tool(needs_approval=True), tool(read_only=False))
    )


def test_a_choice_of_types_keeps_them_all() -> None:
    @tool()
    async def choose(what: int | str | None = None) -> None:
        """Choose."""

    kinds = [{"type": "integer"}, {"type": "string"}, {"type": "null"}]
    assert choose.parameters["properties"] == {"what": {"anyOf": kinds}}


async def test_the_function_gets_real_values_and_the_person_sees_json() -> None:
    raw = {"kinds": ["vote"], "span": {"start": "2024-05-06"}, "extra": 1}
    made = finder()
    validated = made.validate(raw)
    assert validated == {
        "query": None,
        "kinds": ["vote"],
        "span": {"start": "2024-05-06", "title": "Span"},
        "title": "none",
    }
    output = await made.run(validated)
    assert isinstance(output, ToolOutput)
    assert output.result == [None, [Kind.VOTE], Span(start=date(2024, 5, 6)), "none"]
    again = await made.run({**validated, "title": "changed by a hook"})
    assert isinstance(again, ToolOutput)
    assert again.result == [None, [Kind.VOTE], Span(start=date(2024, 5, 6)), "changed by a hook"]


async def test_a_parameter_may_have_another_name_for_the_model() -> None:
    @tool()
    async def travel(from_: Annotated[str, Field(alias="from")]) -> str:
        """Travel."""
        return from_

    assert list(travel.parameters["properties"]) == ["from"]
    validated = travel.validate({"from": "Bonn"})
    assert validated == {"from": "Bonn"}
    assert await travel.run(validated) == "Bonn"
    assert await travel.run({"from": "Berlin"}) == "Berlin"


def test_invalid_arguments_are_named_field_by_field() -> None:
    with pytest.raises(ToolError) as caught:
        finder().validate({"kinds": ["song"], "span": {}})
    assert caught.value.code == "invalid_arguments"
    assert caught.value.reason == (
        "kinds.0: Input should be 'speech' or 'vote'; span.start: Field required"
    )


def test_an_error_about_all_arguments_is_reported_as_arguments() -> None:
    with pytest.raises(ToolError, match=r"^invalid_arguments: arguments: Input should be"):
        finder().validate([])  # pyright: ignore[reportArgumentType]  # what a hook may get wrong


def test_arguments_that_json_cannot_hold_are_invalid() -> None:
    @tool()
    async def store(anything: object = None, number: float = 0) -> None:
        """Store."""

    deep = json.loads("[" * 400 + "]" * 400)
    for raw in ({"anything": deep}, {"number": float("nan")}, {"number": float("inf")}):
        with pytest.raises(ToolError, match=r"^invalid_arguments: ") as caught:
            store.validate(raw)
        assert caught.value.reason == (
            "The arguments are nested too deep, or hold a number that is no JSON."
        )
    kept: dict[str, object] = {"anything": [10**400, None], "number": 0.5}
    assert store.validate(kept) == kept


def not_async(x: int) -> int:
    """Do."""
    return x


async def without_docstring(x: int) -> int:
    return x


async def without_annotation(x: int) -> int:
    """Do."""
    return x


del without_annotation.__annotations__["x"]


async def with_args(*words: str) -> None:
    """Do."""


async def with_kwargs(**words: str) -> None:
    """Do."""


async def positional_only(x: int, /) -> None:
    """Do."""


async def with_underscore(_x: int) -> None:
    """Do."""


async def with_taken_name(model_config: int) -> None:
    """Do."""


async def with_callback(then: Callable[[], int]) -> None:
    """Do."""


async def with_contexts(a: ToolContext, b: ToolContext) -> None:
    """Do."""


async def with_unknown_type(x: int) -> None:
    """Do."""


with_unknown_type.__annotations__["x"] = "Nowhere"


REFUSED: list[tuple[Callable[..., Any], str]] = [
    (not_async, "the tool not_async must be an async function"),
    (
        without_docstring,
        "the tool without_docstring has no docstring, so the model cannot know its use",
    ),
    (without_annotation, "the tool without_annotation: the parameter x has no annotation"),
    (with_args, r"the tool with_args: \*words: str cannot be passed by name"),
    (with_kwargs, r"the tool with_kwargs: \*\*words: str cannot be passed by name"),
    (positional_only, "the tool positional_only: x: int cannot be passed by name"),
    (with_underscore, "the tool with_underscore: no parameter can be called _x"),
    (with_taken_name, "the tool with_taken_name: no parameter can be called model_config"),
    (with_contexts, "the tool with_contexts has more than one parameter for the context"),
    (
        with_callback,
        "the tool with_callback: a parameter has no schema: Cannot generate .*Callable.*",
    ),
    (
        with_unknown_type,
        "the tool with_unknown_type: a parameter has no schema: name 'Nowhere' is not defined",
    ),
    (Kind, "<enum 'Kind'> is no function: write `async def name[(]...[)]` for a tool"),
]


@pytest.mark.parametrize(
    ("function", "words"),
    REFUSED,
)
def test_a_function_that_makes_no_tool_is_refused_with_the_reason(
    function: Callable[..., Any], words: str
) -> None:
    with pytest.raises(SetupError, match=f"^setup: {words}$") as caught:
        tool()(function)
    assert "\n" not in str(caught.value)


def named(name: str, description: str = "Does.") -> Tool:
    async def do() -> None: ...

    do.__name__, do.__doc__ = name, description
    return tool()(do)


def test_two_tools_with_one_name_are_refused() -> None:
    with pytest.raises(SetupError, match=r"^setup: two tools have the same name: a$"):
        check_definitions([named("a"), named("b"), named("a")])


@pytest.mark.parametrize("name", ["größe", "x" * 65])
def test_a_name_that_endpoints_refuse_is_refused_at_start(name: str) -> None:
    with pytest.raises(SetupError, match=f"^setup: the endpoint takes no tool named {name}$"):
        check_definitions([named(name)])


def size_of(tools: list[Tool]) -> int:
    return len(compact([definition(item) for item in tools]).encode())


def test_as_many_tools_fit_as_the_endpoint_takes_to_the_byte() -> None:
    tools = [named("a"), named("größe_".replace("ö", "o"), "ü" * 50), named("c")]
    assert fitting(tools, ToolLimits()) == tuple(tools)
    assert fitting(tools, ToolLimits(count=2)) == tuple(tools[:2])
    assert fitting(tools, ToolLimits(size=size_of(tools))) == tuple(tools)
    assert fitting(tools, ToolLimits(size=size_of(tools) - 1)) == tuple(tools[:2])
    assert fitting(tools[:1], ToolLimits(size=size_of(tools[:1]))) == tuple(tools[:1])


def test_an_agent_checks_its_tools_before_anything_is_sent() -> None:
    with pytest.raises(SetupError, match="same name"):
        Agent(ScriptedModel(), [named("a"), named("a")])
