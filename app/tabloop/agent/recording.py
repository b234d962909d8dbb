"""What happened in a run, and when. Rule: it is made of events only, so any run has one."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from tabloop.agent.events import (
    Event,
    ReasoningMessageContent,
    SubagentEvent,
    TextMessageContent,
    ToolCallProgress,
)
from tabloop.core.pricing import NO_COST, Cost

__all__ = ["Moment", "Recording"]


@dataclass(frozen=True, slots=True)
class Moment:
    """One event, `at` seconds after the first one. `cost` is what was paid until then."""

    at: float
    event: Event
    cost: Cost = NO_COST


class Recording:
    """Collects the events of one or more runs; `cost` returns what they have cost so far.

    `clock` gives seconds from any zero.
    """

    def __init__(
        self, cost: Callable[[], Cost] = Cost, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._cost = cost
        self._clock = clock
        self._moments: list[Moment] = []
        self._begun = 0.0
        self._text: list[str] = []  # the pieces of the text that is being written

    def add(self, event: Event) -> None:
        """Add an event; the pieces of a text become one event, with the time of the first.

        What a tool says and does inside is not kept: it may be long.
        """
        if isinstance(event, SubagentEvent | ToolCallProgress):
            return
        piece = event if isinstance(event, ReasoningMessageContent | TextMessageContent) else None
        if piece and self._text and type(piece) is type(self._moments[-1].event):
            self._text.append(piece.delta)
            return
        self._close_text()
        now = self._clock()
        if not self._moments:
            self._begun = now
        self._moments.append(Moment(now - self._begun, event, self._cost()))
        if piece:
            self._text = [piece.delta]

    @property
    def moments(self) -> tuple[Moment, ...]:
        """All events so far, in order."""
        self._close_text()
        return tuple(self._moments)

    def _close_text(self) -> None:
        if len(self._text) > 1:
            last = self._moments[-1]
            assert isinstance(last.event, ReasoningMessageContent | TextMessageContent)
            whole = replace(last.event, delta="".join(self._text))
            self._moments[-1] = replace(last, event=whole)
        self._text = []
