"""Agents as tools: hops are counted, a stop reaches them, and their events are told apart."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel
from tabloop import Agent, Source, Stop, ToolOutput, UserMessage, agent_tool, max_iterations, tool
from tabloop.agent.context import CALL, ToolContext
from tabloop.agent.errors import ModelError, ToolError
from tabloop.agent.events import (
    Event,
    RunFinished,
    RunStarted,
    StepStarted,
    SubagentEvent,
    ToolCallResult,
    ToolCallStart,
)
from tabloop.agent.messages import AssistantMessage, Message
from tabloop.agent.middleware import Middleware, RunContext
from tabloop.agent.ports import ModelRequest, ReplyPart
from tabloop.agent.presentation import PLAIN, Presentation
from tabloop.agent.tools import Tool
from tabloop.contrib.ag_ui import to_ag_ui
from tabloop.contrib.scripted import ScriptedModel, calls

from tests.unit.fakes import EndlessModel, HangingModel, play, result_of, says, statuses

PAGE = Source("https://weather.test/bonn", "Bonn")


@tool
async def weather(city: str) -> ToolOutput:
    """Today's weather in one city."""
    return ToolOutput(f"rain in {city}", sources=(PAGE,))


def expert(agent: Agent[Any], name: str = "ask_expert") -> Tool:
    return agent_tool(agent, name=name, description="Ask somebody who knows the weather.")


def inner_events(events: Sequence[Event]) -> list[Event]:
    return [event.event for event in events if isinstance(event, SubagentEvent)]


async def test_an_agent_answers_the_call_and_its_sources_are_those_of_the_result() -> None:
    inner = ScriptedModel(calls("weather", city="Bonn"), "It rains.")
    outer = ScriptedModel(calls("ask_expert", "a", task="Umbrella in Bonn?"), "Yes.")
    events = await play(outer, [expert(Agent(inner, [weather]))])
    inner.finish()
    assert inner.asked[0] == (UserMessage("Umbrella in Bonn?"),)
    assert result_of(outer.asked[1][-1]) == {"status": "ok", "answer": "It rains."}
    [result] = [event for event in events if isinstance(event, ToolCallResult)]
    assert result.sources == (PAGE,)
    nested = inner_events(events)
    assert isinstance(nested[0], RunStarted)
    assert nested[-1] == RunFinished("stop", text="It rains.")
    assert [e.name for e in nested if isinstance(e, ToolCallStart)] == ["weather"]


async def test_its_object_is_the_result() -> None:
    class Report(BaseModel):
        city: str
        rain: bool

    inner = ScriptedModel(calls("final_answer", city="Bonn", rain=True))
    outer = ScriptedModel(calls("ask_expert", task="?"), "Yes.")
    await play(outer, [expert(Agent(inner, output=Report))])
    assert result_of(outer.asked[1][-1]) == {"status": "ok", "city": "Bonn", "rain": True}


async def test_its_hops_count_and_one_is_left_for_the_answer() -> None:
    inner = EndlessModel(calls("weather", city="Bonn"))
    outer = ScriptedModel(calls("ask_expert", "a", task="?"), "I do not know.")
    events = await play(
        outer,
        [expert(Agent(inner, [weather], strategy=max_iterations(99)))],
        strategy=max_iterations(5),
    )
    assert len(inner.requests) == 3
    assert [e.hop for e in events if isinstance(e, StepStarted)] == [1, 5]
    assert result_of(outer.asked[1][-1])["status"] == "budget_exhausted"
    assert events[-1] == RunFinished("stop", text="I do not know.")


async def test_a_stop_reaches_the_request_of_an_agent_inside_an_agent() -> None:
    model, stop = HangingModel(), Stop()
    middle = Agent(ScriptedModel(calls("deepest", task="?")), [expert(Agent(model), "deepest")])
    history: list[Message] = [UserMessage("go")]
    asks = ScriptedModel(calls("ask_expert", "a", task="?"))
    run = play(asks, [expert(middle)], messages=history, stop=stop)
    asyncio.get_running_loop().call_later(1, stop.press)
    events = await run
    assert model.cancelled
    assert asyncio.get_running_loop().time() == pytest.approx(1)
    assert statuses(history) == [("a", "interrupted")]
    assert events[-1] == RunFinished("stopped", finish_reason="tool_calls")


def test_a_model_reads_what_an_agent_is_for_and_what_to_give_it() -> None:
    shown = Presentation(title="Expert")
    made = agent_tool(
        Agent(ScriptedModel()), name="ask", description="Ask somebody.", presentation=shown
    )
    assert (made.name, made.description, made.presentation) == ("ask", "Ask somebody.", shown)
    assert expert(Agent(ScriptedModel())).presentation == PLAIN
    task = {"description": "What to do, with all that is needed to know for it.", "type": "string"}
    assert made.parameters == {
        "type": "object",
        "properties": {"task": task},
        "required": ["task"],
    }


@pytest.mark.parametrize(
    ("step", "status", "words"),
    [
        (ModelError("unreachable"), "tool_error", "The agent failed: unreachable."),
        (RuntimeError("a bug"), "tool_error", "The tool ask_expert failed inside."),
        (
            calls("weather", city="Bonn"),
            "budget_exhausted",
            "The agent had no hop left before its answer.",
        ),
        (
            says("It ra", "length"),
            "generation_failed",
            "The agent gave no whole answer: length.",
        ),
        (
            says("It", "content_filter"),
            "generation_failed",
            "The agent gave no whole answer: content_filter.",
        ),
    ],
)
async def test_an_agent_that_fails_leaves_the_run_that_asked_it(
    step: Any, status: str, words: str
) -> None:
    outer = ScriptedModel(calls("ask_expert", task="?"), "I do not know.")
    inner = Agent(ScriptedModel(step), [weather], strategy=max_iterations(1))
    events = await play(outer, [expert(inner)])
    assert result_of(outer.asked[1][-1]) == {"status": status, "reason": words}
    assert events[-1] == RunFinished("stop", text="I do not know.")


class Vetoes(Middleware):
    async def on_should_continue(self, run: RunContext) -> bool:
        return False


async def test_an_agent_that_its_own_middleware_ends_tells_that_no_hop_was_left() -> None:
    outer = ScriptedModel(calls("ask_expert", task="?"), "I do not know.")
    steps = ScriptedModel(calls("weather", city="Bonn"))
    inner = Agent(steps, [weather], strategy=max_iterations(9), middleware=[Vetoes()])
    await play(outer, [expert(inner)])
    assert result_of(outer.asked[1][-1])["status"] == "budget_exhausted"


async def test_an_agent_that_is_called_after_the_stop_says_so() -> None:
    stop = Stop()
    stop.press()
    asked = CALL.set(ToolContext("a", stop))
    try:
        with pytest.raises(ToolError, match=r"^interrupted: The agent was stopped\.$"):
            await expert(Agent(ScriptedModel("Never."))).run({"task": "?"})
    finally:
        CALL.reset(asked)


def test_it_is_paid_and_alone_if_one_of_its_tools_is() -> None:
    @tool(paid=True)
    async def draw() -> None:
        """Draw."""

    assert expert(Agent(ScriptedModel(), [weather])).concurrent
    paying = expert(Agent(ScriptedModel(), [weather, draw]))
    assert paying.paid
    assert not paying.concurrent


async def test_an_ag_ui_viewer_gets_its_run_as_custom_events() -> None:
    inner = Agent(ScriptedModel(calls("weather", city="Bonn"), "It rains."), [weather])
    agent = Agent(ScriptedModel(calls("ask_expert", "a", task="?"), "Yes."), [expert(inner)])
    written = [event async for event in to_ag_ui(agent.run([UserMessage("?")]), "t", "r")]
    nested = [e["value"] for e in written if e.get("name") == "subagent"]
    assert {value["toolCallId"] for value in nested} == {"r:a"}
    assert nested[0]["event"]["type"] == "RUN_STARTED"
    assert nested[-1]["event"]["type"] == "RUN_FINISHED"
    assert [event["type"] for event in written].count("RUN_FINISHED") == 1


# A tree of agents: how many lookups each makes, and the agents that it asks.
trees: st.SearchStrategy[Any] = st.recursive(
    st.tuples(st.integers(0, 3), st.just([])),
    lambda inner: st.tuples(st.integers(0, 3), st.lists(inner, max_size=2)),
    max_leaves=4,
)


@given(tree=trees, limit=st.integers(1, 8), pressed=st.none() | st.floats(0.1, 6))
async def test_a_tree_of_agents_keeps_the_limit_and_ends_with_the_stop(
    tree: Any, limit: int, pressed: float | None
) -> None:
    requests: list[float] = []
    stop, loop = Stop(), asyncio.get_running_loop()

    @tool
    async def look(n: int) -> int:
        """Look."""
        await asyncio.sleep(0.5)
        return n

    class Counted(ScriptedModel):
        async def reply(self, request: ModelRequest) -> AsyncIterator[ReplyPart]:
            requests.append(loop.time())
            async for part in super().reply(request):
                yield part

    def planted(node: Any, top: bool = False) -> Agent:
        lookups, children = node
        tools = [expert(planted(child), f"child{n}") for n, child in enumerate(children)]
        steps = [calls(one.name, task="?") for one in tools]
        steps += [calls("look", n=n) for n in range(lookups)]
        strategy = max_iterations(limit if top else 99)
        return Agent(Counted(*steps, "Done."), [look, *tools], strategy=strategy)

    began = loop.time()
    if pressed is not None:
        loop.call_later(pressed, stop.press)
    history: list[Message] = [UserMessage("go")]
    agent = planted(tree, top=True)
    events = [event async for event in agent.run(history, stop)]
    # the first hop of an agent always happens, so a chain of them may exceed the limit by its depth
    assert len(requests) <= limit + 4
    assert all(time <= began + (pressed if pressed is not None else 99) for time in requests)
    open_runs = 0
    for event in flat(events):
        open_runs += isinstance(event, RunStarted) - isinstance(event, RunFinished)
        assert open_runs >= 0
    if pressed is None or loop.time() < began + pressed:
        assert open_runs == 0
    turns = [message for message in history if isinstance(message, AssistantMessage)]
    assert len(statuses(history)) == sum(len(turn.tool_calls) for turn in turns)


def flat(events: Sequence[Event]) -> list[Event]:
    found: list[Event] = []
    for event in events:
        found += flat([event.event]) if isinstance(event, SubagentEvent) else [event]
    return found
