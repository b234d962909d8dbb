# pyright: standard
"""The group "What I can do". Rule: what is off is remembered; new tools start switched on."""

from collections.abc import Sequence
from typing import Any, cast

from app.agent.tools import Tool
from app.browser.page import Page
from app.browser.storage import recall, remember
from app.views.capabilities import capabilities_html, capabilities_of, switched_on
from app.views.strings import Strings

__all__ = ["ToolsPanel"]

NAME = "switched-off"


class ToolsPanel:
    """One checkbox per capability; a change counts from the next message on."""

    def __init__(self, page: Page, strings: Strings, tools: Sequence[Tool]) -> None:
        stored = recall(NAME)
        names = cast("list[Any]", stored) if isinstance(stored, list) else []
        self._off = {name for name in names if isinstance(name, str)}
        self._tools = tools
        group = page.at("tools")
        group.innerHTML = capabilities_html(capabilities_of(strings, tools), self._off)
        page.listen(group, "change", self._changed)

    def chosen(self) -> tuple[Tool, ...]:
        """Return the tools that may be offered to the model."""
        return switched_on(self._tools, self._off)

    def _changed(self, event: Any) -> None:
        name = event.target.dataset.capability
        if event.target.checked:
            self._off.discard(name)
        else:
            self._off.add(name)
        remember(NAME, sorted(self._off))
