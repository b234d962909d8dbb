"""A run speaks at most three times, whatever happens in it, and always at its end."""

from hypothesis import given
from hypothesis import strategies as st
from tabloop.ui.announcer import Announcer
from tabloop.ui.status import StatusKind

KINDS: tuple[StatusKind, ...] = ("running", "waiting")


@given(st.lists(st.sampled_from(KINDS)), st.sampled_from(("ok", "problem")))
def test_a_run_speaks_at_most_three_times_and_at_its_end(
    kinds: list[StatusKind], end: StatusKind
) -> None:
    announcer = Announcer()
    announcer.run(True)
    assert sum(map(announcer.speaks, kinds)) <= 2
    assert announcer.speaks(end)


def test_its_begin_and_the_first_wait_for_the_person_are_spoken() -> None:
    announcer = Announcer()
    announcer.run(True)
    kinds: list[StatusKind] = ["running", "running", "waiting", "running", "waiting"]
    assert [announcer.speaks(kind) for kind in kinds] == [True, False, True, False, False]


def test_outside_a_run_and_in_the_next_one_it_speaks_again() -> None:
    announcer = Announcer()
    for _ in range(2):
        announcer.run(True)
        assert [announcer.speaks("running") for _ in range(3)] == [True, False, False]
        announcer.run(False)
        assert [announcer.speaks("running") for _ in range(3)] == [True, True, True]
