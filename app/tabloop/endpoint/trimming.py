"""Shortens a conversation that is too long for its model.

Rule: whole runs are dropped (a question and all messages after it), the oldest first; the system
message and the current question stay, with all calls and results after it.
"""

import re
from collections.abc import Iterable, Sequence

from tabloop.agent.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolMessage,
    UserMessage,
)

__all__ = ["shortened", "size_of", "target_size", "without_calls"]

# Refusals differ, but all have one of these words next to the number of their limit.
# Strings, not compiled patterns: most visits see no refusal, and compiling slows the start.
_LIMIT = r"(?i)(?:context|maximum|limit)\D{0,60}?(\d{3,9})|(\d{3,9}) (?:maximum|context|limit)"
_NUMBER = r"\d{3,9}"
MARGIN = 0.8  # characters are not tokens, and the answer needs space too
DEFAULT_SHARE = 0.5
MIN_SHARE = 0.05
IMAGE_SIZE = 4_000  # characters of text that cost about as many tokens as an image


def size_of(messages: Iterable[Message]) -> int:
    """Return the approximate size of the messages, in characters."""
    return sum(map(_size, messages))


def target_size(size: int, refusal: str) -> int:
    """Return the size to shorten a conversation of `size` to, by the text of its refusal."""
    text = re.sub(r"(?<=\d)[,_](?=\d{3})", "", refusal)
    found = re.search(_LIMIT, text)
    limit = int(found[1] or found[2]) if found else 0
    asked = max(map(int, re.findall(_NUMBER, text)), default=0)
    share = limit / asked * MARGIN if 0 < limit < asked else DEFAULT_SHARE
    return int(size * max(share, MIN_SHARE))


def shortened(messages: Sequence[Message], target: int) -> tuple[Message, ...] | None:
    """Drop at least one run, until the size is `target`; `None` if there is none to drop."""
    starts = [at for at, message in enumerate(messages) if isinstance(message, UserMessage)]
    if len(starts) < 2:
        return None
    shorter: tuple[Message, ...] = ()
    for start in starts[1:]:
        instructions = (item for item in messages[:start] if isinstance(item, SystemMessage))
        shorter = (*instructions, *messages[start:])
        if size_of(shorter) <= target:
            break
    return shorter


def without_calls(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return the messages for a model without tools: no calls and no results."""
    return tuple(
        AssistantMessage(message.content) if isinstance(message, AssistantMessage) else message
        for message in messages
        if not isinstance(message, ToolMessage)
    )


def _size(message: Message) -> int:
    size = len(message.content or "")
    if isinstance(message, UserMessage):
        size += len(message.images) * IMAGE_SIZE
    if isinstance(message, AssistantMessage):
        size += sum(len(call.name) + len(call.arguments) for call in message.tool_calls)
    return size
