"""A `ChatModel` that uses the language model of the browser.

Rule: its context is small, so what does not fit is left out before it is asked, and that is said:
the results first, then the oldest questions with their answers.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from math import isinf

from tabloop.agent.errors import ModelError
from tabloop.agent.limits import MAX_REPLY
from tabloop.agent.messages import AssistantMessage, Message, SystemMessage, UserMessage
from tabloop.agent.ports import ModelReply, ModelRequest, ReplyNote, TextDelta
from tabloop.agent.tools import Tool
from tabloop.ondevice.errors import model_error
from tabloop.ondevice.ports import LanguageModel, Prompt, PromptError, Session
from tabloop.ondevice.prompts import constraint, one_domain, repair, system_text, written
from tabloop.ondevice.replies import AnswerText, BadReply, read_reply

__all__ = ["OnDeviceModel"]

FOR_INPUT = 0.8  # of the context; the rest is for the reply
FOR_INSTRUCTIONS = 0.4  # of the context, with the definitions of tools
MOST = 0.5  # of the room, for one result
LOST = ("AbortError", "InvalidStateError")  # without a stop: the browser has ended the session
UNREADABLE = ("SyntaxError", "DataError")  # it did not keep to the schema, or wrote no text
NO_SCHEMA = ("NotSupportedError", "TypeError")  # it does not know a part of it, or all of it

Plan = tuple[list[Prompt], tuple[ReplyNote, ...]]


class OnDeviceModel:
    """Asks one session per run, a clone of one that knows the instructions already.

    `dated` adds the dates that day words such as "yesterday" mean to a question.
    """

    def __init__(self, browser: LanguageModel, *, dated: Callable[[str], str] = str) -> None:
        self._browser = browser
        self._dated = dated
        self._base: Session | None = None
        self._base_text = ""
        self._session: Session | None = None
        self._told: tuple[Message, ...] = ()  # what the session has read, without its last reply
        self._notes: tuple[ReplyNote, ...] = ()  # what was left out for the session
        self._constrains = True  # until the browser refuses the schema

    def close(self) -> None:
        """Give all memory back; the next reply opens what it needs."""
        self._end_run()
        if self._base:
            self._base.destroy()
        self._base, self._base_text = None, ""

    async def reply(self, request: ModelRequest) -> AsyncIterator[TextDelta | ModelReply]:
        """Yield text as it comes, then one reply with at most one call. Raises `ModelError`."""
        calls = False
        try:
            async with aclosing(self._reply(request)) as parts:
                async for part in parts:
                    calls = isinstance(part, ModelReply) and bool(part.message.tool_calls)
                    yield part
        except PromptError as error:
            if error.kind in LOST:
                self.close()
            raise model_error(error) from error
        finally:
            if not calls:  # else the session waits for the result
                self._end_run()

    async def _reply(self, request: ModelRequest) -> AsyncGenerator[TextDelta | ModelReply, None]:
        tools, plans = await self._plans(request)
        async with aclosing(plans):
            async for prompts, notes in plans:
                begun = False
                try:
                    async with aclosing(self._ask(prompts, tools)) as parts:
                        async for part in parts:
                            begun = True
                            if isinstance(part, TextDelta):
                                yield part
                                continue
                            self._told = request.messages
                            self._notes = self._noted((*self._notes, *notes))
                            yield replace(part, notes=(*self._notes, *part.notes))
                    return
                except PromptError as error:
                    if begun or error.kind != "QuotaExceededError":
                        raise
        raise ModelError("device_too_long", retryable=False)

    async def _ask(
        self, prompts: Sequence[Prompt], tools: Sequence[Tool]
    ) -> AsyncGenerator[TextDelta | ModelReply, None]:
        """Yield text, then the reply; one that cannot be used is asked for once more."""
        shown, bad = False, BadReply("")
        for _ in range(2):
            whole, answer = "", AnswerText()
            try:
                async with aclosing(self._stream(prompts, tools)) as pieces:
                    async for piece in pieces:
                        whole += piece
                        if text := answer.feed(piece):
                            replaces = shown and answer.text == text
                            shown = True
                            yield TextDelta(text, replaces=replaces)
                        if len(whole) > MAX_REPLY:
                            break
                message, reason = read_reply(whole, answer, tools)
                complete = message.tool_calls or (answer.begun and answer.ended)
                if len(whole) > MAX_REPLY and not complete:
                    yield ModelReply(message, "length", notes=("endless",))
                else:
                    yield ModelReply(message, reason)
                return
            except BadReply as error:
                bad = error
            except PromptError as error:
                if error.kind not in UNREADABLE:
                    raise
                bad = BadReply("It did not fit the schema.")
            prompts = [repair(bad.reason, tools)]
        if bad.message is None:
            raise ModelError("device_reply")
        yield ModelReply(bad.message, "tool_calls")  # the loop answers what is wrong

    async def _stream(
        self, prompts: Sequence[Prompt], tools: Sequence[Tool]
    ) -> AsyncGenerator[str, None]:
        """Yield the reply's JSON; without the schema where the browser does not support it."""
        assert self._session is not None  # opened by `_plans`
        begun = False
        if self._constrains:
            try:
                async for piece in self._session.prompt(prompts, constraint(tools)):
                    begun = True
                    yield _text(piece)
                return
            except PromptError as error:
                if begun or error.kind not in NO_SCHEMA:
                    raise
                self._constrains = False
        async for piece in self._session.prompt(prompts, None):
            yield _text(piece)

    async def _plans(
        self, request: ModelRequest
    ) -> tuple[Sequence[Tool], AsyncGenerator[Plan, None]]:
        """Open a session; return the tools that it knows, and what to send, the best first."""
        tools, messages = request.tools, request.messages
        base = await self._open(messages, tools)
        if base is None or base.used > base.context * FOR_INSTRUCTIONS:
            tools = one_domain(tools, messages)
            base = await self._open(messages, tools)
        if base is None:
            raise ModelError("device_too_long", retryable=False)
        new = self._continued(messages)
        if self._session and new:
            prompts, _ = written(messages, self._dated)
            prompts = prompts[-len(new) :]
            room = self._session.context * FOR_INPUT - self._session.used
            if await self._session.measure(prompts) <= room:
                return tools, _only((prompts, ()))
        self._end_run()
        self._session = await self._clone(base, messages, tools)
        return tools, self._shorter(self._session, messages)

    async def _open(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Session | None:
        """Return a session with only the instructions; `None` if they do not fit."""
        system = "\n".join(m.content for m in messages[:1] if isinstance(m, SystemMessage))
        text = system_text(system, tools)
        if self._base is None or self._base_text != text:
            self.close()
            try:
                self._base = await self._browser.create([Prompt("system", text)])
            except PromptError as error:
                if error.kind != "QuotaExceededError":
                    raise
                return None
            self._base_text = text
        return self._base

    async def _clone(
        self, base: Session, messages: Sequence[Message], tools: Sequence[Tool]
    ) -> Session:
        try:
            return await base.clone()
        except PromptError as error:  # unloaded since the last question
            if error.kind not in LOST:
                raise
        self.close()
        again = await self._open(messages, tools)
        assert again is not None  # it fitted before
        return await again.clone()

    def _continued(self, messages: Sequence[Message]) -> Sequence[Message]:
        """Return what the session has not read; nothing if it is about something else."""
        read = len(self._told)
        if not read or tuple(messages[:read]) != self._told:
            return ()
        reply = messages[read : read + 1]
        return messages[read + 1 :] if reply and isinstance(reply[0], AssistantMessage) else ()

    async def _shorter(
        self, session: Session, messages: Sequence[Message]
    ) -> AsyncGenerator[Plan, None]:
        """Yield all messages if they fit, then ever less of them."""
        room = session.context * FOR_INPUT - session.used
        whole, _ = written(messages, self._dated)
        need = await session.measure(whole)
        if need <= room:
            yield whole, ()
        if isinf(room) or not need:
            return
        signs = room / need * sum(len(prompt.content) for prompt in whole)
        starts = [0, *(n for n, m in enumerate(messages) if isinstance(m, UserMessage))]
        del starts[1:2]  # nothing but the instructions is before the first question
        levels = [(start, MOST) for start in starts]
        levels += [(starts[-1], MOST / divisor) for divisor in (2, 4, 8)]
        for start, share in levels:
            prompts, was_cut = written(messages[start:], self._dated, int(signs * share))
            notes: tuple[ReplyNote, ...] = ("results_cut",) if was_cut else ()
            if prompts != whole and await session.measure(prompts) <= room:
                yield prompts, (*notes, "shortened") if start else notes

    def _noted(self, notes: tuple[ReplyNote, ...]) -> tuple[ReplyNote, ...]:
        overflowed = self._session is not None and self._session.overflowed
        return (*notes, "shortened") if overflowed and "shortened" not in notes else notes

    def _end_run(self) -> None:
        if self._session:
            self._session.destroy()
        self._session, self._told, self._notes = None, (), ()


def _text(piece: object) -> str:
    if not isinstance(piece, str):
        raise PromptError("DataError")
    return piece


async def _only(plan: Plan) -> AsyncGenerator[Plan, None]:
    yield plan
