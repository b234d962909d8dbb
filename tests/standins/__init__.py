"""Loopback servers with the real services' wire formats, for `build.py serve` and end-to-end tests.

Rule: a stand-in refuses everything that the real service refuses.
"""

from tests.standins.faults import (
    Delay,
    Drop,
    Fault,
    Hang,
    NoCors,
    Reply,
    Truncate,
    garbage,
    html_502,
)
from tests.standins.recording import Recorded
from tests.standins.servers import Running, Standins, running_standins

__all__ = [
    "Delay",
    "Drop",
    "Fault",
    "Hang",
    "NoCors",
    "Recorded",
    "Reply",
    "Running",
    "Standins",
    "Truncate",
    "garbage",
    "html_502",
    "running_standins",
]
