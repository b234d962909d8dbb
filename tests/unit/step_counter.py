"""Counts what a function does, so that a test can double its input. Rule: no clock is read."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

__all__ = ["work"]


def work(run: Callable[[], object]) -> int:
    """Count the steps of Python, and the characters of each text whose method is called."""
    done = 0

    def note_call(_frame: FrameType, event: str, called: Any) -> None:
        nonlocal done
        if event == "c_call" and isinstance(text := getattr(called, "__self__", None), str | bytes):
            done += len(text)

    def note_step(frame: FrameType, _event: str, _value: Any) -> Callable[..., Any]:
        nonlocal done
        done += 1
        frame.f_trace_opcodes = True
        return note_step

    tracer = sys.gettrace()  # coverage measures with it
    sys.setprofile(note_call)
    sys.settrace(note_step)
    try:
        run()
    finally:
        sys.settrace(tracer)
        sys.setprofile(None)
    return done
