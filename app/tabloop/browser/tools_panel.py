"""The group "What I can do".

Rule: switched-off capabilities are remembered by name; new tools start switched on.
"""

from collections.abc import Callable, Sequence
from typing import Any, cast

from tabloop.agent.tools import Tool
from tabloop.browser.markup import set_html
from tabloop.browser.page import Page
from tabloop.browser.storage import recall, remember
from tabloop.ui.capabilities import Capability, capabilities_html, capabilities_of, switched_on
from tabloop.ui.strings import Strings

__all__ = ["ToolsPanel"]

NAME = "switched-off"


class ToolsPanel:
    """One checkbox per capability; a change takes effect with the next message.

    `tools` returns the tools available now; call `refresh` when that changes. `none` is said while
    there are none.
    """

    def __init__(
        self, page: Page, strings: Strings, tools: Callable[[], Sequence[Tool]], none: str
    ) -> None:
        stored = recall(NAME)
        names = cast("list[Any]", stored) if isinstance(stored, list) else []
        self._off = {name for name in names if isinstance(name, str)}
        self._strings = strings
        self._none = none
        self._tools = tools
        self._group = page.element("tools")
        self._shown: Sequence[Capability] | None = None
        self.refresh()
        page.listen(self._group, "change", self._changed)

    def refresh(self) -> None:
        """Show the current capabilities; unchanged ones are not written and keep the focus."""
        capabilities = capabilities_of(self._strings, self._tools())
        if capabilities != self._shown:
            self._shown = capabilities
            set_html(self._group, capabilities_html(capabilities, self._off, self._none))

    def chosen(self) -> tuple[Tool, ...]:
        """Return the tools that are switched on."""
        return switched_on(self._tools(), self._off)

    def _changed(self, event: Any) -> None:
        name = event.target.dataset.capability
        if event.target.checked:
            self._off.discard(name)
        else:
            self._off.add(name)
        remember(NAME, sorted(self._off))
