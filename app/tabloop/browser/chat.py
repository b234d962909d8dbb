# pyright: standard
"""Questions in, answers out. Rule: one run at a time, and however it ends the page can go on."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass

from tabloop.agent.conversation import Conversation
from tabloop.agent.events import RunFinished
from tabloop.agent.loop import Agent
from tabloop.agent.messages import Message
from tabloop.agent.stop import Stop
from tabloop.browser.answer_view import AnswerView
from tabloop.browser.conversation_view import ConversationView
from tabloop.browser.page import Page
from tabloop.browser.shell import shell
from tabloop.browser.web import document
from tabloop.core.errors import AgentError
from tabloop.ui.answer_state import reduce
from tabloop.ui.pictures import remembered_text, without_a_word
from tabloop.ui.problems import Action
from tabloop.ui.status import status_kind, status_line
from tabloop.ui.strings import Strings

__all__ = ["Assistant", "Chat"]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Assistant:
    """Who answers the next message; `model` is its name for sentences.

    `uncertain` says what may have been charged without a receipt since it was made, in USDC.
    """

    agent: Agent
    model: str
    searching: bool
    uncertain: Callable[[], str]


class Chat:
    """Runs the agent for the questions that the composer puts into the log.

    `assistant` makes the one for the next run (may raise `SetupError`), `system_prompt` its
    instructions, `use_search` switches to search mode, `connect` connects a wallet.
    """

    def __init__(
        self,
        page: Page,
        view: ConversationView,
        strings: Strings,
        *,
        hops: int,
        assistant: Callable[[], Assistant],
        system_prompt: Callable[[], str],
        use_search: Callable[[], None],
        connect: Callable[[], Awaitable[bool]],
    ) -> None:
        self._page = page
        self._view = view
        self._strings = strings
        self._hops = hops
        self._assistant = assistant
        self._system_prompt = system_prompt
        self._use_search = use_search
        self._connect = connect
        self._conversation = Conversation()
        self._stop = Stop()
        self._running: asyncio.Task[None] | None = None

    def open(self) -> None:
        """Take over from the shell: listen, and answer a question that waits already."""
        self._view.on_action = self._act
        self._page.listen(document, "tabloop:question", lambda _event: self._take())
        self._page.listen(document, "tabloop:stop", lambda _event: self._stop.press())
        self._page.listen(
            self._page.element("new-chat"),
            "click",
            lambda _event: self._page.start(self._new_chat()),
        )
        self._take()

    @property
    def busy(self) -> bool:
        """Whether a run is on."""
        return self._running is not None and not self._running.done()

    def _take(self) -> None:
        if self.busy or (asked := shell.take()) is None:
            return
        question = asked.text
        try:
            answer = self._view.answer_to(question, asked.article)
        except Exception:
            self._page.busy(False)  # the shell has shown Stop already
            raise
        self._begin(answer, lambda: self._conversation.ask(question, self._system_prompt()))

    def _act(self, action: Action) -> None:
        if self.busy:
            return
        if action == "search":
            self._use_search()
        if not shell.maySend():  # it says why
            return
        last = self._view.exchanges[-1]
        if action == "go-on":
            self._view.look_at_text()
            self._begin(last.answer, self._conversation.go_on, anew=False)
            return
        if action == "connect":
            self._page.start(self._connect_and_retry())
            return
        self._begin(
            last.answer,
            lambda: self._conversation.ask_again(self._system_prompt()),
        )

    async def _connect_and_retry(self) -> None:
        if await self._connect() and not self.busy:
            self._act("try-again")

    def _begin(
        self, answer: AnswerView, messages: Callable[[], list[Message]], *, anew: bool = True
    ) -> None:
        self._page.clear_report()
        self._page.busy(True)
        self._page.back_to_typing()  # the button that was pressed goes away
        self._stop = Stop()
        self._running = self._page.start(self._answer(answer, messages, self._stop, anew=anew))

    async def _answer(
        self,
        answer: AnswerView,
        messages: Callable[[], list[Message]],
        stop: Stop,
        *,
        anew: bool,
    ) -> None:
        try:
            ended = await self._run(answer, messages, stop, anew=anew)
        except Exception as error:  # a fault of ours: it ends this run, not the page
            ended = RunFinished("error", error=error)
            self._view.show(answer, reduce(answer.state, ended))
        try:
            shown = answer.state.text
            if without_a_word(answer.state):  # a later question may be about the picture
                shown = remembered_text(self._strings, answer.state)
            self._conversation.finish(ended, shown)
            line = status_line(self._strings, answer.state, self._hops)
            self._page.status(line, status_kind(answer.state))
            self._view.settle()
        finally:  # whatever could not be shown, the person can go on
            self._page.busy(False)
        if ended.error is not None and not isinstance(ended.error, AgentError):
            log.error("the run failed", exc_info=ended.error)

    async def _run(
        self,
        answer: AnswerView,
        messages: Callable[[], list[Message]],
        stop: Stop,
        *,
        anew: bool,
    ) -> RunFinished:
        assistant = self._assistant()
        if anew:
            answer.begin(model=assistant.model, searching=assistant.searching)
        ended = RunFinished("halted")
        try:
            async with aclosing(assistant.agent.run(messages(), stop)) as events:
                async for event in events:
                    state = reduce(answer.state, event)
                    if isinstance(event, RunFinished):
                        answer.uncertain = assistant.uncertain()
                    self._view.show(answer, state)
                    if isinstance(event, RunFinished):
                        ended = event
                    else:
                        line = status_line(self._strings, state, self._hops)
                        self._page.status(line, status_kind(state))
        finally:  # a fault of ours does not take back what was sent before it
            answer.uncertain = assistant.uncertain()
        return ended

    async def _new_chat(self) -> None:
        if self.busy:
            if not await shell.confirmDiscard():
                return
            self._stop.press()
            if self._running is not None:
                await asyncio.wait([self._running])
        self._conversation.forget()
        self._view.clear()
        self._page.clear_report()
        self._page.status(self._strings("status.ready"))
        self._page.back_to_typing()
