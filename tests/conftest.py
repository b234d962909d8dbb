"""Counts the hostile inputs that the tests have tried, for the summary at the end."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

HOSTILE = "hostile inputs: "

Tried = Callable[[str, int], None]


@pytest.fixture
def tried(record_property: Callable[[str, Any], None]) -> Tried:
    """Return a function that a test calls with a place and a number of inputs."""
    return lambda place, count: record_property(HOSTILE + place, count)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print how many hostile inputs the tests that passed have tried, by place."""
    counts = Counter[str]()
    for report in terminalreporter.getreports("passed"):
        for name, count in report.user_properties:
            if name.startswith(HOSTILE):
                counts[name.removeprefix(HOSTILE)] += count
    if counts:
        by_place = ", ".join(f"{count} {place}" for place, count in sorted(counts.items()))
        terminalreporter.write_line(f"hostile inputs tried: {counts.total()} ({by_place})")
