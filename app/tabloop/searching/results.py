"""The tool results for one question, and their text in Markdown.

Rule: each call is made once, and every fact in the text is from a result.
"""

from collections.abc import Collection, Iterable, Sequence

from tabloop.agent.messages import AssistantMessage, Message, ToolMessage
from tabloop.core.json_text import JsonObject, as_list, as_object, as_text, compact, parsed
from tabloop.searching.words import Phrases

__all__ = ["Lookups", "bullets", "full_text", "headlines", "lines", "objects", "paragraphs", "rows"]


class Lookups:
    """`missing`: calls to make; `not_offered`: a tool is missing; `text`: all results as JSON."""

    def __init__(self, messages: Sequence[Message], offered: Collection[str]) -> None:
        answers = {m.tool_call_id: m.content for m in messages if isinstance(m, ToolMessage)}
        turns = [message for message in messages if isinstance(message, AssistantMessage)]
        done = [call for turn in turns for call in turn.tool_calls if call.id in answers]
        self._results = {_key(c.name, _read(c.arguments)): _read(answers[c.id]) for c in done}
        self.text = "".join(map(compact, self._results.values()))
        self.offered, self.not_offered, self.incomplete = offered, False, False
        self.missing: dict[tuple[str, str], None] = {}
        self.failures: list[JsonObject] = []

    def get(self, tool: str, **arguments: str) -> JsonObject:
        """Return a call's result; an empty object if it is missing or failed."""
        given = {name: value for name, value in arguments.items() if value}
        result = self._results.get(_key(tool, given))
        if result and as_text(result.get("status")) in ("", "ok"):
            return result
        if result is not None:
            self.failures.append(result)
        elif tool in self.offered:
            self.missing[tool, compact(given)] = None
        else:
            self.not_offered = True
        self.incomplete = True  # so nothing can be said about what does not exist
        return {}


def objects(item: JsonObject, key: str) -> list[JsonObject]:
    """Return the objects of a list in an object."""
    return [as_object(one) for one in as_list(item.get(key))]


def lines(say: Phrases, key: str, item: JsonObject, listed: str) -> list[str]:
    """Return a line for each object of a list in an object."""
    return [say.line(key, one) for one in objects(item, listed)]


def paragraphs(*parts: str) -> str:
    """Return the parts that are not blank, separated by blank lines."""
    return "\n\n".join(part for part in parts if part)


def bullets(title: str, items: Iterable[str]) -> str:
    """Return a Markdown list below its title; blank if there are no items."""
    listed = "\n".join(f"- {item}" for item in items)
    return f"{title}\n\n{listed}".strip() if listed else ""


def headlines(item: JsonObject) -> list[str]:
    """Return the main topic and the headlines of a session."""
    return [as_text(item.get("kernthema")), *map(as_text, as_list(item.get("schlagzeilen")))]


def full_text(item: JsonObject) -> str:
    """Return the text of a session in a list, or of a fact-check, that is searched for words."""
    checked = (as_text(item.get(key)) for key in ("aussage", "begruendung"))
    return "; ".join([*headlines(item), *checked])


def rows(say: Phrases, session: JsonObject, kinds: Collection[str], none: str = "") -> str:
    """Return lists of a session's numbers: `kinds` are votes, speaking, interjections.

    `none` is what stands in place of a list without rows.
    """
    counted = as_object(session.get("zahlen"))
    found = {
        "votes": [_vote(say, vote) for vote in objects(counted, "abstimmungen")],
        "speaking": lines(say, "row", counted, "redezeitJeFraktion"),
        "interjections": lines(say, "row", counted, "zwischenrufeJeFraktion"),
    }
    wanted = {kind: found[kind] or [none] * bool(none) for kind in found if kind in kinds}
    return paragraphs(*(bullets(say(kind), items) for kind, items in wanted.items()))


def _vote(say: Phrases, vote: JsonObject) -> str:
    parts, counted = [say.line("vote", vote)], as_object(vote.get("zahlen"))
    for code in ("ja", "nein", "enthaltung"):
        cast = [item for item in objects(vote, "stimmverhalten") if item.get("votum") == code]
        groups = ", ".join(as_text(item.get("fraktion")) for item in cast)
        text = " · ".join(filter(None, (as_text(counted.get(code)), groups)))
        parts += [f"{say.formatted(code)}: {text}"] if text else []
    return "; ".join(parts)


def _key(tool: str, given: JsonObject) -> str:
    # one question makes one picture, and the person may edit its prompt
    return tool if tool == "generate_image" else tool + compact(sorted(given.items(), key=str))


def _read(text: str) -> JsonObject:
    value = parsed(text)
    return as_object(value[0]) if value else {}
