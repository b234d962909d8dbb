"""Search mode: a `ChatModel` without a language model: it reads days and words and calls tools.

Rule: its only input is the messages, and no day or word of a question is ignored silently.
"""

import re
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from datetime import date, datetime
from itertools import islice, product

from tabloop.agent.messages import AssistantMessage, Message, ToolCall, UserMessage
from tabloop.agent.ports import ModelReply, ModelRequest, TextDelta
from tabloop.core.json_text import JsonObject, as_text
from tabloop.searching.reading import MAX_LENGTH, ROWS, Question, Word
from tabloop.searching.results import Lookups, bullets, headlines, lines, objects, paragraphs, rows
from tabloop.searching.words import PATTERNS, Phrases

__all__ = ["SearchModel", "next_turn"]

MAX_IN_FULL, MAX_LINES, MAX_QUERIES = 2, 5, 4  # full sessions, lines of a list, queries for words
SCOPE = frozenset({"record", "claims", "check", "votes", "speaking", "interjections"})
INVENTED = r"\(Beispiel\)|\bBeispieldaten:"  # how the sample data is marked
TOOLS = ("get_sitzungen", "search_claims", "generate_image", "get_analytics")


class SearchModel:
    """The model of search mode. `now` gives the visitor's local time, for relative days."""

    def __init__(self, now: Callable[[], datetime] = lambda: datetime.now().astimezone()) -> None:
        self._now = now

    async def reply(self, request: ModelRequest) -> AsyncIterator[TextDelta | ModelReply]:
        """Yield one reply. Never raises."""
        tools = {tool.name for tool in request.tools}
        message = next_turn(request.messages, tools, self._now().date())
        yield ModelReply(message, "tool_calls" if message.tool_calls else "stop")


def next_turn(past: Sequence[Message], offered: Collection[str], today: date) -> AssistantMessage:
    """Return calls of `offered` tools, or the answer if no more calls are needed."""
    asked = [n for n, message in enumerate(past) if isinstance(message, UserMessage)]
    texts = [past[n].content or "" for n in reversed(asked)]
    lookups = Lookups(past[max(asked, default=0) :], offered)
    answer = _Search(Question(texts or [""], today), lookups).answer()
    calls = tuple(ToolCall("", *call) for call in lookups.missing)  # the loop makes the ids
    return AssistantMessage(None, calls) if calls else AssistantMessage(answer)


class _Search:
    """One question, with the results for it so far."""

    def __init__(self, asked: Question, lookups: Lookups) -> None:
        self.asked, self.lookups, self.say = asked, lookups, Phrases(asked.language)
        self.in_scope = bool(asked.spans or asked.labels or asked.kinds & SCOPE)
        self.evidence: list[str] = []  # texts that are shown

    def answer(self) -> str:
        """Return the answer; it is final if no call is missing."""
        say, asked, lookups, body = self.say, self.asked, self.lookups, self._body()
        searched = not (asked.unreadable or asked.kinds & {"visitors", "future"})
        forms = [f"*{form}*" for word in asked.words for form in word.forms if searched]
        left = [word.written for word in asked.words if not word.within("\n".join(self.evidence))]
        unused = [*asked.unused, *(left if self.evidence or not searched else ())]
        unused += asked.unmet_days
        record = "](http" in body
        return paragraphs(
            say("no_memory") if "leans" in asked.kinds else "",
            *dict.fromkeys(map(self._failed, lookups.failures)),
            say("off") if lookups.not_offered and not lookups.failures else "",
            body,
            say("searched", words=", ".join(forms)) if forms else "",
            say("unused", words=", ".join(f"*{word}*" for word in unused)) if unused else "",
            say("invented") if record and re.search(INVENTED, lookups.text) else "",
            say("source") if record else "",
        )

    def _body(self) -> str:
        asked, kinds, say = self.asked, self.asked.kinds, self.say
        if "long" in kinds:
            return say("too_long", count=say.formatted(MAX_LENGTH))
        if asked.unreadable:
            return say("unread", day=asked.unreadable)
        own = {"picture": self._picture, "visitors": self._visitors, "future": self._newest}
        if found := [kind for kind in own if kind in kinds]:
            return own[found[0]]()
        if asked.spans or asked.labels or "latest" in kinds:
            return self._days()
        if asked.words or asked.verdicts or "claims" in kinds:
            return self._by_words()
        needed = paragraphs(say("needs"), say("name_day")) if kinds & ROWS else ""
        return needed or (self._newest() if "record" in kinds else self._help())

    def _help(self) -> str:
        can = [self.say(f"can_{tool}") for tool in TOOLS if tool in self.lookups.offered]
        return bullets(self.say("help"), can) or self.say("off")

    def _failed(self, result: JsonObject) -> str:
        key = "user_declined" if result.get("status") == "user_declined" else "failed"
        return self.say.line("picture_" * ("picture" in self.asked.kinds) + key, result)

    def _sessions(self, **bounds: str) -> list[JsonObject]:
        return objects(self.lookups.get("get_sitzungen", **bounds), "sitzungen")

    def _list(self, title: str, entries: Sequence[JsonObject]) -> str:
        return bullets(title, [self._entry(item) for item in entries])

    def _entry(self, item: JsonObject) -> str:
        words, (_, *below) = self.asked.words, headlines(item)
        found = [line for line in below if any(word.within(line) for word in words)]
        return "; ".join([self.say.line("line", item), *found])

    def _newest(self, first: str = "") -> str:
        past = self.say("past") if "future" in self.asked.kinds else ""
        newest = self._list(self.say("newest"), self._sessions()[:MAX_LINES])
        return paragraphs(first or past, newest, self.say("name_day"))

    def _days(self) -> str:
        asked = self.asked
        ends = sorted(day.isoformat() for span in asked.spans for day in span)
        bounds = {"von": ends[0], "bis": ends[-1]} if ends and not asked.labels else {}
        listed = self._sessions(**bounds)[: None if ends or asked.labels else 1]
        found = [item for item in listed if self._is_requested(item)]
        claims = self._claims() if asked.words or asked.verdicts else ""
        if self.lookups.incomplete:
            return claims
        if not found:
            labels = dict.fromkeys((ends[0], ends[-1]) if ends else asked.labels)
            said = " - ".join(self.say.formatted(label) for label in labels)
            return self._newest(self.say("none_there", asked=said))
        if len(found) > MAX_IN_FULL:
            listing = self._with_words(found) if asked.words else self._list("", found)
            return paragraphs(listing, claims, self.say("name_day") if asked.kinds & ROWS else "")
        slugs = [as_text(item.get("slug")) for item in found]
        whole = [self.lookups.get("get_sitzungen", slug=slug) for slug in slugs]
        return paragraphs(*map(self._session, filter(None, whole)), claims)

    def _session(self, session: JsonObject) -> str:
        asked, say, kinds = self.asked, self.say, self.asked.kinds
        points = lines(say, "point", session, "in30Sekunden")
        parts = [say("session", entry=say.line("line", session))]
        if kinds & ROWS:
            parts += [say("needs") if "reading" in kinds else ""]
            parts += [rows(say, session, kinds & ROWS - {"reading"} or ROWS)]
        if asked.words:
            found = [point for point in points if all(w.within(point) for w in asked.words)]
            self.evidence += found
            parts += [bullets(say("points"), found) or say("no_words")]
        elif "claims" in kinds and not asked.verdicts:
            parts += [say("claims_by_day")]
        elif not kinds & ROWS:
            parts += [bullets("", points), rows(say, session, {"votes"})]
        return paragraphs(*parts)

    def _by_words(self) -> str:
        asked, claims = self.asked, self._claims()
        only_claims = asked.verdicts or asked.kinds & {"claims", "check"}
        listed = "" if only_claims else self._with_words(self._sessions())
        if asked.words and not self.evidence and not self.in_scope and not self.lookups.failures:
            return self._help()
        return paragraphs(self.say("needs") if "reading" in asked.kinds else "", listed, claims)

    def _with_words(self, entries: Sequence[JsonObject]) -> str:
        found = [] if self.lookups.incomplete else self._best(entries)[: 2 * MAX_LINES]
        return self._list(self.say("with_words"), found) or self.say("no_words")

    def _claims(self) -> str:
        asked, say, words = self.asked, self.say, self.asked.words
        hits, more = self._find_claims([words])
        whole = bool(hits)  # the search saw full texts; those in a result are truncated
        if not hits and len(words) > 1 and self.in_scope and not self.lookups.incomplete:
            hits, more = self._find_claims([[word] for word in words])
        found = [item for item in hits if self._in_time(item, "sitzungDatum")]
        found = found if whole else self._best(found)
        if self.lookups.incomplete:
            return ""
        self.evidence += [form for word in words if whole and found for form in word.forms]
        more += 0 if asked.spans else len(found[MAX_LINES:])
        listed = bullets(say("claims"), [say.line("hit", item) for item in found[:MAX_LINES]])
        return paragraphs(listed or say("no_claims"), say("more", count=more) if more else "")

    def _find_claims(self, searches: Sequence[Sequence[Word]]) -> tuple[list[JsonObject], int]:
        found, more = dict[str, JsonObject](), 0
        for words in searches:
            forms = islice(product(*(word.forms for word in words)), MAX_QUERIES)
            for query, verdict in product(map(" ".join, forms), self.asked.verdicts or ("",)):
                result = self.lookups.get("search_claims", query=query, bewertung=verdict)
                found |= {as_text(item.get("url")): item for item in objects(result, "claims")}
                left = result.get("weitereTreffer")
                more = max(more, left) if isinstance(left, int) else more
        return list(found.values()), more

    def _best(self, items: Sequence[JsonObject]) -> list[JsonObject]:
        """Return the items with all words; for a question in scope, at least the best ones."""
        keys = ("aussage", "begruendung")
        texts = ["; ".join([*headlines(i), *(as_text(i.get(key)) for key in keys)]) for i in items]
        counts = [sum(word.within(text) for word in self.asked.words) for text in texts]
        best = max(1 if self.in_scope else len(self.asked.words), *counts, 0)
        self.evidence += [text for text, count in zip(texts, counts, strict=True) if count == best]
        return [item for item, count in zip(items, counts, strict=True) if count == best]

    def _is_requested(self, item: JsonObject) -> bool:
        slug, labels = f"-{as_text(item.get('slug'))[:-10]}", self.asked.labels
        named = any(slug.endswith(f"-{label.replace('/', '-')}-") for label in labels)
        return self._in_time(item, "datum") and (named or not labels)

    def _in_time(self, item: JsonObject, key: str) -> bool:
        day, spans = as_text(item.get(key)), self.asked.spans
        return not spans or any(a.isoformat() <= day <= b.isoformat() for a, b in spans)

    def _picture(self) -> str:
        prompt, say = self.asked.text, self.say
        if not prompt or PATTERNS["word again"].search(prompt):
            return say("what_to_draw")
        size = "1792x1024" if "wide" in self.asked.kinds else "1024x1024"
        result = self.lookups.get("generate_image", prompt=prompt, size=size)
        made = (as_text(result.get("prompt")) or prompt).replace("`", "'")
        failed = say("mint_failed") if "mint" in result else ""
        return paragraphs(say("picture", prompt=made) if result else "", failed)

    def _visitors(self) -> str:
        if "get_analytics" not in self.lookups.offered and not self.lookups.text:
            return self._help()  # only the owner needs to know that this tool exists
        times = (time for time in ("90d", "1y") if PATTERNS[f"word {time}"].search(self.asked.text))
        result = self.lookups.get("get_analytics", range=next(times, "30d"))
        pages = bullets("", lines(self.say, "page", result, "topPages")[:MAX_LINES])
        historic = self.say("historic") if result.get("hasHistoric") is True else ""
        return paragraphs(self.say.line("visitors", result) if result else "", pages, historic)
