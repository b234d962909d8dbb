"""What a run needs. Rule: it is made anew for each message, so that every change counts at once."""

from dataclasses import dataclass

from tabloop.agent.loop import Agent
from tabloop.core.pricing import CostMeter

__all__ = ["Assistant"]


@dataclass(frozen=True, slots=True)
class Assistant:
    """The agent for the next message; `model` is the model's name for the page's sentences.

    `meter` measures what the run pays. `may_cost` is the most in USDC that a question can cost
    (blank: this endpoint was never paid). `by` says whose answer it will be, blank for search
    mode and for the browser's own model (`on_device`).
    """

    agent: Agent
    model: str
    searching: bool
    meter: CostMeter
    may_cost: str = ""
    on_device: bool = False
    by: str = ""
