"""Listeners, tasks and fixed elements. Rule: each error is shown; each proxy is kept."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Generator, Mapping
from contextlib import contextmanager
from typing import Any

from tabloop.browser.markup import set_html
from tabloop.browser.shell import shell
from tabloop.browser.web import create_proxy, document, js_object
from tabloop.ui.announcer import Announcer
from tabloop.ui.page_notice import notice_html
from tabloop.ui.status import StatusKind
from tabloop.ui.strings import Strings

__all__ = ["Page"]

log = logging.getLogger(__name__)

MOST_OF_STATUS = 1_000  # characters
ASIDE = 3.0  # seconds for which a message of something else stands in the place of a run's


class Page:
    """Elements by id, listeners, tasks and the status line. A tab has one instance."""

    def __init__(self, strings: Strings) -> None:
        self._strings = strings
        self._proxies: list[Any] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._announcer = Announcer()
        self._run_says: tuple[str, StatusKind] = "", "running"
        self._actions: dict[str, Callable[[Any], object]] = {}
        self._early: dict[str, Any] = {}
        asyncio.get_running_loop().set_exception_handler(self._unhandled)
        self.listen(document, "click", self._pressed)

    def element(self, name: str) -> Any:
        """Return the element with this id."""
        return document.getElementById(name)

    def listen(
        self, target: Any, event: str, handler: Callable[[Any], object], *, capture: bool = False
    ) -> None:
        """Call `handler` with each event as long as the page is open.

        `capture` is for events inside `target` that do not bubble, such as an image's error.
        """

        def safe_handler(happened: Any) -> None:
            try:
                handler(happened)
            except Exception as error:
                self.report(error)

        proxy = create_proxy(safe_handler)
        self._proxies.append(proxy)
        target.addEventListener(event, proxy, capture)

    def on_action(self, handlers: Mapping[str, Callable[[Any], object]]) -> None:
        """Call the handler of a button's `data-action` when the button is pressed.

        `handlers` are by action; each gets the button, whose `data-value` may hold an argument.
        Some modules are loaded after the start: a press before that is handled now.

        Raises:
            ValueError: An action has a handler already.
        """
        if duplicates := self._actions.keys() & handlers.keys():
            raise ValueError(f"actions with two handlers: {', '.join(sorted(duplicates))}")
        self._actions.update(handlers)
        for name in self._early.keys() & handlers.keys():
            asyncio.get_running_loop().call_soon(handlers[name], self._early.pop(name))

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a coroutine as a task; the page shows an error that it raises."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._task_done)
        return task

    def status(self, text: str, kind: StatusKind = "ok") -> None:
        """Set the status line; of a run, a screen reader speaks only the messages that matter.

        In a run, "Copied" and the like soon give way to what the run is waiting for.
        """
        line, text = self.element("status"), text[:MOST_OF_STATUS]
        if kind in ("running", "waiting"):
            self._run_says = text, kind
        elif self._announcer.in_run:
            asyncio.get_running_loop().call_later(ASIDE, self._end_aside, text)
        line.dataset.kind = kind
        if self.status_text != text:
            line.setAttribute("aria-live", "polite" if self._announcer.speaks(kind) else "off")
            line.textContent = text

    def ready(self, text: str) -> None:
        """Say in the status line what is ready for a question, unless a run goes on."""
        if not self._announcer.in_run:
            self.status(text)

    def _end_aside(self, aside: str) -> None:
        text, kind = self._run_says
        if text and self._announcer.in_run and self.status_text == aside:
            self.status(text, kind)

    @property
    def status_text(self) -> str:
        """The status line, without the seconds beside it."""
        line = self.element("status")
        return str(line.firstChild.textContent) if line.childNodes.length else ""

    @contextmanager
    def temporary_status(self, text: str) -> Generator[None, None, None]:
        """Show `text` in the status line during the block; then restore it if still unchanged."""
        line = self.element("status")
        before, kind = self.status_text, line.dataset.kind
        if kind != "waiting":  # for the person, who would not know then what to do
            self.status(text, "running")
        try:
            yield
        finally:
            if self.status_text == text:
                self.status(before, kind)

    def report(self, error: BaseException) -> None:
        """Show an error that belongs to no answer."""
        log.error("a fault of the page", exc_info=error)
        box = self.element("failure")
        set_html(box, notice_html(self._strings, error))
        box.hidden = False
        box.scrollIntoView(js_object({"block": "nearest"}))

    def clear_report(self) -> None:
        """Hide the error that `report` has shown."""
        if not self.element("failure").hidden:
            self.element("failure").hidden = True

    def busy(self, on: bool) -> None:
        """Show the button Stop (`on`) or Send."""
        self._announcer.run(on)
        self._run_says = "", "running"
        shell.setBusy(on)

    def refuse(self, why: str) -> None:
        """Block sending and show `why`; a blank `why` allows it again."""
        shell.refuse(why)

    def waiting(self, on: bool) -> None:
        """Let the composer tell a person who tries to send that a card waits."""
        shell.setWaiting(on)

    def focus_composer(self) -> None:
        """Move the focus to the message box without scrolling."""
        shell.focusField()

    def _pressed(self, event: Any) -> None:
        if button := event.target.closest("[data-action]"):
            action = str(button.dataset.action)
            if handler := self._actions.get(action):
                handler(button)
            else:
                self._early[action] = button

    def _task_done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.report(error)

    def _unhandled(self, _loop: object, context: dict[str, Any]) -> None:
        self.report(context.get("exception") or RuntimeError(context.get("message", "")))
