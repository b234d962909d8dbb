# pyright: standard
"""A card in the conversation that waits for a person. Rule: the first press decides, and at once.

It is decided before anything is awaited; nothing on it is a form, so that no Enter presses a button
that has not the focus, and it never takes the focus by itself.
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
    """Stands there from the question until the decision, or until what was allowed is done.

    `decision` is set once; it is cancelled by whoever awaits it, when the run is stopped. A card
    that comes right after another lets `rest` seconds pass before it can be pressed: the second
    half of a double press was meant for the one before.
    """

    def __init__(self, page: Page, label: str, html: Html, *, rest: float) -> None:
        self._page = page
        self._resting = rest > 0
        self._work: set[asyncio.Task[None]] = set()
        self.decision: asyncio.Future[Approval] = asyncio.get_running_loop().create_future()
        self.element: Any = document.createElement("section")
        self.element.className = "card"
        self.element.setAttribute("aria-label", label)
        set_html(self.element, html)
        if self._resting:
            self._start(self._wake(rest))

    @property
    def decided(self) -> bool:
        """Whether a press means nothing any more."""
        return self.decision.done()

    def press(self, name: str) -> None:
        """Take a press on one of its buttons. The first that decides counts, any other is none."""
        if not self.decided and (not self._resting or name not in DECIDING):
            self._pressed(name)

    def changed(self, name: str, value: str) -> None:
        """Take what was typed or chosen."""

    def close(self) -> None:
        """Take it away, whatever it was doing."""
        self.decision.cancel()
        self._end_work()
        had_focus = self._has_focus
        self.element.remove()
        if had_focus:
            self._page.back_to_typing()

    def _pressed(self, name: str) -> None:
        raise NotImplementedError

    def _renew(self) -> None:
        """Write what can be pressed now."""
        raise NotImplementedError

    def _go_on(self) -> bool:
        """Show what an approval set going; False where there is nothing to show."""
        return False

    def _decide(self, decision: Approval) -> None:
        self.decision.set_result(decision)
        self._end_work()
        had_focus = self._has_focus
        if not (isinstance(decision, Approved) and self._go_on()):
            self.element.remove()
        if had_focus:  # the button that was pressed is gone
            self._page.back_to_typing()

    @property
    def _has_focus(self) -> bool:
        return self.element.contains(document.activeElement)

    async def _wake(self, rest: float) -> None:
        await asyncio.sleep(rest)
        self._resting = False
        self._renew()

    def _switch(self, states: Mapping[str, bool]) -> None:
        """Let its buttons be pressed or not; none of them while it rests.

        They keep their place for the Tab key: one that comes back a moment later is not passed by.
        """
        for name, on in states.items():
            off = self._resting or not on
            self._button(name).setAttribute("aria-disabled", "true" if off else "false")

    def _part(self, name: str) -> Any:
        return self.element.querySelector(f'[data-part="{name}"]')

    def _button(self, name: str) -> Any:
        return self.element.querySelector(f'[data-action="card-{name}"]')

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = self._page.start(work)
        self._work.add(task)
        task.add_done_callback(self._work.discard)
        return task

    def _end_work(self) -> None:
        for task in list(self._work):
            task.cancel()
