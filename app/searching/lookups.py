"""The calls of one question and what they brought. Rule: a call is made once."""

from collections.abc import Collection, Sequence

from app.agent.messages import AssistantMessage, Message, ToolMessage
from app.models.json_reading import JsonObject, as_list, as_object, as_text, compact, parsed

__all__ = ["Lookups", "objects"]


class Lookups:
    """`missing` are calls to make, `failures` results that are none, `off`: a tool is not offered.

    `text` are all results as one, blank where there is none.
    """

    def __init__(self, messages: Sequence[Message], offered: Collection[str]) -> None:
        answers = {m.tool_call_id: m.content for m in messages if isinstance(m, ToolMessage)}
        calls = [call for m in messages if isinstance(m, AssistantMessage) for call in m.tool_calls]
        done = [call for call in calls if call.id in answers]
        self._results = {_key(c.name, _read(c.arguments)): _read(answers[c.id]) for c in done}
        self.text = "".join(map(compact, self._results.values()))
        self.offered, self.off = offered, False
        self.missing: list[tuple[str, str]] = []
        self.failures: list[JsonObject] = []

    def get(self, tool: str, **arguments: str) -> JsonObject:
        """Return what a call brought; an empty object while it is missing, and where it failed."""
        given = {name: value for name, value in arguments.items() if value}
        result = self._results.get(_key(tool, given))
        if result is None and tool not in self.offered:
            self.off = True
        elif result is None and (call := (tool, compact(given))) not in self.missing:
            self.missing.append(call)
        elif result and as_text(result.get("status")) not in ("", "ok"):
            self.failures += [result] if result not in self.failures else []
            return {}
        return result or {}

    @property
    def unsure(self) -> bool:
        """Whether nothing can be said of what was not found."""
        return bool(self.missing or self.failures or self.off)


def objects(item: JsonObject, key: str) -> list[JsonObject]:
    """Return the objects of a list in an object."""
    return [as_object(one) for one in as_list(item.get(key))]


def _key(tool: str, given: JsonObject) -> str:
    """Name a call; a person may edit what a picture shows, and one question makes one picture."""
    return tool if tool == "generate_image" else tool + compact(sorted(given.items(), key=str))


def _read(text: str) -> JsonObject:
    value = parsed(text)
    return as_object(value[0]) if value else {}
