"""The answer to one question: which lookups it needs, and what they say.

Rule: no day or word of a question is ignored silently, and only what was looked up is stated.
"""

import re
from collections.abc import Sequence
from datetime import date
from itertools import islice, product

from tabloop.core.json_text import JsonObject, as_text
from tabloop.searching.other import picture, visitors
from tabloop.searching.reading import MAX_LENGTH, ROWS, Question, Word
from tabloop.searching.results import (
    Lookups,
    bullets,
    full_text,
    headlines,
    lines,
    objects,
    paragraphs,
    rows,
)
from tabloop.searching.words import Phrases

__all__ = ["Search"]

MAX_IN_FULL, MAX_LINES, MAX_QUERIES = 2, 5, 4  # full sessions, lines of a list, queries for words
SCOPE = ROWS | {"record", "claims", "check", "speech", "count"}
INVENTED = r"\(Beispiel\)|\bBeispieldaten:"  # how the sample data is marked
TOOLS = ("get_sitzungen", "search_claims", "generate_image", "get_analytics")


class Search:
    """One question, with the results for it so far."""

    def __init__(self, asked: Question, lookups: Lookups, today: date) -> None:
        self.asked, self.lookups, self.say = asked, lookups, Phrases(asked.language)
        self.today = today
        self.in_scope = bool(asked.spans or asked.labels or asked.kinds & SCOPE)
        self.searched = self.together = False
        self.evidence: list[str] = []  # texts that are shown

    def answer(self) -> str:
        """Return the answer; it is final if no call is missing."""
        say, asked, lookups, body = self.say, self.asked, self.lookups, self._body()
        words = [*asked.words, *asked.groups]
        known = self.searched and not (lookups.incomplete or lookups.failures)
        shown = "" if self.together else "\n".join(self.evidence)
        absent = [f"*{w.written}*" for w in words if known and not w.within(shown)]
        unused = [*asked.unused, *(word.written for word in words if not self.searched)]
        if asked.kinds & {"visitors", "future"}:  # visits are counted up to today
            unused += [
                say.when(span) for span in asked.spans if not span[0] < span[1] == self.today
            ]
            unused += asked.labels
        record = "](http" in body
        return paragraphs(
            say("no_memory") if "leans" in asked.kinds else "",
            *dict.fromkeys(map(self._failed, lookups.failures)),
            say("off") if lookups.not_offered and not lookups.failures else "",
            say("together" if self.together else "absent", words=", ".join(absent))
            if absent
            else "",
            body,
            say("searched", words=", ".join(map(str, words))) if words and self.searched else "",
            say("unused", words=", ".join(f"*{word}*" for word in unused)) if unused else "",
            say("invented") if record and re.search(INVENTED, lookups.text) else "",
            say("source") if record else "",
        )

    def _body(self) -> str:
        asked, kinds, say = self.asked, self.asked.kinds, self.say
        own = {"picture": picture, "visitors": visitors}
        if "long" in kinds:
            return say("too_long", count=say.formatted(MAX_LENGTH))
        if asked.unreadable:
            return say("unread", day=asked.unreadable)
        if found := [kind for kind in own if kind in kinds]:
            answer = own[found[0]](asked, self.lookups, say)
            return self._help() if answer is None else answer
        return self._newest() if "future" in kinds else self._from_record()

    def _from_record(self) -> str:
        asked, kinds, needed = self.asked, self.asked.kinds, self._needed()
        if "not" not in kinds or not needed:
            if asked.spans or asked.labels or kinds & {"latest", "first", "count"}:
                return self._days()
            if asked.words or asked.verdicts or "claims" in kinds or (asked.groups and not needed):
                return self._by_words()
        if needed or kinds & ROWS:
            return paragraphs(needed, self.say("name_day"))
        return self._newest() if kinds & SCOPE else self._help()

    def _needed(self) -> str:
        return self.say("needs") if self.asked.needs_model else ""

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
        asked, say, kinds = self.asked, self.say, self.asked.kinds
        ends = sorted(day for span in asked.spans for day in span)
        bounds = {"von": ends[0], "bis": ends[-1]} if ends and not asked.labels else {}
        closed = {key: f"{day}" for key, day in bounds.items() if day not in (date.min, date.max)}
        found = [item for item in self._sessions(**closed) if self._is_requested(item)]
        found = found[:1] if "latest" in kinds else found[-1:] if "first" in kinds else found
        claims = self._claims() if asked.words or asked.verdicts or asked.groups else ""
        if self.lookups.incomplete:
            return claims
        if not found:
            said = ", ".join([*asked.labels, *map(say.when, asked.spans)])
            return self._newest(say("none_there", asked=said))
        if "count" in kinds and not asked.words:
            return self._list(say("count", count=len(found)), found)
        if len(found) > MAX_IN_FULL:
            first = say("rows_by_day") if kinds & ROWS else self._needed()
            listing = self._with_words(found) if asked.words else self._list("", found)
            return paragraphs(first, listing, claims)
        slugs = [as_text(item.get("slug")) for item in found]
        whole = [self.lookups.get("get_sitzungen", slug=slug) for slug in slugs]
        return paragraphs(*map(self._session, filter(None, whole)), claims)

    def _session(self, session: JsonObject) -> str:
        asked, say, kinds = self.asked, self.say, self.asked.kinds
        points = lines(say, "point", session, "in30Sekunden")
        parts = [say("oldest") if "first" in kinds else "", self._needed()]
        parts += [say("session", entry=say.line("line", session))]
        if kinds & ROWS:
            parts += [rows(say, session, kinds & ROWS, say("none"))]
        elif asked.needs_model and not asked.words:
            parts += [rows(say, session, ROWS)]
        if asked.words:
            parts += [self._points(points)]
            self.evidence += headlines(session)[:1]
        elif "claims" in kinds:
            parts += [] if asked.verdicts or asked.groups else [say("claims_by_day")]
        elif not kinds & ROWS and not asked.needs_model:
            parts += [bullets("", points), rows(say, session, {"votes"})]
        return paragraphs(*parts)

    def _points(self, points: Sequence[str]) -> str:
        """Return the points with all words; if there are none, say so and return those with any."""
        self.searched, words, say = True, self.asked.words, self.say
        found = [point for point in points if all(word.within(point) for word in words)]
        some = [point for point in points if any(word.within(point) for word in words)]
        self.evidence += found or some
        title = say("points" if found else "points_any")
        return bullets(title, found or some) or say("no_point")

    def _by_words(self) -> str:
        asked, claims = self.asked, self._claims()
        only_claims = asked.verdicts or asked.kinds & {"claims", "check"} or not asked.words
        topic = any(word.german or not word.written[1:].islower() for word in asked.words)
        if not (topic or self.in_scope or self.evidence or " " not in asked.text):
            return self._help()  # before the sessions are looked up, which would be a source
        listed = "" if only_claims else self._with_words(self._sessions())
        return paragraphs(self._needed(), listed, claims)

    def _with_words(self, entries: Sequence[JsonObject]) -> str:
        found = self._best(entries)[: 2 * MAX_LINES]
        listed = self._list(self.say("with_words"), found) or self.say("no_words")
        return "" if self.lookups.incomplete else listed

    def _claims(self) -> str:
        asked, say, words = self.asked, self.say, self.asked.words
        self.searched = self.searched or bool(words or asked.groups)
        (hits, more), groups = self._find_claims([words]), asked.groups
        if groups and not (hits or self.lookups.incomplete):  # they may be no parties
            words = asked.words = [*words, *groups]
            asked.groups = []
            hits, more = self._find_claims([words])
        whole = bool(hits)  # the search saw full texts; those in a result are truncated
        apart = len(words) > 1 and self.in_scope and not groups
        self.together = len(words) > 1 and not (hits or apart)
        if apart and not (hits or self.lookups.incomplete):
            hits, more = self._find_claims([[word] for word in words])
        found = [item for item in hits if self._in_time(item, "sitzungDatum")]
        found = found if whole else self._best(found)
        if self.lookups.incomplete:
            return ""
        self.evidence += [form for word in words if whole and found for form in word.forms]
        self.evidence += [as_text(item.get("fraktion")) for item in found if asked.groups]
        more += 0 if asked.spans else len(found[MAX_LINES:])
        listed = bullets(say("claims"), [say.line("hit", item) for item in found[:MAX_LINES]])
        return paragraphs(listed or say("no_claims"), say("more", count=more) if more else "")

    def _find_claims(self, searches: Sequence[Sequence[Word]]) -> tuple[list[JsonObject], int]:
        found, more = dict[str, JsonObject](), 0
        verdicts = self.asked.verdicts or ("",)
        groups = [group.forms[0] for group in self.asked.groups] or [""]
        for words in searches:
            forms = islice(product(*(word.forms for word in words)), MAX_QUERIES)
            for query, verdict, group in product(map(" ".join, forms), verdicts, groups):
                narrow = {"bewertung": verdict, "fraktion": group}
                result = self.lookups.get("search_claims", query=query, **narrow)
                hits = objects(result, "claims")
                if group.isupper():  # "EU" is no part of "Europa"
                    hits = [i for i in hits if group in as_text(i.get("fraktion"))]
                left = result.get("weitereTreffer")
                if short := [word for word in words if word.is_short]:  # found within others, too
                    hits = [i for i in hits if all(word.within(full_text(i)) for word in short)]
                elif isinstance(left, int):
                    more = max(more, left)
                found |= {as_text(item.get("url")): item for item in hits}
        return list(found.values()), more

    def _best(self, items: Sequence[JsonObject]) -> list[JsonObject]:
        """Return the items with all words; for a question in scope, at least the best ones."""
        texts = list(map(full_text, items))
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
