"""Limits of a run that are ours. Rule: those of one endpoint are in its `ToolLimits`, not here."""

from dataclasses import dataclass

__all__ = ["DEFAULT_LIMITS", "MAX_REPLY", "Limits"]

MAX_REPLY = 1_000_000  # characters of one reply with its reasoning; the longest have half of it


@dataclass(frozen=True, slots=True)
class Limits:
    """What a model may not exceed in a run.

    `same_call`: how often a tool runs with the same arguments; one call more shows that the model
    repeats itself. `result_bytes`: of a result's JSON, since each later hop pays for it again.
    """

    same_call: int = 2
    result_bytes: int = 65_536


DEFAULT_LIMITS = Limits()
