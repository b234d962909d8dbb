"""What a small model is told: the form of its replies, its tools in few words, the messages.

Rule: it sees earlier replies in the form in which it has to reply.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tabloop.agent.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolMessage,
    UserMessage,
)
from tabloop.agent.tools import Tool
from tabloop.core.german_text import words
from tabloop.core.json_text import Json, as_object, compact, parsed
from tabloop.core.phrases import Phrase
from tabloop.ondevice.ports import Prompt

__all__ = ["constraint", "cut", "one_domain", "repair", "system_text", "written"]

ANSWER = '{"answer": "your answer in Markdown"}'
CALL = '{"calls": [{"name": "a tool", "arguments": {}}]}'
MAX_TOOLS = 2  # at a time, where the definitions are too large
# items of a list and characters of a text that stay in a result which is too long
_LEVELS = ((20, 400), (10, 300), (6, 200), (4, 160), (3, 120), (2, 80), (1, 60), (1, 20))


def system_text(system: str, tools: Sequence[Tool]) -> str:
    """Return the instructions of a session."""
    if not tools:
        return f"{system}\n\nReply with one JSON object and nothing else: {ANSWER}"
    lines = "\n".join(f"- {_signature(tool)}: {_brief(tool)}" for tool in tools)
    return (
        f"{system}\n\nReply with one JSON object and nothing else. Either {ANSWER}, or, to look"
        f" something up first, {CALL}. One call at a time; the next message is its result. Do not"
        f" repeat a call. Tools:\n{lines}"
    )


def repair(reason: str, tools: Sequence[Tool]) -> Prompt:
    """Return what to tell the model about a reply that cannot be used."""
    forms = f"{ANSWER} or {CALL}" if tools else ANSWER
    return Prompt("user", f"Your reply cannot be used. {reason} Reply again, with {forms} only.")


def constraint(tools: Sequence[Tool]) -> Mapping[str, Any]:
    """Return the JSON schema of a reply: an answer, or one call of one of the tools."""
    answer = _object(answer={"type": "string"})
    if not tools:
        return answer
    calls = [
        # a schema with definitions of its own could not refer to them from here
        _object(
            name={"type": "string", "enum": [tool.name]},
            arguments={"type": "object"} if "$defs" in tool.parameters else tool.parameters,
        )
        for tool in tools
    ]
    one = {"type": "array", "items": {"anyOf": calls}, "minItems": 1, "maxItems": 1}
    return {"anyOf": [answer, _object(calls=one)]}


def one_domain(tools: Sequence[Tool], messages: Sequence[Message]) -> tuple[Tool, ...]:
    """Return at most two tools of one source: of the last call, else those that fit the question.

    The words of a question are compared with all texts about a tool, in both languages.
    """
    called = [
        call.name
        for message in messages
        if isinstance(message, AssistantMessage)
        for call in message.tool_calls
    ]
    questions = [message.content for message in messages if isinstance(message, UserMessage)]
    asked = set(words(questions[-1])) if questions else set[str]()

    def rank(tool: Tool) -> tuple[int, int]:
        last = called.index(tool.name) if tool.name in called else -1
        return last, len(asked & set(words(_texts(tool))))

    best = max(tools, key=rank, default=None)
    return tuple(item for item in tools if best and item.source == best.source)[:MAX_TOOLS]


def written(
    messages: Sequence[Message], dated: Callable[[str], str], most: int | None = None
) -> tuple[list[Prompt], bool]:
    """Return the messages after the instructions, and whether a result was cut to `most` signs."""
    names: dict[str, str] = {}
    prompts: list[Prompt] = []
    was_cut = False
    for message in messages:
        match message:
            case AssistantMessage(content, calls):
                names |= {call.id: call.name for call in calls}
                prompts.append(Prompt("assistant", _reply(content, calls)))
            case ToolMessage(call_id, content):
                shown = content if most is None or len(content) <= most else cut(content, most)
                was_cut |= shown != content
                prompts.append(Prompt("user", f"Result of {names.get(call_id, 'it')}: {shown}"))
            case SystemMessage(content):
                if prompts:
                    prompts.append(Prompt("user", content))
            case _:
                prompts.append(Prompt("user", dated(message.content)))
    return prompts, was_cut


def cut(content: str, most: int) -> str:
    """Return a result of at most `most` characters: the first items of lists, texts cut short."""
    [value] = parsed(content) or (None,)
    for items, signs in _LEVELS:
        note = {"note": "Only a part of the result; the rest does not fit."}
        shorter = compact({**as_object(_pruned(value, items, signs)), **note})
        if len(shorter) <= most:
            return shorter
    return content[:most]


def _pruned(value: Json, items: int, signs: int) -> Json:
    if isinstance(value, dict):
        return {key: _pruned(item, items, signs) for key, item in value.items()}
    if isinstance(value, list):
        return [_pruned(item, items, signs) for item in value[:items]]
    if isinstance(value, str) and len(value) > signs and not value.startswith("http"):
        return value[:signs].rstrip() + "…"
    return value


def _reply(content: str | None, calls: Sequence[Any]) -> str:
    if not calls:
        return compact({"answer": content or ""})
    read = [
        {"name": call.name, "arguments": as_object((parsed(call.arguments) or ({},))[0])}
        for call in calls
    ]
    return compact({"calls": read})


def _object(**properties: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": [*properties],
        "additionalProperties": False,
    }


def _signature(tool: Tool) -> str:
    required = tool.parameters.get("required", ())
    names = (
        name if name in required else f"{name}?" for name in tool.parameters.get("properties", {})
    )
    return f"{tool.name}({', '.join(names)})"


def _brief(tool: Tool) -> str:
    return tool.brief or tool.description.partition(". ")[0].replace("\n", " ").rstrip(".") + "."


def _texts(tool: Tool) -> str:
    shown = tool.presentation
    parts = [tool.name, tool.description, tool.brief]
    for text in (shown.title, shown.capability):
        parts += [text.form("en"), text.form("de")] if isinstance(text, Phrase) else [text]
    return " ".join(parts)
