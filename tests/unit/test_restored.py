"""After a restore nothing is as the snapshot's maker left it."""

import random
import time

import pytest
from tabloop.core.restored import refresh


def test_random_numbers_differ_from_those_of_the_maker() -> None:
    random.seed(0)
    of_maker = [random.random() for _ in range(3)]
    random.seed(0)
    refresh()
    assert [random.random() for _ in range(3)] != of_maker


@pytest.mark.parametrize(
    ("zone", "expected"),
    [
        ("Europe/Berlin", (-3600, -7200, 1, ("CET", "CEST"))),
        ("America/New_York", (18000, 14400, 1, ("EST", "EDT"))),
        ("Australia/Sydney", (-36000, -39600, 1, ("AEST", "AEDT"))),
        ("Asia/Kolkata", (-19800, -19800, 0, ("IST", "IST"))),
    ],
)
def test_the_time_zone_is_that_of_this_machine(
    zone: str, expected: tuple[object, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    found = {name: getattr(time, name) for name in ("timezone", "altzone", "daylight", "tzname")}
    with pytest.MonkeyPatch.context() as frozen:
        for name, value in found.items():  # what a snapshot made in UTC holds
            frozen.setattr(time, name, value)
        frozen.setenv("TZ", zone)
        # `localtime` reads TZ itself; `tzset` would set the values that are tested
        refresh()
        assert (time.timezone, time.altzone, time.daylight, time.tzname) == expected
    monkeypatch.undo()
    time.tzset()
