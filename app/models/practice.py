"""The practice model: a script behind the port `ChatModel`, without network and without charge.

Rule: it works from the messages alone, calls tools as a model would, and never pretends to be a
language model: what it does not understand it says, and whatever it states stands in a result.
"""

from collections.abc import AsyncIterator, Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from app.agent.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from app.agent.ports import ModelReply, ModelRequest, TextDelta
from app.models import practice_answers as answers
from app.models import practice_words as asked
from app.models.json_reading import JsonObject, as_list, as_object, as_text, compact, parsed
from app.models.practice_dates import Days, find_days

__all__ = ["PracticeModel", "practice_turn"]

OPENED_AT_ONCE = 2  # sessions; more are told by their headlines
SEARCHES = 3  # of claims, each with fewer words


class PracticeModel:
    """Plays its script. `now` gives the visitor's own time, against which dates are read."""

    def __init__(self, now: Callable[[], datetime] = lambda: datetime.now().astimezone()) -> None:
        self._now = now

    async def reply(self, request: ModelRequest) -> AsyncIterator[TextDelta | ModelReply]:
        """Yield the turn at once; never raises."""
        offered = {item.name for item in request.tools}
        message = practice_turn(request.messages, offered, self._now().date())
        yield ModelReply(message, "tool_calls" if message.tool_calls else "stop")


def practice_turn(
    messages: Sequence[Message], offered: Collection[str], today: date
) -> AssistantMessage:
    """Return the next turn of a conversation: calls of `offered` tools, or an answer."""
    script = _Script(messages, offered, today)
    turn = script.next()
    if isinstance(turn, str):
        return AssistantMessage(turn)
    return AssistantMessage(
        None,
        tuple(
            ToolCall(
                f"prac{len(messages) % 1000:03d}{number:02d}", call.tool, compact(call.arguments)
            )
            for number, call in enumerate(turn)
        ),
    )


@dataclass(frozen=True, slots=True)
class _Call:
    tool: str
    arguments: dict[str, str]


@dataclass(frozen=True, slots=True)
class _Step:
    """A call that has its result."""

    tool: str
    arguments: JsonObject
    result: JsonObject

    @property
    def ok(self) -> bool:
        return self.result.get("status", "ok") == "ok"


class _Script:
    """One conversation as it stands: the question, what was asked before it, what was looked up."""

    def __init__(self, messages: Sequence[Message], offered: Collection[str], today: date) -> None:
        places = [
            place
            for place, message in enumerate(messages)
            if isinstance(message, UserMessage) and not asked.asks_to_go_on(message.content)
        ]
        self.questions = [
            m.content for p in reversed(places) if isinstance(m := messages[p], UserMessage)
        ]
        self.question = self.questions[0] if self.questions else ""
        self.steps = list(_steps(messages[places[-1] :])) if places else []
        self.offered = offered
        self.today = today
        self.language: asked.Language = asked.language_of(self.questions)

    def next(self) -> "str | list[_Call]":
        match self._intent():
            case "session":
                return self._session()
            case "claims":
                return self._claims()
            case "picture":
                return self._picture()
            case "visitors":
                return self._visitors()
            case None:
                return answers.say(self.language, "help")

    def _intent(self) -> asked.Intent | None:
        if intent := asked.intent_of(self.question):
            return intent
        if find_days(self.question, self.today):
            return "session"
        if asked.continues(self.question):
            earlier = map(asked.intent_of, self.questions[1:])
            return next((intent for intent in earlier if intent), None)
        return None

    def _session(self) -> "str | list[_Call]":
        tool = "get_sitzungen"
        if opened := [step for step in self.steps if "slug" in step.arguments]:
            return "\n\n".join(map(self._told, opened))
        if failed := self._failed():
            return failed
        days = self._days()
        if not self.steps:
            return self._call(tool, **_span(days))
        entries = [as_object(item) for item in as_list(self.steps[-1].result.get("sitzungen"))]
        if days and not _dated(self.steps[-1]):
            return answers.nearest(self.language, days, entries)
        if days and not entries:
            return self._call(tool)
        return self._open(entries, entries if days else entries[:1])

    def _told(self, step: _Step) -> str:
        tell = answers.session if step.ok else answers.failure
        return tell(self.language, step.result)

    def _open(
        self, entries: Sequence[JsonObject], otherwise: Sequence[JsonObject]
    ) -> "str | list[_Call]":
        """Open the sessions that the question's words fit, else the others; many are listed."""
        chosen = self._about(entries) or otherwise
        if not chosen:
            return answers.say(self.language, "empty")
        if len(chosen) > OPENED_AT_ONCE:
            return answers.overview(self.language, chosen)
        slugs = [{"slug": as_text(item.get("slug"))} for item in chosen]
        return self._call_each("get_sitzungen", slugs)

    def _days(self) -> Days | None:
        """Return the days of the question, or of the one that it leans on."""
        questions = self.questions if asked.continues(self.question) else self.questions[:1]
        return next(filter(None, (find_days(text, self.today) for text in questions)), None)

    def _about(self, entries: Sequence[JsonObject]) -> list[JsonObject]:
        """Return the sessions whose headlines have the most of the question's words, if any."""
        topics = [word.lower() for word in self._words()]

        def matches(item: JsonObject) -> int:
            text = asked.plain(compact([item.get("kernthema"), item.get("schlagzeilen")])).lower()
            return sum(word in text for word in topics)

        best = max(map(matches, entries), default=0)
        return [item for item in entries if best and matches(item) == best]

    def _claims(self) -> "str | list[_Call]":
        if failed := self._failed():
            return failed
        found = bool(self.steps) and bool(as_list(self.steps[-1].result.get("claims")))
        searches = self._searches()
        if not found and len(self.steps) < len(searches):
            return self._call("search_claims", **searches[len(self.steps)])
        tried = [
            as_text(step.arguments.get("query")) or as_text(step.arguments.get("bewertung"))
            for step in self.steps
        ]
        return answers.claims_answer(
            self.language, self.steps[-1].result, list(filter(None, tried))
        )

    def _searches(self) -> list[dict[str, str]]:
        """Return the searches to try in turn: all words, the longest three, the longest."""
        if verdict := asked.verdict_in(self.question):
            return [{"bewertung": verdict}]
        words = self._words()
        longest = sorted(words, key=len, reverse=True)
        tries = [words, longest[:3], longest[:1]]
        queries = dict.fromkeys(" ".join(word for word in words if word in some) for some in tries)
        return [{"query": query} if query else {} for query in queries][:SEARCHES]

    def _words(self) -> list[str]:
        words = asked.search_words(self.question, self.language)
        return asked.without_dates(words) if find_days(self.question, self.today) else words

    def _picture(self) -> "str | list[_Call]":
        tool = "generate_image"
        if self.steps and not self.steps[-1].ok:
            return answers.failure(self.language, self.steps[-1].result, "picture_failed")
        prompt = asked.picture_prompt(self.question)
        if self.steps:
            wanted = as_text(self.steps[-1].arguments.get("prompt")) or prompt
            return answers.picture(self.language, wanted, self.steps[-1].result)
        return self._call(tool, prompt=prompt, size=asked.picture_size(self.question))

    def _visitors(self) -> "str | list[_Call]":
        tool = "get_analytics"
        if failed := self._failed():
            return failed
        if self.steps:
            return answers.visitors(self.language, self.steps[-1].result)
        return self._call(tool, range=asked.analytics_range(self.question))

    def _failed(self) -> str:
        """Say why there is no result to go on with; blank where nothing has failed."""
        broken = [step for step in self.steps if not step.ok]
        return answers.failure(self.language, broken[-1].result) if broken else ""

    def _call(self, tool: str, **arguments: str) -> "str | list[_Call]":
        return self._call_each(tool, [arguments])

    def _call_each(self, tool: str, each: list[dict[str, str]]) -> "str | list[_Call]":
        if tool not in self.offered:
            return answers.say(self.language, "not_offered")
        return [_Call(tool, arguments) for arguments in each]


def _steps(messages: Sequence[Message]) -> Iterator[_Step]:
    results = {
        message.tool_call_id: message.content
        for message in messages
        if isinstance(message, ToolMessage)
    }
    for message in messages:
        for call in message.tool_calls if isinstance(message, AssistantMessage) else ():
            if call.id in results:
                yield _Step(call.name, _object(call.arguments), _object(results[call.id]))


def _object(text: str) -> JsonObject:
    value = parsed(text)
    return as_object(value[0]) if value else {}


def _span(days: Days | None) -> dict[str, str]:
    return {"von": days.von.isoformat(), "bis": days.bis.isoformat()} if days else {}


def _dated(step: _Step) -> bool:
    return "von" in step.arguments or "bis" in step.arguments
