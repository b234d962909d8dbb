"""Middleware that limits calls. Rule: a call over the limit still gets a result, and counts."""

from tabloop.agent.middleware import CallContext, Middleware, RunContext, Skip
from tabloop.agent.results import error_result

__all__ = ["PaidCallBudget", "ToolCallBudget", "paid_call_budget", "tool_call_budget"]


class ToolCallBudget(Middleware):
    """Skips calls over a number per run or per hop (`limit_per_turn`); None means no limit."""

    def __init__(self, limit: int | None, limit_per_turn: int | None) -> None:
        self.limit = limit
        self.limit_per_turn = limit_per_turn
        self._calls = self._calls_in_hop = 0

    async def on_start(self, run: RunContext) -> None:
        """See `Middleware.on_start`."""
        self._calls = 0

    async def on_iteration(self, run: RunContext) -> None:
        """See `Middleware.on_iteration`."""
        self._calls_in_hop = 0

    async def on_before_approval(self, run: RunContext, call: CallContext) -> Skip | None:
        """Ask no person to approve a call that would be refused afterwards."""
        return self._count() if self._exhausted else None

    @property
    def _exhausted(self) -> bool:
        return (self.limit is not None and self._calls >= self.limit) or (
            self.limit_per_turn is not None and self._calls_in_hop >= self.limit_per_turn
        )

    async def on_before_tool_call(self, run: RunContext, call: CallContext) -> Skip | None:
        """See `Middleware.on_before_tool_call`."""
        return self._count()

    def _count(self) -> Skip | None:
        self._calls += 1
        self._calls_in_hop += 1
        if self.limit is not None and self._calls > self.limit:
            return Skip(error_result("budget_exhausted", f"At most {self.limit} calls in one run."))
        if self.limit_per_turn is not None and self._calls_in_hop > self.limit_per_turn:
            reason = f"At most {self.limit_per_turn} calls at once. Ask again in the next turn."
            return Skip(error_result("budget_exhausted", reason, recoverable=True))
        return None


class PaidCallBudget(Middleware):
    """Skips paid calls over a number per run, before a person is asked to approve them."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._paid_calls = 0

    async def on_start(self, run: RunContext) -> None:
        """See `Middleware.on_start`."""
        self._paid_calls = 0

    async def on_before_approval(self, run: RunContext, call: CallContext) -> Skip | None:
        """See `Middleware.on_before_approval`."""
        return self._refusal(call)

    async def on_before_tool_call(self, run: RunContext, call: CallContext) -> Skip | None:
        """See `Middleware.on_before_tool_call`."""
        refusal = self._refusal(call)
        if call.tool.paid and not refusal:
            self._paid_calls += 1
        return refusal

    def _refusal(self, call: CallContext) -> Skip | None:
        if not call.tool.paid or self._paid_calls < self.limit:
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
