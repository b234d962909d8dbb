"""The calls of a hop: who runs beside whom, what a person is asked, what the model reads."""

import asyncio
import logging
from collections.abc import Mapping
from typing import cast

import pytest
from tabloop.agent.errors import ErrorStatus, ToolError
from tabloop.agent.events import (
    ApprovalDecided,
    ApprovalRequested,
    Event,
    RunFinished,
    ToolCallResult,
    ToolWithdrawn,
)
from tabloop.agent.loop import Agent
from tabloop.agent.messages import Message, ToolCall, UserMessage
from tabloop.agent.middleware import CallContext, Middleware, RunContext, TransformArguments
from tabloop.agent.ports import Approval, Approved, Declined
from tabloop.agent.results import ToolResult
from tabloop.agent.strategies import max_iterations
from tabloop.agent.tools import Source, Tool, ToolOutput, tool
from tabloop.contrib.scripted import ScriptedModel

from tests.unit.fakes import Answers, calling, calls, declines, play, result_of, says, statuses


def results(events: list[Event]) -> list[ToolCallResult]:
    return [event for event in events if isinstance(event, ToolCallResult)]


class Log:
    """Writes down when work begins and ends; makes the tools that do it."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    async def work(self, name: str, seconds: float = 0.002) -> str:
        self.lines.append(f"+{name}")
        await asyncio.sleep(seconds)
        self.lines.append(f"-{name}")
        return name

    def tools(self) -> list[Tool]:
        @tool()
        async def free(name: str, seconds: float = 0.002) -> str:
            """Free."""
            return await self.work(name, seconds)

        @tool(paid=True)
        async def paid(name: str) -> str:
            """Paid."""
            return await self.work(name)

        @tool(needs_approval=True)
        async def asks(name: str) -> str:
            """Asks."""
            return await self.work(name)

        @tool(read_only=False)
        async def writes(name: str) -> str:
            """Writes."""
            return await self.work(name)

        return [free, paid, asks, writes]


def batch(*names: str) -> ScriptedModel:
    """Calls of these tools, each with its place as its name."""
    return ScriptedModel(
        calling(
            *(ToolCall(f"c{at}", name, f'{{"name": "{at}"}}') for at, name in enumerate(names))
        ),
        says("Done."),
    )


async def test_three_free_calls_of_100_ms_take_100_ms_and_answer_in_call_order() -> None:
    history: list[Message] = [UserMessage("go")]
    three = calling(
        *(
            ToolCall(f"c{at}", "free", f'{{"name": "{at}", "seconds": {seconds}}}')
            for at, seconds in enumerate((0.1, 0.09, 0.08))
        )
    )
    log = Log()
    now = asyncio.get_running_loop().time
    began = now()
    events = await play(ScriptedModel(three, says("Done.")), log.tools(), messages=history)
    assert now() - began == pytest.approx(0.1)
    assert log.lines == ["+0", "+1", "+2", "-2", "-1", "-0"]
    assert [event.tool_call_id for event in results(events)] == ["c2", "c1", "c0"]
    assert statuses(history) == [("c0", "ok"), ("c1", "ok"), ("c2", "ok")]


async def test_paid_and_asking_and_writing_calls_go_one_at_a_time_in_order() -> None:
    log = Log()
    names = ("paid", "asks", "writes", "paid")
    await play(batch(*names), log.tools(), approver=Answers())
    assert log.lines == [f"{mark}{at}" for at in range(4) for mark in "+-"]


async def test_free_calls_do_not_wait_for_a_person() -> None:
    log = Log()
    looked = asyncio.Event()

    class Slow:
        async def decide(self, tool: Tool, arguments: Mapping[str, object]) -> Approval:
            await looked.wait()
            return Approved()

    class SeesFree(Middleware):
        async def on_after_tool_call(
            self, run: RunContext, call: CallContext, result: ToolResult
        ) -> None:
            if call.tool.name == "free":
                looked.set()

    model = batch("asks", "free", "paid")
    await play(model, log.tools(), approver=Slow(), middleware=[SeesFree()])
    assert log.lines == ["+1", "-1", "+0", "-0", "+2", "-2"]


@tool()
async def look(n: int = 0) -> dict[str, int]:
    """Look."""
    return {"n": n}


@tool()
async def fails(code: str = "fetch_failed", recoverable: bool | None = None) -> None:
    """Fail."""
    status: ErrorStatus = "not_found" if code == "not_found" else "fetch_failed"
    raise ToolError(status, f"It was {code}.", recoverable=recoverable)


@tool()
async def crashes() -> None:
    """Crash."""
    raise RuntimeError("secret path /home/me")


async def test_one_failed_call_stops_no_other_and_each_has_its_own_reason(
    caplog: pytest.LogCaptureFixture,
) -> None:
    history: list[Message] = [UserMessage("go")]
    model = ScriptedModel(
        calling(ToolCall("a", "fails"), ToolCall("b", "crashes"), ToolCall("c", "look")),
        says("Done."),
    )
    with caplog.at_level(logging.ERROR):
        await play(model, [look, fails, crashes], messages=history)
    assert [result_of(message) for message in history[2:5]] == [
        {"status": "fetch_failed", "reason": "It was fetch_failed."},
        {"status": "tool_error", "reason": "The tool crashes failed inside."},
        {"status": "ok", "n": 0},
    ]
    assert "secret path" in caplog.text, "the console gets it whole"


async def test_a_tool_whose_future_is_cancelled_has_failed_and_the_run_goes_on() -> None:
    @tool()
    async def fetch() -> None:
        """Fetch."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        future.cancel()
        await future

    history: list[Message] = [UserMessage("go")]
    events = await play(ScriptedModel(calls("fetch", "a"), says("No.")), [fetch], messages=history)
    assert statuses(history) == [("a", "tool_error")]
    assert isinstance(events[-1], RunFinished)
    assert events[-1].outcome == "stop"


async def test_a_failed_tool_is_withdrawn_and_the_others_stay() -> None:
    model = ScriptedModel(calls("fails"), calls("fails", "again"), says("No."))
    history: list[Message] = [UserMessage("go")]
    events = await play(model, [look, fails], messages=history)
    assert model.offered == [["look", "fails"], ["look"], ["look"]]
    assert [event for event in events if isinstance(event, ToolWithdrawn)] == [
        ToolWithdrawn("fails", "fetch_failed")
    ]
    assert statuses(history)[1] == ("again", "unknown_tool")


async def test_the_last_tool_withdrawn_leaves_no_tools_at_all() -> None:
    model = ScriptedModel(calls("fails"), says("No."))
    await play(model, [fails])
    assert model.requests[1].tools == ()


@pytest.mark.parametrize(
    ("arguments", "stays"),
    [
        ({"code": "not_found"}, True),
        ({"code": "fetch_failed", "recoverable": True}, True),
        ({"code": "not_found", "recoverable": False}, False),
        ({"code": 5}, True),  # invalid_arguments
    ],
)
async def test_a_recoverable_failure_keeps_the_tool_on_offer(
    arguments: dict[str, object], stays: bool
) -> None:
    model = ScriptedModel(calls("fails", **arguments), says("No."))
    await play(model, [fails])
    assert model.offered[1] == (["fails"] if stays else [])


async def test_two_failures_of_one_hop_withdraw_once() -> None:
    two = calling(ToolCall("a", "fails"), ToolCall("b", "fails", '{"code": "x"}'))
    events = await play(ScriptedModel(two, says("No.")), [fails])
    assert len([event for event in events if isinstance(event, ToolWithdrawn)]) == 1


async def test_the_third_equal_call_is_not_run_and_the_tool_stays() -> None:
    ran: list[int] = []

    @tool()
    async def count(n: int = 0, m: int = 1) -> int:
        """Count."""
        ran.append(n)
        return n

    model = ScriptedModel(
        calling(ToolCall("a", "count", '{"n": 1, "m": 2}'), ToolCall("b", "count", '{"n": 2}')),
        calling(ToolCall("c", "count", '{"m": 2, "n": 1}')),
        calling(ToolCall("d", "count", '{"n": 1, "m": 2}'), ToolCall("e", "count", '{"n": 2}')),
        says("Done."),
    )
    history: list[Message] = [UserMessage("go")]
    await play(model, [count], messages=history)
    assert ran == [1, 2, 1, 2]
    assert dict(statuses(history))["d"] == "repeated_call"
    [told] = [item for item in history if getattr(item, "tool_call_id", "") == "d"]
    expected = "The same call was made before with the same arguments. Use its result."
    assert result_of(told)["reason"] == expected
    assert model.offered[3] == ["count"]


async def test_sources_and_display_go_to_the_page_only() -> None:
    source = Source("https://a.example", "A")

    @tool()
    async def chart() -> ToolOutput:
        """Chart."""
        return ToolOutput({"n": 1}, display="<svg>", sources=(source,))

    history: list[Message] = [UserMessage("go")]
    events = await play(ScriptedModel(calls("chart"), says("Done.")), [chart], messages=history)
    [event] = results(events)
    assert (event.display, event.sources, event.arguments) == ("<svg>", (source,), {})
    assert result_of(history[2]) == {"status": "ok", "n": 1}


class Painter:
    def __init__(self) -> None:
        self.painted: list[str] = []

    def tool(self) -> Tool:
        @tool(needs_approval=True, paid=True)
        async def paint(prompt: str, size: int = 512) -> dict[str, str]:
            """Paint."""
            self.painted.append(f"{prompt} {size}")
            return {"picture": prompt}

        return paint


async def painting(
    approver: Answers | None, *prompts: object
) -> tuple[Painter, list[Message], list[Event], ScriptedModel]:
    painter, history = Painter(), list[Message]([UserMessage("go")])
    many = calling(
        *(
            ToolCall(f"c{at}", "paint", f'{{"prompt": {prompt}}}')
            for at, prompt in enumerate(prompts)
        )
    )
    model = ScriptedModel(many, says("Done."))
    events = await play(model, [painter.tool()], messages=history, approver=approver)
    return painter, history, events, model


async def test_a_person_is_shown_complete_arguments_and_yes_runs_the_tool() -> None:
    approver = Answers()
    painter, history, events, _ = await painting(approver, '"owl"')
    shown = {"prompt": "owl", "size": 512}
    assert approver.asked == [("paint", shown)]
    assert painter.painted == ["owl 512"]
    assert result_of(history[2]) == {"status": "ok", "picture": "owl"}
    asked = [event for event in events if isinstance(event, ApprovalRequested | ApprovalDecided)]
    assert asked == [ApprovalRequested("c0", "paint", shown), ApprovalDecided("c0", True, shown)]


async def test_an_edit_is_what_runs_and_what_the_model_reads() -> None:
    approver = Answers([Approved({"prompt": "red owl"})])
    painter, history, events, model = await painting(approver, '"owl"')
    final = {"prompt": "red owl", "size": 512}
    assert painter.painted == ["red owl 512"]
    assert result_of(model.asked[1][-1]) == {
        "status": "ok",
        "picture": "red owl",
        "arguments": final,
    }
    assert results(events)[0].arguments == final
    assert ApprovalDecided("c0", True, final) in events
    assert history[2] == model.asked[1][-1]


async def test_an_invalid_edit_runs_nothing_and_the_card_is_decided_all_the_same() -> None:
    approver = Answers([Approved({"prompt": 5})])
    painter, history, events, model = await painting(approver, '"owl"')
    assert painter.painted == []
    assert result_of(history[2])["status"] == "invalid_arguments"
    assert ApprovalDecided("c0", True, {"prompt": 5}) in events
    assert results(events)[0].arguments == {"prompt": "owl", "size": 512}
    assert model.offered[1] == ["paint"]


async def test_a_declined_call_does_not_run_and_the_model_is_told() -> None:
    painter, history, events, model = await painting(declines(), '"owl"')
    assert painter.painted == []
    assert result_of(history[2]) == {"status": "user_declined", "reason": "The person declined."}
    assert ApprovalDecided("c0", False, {"prompt": "owl", "size": 512}) in events
    assert model.offered[1] == [], "nobody is asked again in this run"


@pytest.mark.parametrize("answer", [False, None, "no", True, {"approved": True}], ids=repr)
async def test_any_decision_other_than_approval_is_a_refusal(answer: object) -> None:
    painter, history, events, _ = await painting(Answers([cast("Approval", answer)]), '"owl"')
    assert painter.painted == []
    reason = "Nobody approved this call."
    assert result_of(history[2]) == {"status": "user_declined", "reason": reason}
    assert ApprovalDecided("c0", False, {"prompt": "owl", "size": 512}) in events


class Fox(Middleware):
    """Wants a fox in each picture."""

    async def on_before_tool_call(self, run: RunContext, call: CallContext) -> TransformArguments:
        return TransformArguments({**call.arguments, "prompt": "fox"})


async def test_arguments_that_a_middleware_changes_are_asked_for_again() -> None:
    for second, painted in ((Approved(), ["fox 512"]), (Declined("Not that."), [])):
        approver, painter = Answers([Approved(), second]), Painter()
        model = ScriptedModel(calls("paint", "c0", prompt="owl"), says("Done."))
        await play(model, [painter.tool()], approver=approver, middleware=[Fox()])
        assert [arguments["prompt"] for _, arguments in approver.asked] == ["owl", "fox"]
        assert painter.painted == painted


async def test_several_cards_are_asked_one_after_another_and_each_counts() -> None:
    approver = Answers([Approved(), Declined("Ugly."), Approved({"prompt": "fox"})])
    painter, history, _, _ = await painting(approver, '"owl"', '"rat"', '"cat"')
    assert [arguments["prompt"] for _, arguments in approver.asked] == ["owl", "rat", "cat"]
    assert painter.painted == ["owl 512", "fox 512"]
    assert [status for _, status in statuses(history)] == ["ok", "user_declined", "ok"]
    assert result_of(history[3])["reason"] == "Ugly."


async def test_a_call_is_declined_if_there_is_nobody_to_ask() -> None:
    painter, history, _, _ = await painting(None, '"owl"')
    assert painter.painted == []
    answer = result_of(history[2])
    assert answer["status"] == "user_declined"
    assert answer["reason"] == "There is nobody who could approve this."


@pytest.mark.parametrize("prompt", ["5", "[", "null"])
async def test_invalid_arguments_never_open_a_card(prompt: str) -> None:
    approver = Answers()
    painter, history, events, _ = await painting(approver, prompt)
    assert (approver.asked, painter.painted) == ([], [])
    assert statuses(history) == [("c0", "invalid_arguments")]
    assert results(events)[0].arguments is None


async def test_a_cut_call_opens_no_card_and_the_model_may_send_it_again() -> None:
    approver, painter = Answers(), Painter()
    cut = calling(ToolCall("a", "paint", '{"prompt": "ow'), finish_reason="length")
    model = ScriptedModel(cut, calls("paint", "b", prompt="owl"), says("Done."))
    history: list[Message] = [UserMessage("go")]
    events = await play(
        model,
        [painter.tool()],
        messages=history,
        approver=approver,
        strategy=max_iterations(3),
    )
    assert statuses(history) == [("a", "max_tokens"), ("b", "ok")]
    assert len(approver.asked) == 1
    assert [event.arguments for event in results(events)] == [
        None,
        {"prompt": "owl", "size": 512},
    ]


async def test_middleware_learns_of_a_cut_call_though_nothing_ran() -> None:
    seen: list[tuple[str, str, bool]] = []

    class Log(Middleware):
        async def on_after_tool_call(
            self, run: RunContext, call: CallContext, result: ToolResult
        ) -> None:
            seen.append((call.tool.name, result.status, call.ran))

    cut = calling(ToolCall("a", "paint", '{"prompt": "ow'), finish_reason="length")
    await play(ScriptedModel(cut), [Painter().tool()], middleware=[Log()])
    assert seen == [("paint", "max_tokens", False)]


async def test_an_approver_that_raises_ends_the_run_with_its_error_and_answers_the_call() -> None:
    class Broken:
        async def decide(self, tool: Tool, arguments: Mapping[str, object]) -> Approval:
            future: asyncio.Future[Approval] = asyncio.get_running_loop().create_future()
            future.cancel()  # its card was torn down by the page
            return await future

    history: list[Message] = [UserMessage("go")]
    painter = Painter()
    agent = Agent(
        ScriptedModel(calls("paint", "a", prompt="owl")), [painter.tool()], approver=Broken()
    )
    events = [event async for event in agent.run(history)]
    assert isinstance(events[-1], RunFinished)
    assert isinstance(events[-1].error, RuntimeError)
    assert (events[-1].outcome, events[-1].finish_reason) == ("error", "tool_calls")
    assert statuses(history) == [("a", "interrupted")]
    assert painter.painted == []
