"""Turns samples into figures. Rule: a figure is a median of at least five with its spread.

A ratio compares medians of the same run: an hour later the same machine is slower or faster.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

__all__ = ["Figure", "figure", "table"]


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured value: `low` to `high` are all samples, `ratio` is to the baseline's median."""

    name: str
    unit: str
    median: float
    low: float
    high: float
    samples: int
    baseline: str = ""
    ratio: float | None = None


def figure(
    name: str,
    unit: str,
    samples: Sequence[float | None],
    baseline: tuple[str, Sequence[float | None]] = ("", ()),
) -> Figure | None:
    """Return the figure of these samples, None if there are none (the engine does not tell).

    `baseline` is the name and the samples of what it is compared with.
    """
    known = [sample for sample in samples if sample is not None]
    if not known:
        return None
    against = [sample for sample in baseline[1] if sample is not None]
    middle = median(known)
    below = median(against) if against else 0.0
    return Figure(
        name,
        unit,
        middle,
        min(known),
        max(known),
        len(known),
        baseline[0] if below else "",
        round(middle / below, 3) if below else None,
    )


def table(figures: Mapping[str, Sequence[Figure]]) -> str:
    """Return the figures of each engine as a Markdown table."""
    lines = ["| engine | figure | median | spread | of the baseline |", "|---|---|---|---|---|"]
    for engine, rows in figures.items():
        for row in rows:
            ratio = f"{row.ratio:.2f} of {row.baseline}" if row.ratio is not None else ""
            middle = f"{_number(row.median)} {row.unit}".strip()
            spread = f"{_number(row.low)} to {_number(row.high)}"
            lines.append(f"| {engine} | {row.name} | {middle} | {spread} | {ratio} |")
    return "\n".join(lines)


def _number(value: float) -> str:
    return f"{value:.0f}" if value >= 20 else f"{value:.2f}"
