"""More tools than an endpoint takes: they are searched, and no request has too many."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel
from tabloop import Agent, ChatCompletionsModel, SetupError, UserMessage, max_iterations
from tabloop.agent.arguments import ArgumentsModel
from tabloop.agent.definitions import definition
from tabloop.agent.messages import AssistantMessage, Message, ToolCall, ToolMessage
from tabloop.agent.ports import ToolLimits
from tabloop.agent.tools import Tool
from tabloop.contrib.scripted import ScriptedModel, calls
from tabloop.core.json_text import compact

from tests.unit.fake_transport import FakeTransport, answer
from tests.unit.fakes import result_of, statuses

PROXY = "https://llm-agent.fretchen.eu"


class Nothing(BaseModel):
    pass


def named(name: str, description: str = "") -> Tool:
    arguments = ArgumentsModel.of(Nothing)

    async def run(_: object) -> str:
        return name

    text = description or f"Look up {name}."
    return Tool(name, text, arguments.parameters, arguments.validate, run)


class SmallModel(ScriptedModel):
    """A scripted model whose endpoint takes few tools."""

    def __init__(self, *steps: Any, limits: ToolLimits) -> None:
        super().__init__(*steps)
        self.tool_limits = limits


TOOLS = [
    *(named(f"list_{thing}") for thing in ("votes", "debates", "speakers", "parties", "bills")),
    named("convert_money", "Convert an amount to another currency."),
    named("read_weather", "Today's weather in one city."),
]


async def test_a_tool_that_does_not_fit_is_found_and_called() -> None:
    model = SmallModel(
        calls("search_tools", query="weather in a city"),
        calls("read_weather"),
        "It rains.",
        limits=ToolLimits(count=3),
    )
    history: list[Message] = [UserMessage("Umbrella?")]
    assert await Agent(model, TOOLS).answer(history) == "It rains."
    assert model.offered == [
        ["list_votes", "list_debates", "search_tools"],
        ["list_votes", "read_weather", "search_tools"],
        ["list_votes", "read_weather", "search_tools"],
    ]
    found = result_of(model.asked[1][-1])["found"]
    assert found == {"read_weather": "Today's weather in one city."}
    assert [status for _, status in statuses(history)] == ["ok", "ok"]


async def test_a_tool_is_found_by_a_word_of_one_of_its_parameters() -> None:
    class Trip(BaseModel):
        origin: str
        destination: str
        day: str

    arguments = ArgumentsModel.of(Trip)

    async def run(_: object) -> str:
        return "9:00"

    trains = Tool("trains", "Times.", arguments.parameters, arguments.validate, run)
    search = calls("search_tools", query="a destination")
    model = SmallModel(search, "None.", limits=ToolLimits(count=2))
    await Agent(model, [*TOOLS, trains]).answer("?")
    assert result_of(model.asked[1][-1])["found"] == {"trains": "Times."}


async def test_a_search_without_a_hit_names_all_tools() -> None:
    model = SmallModel(calls("search_tools", query="xyz"), "No.", limits=ToolLimits(count=2))
    assert await Agent(model, TOOLS).answer("?") == "No."
    assert result_of(model.asked[1][-1]) == {
        "status": "ok",
        "found": {},
        "names": sorted(tool.name for tool in TOOLS),
    }
    [search] = [item for item in model.requests[0].tools if item.name == "search_tools"]
    assert search.description == (
        "Find further tools. Those that are found can be called in the next turn."
    )
    told = {"description": "Words of what the tool should do.", "type": "string"}
    assert search.parameters["properties"] == {"query": told}


async def test_a_tool_of_the_history_stays_on_offer_when_a_run_goes_on() -> None:
    model = SmallModel("Done.", limits=ToolLimits(count=2))
    call = AssistantMessage(None, (ToolCall("a", "convert_money"),))
    history: list[Message] = [UserMessage("?"), call, ToolMessage("a", "{}")]
    await Agent(model, TOOLS).answer(history)
    assert model.offered == [["convert_money", "search_tools"]]


async def test_the_answer_as_an_object_keeps_its_place() -> None:
    model = SmallModel(calls("final_answer"), limits=ToolLimits(count=3))
    await Agent(model, TOOLS, output=Nothing).answer("?")
    assert model.offered == [["list_votes", "final_answer", "search_tools"]]


async def test_where_all_tools_fit_there_is_nothing_to_search() -> None:
    model = SmallModel("Hello.", limits=ToolLimits(count=len(TOOLS)))
    await Agent(model, TOOLS).answer("?")
    unlimited = ScriptedModel("Hello.")
    await Agent(unlimited, [*TOOLS, *(named(f"t{n}") for n in range(90))]).answer("?")
    assert len(model.offered[0]) == len(TOOLS)
    assert len(unlimited.offered[0]) == len(TOOLS) + 90


async def test_the_paid_proxys_limits_are_those_of_its_profile() -> None:
    good = answer({"choices": [{"index": 0, "message": {"content": "Hello."}}]})
    for url, expected in ((PROXY, 8), ("https://llm.test", 9)):
        transport = FakeTransport([good])
        model = ChatCompletionsModel(transport, url=url, model="any")
        await Agent(model, [named(f"t{n}") for n in range(9)]).answer("?")
        assert len(json.loads(transport.requests[0].body or b"")["tools"]) == expected
    proxy = ChatCompletionsModel(FakeTransport([good]), url=PROXY, model="m")
    with pytest.raises(SetupError) as caught:
        Agent(proxy, [named("large", "x" * 8200)])
    assert caught.value.detail == (
        "the tool large does not fit beside search_tools: the endpoint takes 8 tools of 8192 bytes"
    )


@given(
    lengths=st.lists(st.integers(1, 400), min_size=1, max_size=12),
    count=st.none() | st.integers(2, 6),
    size=st.none() | st.integers(900, 2000),
)
async def test_every_tool_can_be_reached_and_no_request_is_too_large(
    lengths: list[int], count: int | None, size: int | None
) -> None:
    tools = [named(f"tool{n}", f"word{n} " + "x" * length) for n, length in enumerate(lengths)]
    for n in range(len(tools)):
        steps = [calls("search_tools", query=f"word{n}"), calls(f"tool{n}"), "Done."]
        model = SmallModel(*steps, limits=ToolLimits(count, size))
        agent = Agent(model, tools, strategy=max_iterations(9))
        history: list[Message] = [UserMessage("?")]
        if "search_tools" not in (tool.name for tool in agent.tools):
            del model.steps[0]
        assert await agent.answer(history) == "Done."
        assert {status for _, status in statuses(history)} == {"ok"}
        for request in model.requests:
            assert count is None or len(request.tools) <= count
            written = compact([definition(tool) for tool in request.tools])
            assert size is None or len(written.encode()) <= size
