"""A person who does not want to wait for more gets an answer from what is there."""

import asyncio

from tabloop.agent.answer_now import AnswerNow
from tabloop.agent.events import RunFinished, StepStarted, ToolCallResult
from tabloop.agent.loop import Agent
from tabloop.agent.messages import Message, ToolCall, UserMessage
from tabloop.agent.tools import tool
from tabloop.contrib.scripted import ScriptedModel
from tabloop.ui.answer_state import AnswerState
from tabloop.ui.status import status_line
from tabloop.ui.strings import load_strings

from tests.unit.fakes import calling, calls, says, statuses


@tool
async def look_up(word: str) -> str:
    """Look a word up."""
    return word


async def offered(hurry: AnswerNow, *, press: bool) -> list[tuple[str, ...]]:
    """Return the tools that each hop of a run was offered."""
    agent = Agent(
        ScriptedModel(calls("look_up", "a", word="x"), says("It is x.")),
        [look_up],
        middleware=[hurry],
    )
    hops: list[tuple[str, ...]] = []
    async for event in agent.run([UserMessage("What is it?")]):
        if isinstance(event, StepStarted):
            hops.append(event.tools)
        if press and isinstance(event, ToolCallResult):
            hurry.press()
        if isinstance(event, RunFinished):
            assert event.text == "It is x."
    return hops


async def test_after_the_press_the_next_hop_has_no_tools() -> None:
    hurry = AnswerNow()
    assert await offered(hurry, press=True) == [("look_up",), ()]
    assert await offered(hurry, press=False) == [("look_up",), ("look_up",)]  # only for one run


async def test_the_press_ends_lookups_but_nothing_that_is_paid_for() -> None:
    @tool
    async def never() -> None:
        """A lookup without an end."""
        await asyncio.Event().wait()

    @tool(paid=True)
    async def draw() -> str:
        """Draw."""
        await asyncio.sleep(9)
        return "drawn"

    hurry, history = AnswerNow(), list[Message]([UserMessage("Go.")])
    asyncio.get_running_loop().call_later(6, hurry.press)
    both = calling(ToolCall("a", "never"), ToolCall("b", "draw"))
    agent = Agent(ScriptedModel(both, says("Done.")), [never, draw], middleware=[hurry])
    assert await agent.answer(history) == "Done."
    assert statuses(history) == [("a", "interrupted"), ("b", "ok")]


def test_search_mode_never_thinks() -> None:
    for language in ("en", "de"):
        strings = load_strings(language)
        line = status_line(strings, AnswerState(), 4, searching=True)
        assert line == strings("status.searching")
        assert "4" not in line
