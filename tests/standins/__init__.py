"""Loopback servers with the real services' wire formats, for `build.py serve` and end-to-end tests.

Rule: a stand-in is as strict and as slow to forgive as what it stands for.
"""

from tests.standins.faults import (
    Cut,
    Delay,
    Drop,
    Fault,
    Hang,
    NoCors,
    Reply,
    garbage,
    html_502,
)
from tests.standins.recording import Recorded
from tests.standins.together import Running, Standins, running_standins

__all__ = [
    "Cut",
    "Delay",
    "Drop",
    "Fault",
    "Hang",
    "NoCors",
    "Recorded",
    "Reply",
    "Running",
    "Standins",
    "garbage",
    "html_502",
    "running_standins",
]
