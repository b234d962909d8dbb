"""Counts the hostile inputs and the cells of the fault matrix, for the summary at the end."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

HOSTILE = "hostile inputs tried"
CELLS = "cells of the fault matrix"

Tried = Callable[[str, int], None]


@pytest.fixture
def tried(record_property: Callable[[str, Any], None]) -> Tried:
    """Return a function that a test calls with a place and a number of inputs."""
    return lambda place, count: record_property(f"{HOSTILE}: {place}", count)


@pytest.fixture
def held(record_property: Callable[[str, Any], None]) -> Tried:
    """Return a function that a test calls with an await and its number of cells."""
    return lambda place, count: record_property(f"{CELLS}: {place}", count)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print how many of both the tests that passed have tried, by place."""
    for kind in (HOSTILE, CELLS):
        counts = Counter[str]()
        for report in terminalreporter.getreports("passed"):
            for name, count in report.user_properties:
                if name.startswith(f"{kind}: "):
                    counts[name.removeprefix(f"{kind}: ")] += count
        if counts:
            by_place = ", ".join(f"{count} {place}" for place, count in sorted(counts.items()))
            terminalreporter.write_line(f"{kind}: {counts.total()} ({by_place})")
