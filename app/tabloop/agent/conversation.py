"""A conversation's memory between runs: questions and closing sentences, no tool messages.

Tool results are paid for on every later hop, so a finished run leaves only its question and its
answer behind. The one exception is a run that reached its limit and may go on.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tabloop.agent.events import RunFinished
from tabloop.agent.messages import AssistantMessage, Message, SystemMessage, UserMessage

__all__ = ["NO_ANSWER", "Conversation", "Exchange"]

NO_ANSWER = "(No answer was given here.)"  # for the model, where a blank turn would be refused


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
        self._remembered = False  # whether the last exchange is that of the last run

    @property
    def exchanges(self) -> Sequence[Exchange]:
        """Questions and answers so far, oldest first."""
        return tuple(self._exchanges)

    def ask(self, question: str, system_prompt: str) -> list[Message]:
        """Return the messages of a new run; the loop adds to this very list."""
        self._question = question
        self._remembered = False
        self._messages = [SystemMessage(system_prompt)]
        for exchange in self._exchanges:
            self._messages.append(UserMessage(exchange.question))
            self._messages.append(AssistantMessage(exchange.answer))
        self._messages.append(UserMessage(question))
        return self._messages

    def ask_again(self, system_prompt: str) -> list[Message]:
        """Ask the last question once more: the new answer takes the place of the old one."""
        self._forget_last_run()
        return self.ask(self._question, system_prompt)

    def go_on(self) -> list[Message]:
        """Return the messages of the last run as they are, for another allowance of hops."""
        return self._messages

    def finish(self, ended: RunFinished, shown: str = "") -> None:
        """Remember the question, and as its answer what the person can read.

        `shown` is the text on the page where the run itself has none: one that was stopped or cut.
        A run that failed without a word leaves nothing behind, as if it had not been.
        """
        self._forget_last_run()
        answer = (ended.text or shown).strip()
        if answer or ended.outcome != "error":
            self._exchanges.append(Exchange(self._question, answer or NO_ANSWER))
            self._remembered = True

    def forget(self) -> None:
        """Start anew."""
        self.__init__()

    def _forget_last_run(self) -> None:
        if self._remembered:
            self._exchanges.pop()
        self._remembered = False
