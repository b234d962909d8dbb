"""Runs the agent for each question. Rule: one run at a time; after each the page is usable."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import aclosing

from tabloop.agent.answer_now import AnswerNow
from tabloop.agent.conversation import Conversation
from tabloop.agent.events import RunFinished
from tabloop.agent.messages import Message
from tabloop.agent.stop import Stop
from tabloop.browser.answer_view import AnswerView
from tabloop.browser.assistant import Assistant
from tabloop.browser.conversation_view import ConversationView, ExchangeView
from tabloop.browser.elapsed import Elapsed
from tabloop.browser.page import Page
from tabloop.browser.shell import shell
from tabloop.browser.undo import Undo
from tabloop.browser.ways_on import WaysOn
from tabloop.browser.web import document
from tabloop.core.errors import AgentError
from tabloop.ui.answer_state import reduce
from tabloop.ui.offer import offered
from tabloop.ui.pictures import has_only_pictures, remembered_text
from tabloop.ui.problems import Action
from tabloop.ui.status import status_kind, status_line
from tabloop.ui.strings import Strings

__all__ = ["Chat"]

log = logging.getLogger(__name__)


class Chat:
    """Runs the agent for the questions that the composer adds to the log.

    `assistant` returns the assistant for the next run (may raise `SetupError`), `system_prompt` its
    instructions. `hops` is the limit of requests per question. `on_change` is called after the
    conversation has changed.
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
        ways_on: WaysOn,
    ) -> None:
        self._page = page
        self._view = view
        self._strings = strings
        self._hops = hops
        self._assistant = assistant
        self._system_prompt = system_prompt
        self._ways_on = ways_on
        self.conversation = Conversation()
        self.on_change: Callable[[], None] = lambda: None
        self._undo = Undo(page)
        self._elapsed = Elapsed(page, strings)
        self._answer_now = AnswerNow()
        self._stop = Stop()
        self._running: asyncio.Task[None] | None = None

    def open(self) -> None:
        """Start to listen, and answer a question that was sent before Python had started."""
        self._view.on_action = self._act
        self._page.listen(document, "tabloop:question", lambda _event: self._take_question())
        self._page.listen(self._page.element("answer-now"), "click", lambda _event: self._hurry())
        self._page.listen(document, "tabloop:stop", lambda _event: self._stop.press())
        self._page.listen(self._page.element("new-chat"), "click", lambda _event: self._new_chat())
        self._take_question()

    @property
    def busy(self) -> bool:
        """Whether a run goes on."""
        return self._running is not None and not self._running.done()

    def _take_question(self) -> None:
        if self.busy or (asked := shell.take()) is None:
            return
        question = asked.text
        replaced = self._view.remove_newest() if asked.replaces else None
        if replaced:
            self.conversation.retract()
        try:
            answer = self._view.answer_to(question, asked.article)
            if replaced:  # what it has cost does not vanish with it
                answer.earlier_meters = replaced.answer.all_meters
        except Exception:
            self._page.busy(False)  # the shell shows Stop already
            raise
        self._start_run(answer, lambda: self.conversation.ask(question, self._system_prompt()))

    def _act(self, action: Action) -> None:
        if self.busy:
            return
        if action == "own-key":  # the question is asked again when the person has changed it
            self._ways_on.use_own_key()
            return
        if action == "search":
            self._ways_on.use_search()
        if not shell.maySend():  # the shell shows the reason
            return
        last = self._view.exchanges[-1]
        if action == "go-on":
            self._view.scroll_to_text()
            self._start_run(last.answer, self.conversation.go_on, from_start=False)
            return
        if way := {"connect": self._ways_on.connect, "own-model": self._ways_on.use_device}.get(
            action
        ):
            self._page.start(self._retry_after(way, last.answer))
            return
        if action == "accept-terms" and last.answer.state.ended:
            self._ways_on.accept_terms(last.answer.state.ended.error)
        self._start_run(
            last.answer,
            lambda: self.conversation.retry(self._system_prompt()),
        )

    async def _retry_after(self, way: Callable[[], Awaitable[bool]], answer: AnswerView) -> None:
        """Ask again when the way is open, unless the answer has changed meanwhile."""
        ended = answer.state.ended
        if await way() and not self.busy and answer.latest and answer.state.ended is ended:
            self._act("try-again")

    def _start_run(
        self, answer: AnswerView, messages: Callable[[], list[Message]], *, from_start: bool = True
    ) -> None:
        self._page.clear_report()
        self._undo.withdraw()
        self._elapsed.start()
        self._page.busy(True)
        self._page.focus_composer()  # the pressed button disappears
        self._stop = Stop()
        self._running = self._page.start(
            self._answer(answer, messages, self._stop, from_start=from_start)
        )
        self.on_change()

    async def _answer(
        self,
        answer: AnswerView,
        messages: Callable[[], list[Message]],
        stop: Stop,
        *,
        from_start: bool,
    ) -> None:
        try:
            ended = await self._run(answer, messages, stop, from_start=from_start)
            if ended is None:  # another model answers, since the endpoint wants to be paid
                ended = await self._run(answer, messages, stop, from_start=from_start)
            assert ended is not None  # the other model asks for no money
        except Exception as error:  # a bug ends this run, but not the page
            ended = RunFinished("error", error=error)
            self._view.show(answer, reduce(answer.state, ended))
        try:
            shown = answer.state.text
            if has_only_pictures(answer.state):  # a later question may refer to the picture
                shown = remembered_text(self._strings, answer.state)
            self.conversation.finish(ended, shown)
            line = status_line(self._strings, answer.state, self._hops, searching=answer.searching)
            self._page.status(line, status_kind(answer.state))
            self._view.flush()
        finally:  # the next question is possible even if something could not be shown
            self._elapsed.stop()
            self._page.busy(False)
            self.on_change()
        if ended.error is not None and not isinstance(ended.error, AgentError):
            log.error("the run failed", exc_info=ended.error)

    async def _run(
        self,
        answer: AnswerView,
        messages: Callable[[], list[Message]],
        stop: Stop,
        *,
        from_start: bool,
    ) -> RunFinished | None:
        """Run the agent; `None` if a free model takes over before anything is shown."""
        assistant = self._assistant()
        assistant.agent.middleware = (self._answer_now, *assistant.agent.middleware)
        if from_start:
            answer.begin(
                model=assistant.model,
                searching=assistant.searching,
                on_device=assistant.on_device,
                by=assistant.by,
            )
        answer.meters.append(assistant.meter)
        answer.may_cost = assistant.may_cost
        ended = RunFinished("halted")
        try:
            async with aclosing(assistant.agent.run(messages(), stop)) as events:
                async for event in events:
                    unpaid = isinstance(event, RunFinished) and offered(event)
                    if unpaid and await self._ways_on.use_free():
                        return None
                    answer.recording.add(event)
                    state = reduce(answer.state, event)
                    self._view.show(answer, state)
                    if isinstance(event, RunFinished):
                        ended = event
                    else:
                        line = status_line(
                            self._strings, state, self._hops, searching=answer.searching
                        )
                        self._page.status(line, status_kind(state))
        finally:
            assistant.meter.close()
        return ended

    def _hurry(self) -> None:
        self._answer_now.press()
        self._page.status(self._strings("status.answerNow"), "running")
        self._page.focus_composer()

    def _new_chat(self) -> None:
        if self.busy:
            self._page.start(self._end_run_and_clear())
        else:  # at once: a question that is sent next belongs to the new chat
            self._clear()

    async def _end_run_and_clear(self) -> None:
        if await shell.confirmDiscard():
            self._stop.press()
            if self._running is not None:
                await asyncio.wait([self._running])
            self._clear()

    def _clear(self) -> None:
        told, self.conversation = self.conversation, Conversation()
        removed = self._view.clear()
        self._page.clear_report()
        self._page.status(self._strings("status.ready"))
        self._page.focus_composer()
        self.on_change()
        if removed:
            self._undo.offer(lambda: self._put_back(removed, told))

    def _put_back(self, removed: list[ExchangeView], told: Conversation) -> None:
        self.conversation = told
        self._view.put_back(removed)
        self._page.status(self._strings("status.undone"))
        self.on_change()
