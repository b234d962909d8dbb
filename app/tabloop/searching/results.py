"""The tool results for one question, and their text in Markdown.

Rule: each call is made once, and every fact in the text is from a result.
"""

from collections.abc import Collection, Iterable, Sequence

from tabloop.agent.messages import AssistantMessage, Message, ToolMessage
from tabloop.core.json_text import Json, JsonObject, as_list, as_object, as_text, compact, parsed
from tabloop.searching.words import Phrases

__all__ = ["ROWS", "Lookups", "bullets", "full_text", "objects", "paragraphs", "rows"]

ROWS = {  # numbers of a session, and their names in the record
    "votes": "abstimmungen",
    "speaking": "redezeitJeFraktion",
    "interjections": "zwischenrufeJeFraktion",
}
SEARCHED = ("kernthema", "titel", "text", "sprecher", "fraktion", "aussage", "begruendung")


class Lookups:
    """`missing`: calls to make; `incomplete`: one did not work; `made`: tools called."""

    def __init__(self, messages: Sequence[Message], offered: Collection[str]) -> None:
        answers = {m.tool_call_id: m.content for m in messages if isinstance(m, ToolMessage)}
        turns = [message for message in messages if isinstance(message, AssistantMessage)]
        done = [call for turn in turns for call in turn.tool_calls if call.id in answers]
        read = {call.id: (parsed(answers[call.id]) or ("",))[0] for call in done}
        self._results = {_key(c.name, c.arguments): as_object(read[c.id]) for c in done}
        self.text = compact([*self._results.values()])
        self.offered, self.made, self.incomplete = offered, {call.name for call in done}, False
        self.missing: dict[tuple[str, str], None] = {}
        self.failures: list[JsonObject] = []

    def get(self, tool: str, **arguments: str) -> JsonObject:
        """Return a call's result; an empty object if it is missing or failed."""
        given = compact({name: value for name, value in arguments.items() if value})
        result = self._results.get(_key(tool, given))
        if result and as_text(result.get("status")) in ("", "ok"):
            return result
        self.incomplete = True  # so nothing can be said about what does not exist
        if result is not None:
            self.failures.append(result)
        elif tool in self.offered:
            self.missing[tool, given] = None
        return {}


def objects(item: JsonObject, key: str) -> list[JsonObject]:
    """Return the objects of a list in an object."""
    return [as_object(one) for one in as_list(item.get(key))]


def paragraphs(*parts: str) -> str:
    """Return the parts that are not blank, separated by blank lines."""
    return "\n\n".join(filter(None, parts))


def bullets(say: Phrases, key: str, items: Iterable[str], /, **facts: Json) -> str:
    """Return a Markdown list below a sentence, or the sentence and "none found"."""
    listed = "\n".join(f"- {item}" for item in items)
    above = say(key, **facts)
    return f"{above}\n\n{listed}" if listed else f"{above} {say('none')}"


def full_text(item: JsonObject) -> str:
    """Return what is searched in a session of a list, a point of a summary, or a fact-check."""
    texts = [item.get(key) for key in SEARCHED] + as_list(item.get("schlagzeilen"))
    return "; ".join(map(as_text, texts))


def rows(say: Phrases, session: JsonObject, kinds: Collection[str]) -> str:
    """Return lists of a session's numbers; `kinds` are some of `ROWS`."""
    counted = as_object(session.get("zahlen"))
    found = {kind: objects(counted, key) for kind, key in ROWS.items() if kind in kinds}
    return paragraphs(*(bullets(say, k, (_row(say, row) for row in v)) for k, v in found.items()))


def _row(say: Phrases, row: JsonObject) -> str:
    """Return a group with its number, or a vote with its numbers and groups."""
    tally = [say("tally", **as_object(row.get("zahlen")))] if row.get("zahlen") else []
    groups = (say("row", **group) for group in objects(row, "stimmverhalten"))
    return "; ".join([say("row", **row), *tally, *groups])


def _key(tool: str, arguments: str) -> tuple[str, str]:
    # one question makes one picture, and the person may edit its prompt
    return tool, "" if tool == "generate_image" else arguments
