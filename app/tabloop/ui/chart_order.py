"""Which chart of an answer stands first.

Rule: the chart that the question asks for, whichever tool was called first.
"""

from collections.abc import Sequence

from tabloop.agent.displays import Chart
from tabloop.core.german_text import fold

__all__ = ["in_order_asked"]


def in_order_asked(
    groups: Sequence[Sequence[Chart]], question: str, first: int = 0
) -> list[list[tuple[int, Chart]]]:
    """Return the groups with those first that the question asks for; so within each group.

    Each chart comes with its index in the answer, counted from `first` in the given order.
    """
    asked = fold(question)

    def rank(chart: Chart) -> int:
        return -sum(part in asked for part in chart.asked_by)

    ordered: list[list[tuple[int, Chart]]] = []
    for group in groups:
        ordered.append(sorted(enumerate(group, first), key=lambda pair: rank(pair[1])))
        first += len(group)
    return sorted(ordered, key=lambda group: min((rank(chart) for _, chart in group), default=0))
