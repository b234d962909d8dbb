"""Repair of a history. Rule: afterwards each call has exactly one result, directly after it."""

from collections.abc import Iterable, Sequence
from typing import TypeAlias, cast

from tabloop.agent.errors import SetupError
from tabloop.agent.messages import AssistantMessage, ImagePart, Message, ToolMessage, UserMessage
from tabloop.agent.results import error_result

__all__ = ["INTERRUPTED", "CheckedHistory", "Question", "as_messages", "call_ids", "repair"]

Question: TypeAlias = str | UserMessage | list[Message]

INTERRUPTED = error_result("interrupted", "The call was interrupted before it gave a result.")


def as_messages(question: Question) -> list[Message]:
    """Return the messages of a question; a list is returned as it is."""
    if isinstance(question, list):
        return question
    return [question if isinstance(question, UserMessage) else UserMessage(question)]


class CheckedHistory:
    """The history that was repaired last, so that a long one is not read again in each run.

    Only messages that still begin a list are taken as checked; all others are read.
    """

    def __init__(self) -> None:
        self._messages: list[Message] = []
        self._call_ids: set[str] = set()

    def repair(self, messages: list[Message]) -> None:
        """Repair the list as `repair` does."""
        start = self._begins(messages)
        repair(messages, start)
        known = self._call_ids if start else set[str]()
        self._messages, self._call_ids = list(messages), known | call_ids(messages[start:])

    def call_ids(self, messages: list[Message]) -> set[str]:
        """Return a new set of the ids of all calls in the list."""
        start = self._begins(messages)
        known = self._call_ids if start else set[str]()
        return known | call_ids(messages[start:])

    def _begins(self, messages: object) -> int:
        """Return how many messages need not be read; those that are the same compare quickly."""
        count = len(self._messages)
        known = isinstance(messages, list) and messages[:count] == self._messages
        return count if known else 0


def call_ids(messages: Iterable[Message]) -> set[str]:
    """Return the ids of all calls in these messages."""
    return {
        call.id
        for message in messages
        if isinstance(message, AssistantMessage)
        for call in message.tool_calls
    }


def repair(messages: list[Message], start: int = 0) -> None:
    """Repair the list in place; what is before `start` is in order, and is not read.

    Calls without a result get `interrupted`. Results are moved after their call, in call order.
    Results without a call, and further results of the same call, are dropped. Raises `SetupError`
    for what is no list of messages.
    """
    _check(messages, start)
    repaired: list[Message] = []
    for index in range(start, len(messages)):
        message = messages[index]
        if isinstance(message, ToolMessage):
            continue  # placed with its call below
        repaired.append(message)
        if isinstance(message, AssistantMessage) and message.tool_calls:
            answers = _answers(messages, index)
            repaired.extend(
                answers.get(call.id) or ToolMessage(call.id, INTERRUPTED.content)
                for call in message.tool_calls
            )
    messages[start:] = repaired


def _check(messages: object, start: int) -> None:
    if not isinstance(messages, list):
        raise SetupError('the messages must be a list, such as [UserMessage("...")]')
    for index, message in enumerate(cast("list[object]", messages)[start:], start):
        if not isinstance(message, Message):
            kind = type(message).__name__
            write = 'write UserMessage("...") or another message class'
            raise SetupError(f"messages[{index}] is a {kind}: {write}")
        if isinstance(message, UserMessage) and not _is_typed(message):
            write = 'UserMessage("...", images=(ImagePart(url),))'
            raise SetupError(f"messages[{index}] holds no text, or no images: write {write}")


def _is_typed(message: UserMessage) -> bool:
    """Whether the parts have their types; a user's program may not be type-checked."""
    content, images = cast("tuple[object, tuple[object, ...]]", (message.content, message.images))
    return isinstance(content, str) and all(isinstance(image, ImagePart) for image in images)


def _answers(messages: Sequence[Message], index: int) -> dict[str, ToolMessage]:
    """Return the first result for each id between this assistant message and the next."""
    answers: dict[str, ToolMessage] = {}
    for place in range(index + 1, len(messages)):  # a slice would copy a long conversation
        message = messages[place]
        if isinstance(message, AssistantMessage):
            break
        if isinstance(message, ToolMessage):
            answers.setdefault(message.tool_call_id, message)
    return answers
