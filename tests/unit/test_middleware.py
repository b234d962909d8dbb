"""Hooks: their order, what they may say, and what happens when one fails."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from tabloop.agent.events import Event, RunFinished, ToolCallResult
from tabloop.agent.messages import Message, SystemMessage, ToolCall, UserMessage
from tabloop.agent.middleware import (
    Abort,
    CallContext,
    Decision,
    Middleware,
    ReplaceResult,
    RunAborted,
    RunContext,
    Skip,
    TransformArguments,
)
from tabloop.agent.ports import ModelRequest, Usage
from tabloop.agent.results import ToolResult, error_result
from tabloop.agent.strategies import max_iterations
from tabloop.agent.tools import tool
from tabloop.contrib.scripted import ScriptedModel

from tests.unit.fakes import Answers, EndlessModel, calling, calls, play, result_of, says, statuses

RAN: list[int] = []
WITHOUT_USAGE = replace(says("Done."), usage=None)


@pytest.fixture(autouse=True)
def nothing_ran() -> None:
    RAN.clear()


@tool()
async def look(n: int = 0) -> dict[str, int]:
    """Look."""
    RAN.append(n)
    return {"n": n}


@tool(needs_approval=True)
async def draw(n: int = 0) -> dict[str, int]:
    """Draw."""
    RAN.append(n)
    return {"n": n}


class Notes(Middleware):
    """Writes every hook into a shared list; `does` gives what a hook returns, raises or runs."""

    def __init__(self, name: str = "", lines: list[str] | None = None, /, **does: object) -> None:
        self.name = name
        self.lines: list[str] = [] if lines is None else lines
        self.does: dict[str, Any] = dict(does)

    def note(self, hook: str, *facts: object) -> Any:
        self.lines.append(" ".join([self.name + hook, *map(str, facts)]).strip())
        answer = self.does.get(hook)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    async def on_config(self, run: RunContext, request: ModelRequest) -> ModelRequest | None:
        change = self.note("config")
        return change(request) if change else None

    async def on_start(self, run: RunContext) -> None:
        self.note("start")

    async def on_iteration(self, run: RunContext) -> None:
        self.note("iteration", run.iteration_count)

    async def on_usage(self, run: RunContext, usage: Usage) -> None:
        self.note("usage", usage.prompt_tokens)

    async def on_before_approval(self, run: RunContext, call: CallContext) -> Skip | None:
        return self.note("approval", call.id)

    async def on_before_tool_call(self, run: RunContext, call: CallContext) -> Decision:
        return self.note("before", call.id)

    async def on_after_tool_call(
        self, run: RunContext, call: CallContext, result: ToolResult
    ) -> ReplaceResult | None:
        return self.note("after", call.id, result.status, "ran" if call.ran else "did not run")

    async def on_tool_phase_complete(
        self, run: RunContext, results: Sequence[tuple[str, ToolResult]]
    ) -> None:
        self.note("complete", *(f"{call_id}={result.status}" for call_id, result in results))

    async def on_should_continue(self, run: RunContext) -> bool | None:
        return self.note("continue")

    async def on_finish(self, run: RunContext, text: str) -> None:
        self.note("finish", text)

    async def on_abort(self, run: RunContext, reason: str) -> None:
        self.note("abort", reason)

    async def on_error(self, run: RunContext, error: Exception) -> None:
        self.note("error", type(error).__name__)


def noting(hook: str, answer: object, **more: object) -> Notes:
    """`Notes` for a hook whose name is a keyword of Python, or a parameter of a test."""
    notes = Notes(**more)
    notes.does[hook] = answer
    return notes


def endings(notes: Notes) -> list[str]:
    return [line for line in notes.lines if line.split()[0] in ("finish", "abort", "error")]


def ended(events: list[Event]) -> RunFinished:
    last = events[-1]
    assert isinstance(last, RunFinished)
    assert sum(isinstance(event, RunFinished) for event in events) == 1
    return last


async def test_all_hooks_in_their_order() -> None:
    notes = Notes()
    two = calling(ToolCall("a", "draw"), ToolCall("b", "nope"))
    await play(ScriptedModel(two, says("Done.")), [draw], middleware=[notes], approver=Answers())
    assert notes.lines == [
        "start",
        "iteration 0",
        "config",
        "usage 10",
        "approval a",
        "before a",
        "after a ok ran",
        "complete a=ok b=unknown_tool",
        "continue",
        "iteration 1",
        "config",
        "usage 10",
        "continue",
        "finish Done.",
    ]


async def test_hooks_run_in_list_order() -> None:
    lines: list[str] = []
    pair = [Notes("1 ", lines), Notes("2 ", lines)]
    await play(
        ScriptedModel(calls("draw", "a"), says("Done.")),
        [draw],
        middleware=pair,
        approver=Answers(),
    )
    assert [line[2:] for line in lines[::2]] == [line[2:] for line in lines[1::2]]
    assert [line[0] for line in lines] == ["1", "2"] * (len(lines) // 2)


async def test_a_middleware_without_hooks_changes_nothing() -> None:
    events = await play(
        ScriptedModel(calls("draw"), WITHOUT_USAGE),
        [draw],
        middleware=[Middleware()],
        approver=Answers(),
    )
    assert ended(events).outcome == "stop"


async def test_without_usage_in_the_reply_no_usage_hook_is_called() -> None:
    notes = Notes()
    await play(ScriptedModel(WITHOUT_USAGE), middleware=[notes])
    assert not any(line.startswith("usage") for line in notes.lines)


async def test_on_config_changes_one_request_and_never_the_history() -> None:
    def brief(request: ModelRequest) -> ModelRequest:
        messages = (SystemMessage("Be brief."), *request.messages)
        return replace(request, messages=messages, tools=(), settings={"temperature": 0})

    def louder(request: ModelRequest) -> ModelRequest:
        return replace(request, settings={**request.settings, "seed": 1})

    model = ScriptedModel(calls("look", "a"), says("Done."))
    history: list[Message] = [UserMessage("go")]
    await play(
        model,
        [look],
        messages=history,
        middleware=[Notes(config=brief), Notes(config=louder)],
    )
    assert model.asked[0] == (SystemMessage("Be brief."), UserMessage("go"))
    assert model.requests[0].settings == {"temperature": 0, "seed": 1}
    assert SystemMessage("Be brief.") not in history
    assert statuses(history) == [("a", "unknown_tool")], "what is not offered cannot be called"


async def test_a_skip_answers_without_running_and_later_members_are_not_asked() -> None:
    first, second = Notes(before=Skip({"cached": True})), Notes()
    history: list[Message] = [UserMessage("go")]
    await play(
        ScriptedModel(calls("look", "a"), says("Done.")),
        [look],
        messages=history,
        middleware=[first, second],
    )
    assert RAN == []
    assert result_of(history[2]) == {"status": "ok", "cached": True}
    assert "before a" not in second.lines
    assert "after a ok did not run" in second.lines


async def test_a_skip_with_a_failure_withdraws_the_tool() -> None:
    model = ScriptedModel(calls("look", "a"), says("Done."))
    skip = Skip(error_result("budget_exhausted", "Enough."))
    await play(model, [look], middleware=[Notes(before=skip)])
    assert model.offered[1] == []


async def test_a_skip_before_approval_asks_nobody() -> None:
    approver, notes = Answers(), Notes(approval=Skip("no need"))
    history: list[Message] = [UserMessage("go")]
    await play(
        ScriptedModel(calls("draw", "a"), says("Done.")),
        [draw],
        messages=history,
        middleware=[notes, Notes()],
        approver=approver,
    )
    assert approver.asked == []
    assert RAN == []
    assert result_of(history[2]) == {"status": "ok", "result": "no need"}
    assert "before a" not in notes.lines


async def test_transformed_arguments_are_validated_and_run() -> None:
    transform = TransformArguments({"n": "5", "junk": 1})
    events = await play(
        ScriptedModel(calls("look", "a", n=1), says("Done.")),
        [look],
        middleware=[Notes(before=transform)],
    )
    assert RAN == [5]
    [result] = [event for event in events if isinstance(event, ToolCallResult)]
    assert result.arguments == {"n": 5}


async def test_invalid_transformed_arguments_run_nothing_and_after_hooks_hear_of_it() -> None:
    notes = Notes(before=TransformArguments({"n": "x"}))
    history: list[Message] = [UserMessage("go")]
    await play(
        ScriptedModel(calls("look", "a"), says("Done.")),
        [look],
        messages=history,
        middleware=[notes],
    )
    assert RAN == []
    assert statuses(history) == [("a", "invalid_arguments")]
    assert "after a invalid_arguments did not run" in notes.lines


async def test_a_transform_after_an_approval_is_told_to_the_model() -> None:
    history: list[Message] = [UserMessage("go")]
    await play(
        ScriptedModel(calls("draw", "a", n=1), says("Done.")),
        [draw],
        messages=history,
        middleware=[Notes(before=TransformArguments({"n": 7}))],
        approver=Answers(),
    )
    assert result_of(history[2]) == {"status": "ok", "n": 7, "arguments": {"n": 7}}


async def test_an_abort_ends_the_run_and_answers_every_call() -> None:
    notes = Notes(before=Abort("policy"))
    history: list[Message] = [UserMessage("go")]
    two = calling(ToolCall("a", "look"), ToolCall("b", "look", '{"n": 1}'))
    events = await play(ScriptedModel(two), [look], messages=history, middleware=[notes])
    assert ended(events) == RunFinished("aborted", finish_reason="tool_calls", reason="policy")
    assert statuses(history) == [("a", "interrupted"), ("b", "interrupted")]
    assert endings(notes) == ["abort policy"]


async def test_the_first_replacement_counts_and_everybody_sees_the_original() -> None:
    first = Notes(after=ReplaceResult({"replaced": 1}))
    second = Notes(after=ReplaceResult({"replaced": 2}))
    history: list[Message] = [UserMessage("go")]
    await play(
        ScriptedModel(calls("look", "a"), says("Done.")),
        [look],
        messages=history,
        middleware=[Notes(), first, second],
    )
    assert result_of(history[2]) == {"status": "ok", "replaced": 1}
    assert "after a ok ran" in second.lines


async def test_the_text_of_a_cut_call_can_be_replaced() -> None:
    advice = ReplaceResult(error_result("max_tokens", "Write the file in two parts."))
    notes = Notes(after=advice)
    cut = calling(ToolCall("a", "look", '{"n": '), finish_reason="length")
    model = ScriptedModel(cut, says("Done."))
    await play(model, [look], middleware=[notes], strategy=max_iterations(2))
    assert result_of(model.asked[1][-1])["reason"] == "Write the file in two parts."
    assert "after a max_tokens did not run" in notes.lines
    assert RAN == []


@pytest.mark.parametrize("call", [ToolCall("a", "nope"), ToolCall("a", "look", '{"n": "x"}')])
async def test_a_call_that_could_not_be_read_reaches_no_hooks(call: ToolCall) -> None:
    notes = Notes()
    await play(ScriptedModel(calling(call), says("Done.")), [look], middleware=[notes])
    assert not any(line.startswith(("before", "after")) for line in notes.lines)


async def test_should_continue_false_halts_and_all_are_asked() -> None:
    halting, second = noting("continue", False), noting("continue", True)
    events = await play(ScriptedModel(calls("look")), [look], middleware=[halting, second])
    assert ended(events).outcome == "halted"
    assert "continue" in second.lines
    assert endings(halting) == ["finish"]


async def test_should_continue_true_does_not_overrule_the_strategy() -> None:
    notes = noting("continue", True)
    events = await play(
        ScriptedModel(calls("look")), [look], middleware=[notes], strategy=max_iterations(1)
    )
    assert ended(events).outcome == "max_iterations"


HOOKS = ["start", "iteration", "config", "usage", "approval", "before", "after", "complete"]


@pytest.mark.parametrize("hook", [*HOOKS, "continue"])
@pytest.mark.parametrize("how", ["error", "abort"])
async def test_a_hook_that_fails_ends_the_run_once_and_no_call_stays_open(
    hook: str, how: str
) -> None:
    fault = ZeroDivisionError() if how == "error" else RunAborted("reason")
    notes, other = noting(hook, fault), Notes()
    history: list[Message] = [UserMessage("go")]
    model = EndlessModel(calls("draw", "a"))
    events = await play(
        model, [draw], messages=history, middleware=[notes, other], approver=Answers()
    )
    assert ended(events).outcome == ("error" if how == "error" else "aborted")
    assert ended(events).error is (fault if how == "error" else None)
    expected = ["error ZeroDivisionError"] if how == "error" else ["abort reason"]
    assert endings(notes) == endings(other) == expected
    done = hook in ("after", "complete", "continue")
    answers = [("a", "ok" if done else "interrupted")] if hook not in HOOKS[:3] else []
    assert statuses(history) == answers
    results = [event for event in events if isinstance(event, ToolCallResult)]
    assert len(results) == len(answers)


async def test_an_error_in_one_call_ends_the_others_and_answers_them() -> None:
    given_up: list[str] = []

    @tool()
    async def slow() -> None:
        """Slow."""
        try:
            await asyncio.Event().wait()
        finally:
            given_up.append("slow")

    class FailsAtLook(Middleware):
        async def on_before_tool_call(self, run: RunContext, call: CallContext) -> None:
            await asyncio.sleep(0)
            if call.tool.name == "look":
                raise ZeroDivisionError

    history: list[Message] = [UserMessage("go")]
    two = calling(ToolCall("a", "slow"), ToolCall("b", "look"))
    events = await play(
        ScriptedModel(two), [slow, look], messages=history, middleware=[FailsAtLook()]
    )
    assert isinstance(ended(events).error, ZeroDivisionError)
    assert statuses(history) == [("a", "interrupted"), ("b", "interrupted")]
    assert given_up == ["slow"]


@pytest.mark.parametrize("fault", [ZeroDivisionError(), RunAborted("late")])
async def test_an_error_in_on_finish_is_reported_and_no_second_ending_hook_is_called(
    fault: Exception,
) -> None:
    failing, other = Notes(finish=fault), Notes()
    events = await play(ScriptedModel(says("Done.")), middleware=[failing, other])
    assert ended(events) == RunFinished("error", text="Done.", error=fault)
    assert endings(failing) == endings(other) == ["finish Done."]


@pytest.mark.parametrize(("hook", "start"), [("abort", RunAborted("x")), ("error", KeyError("x"))])
async def test_errors_in_on_abort_and_on_error_are_only_logged(
    hook: str, start: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    failing, other = noting(hook, ZeroDivisionError("loud"), start=start), Notes()
    with caplog.at_level(logging.ERROR):
        events = await play(ScriptedModel(), middleware=[failing, other])
    assert ended(events).outcome in ("aborted", "error")
    assert len(endings(other)) == 1
    assert "loud" in caplog.text


async def test_a_cancelled_future_in_a_hook_is_reported_as_an_error() -> None:
    events = await play(
        ScriptedModel(says("Done.")), middleware=[Notes(finish=asyncio.CancelledError())]
    )
    assert ended(events).outcome == "error"
    assert ended(events).text == "Done."
    error = ended(events).error
    assert isinstance(error, RuntimeError)
    assert str(error) == "something that a hook awaited was cancelled"
    events = await play(ScriptedModel(), middleware=[Notes(start=asyncio.CancelledError())])
    assert isinstance(ended(events).error, RuntimeError)


async def test_a_cancellation_while_the_run_ends_is_not_lost_and_tells_everybody_once() -> None:
    finishing = asyncio.Event()

    class Slow(Notes):
        async def on_finish(self, run: RunContext, text: str) -> None:
            self.note("finish", text)
            finishing.set()
            await asyncio.Event().wait()

    slow, other = Slow(), Notes()
    task = asyncio.ensure_future(play(ScriptedModel(says("Done.")), middleware=[slow, other]))
    await finishing.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert endings(slow) == endings(other) == ["finish Done."]


async def test_hooks_see_where_the_run_stands() -> None:
    seen: list[tuple[int, str, int, int]] = []

    class Looks(Middleware):
        async def on_should_continue(self, run: RunContext) -> None:
            state = run.state()
            seen.append(
                (
                    state.iteration_count,
                    state.finish_reason,
                    state.tool_call_count,
                    state.last_turn_tool_call_count,
                )
            )

    two = calling(ToolCall("a", "look"), ToolCall("b", "look", '{"n": 1}'))
    await play(ScriptedModel(two, says("Done.")), [look], middleware=[Looks()])
    assert seen == [(1, "tool_calls", 2, 2), (2, "stop", 2, 0)]


async def test_every_hook_is_told_which_run_it_is() -> None:
    runs: dict[str, RunContext] = {}

    class Keeps(Middleware):
        async def on_start(self, run: RunContext) -> None:
            runs["start"] = run

        async def on_iteration(self, run: RunContext) -> None:
            runs["iteration"] = run

        async def on_config(self, run: RunContext, request: ModelRequest) -> None:
            runs["config"] = run

        async def on_usage(self, run: RunContext, usage: Usage) -> None:
            runs["usage"] = run

        async def on_before_approval(self, run: RunContext, call: CallContext) -> None:
            runs["before approval"] = run

        async def on_before_tool_call(self, run: RunContext, call: CallContext) -> None:
            runs["before call"] = run

        async def on_after_tool_call(
            self, run: RunContext, call: CallContext, result: ToolResult
        ) -> None:
            runs["after call"] = run

        async def on_tool_phase_complete(
            self, run: RunContext, results: Sequence[tuple[str, ToolResult]]
        ) -> None:
            runs["complete"] = run

        async def on_should_continue(self, run: RunContext) -> None:
            runs["continue"] = run

        async def on_finish(self, run: RunContext, text: str) -> None:
            runs["finish"] = run

    model = ScriptedModel(calls("draw"), says("Done."))
    await play(model, [draw], middleware=[Keeps()], approver=Answers())
    first = runs["start"]
    assert len(runs) == 10
    assert all(run is first for run in runs.values())
