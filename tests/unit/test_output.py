"""Answers as objects: validated, repaired once, and never half an object."""

import json
from typing import Any, cast

import pytest
from pydantic import BaseModel, Field
from tabloop import Agent, ChatCompletionsModel, NoAnswer, ScriptedModel, calls, tool
from tabloop.agent.errors import ModelError, SetupError
from tabloop.agent.messages import Message, UserMessage
from tabloop.agent.strategies import max_iterations
from tabloop.core.http import HttpResponse

from tests.unit.fake_transport import FakeTransport, answer
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
    agent = Agent(model, [look_up], output=Vote)
    vote = await agent.answer("How did the vote end?")
    assert vote == Vote(title="Pensions", yes=300, no=200)
    model.finish()
    final = model.requests[0].tools[-1]
    assert final.description == "Give the final answer. How a vote ended."
    assert final.parameters["required"] == ["title", "yes", "no"]


async def test_an_invalid_object_goes_back_to_the_model_with_its_fields() -> None:
    wrong = calls("final_answer", title="Pensions", yes=-1, no=200)
    model, history = ScriptedModel(wrong, VOTE), list[Message]([UserMessage("How?")])
    assert (await Agent(model, output=Vote).answer(history)).yes == 300
    assert [status for _, status in statuses(history)] == ["invalid_arguments", "ok"]
    assert "yes" in str(model.asked[1][-1])


async def test_an_answer_in_text_is_asked_for_again_once() -> None:
    model = ScriptedModel("It passed.", VOTE)
    assert (await Agent(model, output=Vote).answer("How?")).no == 200
    assert model.asked[1][-1] == UserMessage(
        "This is not the answer that I need: it is no JSON. "
        "Call the tool final_answer if there is one."
    )
    text = 'It passed:\n```json\n{"title": "Pensions", "yes": 3, "no": 2}\n```'
    assert (await Agent(ScriptedModel(text), output=Vote).answer("How?")).yes == 3
    text = 'It passed: {"title": "Pensions", "yes": 4, "no": 2}, they say.'
    assert (await Agent(ScriptedModel(text), output=Vote).answer("How?")).yes == 4
    with pytest.raises(NoAnswer) as caught:
        await Agent(ScriptedModel("It passed.", "It passed, I said."), output=Vote).answer("How?")
    assert (caught.value.code, caught.value.detail) == ("no_output", "It passed, I said.")


async def test_a_run_that_ends_otherwise_gives_no_object() -> None:
    agent = Agent(
        ScriptedModel(calls("look_up", day="x")), [look_up], output=Vote, strategy=max_iterations(1)
    )
    with pytest.raises(NoAnswer, match="max_iterations"):
        await agent.answer("How?")
    with pytest.raises(ModelError):
        await Agent(ScriptedModel(ModelError("timeout")), output=Vote).answer("How?")


def test_a_model_without_a_schema_is_refused_at_once() -> None:
    class Odd(BaseModel, arbitrary_types_allowed=True):
        thing: ScriptedModel

    with pytest.raises(SetupError, match=r"^setup: Odd has no schema: Cannot generate .*Scripted"):
        Agent(ScriptedModel(), output=Odd)
    sentence = "^setup: output='Vote': give a pydantic model, or leave it out for a text$"
    with pytest.raises(SetupError, match=sentence):
        Agent(ScriptedModel(), output=cast("type[Vote]", "Vote"))


def body(**message: object) -> HttpResponse:
    return answer({"choices": [{"index": 0, "message": message}]})


def sent(transport: FakeTransport) -> list[dict[str, Any]]:
    return [json.loads(request.body or b"") for request in transport.requests]


GOOD = body(content='{"title": "Pensions", "yes": 300, "no": 200}')
LOOKS_UP = {"id": "call00001", "function": {"name": "look_up", "arguments": '{"day": "x"}'}}


async def test_an_endpoint_that_takes_a_schema_is_held_to_it() -> None:
    transport = FakeTransport([body(tool_calls=[LOOKS_UP]), body(content='{"yes": -1}'), GOOD])
    model = ChatCompletionsModel(transport, url="https://api.openai.com/v1", model="any")
    vote = await Agent(model, [look_up], output=Vote).answer("How did the vote end?")
    assert vote.yes == 300
    requests = sent(transport)
    for request in requests:
        assert [one["function"]["name"] for one in request["tools"]] == ["look_up"]
        asked = request["response_format"]
        schema = asked["json_schema"]["schema"]
        assert asked == {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": schema},
        }
        assert schema["required"] == ["title", "yes", "no"]
    assert "yes: Input should be" in requests[2]["messages"][-1]["content"]


async def test_where_a_schema_would_forbid_calls_it_is_sent_only_without_tools() -> None:
    transport = FakeTransport([GOOD, body(tool_calls=[LOOKS_UP]), GOOD])
    model = ChatCompletionsModel(transport, url="http://localhost:11434", model="any")
    assert (await Agent(model, output=Vote).answer("How?")).no == 200
    assert (await Agent(model, [look_up], output=Vote).answer("How?")).no == 200
    alone, beside, _ = sent(transport)
    assert "response_format" in alone
    assert "tools" not in alone
    assert "response_format" not in beside
    assert [one["function"]["name"] for one in beside["tools"]] == ["look_up", "final_answer"]


async def test_a_refusal_of_a_schema_that_was_not_sent_is_an_error() -> None:
    refused = answer({"error": {"message": "Invalid response_format"}}, 400)
    model = ChatCompletionsModel(
        FakeTransport([refused] * 9), url="https://api.openai.com/v1", model="any"
    )
    with pytest.raises(ModelError) as caught:
        await Agent(model).answer("How?")
    assert caught.value.code == "bad_request"


async def test_a_refused_schema_is_replaced_by_the_final_tool() -> None:
    refused = answer({"error": {"message": "Invalid schema for response_format"}}, 400)
    arguments = '{"title": "a", "yes": 1, "no": 0}'
    ends = {"id": "b", "function": {"name": "final_answer", "arguments": arguments}}
    transport = FakeTransport([refused, body(content="One to none."), body(tool_calls=[ends])])
    model = ChatCompletionsModel(transport, url="https://api.openai.com/v1", model="any")
    assert (await Agent(model, output=Vote).answer("How?")).yes == 1
    assert ["response_format" in request for request in sent(transport)] == [True, False, False]
    assert [bool(request.get("tools")) for request in sent(transport)] == [False, False, True]
