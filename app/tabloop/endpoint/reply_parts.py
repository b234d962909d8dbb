"""Fields that whole and streamed replies share. Rule: no JSON value makes a function raise."""

from tabloop.agent.ports import Usage
from tabloop.core.json_text import Json, JsonObject, as_list, as_object, as_text, compact

__all__ = [
    "arguments_text",
    "content_text",
    "finish_reason_of",
    "first_choice",
    "function_of",
    "is_finished",
    "listed_calls",
    "reason_of",
    "reasoning_text",
    "usage_of",
]

FINISH_REASONS = {
    "function_call": "tool_calls",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_length": "length",
    "end_turn": "stop",
    "eos": "stop",
    "stop_sequence": "stop",
}


def first_choice(document: Json) -> JsonObject:
    """Return the first choice; an empty object if there is none."""
    return as_object(next(iter(as_list(as_object(document).get("choices"))), None))


def content_text(content: Json) -> str:
    """Return the text, without parts of type reasoning, but with reasoning tags in it."""
    if isinstance(content, list):
        return "".join(_part_text(part) for part in content)
    return _part_text(content) if isinstance(content, dict) else as_text(content)


def reasoning_text(message: JsonObject) -> str:
    """Return the reasoning that a message or delta has beside its text, "" if there is none."""
    for key in ("reasoning_content", "reasoning"):
        if text := as_text(message.get(key)):
            return text
    details = (as_object(part) for part in as_list(message.get("reasoning_details")))
    parts = map(as_object, as_list(message.get("content")))
    return "".join(
        [as_text(part.get("text")) or as_text(part.get("summary")) for part in details]
        + [content_text(part.get("thinking")) for part in parts if part.get("type") == "thinking"]
    )


def listed_calls(message: JsonObject) -> list[JsonObject]:
    """Return the calls of a message or delta, also in the legacy form."""
    listed = as_list(message.get("tool_calls")) or as_list(message.get("function_call"))
    return [item for item in map(as_object, listed) if item]


def reason_of(said: str, *, text: str, listed: bool, calls: bool) -> str:
    """Return why the reply ended. Calls that are `listed` but all nameless count as not sent."""
    if listed and not calls and not text:
        return "tool_calls"
    return said or ("tool_calls" if calls else "stop")


def is_finished(reason: str, *, calls: bool) -> bool:
    """Whether the model says that its answer is complete; before a call it may be reasoning."""
    return not calls and reason not in ("length", "tool_calls", "content_filter")


def function_of(call: JsonObject) -> JsonObject:
    """Return name and arguments; the legacy form has no wrapper around them."""
    return as_object(call.get("function")) or call


def arguments_text(value: Json) -> str:
    """Return arguments as JSON text, "" if there are none."""
    if isinstance(value, str):
        return value
    return "" if value is None else compact(value)


def finish_reason_of(choice: JsonObject) -> str:
    """Return the OpenAI format's finish reason, "" if there is none."""
    reason = as_text(choice.get("finish_reason")).strip()
    return FINISH_REASONS.get(reason.lower(), reason)


def usage_of(document: Json) -> Usage | None:
    """Return the usage; some servers put it into the choice, or into a field of their own."""
    fields = as_object(document)
    places = (fields, as_object(fields.get("x_groq")), first_choice(document))
    return next((found for place in places if (found := _usage(place.get("usage")))), None)


def _part_text(part: Json) -> str:
    if isinstance(part, str):
        return part
    fields = as_object(part)
    kind = fields.get("type", "text")
    return as_text(fields.get("text")) if kind in ("text", "output_text") else ""


def _usage(value: Json) -> Usage | None:
    fields = as_object(value)
    prompt, completion = fields.get("prompt_tokens"), fields.get("completion_tokens")
    if not isinstance(prompt, int) and not isinstance(completion, int):
        return None
    return Usage(
        prompt_tokens=prompt if isinstance(prompt, int) else 0,
        completion_tokens=completion if isinstance(completion, int) else 0,
    )
