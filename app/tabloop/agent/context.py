"""What a tool may know of the call that it answers, and tell while it runs.

Rule: it is kept in a context variable, so that what wraps a tool's `run` need not pass it on.
"""

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tabloop.agent.stop import Stop

if TYPE_CHECKING:
    from tabloop.agent.events import Event

__all__ = ["CALL", "MAX_PROGRESS", "ToolContext", "current_context"]

MAX_PROGRESS = 200  # characters; a longer line would fill a step


def _nothing(told: object) -> None:
    """Drop what is told: nobody listens."""


async def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True, eq=False)
class ToolContext:
    """One call while its tool runs. A parameter of this type gets it; the model never sees that.

    `call_id` is the call's, `stop` the run's: a tool is cancelled when it is pressed. What is told
    after the call's end is dropped. For a run inside the call, `emit` puts an event into the outer
    run, and `count_hop` counts a hop there and says whether the inner run may go on.
    """

    call_id: str = ""
    stop: Stop = field(default_factory=Stop)
    tell: Callable[[str], None] = _nothing
    emit: Callable[["Event"], None] = _nothing
    count_hop: Callable[[], Awaitable[bool]] = _never

    def progress(self, text: str) -> None:
        """Tell the person how far the tool is, in one line of at most `MAX_PROGRESS` characters."""
        if line := " ".join(text.split())[:MAX_PROGRESS]:
            self.tell(line)


CALL: ContextVar[ToolContext] = ContextVar("CALL")


def current_context() -> ToolContext:
    """Return the context of the call that runs now; one that nobody listens to outside a run."""
    return CALL.get(None) or ToolContext()
