"""Repairs the order of messages before each request, so that every endpoint accepts it.

Rule: one system message, first; a user or tool message before each assistant message and at the
end; an assistant message before each further user message; each call followed by its one result;
no blank messages. A missing message is inserted with a text that says so.
"""

from collections.abc import Sequence

from tabloop.agent.conversation import NO_ANSWER
from tabloop.agent.history import repair
from tabloop.agent.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolMessage,
    UserMessage,
)

__all__ = ["GO_ON", "sendable"]

# Read by the model, never shown: inserted where a run was stopped or failed.
_NO_ANSWER = AssistantMessage(NO_ANSWER)
GO_ON = UserMessage("Please go on.")


def sendable(messages: Sequence[Message]) -> list[Message]:
    """Return a list that any chat endpoint accepts; the given one is not changed."""
    repaired = [message for message in messages if not _blank(message)]
    repair(repaired)
    system = [message.content for message in repaired if isinstance(message, SystemMessage)]
    ordered: list[Message] = [SystemMessage("\n\n".join(system))] if system else []
    for message in repaired:
        if isinstance(message, SystemMessage):
            continue
        before = ordered[-1] if ordered else None
        if isinstance(message, UserMessage) and isinstance(before, UserMessage | ToolMessage):
            ordered.append(_NO_ANSWER)
        if isinstance(message, AssistantMessage) and not _asks(before):
            ordered.append(GO_ON)
        ordered.append(message)
    if not _asks(ordered[-1] if ordered else None):
        ordered.append(GO_ON)
    return ordered


def _asks(message: Message | None) -> bool:
    return isinstance(message, UserMessage | ToolMessage)


def _blank(message: Message) -> bool:
    match message:
        case AssistantMessage():
            return not message.tool_calls and not (message.content or "").strip()
        case ToolMessage():
            return False
        case UserMessage(images=images) if images:
            return False
        case _:
            return not message.content.strip()
