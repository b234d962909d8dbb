"""Without a language model, a question that begins with a tool's title calls the tool."""

from typing import Annotated

import pytest
from pydantic import Field
from tabloop import Agent, ScriptedModel, Tool, ToolError, UserMessage, tool
from tabloop.agent.presentation import Presentation
from tabloop.core.phrases import Phrase
from tabloop.ui.strings import load_strings
from tabloop.ui.tool_by_title import ToolByTitle

WEATHER = Presentation(title=Phrase("Weather", "Wetter"))


@tool(presentation=WEATHER)
async def get_weather(
    city: Annotated[str, Field(description="A city's *name*.")], days: int = 1
) -> dict[str, object]:
    """Today's weather in one city."""
    if city != "Berlin":
        raise ToolError("not_found", "Only <b>Berlin</b> is known.")
    return {"celsius": 7, "days": days}


@tool(needs_approval=True)
async def delete() -> str:
    """Delete."""
    return "deleted"


async def answer(question: str, language: str = "en", *others: Tool) -> str:
    model = ToolByTitle(load_strings(language), ScriptedModel("another answer"))
    return await Agent(model, (get_weather, *others)).answer([UserMessage(question)])


@pytest.mark.parametrize(
    ("question", "language"),
    [("Weather: Berlin", "en"), ("wetter:Berlin", "de"), ("get_weather: city=Berlin", "en")],
)
async def test_the_result_is_listed(question: str, language: str) -> None:
    text = await answer(question, language)
    assert "- celsius: 7\n- days: 1\n" in text


async def test_arguments_have_the_types_of_the_tool() -> None:
    assert "- days: 3" in await answer("Weather: city=Berlin, days=3")


@tool
async def find() -> dict[str, object]:
    """Find."""
    return {"hits": [{"text": "``` <b>"}], "sure": True}


async def test_lists_are_shown_as_code_that_nothing_in_them_ends() -> None:
    text = await answer("find", "en", find)
    assert '````json\n[\n {\n  "text": "``` <b>"\n }\n]\n````\n\n- sure: true' in text


async def test_it_asks_for_what_is_missing_and_says_how_to_write_it() -> None:
    text = await answer("Weather")
    assert "- city: A city's \\*name\\*." in text
    assert text.endswith("Weather: city=…")


async def test_a_failure_is_told_in_the_words_of_the_tool() -> None:
    assert await answer("Weather: Rome") == "Weather: Only \\<b\\>Berlin\\</b\\> is known."


@pytest.mark.parametrize("question", ["What is the weather?", "Delete", "", "Weather in Berlin"])
async def test_other_questions_are_for_the_other_model(question: str) -> None:
    assert await answer(question, "en", delete) == "another answer"
