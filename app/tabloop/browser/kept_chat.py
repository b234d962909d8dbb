"""Between the conversation on the page and its stored text. Rule: nothing is asked or sent here."""

import asyncio
from collections.abc import Callable, Mapping

from tabloop.agent.conversation import Conversation
from tabloop.agent.presentation import Presentation
from tabloop.browser.conversation_view import ConversationView, ExchangeView
from tabloop.browser.shell import shell
from tabloop.core.pricing import PaidBefore
from tabloop.ui.kept import Kept, KeptAnswer, as_text, from_text, kept_steps, restored
from tabloop.ui.strings import Strings

__all__ = ["KeptChat"]

AT_ONCE = 20  # answers; between them is a pause in which the page can paint and handle input


class KeptChat:
    """Reads and writes the conversation; `presentations` are those of all tools, by name."""

    def __init__(
        self,
        view: ConversationView,
        strings: Strings,
        conversation: Callable[[], Conversation],
        presentations: Mapping[str, Presentation],
    ) -> None:
        self._view = view
        self._strings = strings
        self._conversation = conversation
        self._presentations = presentations

    def now(self) -> str:
        """Return the conversation as text."""
        told = self._conversation()
        answers = tuple(map(_kept, self._view.exchanges))
        exchanges = tuple(told.exchanges)
        return as_text(Kept(answers, exchanges, told.question, told.answered, shell.draft()))

    async def restore(self, text: str) -> bool:
        """Show a stored conversation again; return whether it could be read."""
        kept = from_text(text)
        if kept is None:
            return False
        for number, one in enumerate(kept.answers):
            if number % AT_ONCE == 0:
                await asyncio.sleep(0)
            answer = self._view.add_kept(one.question)
            answer.begin(
                model=one.model, searching=one.searching, on_device=one.on_device, by=one.by
            )
            answer.meters = [PaidBefore(one.cost)]
            answer.earlier_meters = [PaidBefore(one.earlier)]
            answer.kept_problem = one.problem
            if not one.ended:
                answer.kept_problem = self._strings("keep.interrupted")
            answer.state = restored(one, self._presentations)
        self._view.paint_kept()  # goes on after this function has returned
        self._conversation().restore(kept.exchanges, kept.question, answered=kept.answered)
        shell.putBack(kept.draft)
        return True


def _kept(exchange: ExchangeView) -> KeptAnswer:
    answer = exchange.answer
    problem = answer.problem
    return KeptAnswer(
        exchange.question,
        answer.state.text,
        answer.state.ended is not None,
        answer.searching,
        answer.model,
        problem.sentence if problem else "",
        answer.cost(answer.meters, left=True),
        answer.cost(answer.earlier_meters, left=True),
        kept_steps(answer.state),
        answer.state.sources,
        answer.on_device,
        answer.by,
    )
