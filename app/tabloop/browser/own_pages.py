"""The tools for the pages of this site.

Rule: their modules are loaded after the start, and only if a setting says where the pages are.
"""

from collections.abc import Callable, Mapping

from tabloop.agent.presentation import Presentation
from tabloop.agent.tools import Tool
from tabloop.browser.late_modules import late_modules

__all__ = ["OwnPages"]


class OwnPages:
    """`search` and `pages` are the owner's settings; if both are blank, there are no tools.

    `tools` are those that are there by now; `expected` says whether there are some at all.
    """

    def __init__(self, search: str, pages: str) -> None:
        self.tools: tuple[Tool, ...] = ()
        self._search = search
        self._pages = pages
        self.expected = bool(search or pages)

    def presentations(self) -> Mapping[str, Presentation]:
        """Return how the tools are shown, by name, for a conversation that was kept."""
        if not self.expected:
            return {}
        from tabloop.tools.site.words import PAGE, SEARCH  # noqa: PLC0415 -- few sites need it

        return {"search_site": SEARCH, "get_page": PAGE}

    def need(self) -> None:
        """Make the tools. If `load` has not ended, the page stands still meanwhile."""
        if self.expected and not self.tools:
            from tabloop.browser.site_pages import own_tools  # noqa: PLC0415 -- few sites need it

            self.tools = own_tools(self._search, self._pages)

    async def load(self, changed: Callable[[], None]) -> None:
        """Make the tools when their modules have arrived, and call `changed`."""
        if self.expected and await late_modules():
            self.need()
            changed()
