"""What a conversation keeps between runs: questions and answers, no tool messages.

Rule: a finished run leaves only its question and its answer, because each later hop pays for tool
results again. The exception is a run that reached its limit of hops and may continue.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tabloop.agent.events import RunFinished
from tabloop.agent.messages import AssistantMessage, Message, SystemMessage, UserMessage

__all__ = ["NO_ANSWER", "Conversation", "Exchange"]

NO_ANSWER = "(No answer was given here.)"  # for the model: endpoints refuse a blank message


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question and the answer that the person read."""

    question: str
    answer: str


class Conversation:
    """The exchanges so far, and the messages of the current run."""

    def __init__(self) -> None:
        self._exchanges: list[Exchange] = []
        self._question = ""
        self._messages: list[Message] = []
        self._remembered = False  # whether the last exchange belongs to the last run

    @property
    def exchanges(self) -> Sequence[Exchange]:
        """Questions and answers so far, oldest first."""
        return tuple(self._exchanges)

    def ask(self, question: str, system_prompt: str) -> list[Message]:
        """Return the messages of a new run; the loop appends to this list."""
        self._question = question
        self._remembered = False
        self._messages = [SystemMessage(system_prompt)]
        for exchange in self._exchanges:
            self._messages.append(UserMessage(exchange.question))
            self._messages.append(AssistantMessage(exchange.answer))
        self._messages.append(UserMessage(question))
        return self._messages

    def retry(self, system_prompt: str) -> list[Message]:
        """Ask the last question again; the new answer replaces the old one."""
        self._forget_last_run()
        return self.ask(self._question, system_prompt)

    def go_on(self) -> list[Message]:
        """Return the last run's messages, to continue it with a new limit of hops."""
        return self._messages

    def finish(self, ended: RunFinished, shown: str = "") -> None:
        """Remember the question, and as its answer the text that the person can read.

        `shown` is the text on the page, used where the run has none because it was stopped or
        failed. A run that failed before any text leaves nothing.
        """
        self._forget_last_run()
        answer = (ended.text or shown).strip()
        if answer or ended.outcome != "error":
            self._exchanges.append(Exchange(self._question, answer or NO_ANSWER))
            self._remembered = True

    def forget(self) -> None:
        """Start a new conversation."""
        self.__init__()

    def restore(self, exchanges: Sequence[Exchange], question: str, *, answered: bool) -> None:
        """Continue a conversation that was kept.

        `question` is the last one that was asked; `answered`: it is that of the last exchange.
        """
        self._exchanges = list(exchanges)
        self._question = question
        self._remembered = answered and bool(exchanges)

    @property
    def question(self) -> str:
        """The last question that was asked, blank if there is none."""
        return self._question

    @property
    def answered(self) -> bool:
        """Whether the last question is that of the last exchange."""
        return self._remembered

    def retract(self) -> None:
        """Forget the last question and its answer: another question takes their place."""
        self._forget_last_run()

    def _forget_last_run(self) -> None:
        if self._remembered:
            self._exchanges.pop()
        self._remembered = False
