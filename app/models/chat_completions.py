"""OpenAI chat completions without I/O: a strict writer and a tolerant reader.

Rule: what goes out is what every endpoint accepts, by an allow-list of keys; what comes in is
read however it is bent, and what cannot be read becomes a `ModelError` that says why.
"""

import re
import zlib
from collections import deque
from collections.abc import Iterator, Sequence
from typing import assert_never

from app.agent.errors import ModelError
from app.agent.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from app.agent.ports import ModelReply, ModelRequest, Usage
from app.agent.tools import definition
from app.models.endpoint_errors import error_in_body, error_of_status, quotation
from app.models.json_reading import (
    Json,
    JsonObject,
    as_list,
    as_object,
    as_text,
    compact,
    parsed,
)
from app.models.sendable import sendable
from app.models.thinking import without_thinking

__all__ = ["read_reply", "write_request"]

# Sent only when a middleware sets them. Not among them: `stream` and `n`, which decide how a
# reply has to be read.
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
TOOL_SETTINGS = ("tool_choice", "parallel_tool_calls")  # refused where no tools are sent

FINISH_REASONS = {
    "function_call": "tool_calls",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_length": "length",
    "end_turn": "stop",
    "eos": "stop",
    "stop_sequence": "stop",
    "": "stop",
}

_WIRE_ID = re.compile(r"[A-Za-z0-9]{9}")  # Mistral takes nothing else, the others take anything


def write_request(request: ModelRequest, *, model: str) -> bytes:
    """Return the body of one hop: JSON in UTF-8 with `model`, `messages` and, if any, `tools`.

    `request.settings` may add the fields in `SETTINGS`; other keys are left out.
    """
    body: dict[str, object] = {
        "model": model,
        "messages": list(_wire_messages(sendable(request.messages))),
    }
    allowed: tuple[str, ...] = SETTINGS
    if request.tools:
        body["tools"] = [definition(item) for item in request.tools]
        allowed += TOOL_SETTINGS
    body |= {key: request.settings[key] for key in allowed if key in request.settings}
    # Half of a surrogate pair, as a cut reply may hold it, has no place in UTF-8.
    return compact(body).encode("utf-8", "replace")


def read_reply(body: bytes, status: int = 200, *, host: str = "") -> ModelReply:
    """Read a whole response.

    Ids are as sent, "" where missing; arguments are JSON text as the model wrote it, "{}" where
    it wrote none. Calls that were announced but not sent leave a reply without text and calls
    whose `finish_reason` is "tool_calls". Raises `ModelError`.
    """
    document = parsed(body)
    if not 200 <= status < 300:
        raise error_of_status(status, document, body, host=host)
    if document is None:
        raise ModelError("not_json", host=host, status=status, detail=quotation(body))
    if error := error_in_body(document[0], host=host, status=status):
        raise error
    choice = as_object(next(iter(as_list(as_object(document[0]).get("choices"))), None))
    message = as_object(choice.get("message"))
    if not message and not as_text(choice.get("text")):
        raise ModelError("no_reply", host=host, status=status)
    reason = as_text(choice.get("finish_reason")).strip()
    return ModelReply(
        message=AssistantMessage(
            content=_visible_text(message, choice) or None, tool_calls=tuple(_calls(message))
        ),
        finish_reason=FINISH_REASONS.get(reason.lower(), reason),
        usage=_usage(as_object(document[0]).get("usage")),
    )


def _wire_messages(messages: Sequence[Message]) -> Iterator[dict[str, object]]:
    ids = _WireIds(messages)
    open_ids: deque[str] = deque()  # `sendable` has put the results into the order of the calls
    for message in messages:
        match message:
            case SystemMessage():
                yield {"role": "system", "content": message.content}
            case UserMessage():
                yield {"role": "user", "content": message.content}
            case ToolMessage():
                content = message.content or "{}"
                yield {"role": "tool", "tool_call_id": open_ids.popleft(), "content": content}
            case AssistantMessage(content, ()):
                yield {"role": "assistant", "content": content}
            case AssistantMessage(content, calls):
                open_ids.extend(ids.next_for(call.id) for call in calls)
                yield {
                    "role": "assistant",
                    "content": content if content and content.strip() else None,
                    "tool_calls": list(map(_wire_call, calls, open_ids)),
                }
            case _:
                assert_never(message)


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
    """Servers parse what is echoed. Where it is no object, the result says what was wrong."""
    value = parsed(text)
    if value and isinstance(value[0], str):
        value = parsed(value[0])
    return compact(value[0]) if value and isinstance(value[0], dict) else "{}"


class _WireIds:
    """Ids as the endpoint sees them: good ones stay, others get nine letters and digits."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._given = {
            call.id
            for message in messages
            if isinstance(message, AssistantMessage)
            for call in message.tool_calls
        }
        self._used: set[str] = set()

    def next_for(self, call_id: str) -> str:
        """Return the id of the next call; the same conversation always gets the same ids."""
        wire_id = call_id if _WIRE_ID.fullmatch(call_id) else ""
        salt = 0
        while not wire_id or wire_id in self._used:
            checksum = zlib.crc32(f"{call_id} {salt}".encode("utf-8", "replace"))
            wire_id, salt = f"c{checksum:08x}", salt + 1
            if wire_id in self._given:
                wire_id = ""
        self._used.add(wire_id)
        return wire_id


def _visible_text(message: JsonObject, choice: JsonObject) -> str:
    """Return the text meant for the person: never a thinking part, never a reasoning field."""
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(_part_text(part) for part in content)
    for candidate in (content, message.get("refusal"), choice.get("text")):
        if text := without_thinking(as_text(candidate)):
            return text
    return ""


def _part_text(part: Json) -> str:
    if isinstance(part, str):
        return part
    fields = as_object(part)
    kind = fields.get("type", "text")
    return as_text(fields.get("text")) if kind in ("text", "output_text") else ""


def _calls(message: JsonObject) -> Iterator[ToolCall]:
    listed = as_list(message.get("tool_calls")) or as_list(message.get("function_call"))
    for item in map(as_object, listed):
        function = as_object(item.get("function")) or item  # the legacy form has no wrapper
        if function:
            yield ToolCall(
                id=as_text(item.get("id")),
                name=as_text(function.get("name")),
                arguments=_arguments_text(function.get("arguments")),
            )


def _arguments_text(value: Json) -> str:
    if isinstance(value, str):
        return value if value.strip() else "{}"
    return "{}" if value is None else compact(value)


def _usage(value: Json) -> Usage | None:
    fields = as_object(value)
    prompt, completion = fields.get("prompt_tokens"), fields.get("completion_tokens")
    if not isinstance(prompt, int) and not isinstance(completion, int):
        return None
    return Usage(
        prompt_tokens=prompt if isinstance(prompt, int) else 0,
        completion_tokens=completion if isinstance(completion, int) else 0,
    )
