"""A run as rows between the page, the model and the services. Rule: no markup here."""

from dataclasses import dataclass

from tabloop.core.pricing import NO_COST, Cost

__all__ = ["Row", "Run"]


@dataclass(frozen=True, slots=True)
class Row:
    """A message between the page and another lane, or something in the page itself (lane 0).

    `at` is in seconds since the question, `size` in bytes, `took` in seconds since what it
    answers. `inward`: it comes to the page.
    """

    at: float
    text: str
    lane: int = 0
    inward: bool = False
    failed: bool = False
    size: int | None = None
    took: float | None = None
    tokens: int | None = None
    cost: Cost = NO_COST


@dataclass(frozen=True, slots=True)
class Run:
    """All rows in order of time. `bodies` are the requests as they were sent to the model."""

    lanes: tuple[str, ...]
    rows: tuple[Row, ...]
    bodies: tuple[bytes, ...]
    summary: str
