"""Answers as objects: validated, repaired once, and never half an object."""

import pytest
from pydantic import BaseModel, Field
from tabloop import NoAnswer, OutputAgent, ScriptedModel, calls, tool
from tabloop.agent.errors import ModelError, SetupError
from tabloop.agent.messages import Message, UserMessage
from tabloop.agent.strategies import max_iterations

from tests.unit.fakes import statuses


class Vote(BaseModel):
    """How a vote ended."""

    title: str
    yes: int = Field(ge=0)
    no: int = Field(ge=0)


@tool
async def look_up(day: str) -> str:
    """Look up a vote."""
    return f"Pensions on {day}: 300 to 200."


VOTE = calls("final_answer", title="Pensions", yes=300, no=200)


async def test_the_answer_is_an_object_after_the_tools_have_run() -> None:
    model = ScriptedModel(calls("look_up", day="2026-09-09"), VOTE)
    agent = OutputAgent(model, [look_up], output=Vote)
    vote = await agent.answer("How did the vote end?")
    assert vote == Vote(title="Pensions", yes=300, no=200)
    model.finish()
    final = model.requests[0].tools[-1]
    assert final.description == "Give the final answer. How a vote ended."
    assert final.parameters["required"] == ["title", "yes", "no"]


async def test_an_invalid_object_goes_back_to_the_model_with_its_fields() -> None:
    wrong = calls("final_answer", title="Pensions", yes=-1, no=200)
    model, history = ScriptedModel(wrong, VOTE), list[Message]([UserMessage("How?")])
    assert (await OutputAgent(model, output=Vote).answer(history)).yes == 300
    assert [status for _, status in statuses(history)] == ["invalid_arguments", "ok"]
    assert "yes" in str(model.asked[1][-1])


async def test_an_answer_in_text_is_asked_for_again_once() -> None:
    model = ScriptedModel("It passed.", VOTE)
    assert (await OutputAgent(model, output=Vote).answer("How?")).no == 200
    assert "final_answer" in str(model.asked[1][-1])
    with pytest.raises(NoAnswer, match="It passed, I said"):
        await OutputAgent(ScriptedModel("It passed.", "It passed, I said."), output=Vote).answer(
            "How?"
        )


async def test_a_run_that_ends_otherwise_gives_no_object() -> None:
    agent = OutputAgent(
        ScriptedModel(calls("look_up", day="x")), [look_up], output=Vote, strategy=max_iterations(1)
    )
    with pytest.raises(NoAnswer, match="max_iterations"):
        await agent.answer("How?")
    with pytest.raises(ModelError):
        await OutputAgent(ScriptedModel(ModelError("timeout")), output=Vote).answer("How?")


def test_a_model_without_a_schema_is_refused_at_once() -> None:
    class Odd(BaseModel, arbitrary_types_allowed=True):
        thing: ScriptedModel

    with pytest.raises(SetupError, match="Odd has no schema"):
        OutputAgent(ScriptedModel(), output=Odd)
