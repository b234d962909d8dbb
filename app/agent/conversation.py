"""A conversation's memory between runs: questions and closing sentences, no tool messages.

Tool results are paid for on every later hop, so a finished run leaves only its question and its
answer behind. The one exception is a run that reached its limit and may go on.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from app.agent.events import RunFinished
from app.agent.history import repair
from app.agent.messages import AssistantMessage, Message, SystemMessage, UserMessage

__all__ = ["Conversation", "Exchange"]


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question and the answer that the person read."""

    question: str
    answer: str


class Conversation:
    """What was said so far, and the messages of the run that is on."""

    def __init__(self) -> None:
        self._exchanges: list[Exchange] = []
        self._question = ""
        self._messages: list[Message] = []

    @property
    def exchanges(self) -> Sequence[Exchange]:
        """Finished questions and answers, oldest first."""
        return tuple(self._exchanges)

    def ask(self, question: str, system_prompt: str) -> list[Message]:
        """Return the messages of a new run; the loop adds to this very list."""
        self._question = question
        self._messages = [SystemMessage(system_prompt)]
        for exchange in self._exchanges:
            self._messages.append(UserMessage(exchange.question))
            self._messages.append(AssistantMessage(exchange.answer))
        self._messages.append(UserMessage(question))
        return self._messages

    def go_on(self) -> list[Message]:
        """Return the messages of the last run as they are, for another allowance of hops."""
        repair(self._messages)
        return self._messages

    def finish(self, ended: RunFinished) -> None:
        """Remember the answer. A run without one leaves nothing behind, so it can be tried again.

        A run that ended at its limit is kept whole: `go_on` may follow.
        """
        if ended.text.strip() and self._question:
            self._exchanges.append(Exchange(self._question, ended.text))
            self._question = ""

    def forget(self) -> None:
        """Start anew."""
        self.__init__()
