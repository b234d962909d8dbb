"""The conformance cases of two public loops, as facts, run against ours.

`loop_cases.json`: one case an entry. `turns` are what the model sends (`calls` as id, name,
arguments text), `expect` is what was observed there, in our words. Where we differ on purpose,
`ours` holds what happens here instead and `why` says the reason.
"""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import pytest
from pydantic import Field, ValidationError, create_model
from tabloop.agent.budgets import tool_call_budget
from tabloop.agent.errors import ModelError, ToolError
from tabloop.agent.events import Event, RunFinished, TextMessageContent
from tabloop.agent.loop import Agent
from tabloop.agent.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from tabloop.agent.middleware import (
    Abort,
    CallContext,
    Middleware,
    ReplaceResult,
    RunAborted,
    RunContext,
    Skip,
)
from tabloop.agent.ports import Approval, Approved, ModelReply, ModelRequest
from tabloop.agent.results import ToolResult
from tabloop.agent.stop import Stop
from tabloop.agent.strategies import (
    Strategy,
    combine_strategies,
    max_iterations,
    until_finish_reason,
)
from tabloop.agent.tools import Tool
from tabloop.contrib.cache import tool_cache
from tabloop.contrib.scripted import ScriptedModel, Step

from tests.unit.fakes import statuses

CASES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("loop_cases.json").read_text())
TYPES: dict[str, type] = {"string": str, "number": float}


@dataclass
class Lab:
    """One case set up: what ran, which hooks were called, what was decided."""

    case: Mapping[str, Any]
    stop: Stop = field(default_factory=Stop)
    ran: list[list[Any]] = field(default_factory=list[list[Any]])
    hooks: list[str] = field(default_factory=list[str])
    counter: int = 0

    def tool(self, spec: Mapping[str, Any]) -> Tool:
        fields: dict[str, Any] = {
            name: (TYPES[kind], Field(strict=True)) for name, kind in spec.get("schema", {}).items()
        }
        model = create_model("Arguments", **fields)

        def validate(raw: Mapping[str, Any]) -> dict[str, Any]:
            if not fields:
                return dict(raw)
            try:
                return model.model_validate(raw).model_dump()
            except ValidationError as error:
                raise ToolError("invalid_arguments", str(error)) from None

        async def run(arguments: Mapping[str, Any]) -> object:
            self.ran.append([spec["name"], dict(arguments)])
            return await self.behave(spec, arguments)

        return Tool(
            name=spec["name"],
            description="A tool of a case.",
            parameters={"type": "object"},
            validate=validate,
            run=run,
            needs_approval=spec.get("needs_approval", False),
        )

    async def behave(self, spec: Mapping[str, Any], arguments: Mapping[str, Any]) -> object:
        await asyncio.sleep(spec.get("sleep_ms", 0) / 1000)
        if "abort_run" in spec:
            self.stop.press()
        if "throw" in spec:
            raise RuntimeError(spec["throw"])
        if spec.get("unwritable"):
            return {"value": object()}
        if spec.get("counter"):
            self.counter += 1
            return {"n": self.counter}
        return spec["return"] if "return" in spec else dict(arguments)

    async def decide(self, tool: Tool, arguments: Mapping[str, Any]) -> Approval:
        decision: object = self.case["options"].get("decision")
        if decision is None:
            self.stop.press()
            await asyncio.Event().wait()
        return Approved(cast("dict[str, Any]", decision) if isinstance(decision, dict) else None)


class LoggedHooks(Middleware):
    """Records each call of a hook that the case names, then does what the case says."""

    def __init__(self, lab: Lab, name: str, hooks: Mapping[str, Mapping[str, Any]]) -> None:
        self.lab, self.name, self.hooks = lab, name, hooks

    def note(self, hook: str, *facts: object) -> Mapping[str, Any]:
        spec = self.hooks.get(hook)
        if spec is None:
            return {}
        self.lab.hooks.append(":".join([self.name, hook, *map(str, facts)]))
        if "abort" in spec and spec.get("only_tool", hook) in (hook, *facts):
            raise RunAborted(spec["abort"])
        if "throw" in spec and not (spec.get("only_ok") and "True" not in map(str, facts)):
            raise RuntimeError(spec["throw"])
        return spec

    async def on_start(self, run: RunContext) -> None:
        self.note("on_start")

    async def on_iteration(self, run: RunContext) -> None:
        self.note("on_iteration")

    async def on_config(self, run: RunContext, request: ModelRequest) -> ModelRequest | None:
        spec = self.note("on_config")
        if "add_system" in spec:
            added = SystemMessage(spec["add_system"])
            return replace(request, messages=(added, *request.messages))
        if "drop_tool" in spec and run.iteration_count >= spec["from_iteration"]:
            kept = tuple(tool for tool in request.tools if tool.name != spec["drop_tool"])
            return replace(request, tools=kept)
        return None

    async def on_before_tool_call(self, run: RunContext, call: CallContext) -> Skip | Abort | None:
        action = self.note("on_before_tool_call", call.tool.name).get("return")
        if action is None:
            return None
        return Skip(action["result"]) if action["type"] == "skip" else Abort(action["reason"])

    async def on_after_tool_call(
        self, run: RunContext, call: CallContext, result: ToolResult
    ) -> ReplaceResult | None:
        self.note("on_after_tool_call", call.tool.name, result.status == "ok")
        return None

    async def on_tool_phase_complete(self, run: RunContext, results: object) -> None:
        self.note("on_tool_phase_complete")

    async def on_should_continue(self, run: RunContext) -> bool | None:
        return self.note("on_should_continue", run.iteration_count).get("return")

    async def on_finish(self, run: RunContext, text: str) -> None:
        self.note("on_finish", run.finish_reason)

    async def on_abort(self, run: RunContext, reason: str) -> None:
        self.note("on_abort", reason)

    async def on_error(self, run: RunContext, error: Exception) -> None:
        self.note("on_error", error)


def middleware_of(lab: Lab) -> list[Middleware]:
    made: list[Middleware] = []
    for spec in lab.case["options"].get("middleware", []):
        if "budget" in spec:
            made.append(tool_call_budget(**spec["budget"]))
        elif "tool_cache" in spec:
            made.append(tool_cache(**spec["tool_cache"], clock=lambda: 0.0))
        else:
            made.append(LoggedHooks(lab, spec["name"], spec["hooks"]))
    return made


def strategy_of(spec: Mapping[str, Any] | None) -> Strategy | None:
    if spec is None:
        return None
    makers: dict[str, Callable[[Any], Strategy]] = {
        "max_iterations": max_iterations,
        "until_finish_reason": until_finish_reason,
        "combine": lambda members: combine_strategies(
            [made for member in members if (made := strategy_of(member))]
        ),
        "always": lambda _: lambda _state: True,
        "messages_below": lambda limit: lambda state: len(state.messages) < limit,
        "tool_call_count_below": lambda limit: lambda state: state.tool_call_count < limit,
    }
    [(name, value)] = spec.items()
    return makers[name](value)


def tool_calls(rows: list[list[str]]) -> tuple[ToolCall, ...]:
    return tuple(ToolCall(*row) for row in rows)


def step_of(turn: Mapping[str, Any]) -> Step:
    if "throw" in turn:
        return ModelError("server_error", detail=turn["throw"])
    message = AssistantMessage(turn.get("text"), tool_calls(turn.get("calls", [])))
    return ModelReply(message, turn["finish"] or "stop")


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
async def test_a_conformance_case(case: dict[str, Any]) -> None:
    assert ("ours" in case) == ("why" in case), "a difference needs its reason"
    expect = {**case["expect"], **case.get("ours", {})}
    lab = Lab(case)
    model = ScriptedModel(*map(step_of, case["turns"]))
    agent = Agent(
        model,
        [lab.tool(spec) for spec in case["tools"]],
        approver=lab,
        strategy=strategy_of(case["options"].get("strategy")),
        middleware=middleware_of(lab),
    )
    history: list[Message] = [UserMessage("go")]
    if pending := case["options"].get("pending"):
        history.append(AssistantMessage(None, tool_calls(pending)))
    events: list[Event] = []
    async for event in agent.run(history, lab.stop):
        events.append(event)
        if case["options"].get("stop_at_text") and isinstance(event, TextMessageContent):
            lab.stop.press()
    ended = events[-1]
    assert isinstance(ended, RunFinished)
    assert sum(isinstance(event, RunFinished) for event in events) == 1
    answers = [message for message in history if isinstance(message, ToolMessage)]
    failures = [item for item in statuses(history) if item[1] != "ok"]
    seen = {
        "model_calls": len(model.requests),
        "ran": lab.ran,
        "answered": [answer.tool_call_id for answer in answers],
        "failed": [call_id for call_id, _ in failures],
        "codes": [status for _, status in failures],
        "text": ended.text or None,
        "outcome": ended.outcome,
        "hooks": lab.hooks,
    }
    assert {key: seen[key] for key in expect} == expect
