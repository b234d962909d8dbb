"""The approver of the page: it shows a card and waits. Rule: only a person approves a call.

It is also a middleware, which learns when the call has ended. The loop calls both in the same task
and in order, so a result never closes the card of a later call.
"""

import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from tabloop.agent.middleware import CallContext, Middleware, RunContext
from tabloop.agent.ports import Approval, Approved, Declined
from tabloop.agent.results import ToolResult
from tabloop.agent.tools import Tool
from tabloop.browser.approval_card import ApprovalCard
from tabloop.browser.conversation_view import ConversationView
from tabloop.browser.image_card import ImageCard
from tabloop.browser.page import Page
from tabloop.browser.shell import shell
from tabloop.core.pricing import ConfirmedPrice, PriceSource
from tabloop.ui.image_progress import Stage
from tabloop.ui.strings import Strings

__all__ = ["PageApprover"]

BUTTONS = ("confirm", "cancel", "again")  # all buttons that a card may have
FRAMED = (
    "Nothing can be confirmed while this page is shown inside a page of another site. "
    "Tell the person to open it in a tab of its own."
)
LOCKED_FOR = 0.5  # seconds; longer than a double click


class PageApprover(Middleware):
    """Asks the person in the conversation, one card at a time. The page has one instance."""

    def __init__(
        self,
        page: Page,
        view: ConversationView,
        strings: Strings,
        pricing: PriceSource,
        confirmed_price: ConfirmedPrice,
    ) -> None:
        self._page = page
        self._view = view
        self._strings = strings
        self._pricing = pricing
        self._confirmed_price = confirmed_price
        self._card: ImageCard | ApprovalCard | None = None
        self._call_id = ""
        self._decided_at = -LOCKED_FOR
        conversation = page.element("log")
        page.on_action({f"card-{name}": partial(self._press, name) for name in BUTTONS})
        page.listen(conversation, "input", self._changed)
        page.listen(conversation, "keydown", self._key)

    async def decide(self, tool: Tool, arguments: Mapping[str, Any]) -> Approval:
        """Show the card and wait for the decision; it stays while an approved call runs."""
        if shell.isFramed():  # the page around this one could lay something over the buttons
            return Declined(FRAMED)
        self._close()
        card = self._card = self._card_for(tool, arguments)
        self._page.waiting(True)
        approved = False
        try:
            self._view.put_card(card.element)
            decision = await card.decision
            approved = isinstance(decision, Approved)
            if isinstance(card, ImageCard):
                self._confirmed_price.price = card.confirmed_price
        finally:
            self._page.waiting(False)
            if not approved:  # declined, or the run was stopped
                self._close()
        return decision

    def _card_for(self, tool: Tool, arguments: Mapping[str, Any]) -> ImageCard | ApprovalCard:
        locked_for = max(0.0, self._decided_at + LOCKED_FOR - time.monotonic())
        match tool.presentation.card:
            case "picture":
                return ImageCard(
                    self._page, self._strings, self._pricing, arguments, locked_for=locked_for
                )
            case "call":
                return ApprovalCard(
                    self._page, self._strings, tool, arguments, locked_for=locked_for
                )

    def show_stage(self, stage: Stage, *, again: bool = False) -> None:
        """Show the stage of a payment on the picture's card, if there is one."""
        if isinstance(self._card, ImageCard):
            self._card.show_stage(stage, again=again)

    async def on_before_approval(self, run: RunContext, call: CallContext) -> None:
        """Remember which call the next card is for."""
        self._call_id = call.id

    async def on_after_tool_call(
        self, run: RunContext, call: CallContext, result: ToolResult
    ) -> None:
        """Close the card of this call."""
        if call.id == self._call_id:
            self._close()

    async def on_tool_phase_complete(
        self, run: RunContext, results: Sequence[tuple[str, ToolResult]]
    ) -> None:
        """Close the card, if any."""
        self._close()

    async def on_finish(self, run: RunContext, text: str) -> None:
        """Close the card, if any."""
        self._close()

    async def on_abort(self, run: RunContext, reason: str) -> None:
        """Close the card, if any."""
        self._close()

    async def on_error(self, run: RunContext, error: Exception) -> None:
        """Close the card, if any."""
        self._close()

    def _close(self) -> None:
        card, self._card = self._card, None
        if card is not None:
            card.close()

    def _press(self, name: str, _button: Any) -> None:
        if self._card is not None:
            self._card.press(name)
            self._decided_at = time.monotonic()

    def _changed(self, event: Any) -> None:
        field = event.target
        if self._card is not None and field.dataset.part:
            self._card.changed(field.dataset.part, field.value)

    def _key(self, event: Any) -> None:
        """Ignore the repeated presses of a button by a key that is held down."""
        if event.repeat and event.key in ("Enter", " ") and event.target.closest("button"):
            event.preventDefault()
