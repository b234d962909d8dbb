"""Writes the request to a chat endpoint, in a form that every endpoint accepts.

Rule: only keys of an allow-list; ids of one shape, the same in call and result; arguments and
results as text; no empty lists. The order of the messages is the task of `sendable`.

`tool_choice` and `parallel_tool_calls` are sent only if a middleware sets them: some endpoints
refuse the whole request because of them, and their default values suit the loop.
"""

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from tabloop.agent.definitions import definition
from tabloop.agent.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from tabloop.agent.ports import ModelRequest
from tabloop.core.json_text import compact, parsed
from tabloop.endpoint.echo import Echo
from tabloop.endpoint.sendable import sendable

__all__ = ["MessageForm", "write_request"]

# Sent only when a middleware sets them. `stream` and `n` are not allowed, since they change how
# the reply must be read.
SETTINGS = (
    "model",
    "temperature",
    "top_p",
    "max_tokens",
    "max_completion_tokens",
    "stop",
    "seed",
    "presence_penalty",
    "frequency_penalty",
    "reasoning_effort",
    "response_format",
)
TOOL_SETTINGS = ("tool_choice", "parallel_tool_calls")  # refused if no tools are sent


@dataclass(frozen=True, slots=True)
class MessageForm:
    """What an endpoint wants in messages with calls.

    `wanted_back`: names of fields of its replies (see `echo`). `no_content`: for a blank text.
    """

    wanted_back: frozenset[str] = frozenset()
    no_content: str | None = None


PLAIN = MessageForm()
_WIRE_ID = re.compile(r"[A-Za-z0-9]{9}")  # Mistral accepts nothing else, the others accept anything


def write_request(
    request: ModelRequest,
    *,
    model: str,
    stream: bool = False,
    usage: bool = False,
    host: str = "",
    form: MessageForm = PLAIN,
) -> bytes:
    """Return the body of one hop: JSON in UTF-8 with `model`, `messages` and, if any, `tools`.

    `request.settings` may add the fields in `SETTINGS`; other keys are left out. `stream` asks for
    a stream, `usage` for the usage at its end; without them the keys are left out. `form` is what
    the endpoint at `host` wants in messages.
    """
    body: dict[str, object] = {
        "model": model,
        "messages": list(_wire_messages(sendable(request.messages), host, form)),
    }
    allowed: tuple[str, ...] = SETTINGS
    if request.tools:
        body["tools"] = [definition(item) for item in request.tools]
        allowed += TOOL_SETTINGS
    body |= {key: request.settings[key] for key in allowed if key in request.settings}
    if stream:
        body["stream"] = True
        if usage:
            body["stream_options"] = {"include_usage": True}
    # A truncated reply may end with a lone surrogate, which UTF-8 cannot encode.
    return compact(body).encode("utf-8", "replace")


def _wire_messages(
    messages: Sequence[Message], host: str, form: MessageForm
) -> Iterator[dict[str, object]]:
    ids = _WireIds(messages)
    open_ids: deque[str] = deque()  # `sendable` has sorted the results in the order of the calls
    for message in messages:
        match message:
            case SystemMessage():
                yield {"role": "system", "content": message.content}
            case UserMessage():
                yield {"role": "user", "content": _user_content(message)}
            case ToolMessage():
                content = message.content or "{}"
                yield {"role": "tool", "tool_call_id": open_ids.popleft(), "content": content}
            case AssistantMessage(content, ()):
                yield {"role": "assistant", "content": content}
            case AssistantMessage(content, calls):
                open_ids.extend(ids.next_for(call.id) for call in calls)
                echo = Echo.of(message, host)
                yield {
                    "role": "assistant",
                    "content": content if content and content.strip() else form.no_content,
                    "tool_calls": [
                        _wire_call(call, wire_id) | echo.in_call(number, form.wanted_back)
                        for number, (call, wire_id) in enumerate(zip(calls, open_ids, strict=True))
                    ],
                    **echo.in_message(form.wanted_back),
                }


def _user_content(message: UserMessage) -> str | list[dict[str, object]]:
    """Return a text, which every endpoint accepts, or parts where there are images."""
    if not message.images:
        return message.content
    parts: list[dict[str, object]] = []
    if message.content.strip():
        parts.append({"type": "text", "text": message.content})
    for image in message.images:
        detail = {} if image.detail == "auto" else {"detail": image.detail}
        parts.append({"type": "image_url", "image_url": {"url": image.url, **detail}})
    return parts


def _wire_call(call: ToolCall, wire_id: str) -> dict[str, object]:
    return {
        "id": wire_id,
        "type": "function",
        "function": {
            "name": re.sub(r"[^A-Za-z0-9_-]", "_", call.name)[:64] or "unknown",
            "arguments": _wire_arguments(call.arguments),
        },
    }


def _wire_arguments(text: str) -> str:
    """Return a JSON object, since servers parse it; "{}" for invalid arguments."""
    value = parsed(text)
    if value and isinstance(value[0], str):
        value = parsed(value[0])
    return compact(value[0]) if value and isinstance(value[0], dict) else "{}"


class _WireIds:
    """Ids for the endpoint: valid ones stay, others are replaced by nine letters and digits."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._given = {
            call.id
            for message in messages
            if isinstance(message, AssistantMessage)
            for call in message.tool_calls
        }
        self._used: set[str] = set()
        self._fresh = (f"c{number:08d}" for number in count(1))

    def next_for(self, call_id: str) -> str:
        """Return the id of the next call; the same conversation always gets the same ids."""
        if _WIRE_ID.fullmatch(call_id) and call_id not in self._used:
            self._used.add(call_id)
            return call_id
        return next(wire_id for wire_id in self._fresh if wire_id not in self._given)
