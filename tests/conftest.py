"""Puts the end-to-end tests last; counts hostile inputs and cells of the fault matrix."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HOSTILE = "hostile inputs tried"
CELLS = "cells of the fault matrix"

END_TO_END = Path(__file__).parent / "e2e"

Tried = Callable[[str, int], None]


@pytest.fixture
def tried(record_property: Callable[[str, Any], None]) -> Tried:
    """Return a function that a test calls with a place and a number of inputs."""
    return lambda place, count: record_property(f"{HOSTILE}: {place}", count)


@pytest.fixture
def held(record_property: Callable[[str, Any], None]) -> Tried:
    """Return a function that a test calls with an await and its number of cells."""
    return lambda place, count: record_property(f"{CELLS}: {place}", count)


@pytest.hookimpl(trylast=True)  # after pytest's own order, by fixtures that are used together
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the end-to-end tests last.

    Playwright leaves an event loop running, in which async tests fail. The order of folders in the
    command is not enough: pytest moves a test whose argument is named as a fixture of Playwright.
    """
    items.sort(key=lambda item: END_TO_END in item.path.parents)


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
