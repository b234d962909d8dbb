"""A card in the conversation that waits for a person. Rule: the first press decides, at once.

The decision is set before anything is awaited. The card is not a form, so Enter presses only the
button that has the focus. It never moves the focus to itself.
"""

import asyncio
from collections.abc import Coroutine, Mapping
from typing import Any

from tabloop.agent.ports import Approval, Approved
from tabloop.browser.markup import set_html
from tabloop.browser.page import Page
from tabloop.browser.web import document
from tabloop.ui.html import Html

__all__ = ["WaitingCard"]

DECIDING = ("confirm", "cancel")


class WaitingCard:
    """The base class of cards; a card is shown until the decision, or until the call has ended.

    `decision` is set once, and cancelled if the run is stopped. The buttons are disabled for the
    first `locked_for` seconds, because the second click of a double click on the card before must
    not decide this one.
    """

    def __init__(self, page: Page, label: str, html: Html, *, locked_for: float) -> None:
        self._page = page
        self._locked = locked_for > 0
        self._tasks: set[asyncio.Task[None]] = set()
        self.decision: asyncio.Future[Approval] = asyncio.get_running_loop().create_future()
        self.element: Any = document.createElement("section")
        self.element.className = "card"
        self.element.setAttribute("aria-label", label)
        set_html(self.element, html)
        if self._locked:
            self._start(self._unlock(locked_for))

    @property
    def decided(self) -> bool:
        """Whether the decision is made or cancelled."""
        return self.decision.done()

    def press(self, name: str) -> None:
        """Handle a press on the button `name`; ignored after the decision and while locked."""
        if not self.decided and (not self._locked or name not in DECIDING):
            self._pressed(name)

    def changed(self, name: str, value: str) -> None:
        """Handle the new value of the input `name`; cards with inputs override it."""

    def close(self) -> None:
        """Remove the card in any state."""
        self.decision.cancel()
        self._cancel_tasks()
        had_focus = self._has_focus
        self.element.remove()
        if had_focus:
            self._page.focus_composer()

    def _pressed(self, name: str) -> None:
        raise NotImplementedError

    def _update(self) -> None:
        """Write what depends on the state, such as which buttons are enabled."""
        raise NotImplementedError

    def _show_progress(self) -> bool:
        """Show the progress of the approved call; return False if the card has none to show."""
        return False

    def _decide(self, decision: Approval) -> None:
        self.decision.set_result(decision)
        self._cancel_tasks()
        had_focus = self._has_focus
        if not (isinstance(decision, Approved) and self._show_progress()):
            self.element.remove()
        if had_focus:  # the pressed button is gone
            self._page.focus_composer()

    @property
    def _has_focus(self) -> bool:
        return self.element.contains(document.activeElement)

    async def _unlock(self, locked_for: float) -> None:
        await asyncio.sleep(locked_for)
        self._locked = False
        self._update()

    def _enable(self, states: Mapping[str, bool]) -> None:
        """Enable or disable buttons by name; while the card is locked all are disabled.

        A disabled button keeps its place in the Tab order, because it may be enabled soon.
        """
        for name, on in states.items():
            off = self._locked or not on
            self._button(name).setAttribute("aria-disabled", "true" if off else "false")

    def _part(self, name: str) -> Any:
        return self.element.querySelector(f'[data-part="{name}"]')

    def _button(self, name: str) -> Any:
        return self.element.querySelector(f'[data-action="card-{name}"]')

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = self._page.start(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _cancel_tasks(self) -> None:
        for task in list(self._tasks):
            task.cancel()
