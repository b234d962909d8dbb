"""The definitions of tools as a chat endpoint takes them.

Rule: a list of tools that the endpoint would refuse is refused before anything is sent.
"""

import re
from collections.abc import Sequence
from typing import Any

from tabloop.agent.errors import SetupError
from tabloop.agent.ports import ToolLimits
from tabloop.agent.tools import Tool
from tabloop.core.json_text import compact

__all__ = ["check_definitions", "definition", "fitting"]

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")  # what chat endpoints accept


def definition(item: Tool) -> dict[str, Any]:
    """Return the tool as a chat endpoint's `tools` entry."""
    return {
        "type": "function",
        "function": {
            "name": item.name,
            "description": item.description,
            "parameters": item.parameters,
        },
    }


def check_definitions(tools: Sequence[Tool]) -> None:
    """Raise `SetupError` for what is no list of tools that endpoints take."""
    for item in tools:
        _check_type(item)
    names = [item.name for item in tools]
    if duplicates := sorted({name for name in names if names.count(name) > 1}):
        raise SetupError(f"two tools have the same name: {', '.join(duplicates)}")
    if refused := [name for name in names if not _NAME.fullmatch(name)]:
        raise SetupError(f"the endpoint takes no tool named {', '.join(refused)}")


def _check_type(item: object) -> None:
    """Refuse what is no tool; a user's program may not be type-checked."""
    if not isinstance(item, Tool):
        raise SetupError(f"{item!r} is no tool: put @tool above the async function")


def fitting(tools: Sequence[Tool], limits: ToolLimits) -> tuple[Tool, ...]:
    """Return as many of the tools, in their order, as the endpoint takes in one request."""
    taken: list[Tool] = []
    total = 1  # bytes of the list's brackets, less the comma that the first tool does not have
    for item in tools:
        size = _size(item) + 1
        if limits.count is not None and len(taken) >= limits.count:
            break
        if limits.size is None or total + size <= limits.size:
            taken.append(item)
            total += size
    return tuple(taken)


def _size(item: Tool) -> int:
    return len(compact(definition(item)).encode())
