"""Fields of a reply that some endpoints want back with the result of its calls.

Rule: they are kept as one text beside the assistant message and go to no other endpoint, and only
those go back that the endpoint asked for in a refusal. Nobody else reads them.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from tabloop.agent.messages import AssistantMessage, Message
from tabloop.core.json_text import Json, JsonObject, as_list, as_object, compact, parsed

__all__ = ["Echo", "call_fields", "fields_asked_for", "merge", "message_fields"]

MAX_LENGTH = 1_000_000  # characters; longer reasoning cannot be sent back
# DeepSeek refuses a turn with calls that lacks this field, even if there was no reasoning
BLANK: JsonObject = {"reasoning_content": ""}
READ = frozenset({"role", "content", "tool_calls", "function_call", "refusal", "audio"})
READ_OF_CALL = frozenset({"index", "id", "type", "function", "name", "arguments"})


class Echo:
    """The kept fields of one assistant message, as `for_endpoint` of `host` may send them."""

    def __init__(self, message: JsonObject, calls: Sequence[JsonObject]) -> None:
        self._message = message
        self._calls = calls

    @classmethod
    def of(cls, message: AssistantMessage, host: str) -> "Echo":
        """Return the fields that this host sent with the message; none if another one sent it."""
        found = parsed(message.echo) if message.echo else None
        kept = as_object(found[0] if found else None)
        if kept.get("host") != host:
            return cls({}, ())
        calls = [as_object(call) for call in as_list(kept.get("calls"))]
        return cls(as_object(kept.get("message")), calls)

    def text(self, host: str) -> str:
        """Return the text for `AssistantMessage.echo`, blank if there is nothing to keep."""
        if not self._message and not any(self._calls):
            return ""
        text = compact({"host": host, "message": self._message, "calls": list(self._calls)})
        return text if len(text) <= MAX_LENGTH else ""

    def in_message(self, wanted: Iterable[str]) -> dict[str, Json]:
        """Return those of the wanted fields that belong beside `content` and calls."""
        fields = {**BLANK, **self._message}
        return {key: fields[key] for key in wanted if key in fields}

    def in_call(self, number: int, wanted: Iterable[str]) -> dict[str, Json]:
        """Return those of the wanted fields that belong into the call with this number."""
        fields: JsonObject = self._calls[number] if number < len(self._calls) else {}
        return {key: fields[key] for key in wanted if key in fields}

    def asked_for(self, words: str) -> set[str]:
        """Return the fields that the words of a refusal name, themselves or a part of them."""
        plain = _plain(words)
        places = (self._message, *self._calls)
        return {
            key
            for fields in places
            for key, value in fields.items()
            if any(name in plain for name in map(_plain, (key, *_names(value))) if len(name) > 5)
        }


def fields_asked_for(messages: Iterable[Message], host: str, words: str) -> set[str]:
    """Return the kept fields of these messages that the words of a refusal name."""
    turns = (message for message in messages if isinstance(message, AssistantMessage))
    return {key for turn in turns for key in Echo.of(turn, host).asked_for(words)}


def message_fields(message: JsonObject) -> dict[str, Json]:
    """Return the fields of a message or delta that nothing else reads."""
    return {key: value for key, value in message.items() if key not in READ and value is not None}


def call_fields(call: JsonObject) -> dict[str, Json]:
    """Return the fields of a call that nothing else reads."""
    return {key: call[key] for key in call if key not in READ_OF_CALL and call[key] is not None}


def merge(pieces: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    """Return the fields of all deltas: texts and lists are joined, of others the last one counts.

    It takes time that grows as the pieces do.
    """
    values: dict[str, list[Json]] = {}
    for piece in pieces:
        for key, value in piece.items():
            values.setdefault(key, []).append(value)
    return {key: _joined(given) for key, given in values.items()}


def _joined(values: list[Json]) -> Json:
    if all(isinstance(value, str) for value in values):
        return "".join(value for value in values if isinstance(value, str))
    if all(isinstance(value, list) for value in values):
        return [item for value in values for item in as_list(value)]
    return values[-1]


def _names(value: Json) -> Iterable[str]:
    """Yield the names of the fields inside a value, two levels deep."""
    for key, inner in as_object(value).items():
        yield key
        yield from as_object(inner)


def _plain(words: str) -> str:
    return re.sub(r"[\W_]+", "", words).lower()
