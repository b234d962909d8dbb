"""The definitions of tools as a chat endpoint takes them.

Rule: a list of tools that the endpoint would refuse is refused before anything is sent.
"""

import re
from collections.abc import Sequence
from typing import Any, cast

from tabloop.agent.errors import SetupError
from tabloop.agent.tools import Tool
from tabloop.core.json_text import compact

__all__ = ["MAX_DEFINITION_BYTES", "MAX_TOOLS", "check_definitions", "definition"]

MAX_TOOLS = 8  # the paid proxy refuses more
MAX_DEFINITION_BYTES = 8192  # of the serialised list; more is refused by the same proxy
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
    """Raise `SetupError` for a list of tools that the endpoint would refuse."""
    for item in cast("Sequence[object]", tools):
        if not isinstance(item, Tool):
            raise SetupError(f"{item!r} is no tool: put @tool above the async function")
    names = [item.name for item in tools]
    if duplicates := sorted({name for name in names if names.count(name) > 1}):
        raise SetupError(f"two tools have the same name: {', '.join(duplicates)}")
    if refused := [name for name in names if not _NAME.fullmatch(name)]:
        raise SetupError(f"the endpoint takes no tool named {', '.join(refused)}")
    if len(tools) > MAX_TOOLS:
        raise SetupError(f"{len(tools)} tools are too many; the endpoint takes {MAX_TOOLS}")
    sizes = {item.name: len(_json_bytes(definition(item))) for item in tools}
    total = len(_json_bytes([definition(item) for item in tools]))
    if total > MAX_DEFINITION_BYTES:
        largest = max(sizes, key=lambda name: sizes[name])
        raise SetupError(
            f"the tool definitions come to {total} bytes, the endpoint takes "
            f"{MAX_DEFINITION_BYTES}; the largest is {largest} with {sizes[largest]}"
        )


def _json_bytes(value: object) -> bytes:
    return compact(value).encode()
