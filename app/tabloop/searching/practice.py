"""The practice model: a script behind the port `ChatModel`, without network and without charge.

Rule: it works from the messages alone, calls tools as a model would, and never pretends to be a
language model: what it does not understand it says, and whatever it states stands in a result.
"""

from collections.abc import AsyncIterator, Callable, Collection, Sequence
from datetime import date, datetime

from tabloop.agent.messages import AssistantMessage, Message, ToolCall, UserMessage
from tabloop.agent.ports import ModelReply, ModelRequest, TextDelta
from tabloop.core.json_text import JsonObject, as_list, as_object, as_text, compact
from tabloop.searching import practice_answers as answers
from tabloop.searching import practice_search as search
from tabloop.searching import practice_words as asked
from tabloop.searching.practice_dates import find_days, missing_day
from tabloop.searching.practice_numbers import numbers
from tabloop.searching.practice_pictures import TOOL as PICTURE_TOOL
from tabloop.searching.practice_pictures import no_picture, picture_wish
from tabloop.searching.practice_steps import Call, Step, steps_in
from tabloop.searching.practice_unread import unread_day
from tabloop.searching.practice_visitors import no_visitors, visitors

__all__ = ["PracticeModel", "practice_turn"]

OPENED_AT_ONCE = 2  # sessions; more are told by their headlines


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
        self.steps = list(steps_in(messages[places[-1] :])) if places else []
        # A question that leans on another leans on the last one: "it" is nothing older.
        self.before = list(steps_in(messages[places[-2] : places[-1]])) if places[1:] else []
        self.earlier = list(steps_in(messages[: places[-1]])) if places else []
        self.offered = offered
        self.language: asked.Language = asked.language_of(self.questions)
        self.days = find_days(self.question, today)
        self.missing = missing_day(self.question, self.language)
        self.unread = unread_day(self.question, today)

    def next(self) -> "str | list[Call]":
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
                return self._lost()

    def _intent(self) -> asked.Intent | None:
        intent = asked.intent_of(self.question)
        certain = self.unread is not None and self.unread.certain
        if certain or self.days or self.missing:
            bare = intent == "claims" and not self._words() and not search.lists(self.question)
            return intent if intent and not bare else "session"
        if intent or not self._leans():
            return intent
        return asked.LEANS_ON.get(self.before[-1].tool) if self.before else None

    def _leans(self) -> bool:
        return len(self.questions) > 1 and asked.continues(self.question)

    def _lost(self) -> str:
        """Say that the question is not understood, or what it leans on is not."""
        key = "not_followed" if self._leans() else "help"
        return answers.kinds(self.language, key, self.offered)

    def _session(self) -> "str | list[Call]":
        if self.missing:
            return answers.say(self.language, "no_such_day", day=self.missing)
        if self.unread:
            return answers.which_day(self.language, self.unread)
        if opened := [step for step in self.steps if "slug" in step.arguments]:
            return answers.paragraphs(self._found_by(), *map(self._told, opened))
        if failed := self._failed():
            return failed
        return self._listed(self.steps[-1]) if self.steps else self._first_look()

    def _first_look(self) -> "str | list[Call]":
        if self._leans_on_session() and not self._words():
            return self._as_before()
        return self._call("get_sitzungen", **(self.days.arguments if self.days else {}))

    def _listed(self, step: Step) -> "str | list[Call]":
        """Choose from the list of a step."""
        days = self.days
        entries = [as_object(item) for item in as_list(step.result.get("sitzungen"))]
        if days and not step.dated:
            return answers.nearest(self.language, days, entries)
        if days and not entries:
            return self._call("get_sitzungen")
        if self._leans_on_session() and not self._about(entries):
            return self._lost()
        return self._open(entries, entries if days else entries[:1])

    def _leans_on_session(self) -> bool:
        if self.days or asked.names_latest(self.question):
            return False
        return self._leans()

    def _as_before(self) -> "str | list[Call]":
        """Open again what the last answer was about."""
        slugs = [as_text(step.arguments.get("slug")) for step in self.before if step.ok]
        again = [{"slug": slug} for slug in slugs if slug]
        return self._call_each("get_sitzungen", again) if again else self._lost()

    def _told(self, step: Step) -> str:
        if not step.ok:
            return answers.failure(self.language, step.result)
        if aspect := self._aspect():
            least = asked.wants_least(self.question)
            return numbers(self.language, aspect, step.result, least=least)
        return answers.session(self.language, step.result)

    def _aspect(self) -> asked.Aspect | None:
        """Return which numbers are asked for; "And on Tuesday?" asks for those of before."""
        if not self._leans() or asked.wants_more(self.question):
            return asked.aspect_of(self.question)
        return asked.aspect_of(self.question) or asked.aspect_of(self.questions[1])

    def _open(
        self, entries: Sequence[JsonObject], otherwise: Sequence[JsonObject]
    ) -> "str | list[Call]":
        """Open the sessions that the question's words fit, else the others; many are listed."""
        chosen = self._about(entries) or otherwise
        if not chosen:
            return answers.say(self.language, "empty")
        if len(chosen) > OPENED_AT_ONCE:
            asks_numbers, words = bool(self._aspect()), self._words()
            listed = answers.overview(self.language, chosen, words, numbers=asks_numbers)
            return answers.paragraphs(self._found_by(), listed)
        slugs = [{"slug": as_text(item.get("slug"))} for item in chosen]
        return self._call_each("get_sitzungen", slugs)

    def _found_by(self) -> str:
        """Say how the sessions were chosen from the list, where a matter was asked for."""
        words = search.of_the_matter(self.question, self._words())
        lists = [step.result for step in self.steps if "slug" not in step.arguments]
        entries = as_list(lists[-1].get("sitzungen")) if lists else []
        return answers.found_by(self.language, [as_object(item) for item in entries], words)

    def _about(self, entries: Sequence[JsonObject]) -> list[JsonObject]:
        """Return the sessions whose headlines have the most of the question's words, if any."""
        return search.fitting(entries, self._words())

    def _claims(self) -> "str | list[Call]":
        if self.unread and self.unread.certain:
            return answers.which_day(self.language, self.unread)
        if failed := self._failed():
            return failed
        if not self._words() and not search.lists(self.question):
            if asked.intent_of(self.question) != "claims":
                return self._lost()
            return answers.say(self.language, "which_statement")
        found = bool(self.steps) and bool(as_list(self.steps[-1].result.get("claims")))
        searches = search.searches(self.question, self._words())
        if not found and len(self.steps) < len(searches):
            return self._call("search_claims", **searches[len(self.steps)])
        tried = [
            as_text(step.arguments.get("query")) or as_text(step.arguments.get("bewertung"))
            for step in self.steps
        ]
        return answers.claims_answer(
            self.language, self.steps[-1].result, list(filter(None, tried))
        )

    def _words(self) -> list[str]:
        words = search.search_words(self.question, self.language)
        return search.without_dates(words) if self.days else words

    def _picture(self) -> "str | list[Call]":
        last = self.steps[-1] if self.steps else None
        if last and not last.ok:
            return no_picture(self.language, last.result)
        if last:
            wanted = as_text(last.arguments.get("prompt"))
            return answers.picture(self.language, wanted, last.result)
        if wish := picture_wish(self.question, self.before, self.earlier):
            return self._call(PICTURE_TOOL, prompt=wish[0], size=wish[1])
        return answers.say(self.language, "what_to_draw")

    def _visitors(self) -> "str | list[Call]":
        tool = "get_analytics"
        if self.steps:
            last = self.steps[-1]
            return (visitors if last.ok else no_visitors)(self.language, last.result)
        if tool not in self.offered:  # who is no owner need not know that there is one
            return self._lost()
        return self._call(tool, range=asked.analytics_range(self.question))

    def _failed(self) -> str:
        """Say why there is no result to go on with; blank where nothing has failed."""
        broken = [step for step in self.steps if not step.ok]
        return answers.failure(self.language, broken[-1].result) if broken else ""

    def _call(self, tool: str, **arguments: str) -> "str | list[Call]":
        return self._call_each(tool, [arguments])

    def _call_each(self, tool: str, each: list[dict[str, str]]) -> "str | list[Call]":
        if tool not in self.offered:
            return answers.say(self.language, "not_offered")
        return [Call(tool, arguments) for arguments in each]
