# pyright: standard
"""One card that asks for a call of any tool. Rule: what would run is shown as it would run."""

from collections.abc import Mapping
from typing import Any

from tabloop.agent.ports import Approved, Declined
from tabloop.agent.tools import Tool
from tabloop.browser.page import Page
from tabloop.browser.waiting_card import WaitingCard
from tabloop.ui.approval_card import approval_html
from tabloop.ui.strings import Strings

__all__ = ["ApprovalCard"]


class ApprovalCard(WaitingCard):
    """Gone with the decision; the step above it says how the call goes on."""

    def __init__(
        self,
        page: Page,
        strings: Strings,
        tool: Tool,
        arguments: Mapping[str, Any],
        *,
        rest: float = 0.0,
    ) -> None:
        html = approval_html(strings, tool, arguments)
        super().__init__(page, strings("approval.region"), html, rest=rest)
        self._renew()

    def _pressed(self, name: str) -> None:
        if name == "cancel":
            self._decide(Declined("The person declined this call."))
        elif name == "confirm":
            self._decide(Approved())

    def _renew(self) -> None:
        self._switch({"confirm": True, "cancel": True})
