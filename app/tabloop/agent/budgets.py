"""Middleware that limits calls. Rule: a call over the limit still gets a result, and counts."""

from collections import Counter
from dataclasses import replace

from tabloop.agent.middleware import CallContext, Middleware, RunContext, Skip
from tabloop.agent.ports import ModelRequest
from tabloop.agent.results import error_result

__all__ = ["PaidCallBudget", "ToolCallBudget", "paid_call_budget", "tool_call_budget"]


class ToolCallBudget(Middleware):
    """Skips calls over a number per run or per hop (`limit_per_turn`); None means no limit.

    Every call of the model counts, also one that was refused for its arguments. When the run has
    no call left, the next hop is offered no tool, so that the model answers.
    """

    def __init__(self, limit: int | None, limit_per_turn: int | None) -> None:
        self.limit = limit
        self.limit_per_turn = limit_per_turn

    async def on_config(self, run: RunContext, request: ModelRequest) -> ModelRequest | None:
        """Begin a hop; see `Middleware.on_config`."""
        self._calls(run).clear()
        if self.limit is not None and run.tool_call_count >= self.limit:
            return replace(request, tools=())
        return None

    async def on_before_approval(self, run: RunContext, call: CallContext) -> Skip | None:
        """Ask no person to approve a call that would be refused afterwards."""
        refusal = self._refusal(run)
        if refusal:
            self._count(run)
        return refusal

    async def on_before_tool_call(self, run: RunContext, call: CallContext) -> Skip | None:
        """See `Middleware.on_before_tool_call`."""
        refusal = self._refusal(run)
        self._count(run)
        return refusal

    def _calls(self, run: RunContext) -> Counter[str]:
        return run.data(self, Counter[str])

    def _count(self, run: RunContext) -> None:
        self._calls(run)["hop"] += 1

    def _refusal(self, run: RunContext) -> Skip | None:
        in_hop = self._calls(run)["hop"]
        earlier = run.tool_call_count - run.last_turn_tool_call_count
        if self.limit is not None and earlier + in_hop >= self.limit:
            return Skip(error_result("budget_exhausted", f"At most {self.limit} calls in one run."))
        if self.limit_per_turn is not None and in_hop >= self.limit_per_turn:
            reason = f"At most {self.limit_per_turn} calls at once. Ask again in the next turn."
            return Skip(error_result("budget_exhausted", reason, recoverable=True))
        return None


class PaidCallBudget(Middleware):
    """Skips paid calls over a number per run, before a person is asked to approve them."""

    def __init__(self, limit: int) -> None:
        self.limit = limit

    async def on_before_approval(self, run: RunContext, call: CallContext) -> Skip | None:
        """See `Middleware.on_before_approval`."""
        return self._refusal(run, call)

    async def on_before_tool_call(self, run: RunContext, call: CallContext) -> Skip | None:
        """See `Middleware.on_before_tool_call`."""
        refusal = self._refusal(run, call)
        if call.tool.paid and not refusal:
            self._calls(run)["paid"] += 1
        return refusal

    def _calls(self, run: RunContext) -> Counter[str]:
        return run.data(self, Counter[str])

    def _refusal(self, run: RunContext, call: CallContext) -> Skip | None:
        if not call.tool.paid or self._calls(run)["paid"] < self.limit:
            return None
        return Skip(
            error_result("budget_exhausted", f"At most {self.limit} paid calls in one run.")
        )


def tool_call_budget(
    *,
    max: int | None = None,  # noqa: A002 -- the agreed name
    max_per_turn: int | None = None,
) -> ToolCallBudget:
    """Allow `max` calls per run and `max_per_turn` per hop; None means no limit."""
    return ToolCallBudget(max, max_per_turn)


def paid_call_budget(max: int) -> PaidCallBudget:  # noqa: A002 -- the agreed name
    """Allow `max` paid calls per run."""
    return PaidCallBudget(max)
