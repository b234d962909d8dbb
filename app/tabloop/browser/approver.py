# pyright: standard
"""Who says yes to calls that need a person. Rule: nobody but a person, and each call once.

It asks as the loop's approver and hears as its middleware when the call is over: both in the same
task, in order, so that a result never closes the card of the call after it.
"""

import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from tabloop.agent.middleware import CallContext, Middleware, RunContext
from tabloop.agent.ports import Approval, Approved
from tabloop.agent.results import ToolResult
from tabloop.agent.tools import Tool
from tabloop.browser.approval_card import ApprovalCard
from tabloop.browser.conversation_view import ConversationView
from tabloop.browser.image_card import ImageCard
from tabloop.browser.page import Page
from tabloop.core.pricing import ConfirmedPrice, PriceSource
from tabloop.ui.image_card import Stage
from tabloop.ui.strings import Strings

__all__ = ["PageApprover"]

BUTTONS = ("confirm", "cancel", "again")  # that a card may have
REST = 0.5  # seconds; a double press takes no longer


class PageApprover(Middleware):
    """Asks the person in the conversation, one card at a time. One for the life of the page."""

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
        self._decided_at = -REST
        conversation = page.element("log")
        page.on_action({f"card-{name}": partial(self._press, name) for name in BUTTONS})
        page.listen(conversation, "input", self._changed)
        page.listen(conversation, "keydown", self._key)

    async def decide(self, tool: Tool, arguments: Mapping[str, Any]) -> Approval:
        """Show the card and wait. It stays while an approved picture is being made."""
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
        rest = max(0.0, self._decided_at + REST - time.monotonic())
        match tool.presentation.card:
            case "picture":
                return ImageCard(self._page, self._strings, self._pricing, arguments, rest=rest)
            case "call":
                return ApprovalCard(self._page, self._strings, tool, arguments, rest=rest)

    def show_stage(self, stage: Stage, *, again: bool = False) -> None:
        """Say on the card what paying does now; without a card, nothing."""
        if isinstance(self._card, ImageCard):
            self._card.show_stage(stage, again=again)

    async def on_before_approval(self, run: RunContext, call: CallContext) -> None:
        self._call_id = call.id

    async def on_after_tool_call(
        self, run: RunContext, call: CallContext, result: ToolResult
    ) -> None:
        if call.id == self._call_id:
            self._close()

    async def on_tool_phase_complete(
        self, run: RunContext, results: Sequence[tuple[str, ToolResult]]
    ) -> None:
        self._close()

    async def on_finish(self, run: RunContext, text: str) -> None:
        self._close()

    async def on_abort(self, run: RunContext, reason: str) -> None:
        self._close()

    async def on_error(self, run: RunContext, error: Exception) -> None:
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
        """A key that is held down presses a button again and again: only its first press counts."""
        if event.repeat and event.key in ("Enter", " ") and event.target.closest("button"):
            event.preventDefault()
