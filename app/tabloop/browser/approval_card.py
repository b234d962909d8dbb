"""The card that asks to approve a call of any tool. Rule: it shows exactly the call that runs."""

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
    """Disappears with the decision; the step above it shows how the call continues."""

    def __init__(
        self,
        page: Page,
        strings: Strings,
        tool: Tool,
        arguments: Mapping[str, Any],
        *,
        locked_for: float = 0.0,
    ) -> None:
        html = approval_html(strings, tool, arguments)
        super().__init__(page, strings("approval.region"), html, locked_for=locked_for)
        self._update()

    def _pressed(self, name: str) -> None:
        if name == "cancel":
            self._decide(Declined("The person declined this call."))
        elif name == "confirm":
            self._decide(Approved())

    def _update(self) -> None:
        self._enable({"confirm": True, "cancel": True})
