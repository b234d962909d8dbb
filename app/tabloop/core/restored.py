"""What is done after the page's Python was restored from a snapshot of another Python.

Rule: nothing that the maker drew at random or read from its surroundings stays in use. Only the
keys of `hash` stay, because every dict depends on them: all visitors of a build share them. Whoever
knows them can send JSON that is slow to read, but only to a tab that asked for it.
"""

import os
import random
import time
from typing import Any

__all__ = ["refresh"]


def refresh() -> None:
    """Seed `random` again, and read the time zone of this machine."""
    random.seed()
    os.environ.pop("PYTHONHASHSEED", None)
    year = time.gmtime().tm_year
    months = (time.localtime(time.mktime((year, month, 1, 0, 0, 0, 0, 0, 0))) for month in (1, 7))
    # as Python does at its start: the smaller offset is that without daylight saving time
    standard, summer = sorted(months, key=lambda moment: moment.tm_gmtoff)
    saves = standard.tm_gmtoff != summer.tm_gmtoff
    module: Any = time  # a type checker takes these for constants
    module.timezone, module.altzone = -standard.tm_gmtoff, -summer.tm_gmtoff
    module.daylight = int(saves)
    module.tzname = (standard.tm_zone, summer.tm_zone)
