"""The addresses in results of tools. Rule: any other link of an answer says where it leads."""

import re
from collections.abc import Iterable

from tabloop.ui.answer_state import ToolStep

__all__ = ["links_in"]

_ADDRESS = re.compile(r"https?://[^\s\"<>\\\x60]+")
_AFTER = ".,;:!?*_'”“)]"  # what may stand after an address in a sentence, or in Markdown


def links_in(steps: Iterable[ToolStep]) -> list[str]:
    """Return each address that a result has, once; those of calls that failed do not count."""
    links = dict[str, None]()
    for step in steps:
        if step.state == "ok" and step.result:
            for found in _ADDRESS.findall(step.result):
                links[found] = links[found.rstrip(_AFTER)] = None
    return list(links)
