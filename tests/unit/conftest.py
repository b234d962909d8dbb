"""What holds for every unit test: time is virtual, and no result depends on the machine's load.

Tests with real sockets or subprocesses say so by `pytest.mark.real_time`.
"""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

from tests.unit.virtual_time import VirtualTimeLoop

settings.register_profile(
    "tabloop",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],  # it reads the clock
    print_blob=True,  # a failure on another machine can be repeated
)
settings.load_profile("tabloop")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave tests with random inputs out of coverage, which would differ from run to run."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents and is_hypothesis_test(getattr(item, "obj", None)):
            item.add_marker("no_cover")


LoopFactory = Callable[[], asyncio.AbstractEventLoop]


def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> Mapping[str, LoopFactory]:
    """Return the one kind of loop that a test runs in."""
    if item.get_closest_marker("real_time"):
        return {"real": asyncio.new_event_loop}
    return {"virtual": VirtualTimeLoop}
