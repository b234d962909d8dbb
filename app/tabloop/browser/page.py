# pyright: standard
"""The fixed parts of the page. Rule: no fault ends in the console alone; no proxy is forgotten."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Generator, Mapping
from contextlib import contextmanager
from typing import Any

from tabloop.browser.markup import set_html
from tabloop.browser.shell import shell
from tabloop.browser.web import create_proxy, document, js_object
from tabloop.ui.page_notice import notice_html
from tabloop.ui.status import StatusKind
from tabloop.ui.strings import Strings

__all__ = ["Page"]

log = logging.getLogger(__name__)


class Page:
    """Elements by id, listeners, tasks, and the status line. One per tab."""

    def __init__(self, strings: Strings) -> None:
        self._strings = strings
        self._proxies: list[Any] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._actions: dict[str, Callable[[Any], object]] = {}
        asyncio.get_running_loop().set_exception_handler(self._unnoticed)
        self.listen(document, "click", self._pressed)

    def element(self, name: str) -> Any:
        """Return the element with this id; the page's own HTML has it."""
        return document.getElementById(name)

    def listen(
        self, target: Any, event: str, handler: Callable[[Any], object], *, capture: bool = False
    ) -> None:
        """Call `handler` with each event, for the life of the page.

        `capture` hears of events inside `target` that do not bubble, like an image's error.
        """

        def guarded(happened: Any) -> None:
            try:
                handler(happened)
            except Exception as error:
                self.report(error)

        proxy = create_proxy(guarded)
        self._proxies.append(proxy)
        target.addEventListener(event, proxy, capture)

    def on_action(self, handlers: Mapping[str, Callable[[Any], object]]) -> None:
        """Call a handler with the button that is pressed, for each `data-action` named here.

        What the action is about, if it has to say so, is the button's `data-value`. A name belongs
        to one handler in the whole page; raises `ValueError` for one that is taken.
        """
        if taken := self._actions.keys() & handlers.keys():
            raise ValueError(f"actions with two handlers: {', '.join(sorted(taken))}")
        self._actions.update(handlers)

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run as a task; its fault reaches the page."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def status(self, text: str, kind: StatusKind = "ok") -> None:
        """Say what happens now. The same text again is not announced again."""
        line = self.element("status")
        line.dataset.kind = kind
        if line.textContent != text:
            line.textContent = text

    @contextmanager
    def meanwhile(self, text: str) -> Generator[None, None, None]:
        """Say this while the block runs, then again what was said, unless something else is."""
        line = self.element("status")
        before, kind = line.textContent, line.dataset.kind
        self.status(text, "running")
        try:
            yield
        finally:
            if line.textContent == text:
                self.status(before, kind)

    def report(self, error: BaseException) -> None:
        """Show a fault of our own that belongs to no answer."""
        log.error("a fault of the page", exc_info=error)
        box = self.element("failure")
        set_html(box, notice_html(self._strings, error))
        box.hidden = False
        box.scrollIntoView(js_object({"block": "nearest"}))

    def clear_report(self) -> None:
        """Take the report away; a new question begins."""
        if not self.element("failure").hidden:
            self.element("failure").hidden = True

    def busy(self, on: bool) -> None:
        """Show Stop instead of Send, or Send again."""
        shell.setBusy(on)

    def refuse(self, why: str) -> None:
        """Let the composer send nothing and say why, until `why` is blank."""
        shell.refuse(why)

    def waiting(self, on: bool) -> None:
        """Let the composer say that a card waits, to one who tries to send."""
        shell.setWaiting(on)

    def back_to_typing(self) -> None:
        """Put the focus into the composer; the page does not scroll."""
        shell.focusField()

    def _pressed(self, event: Any) -> None:
        button = event.target.closest("[data-action]")
        if button and (handler := self._actions.get(button.dataset.action)):
            handler(button)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.report(error)

    def _unnoticed(self, _loop: object, context: dict[str, Any]) -> None:
        self.report(context.get("exception") or RuntimeError(context.get("message", "")))
