"""The answer to one question: which lookups it needs, and what they say.

Rule: no day or word of a question is ignored silently, and only what was looked up is stated.
"""

import re
from collections.abc import Collection, Sequence
from itertools import islice, product

from tabloop.core.json_text import JsonObject, as_list, as_text
from tabloop.searching.reading import Question, Word
from tabloop.searching.results import ROWS, Lookups, bullets, full_text, objects, paragraphs, rows
from tabloop.searching.words import PATTERNS, Phrases

__all__ = ["Search"]

MAX_IN_FULL, MAX_LINES, MAX_QUERIES = 2, 5, 4  # full sessions, lines of a list, word searches
SCOPE = ROWS.keys() | {"record", "claims"}
INVENTED = r"\(Beispiel\)|\bBeispieldaten:"  # how the sample data is marked
TOOLS = ("get_sitzungen", "search_claims", "generate_image", "get_analytics")


class Search:
    """One question, with the results for it so far."""

    def __init__(self, asked: Question, lookups: Lookups) -> None:
        self.asked, self.lookups, self.say = asked, lookups, Phrases(asked.language)
        self.in_scope = bool(asked.spans or asked.labels or asked.kinds & SCOPE)
        self.needed = self.say("needs") if asked.kinds & {"reading", "measure", "not"} else ""
        self.queries, self.more = MAX_QUERIES, 0  # searches left, hits that are not listed
        self.found = set[Word]()

    def answer(self) -> str:
        """Return the answer; it is final if no call is missing."""
        say, asked, lookups, body = self.say, self.asked, self.lookups, self._body()
        memory = say("no_memory") if "leans" in asked.kinds else ""
        if lookups.incomplete:  # nothing can be said about what does not exist
            failed = [say("failed", **result) for result in lookups.failures]
            return paragraphs(memory, *dict.fromkeys(failed or [say("off")]))
        searched = asked.words if self.queries < MAX_QUERIES else []
        unused = [*asked.unused, *(word.written for word in asked.words if not searched)]
        if asked.kinds & {"visitors", "future"} and not asked.choices:
            unused += [*map(say.days, asked.spans), *asked.labels, asked.unreadable]
        record = "](http" in body
        return paragraphs(
            memory,
            say.words("absent", (word.written for word in searched if word not in self.found)),
            body,
            say.words("searched", (word.written for word in searched)),
            say.words("unused", unused),
            say("invented") if record and re.search(INVENTED, lookups.text) else "",
            say("source") if record else "",
        )

    def _body(self) -> str:
        asked, kinds, say = self.asked, self.asked.kinds, self.say
        own = {"picture": self._picture, "visitors": self._visitors, "future": self._newest}
        if found := [answer for kind, answer in own.items() if kind in kinds]:
            return found[0]()
        if asked.unreadable:
            return say("unread", day=asked.unreadable)
        if "not" not in kinds:
            if asked.spans or asked.labels or "latest" in kinds:
                return self._days()
            if asked.words or asked.verdicts or "claims" in kinds:
                return self._by_words()
        if self.needed or kinds & ROWS.keys():
            return paragraphs(self.needed, say("name_day"))
        return self._newest() if kinds & SCOPE else self._help()

    def _picture(self) -> str:
        prompt = self.asked.text
        if not prompt or PATTERNS["word again"].search(prompt):
            return self.say("what_to_draw")
        size = "1792x1024" if "wide" in self.asked.choices else ""
        made = as_text(self.lookups.get("generate_image", prompt=prompt, size=size).get("prompt"))
        return self.say("picture", prompt=made or prompt)

    def _visitors(self) -> str:
        if not {"get_analytics"} & {*self.lookups.offered, *self.lookups.made}:  # for owners only
            return self._help()
        time = "".join(sorted(self.asked.choices - {"wide"})[:1])
        result, say = self.lookups.get("get_analytics", range=time), self.say
        pages = (say("page", **page) for page in objects(result, "topPages")[:MAX_LINES])
        return bullets(say, "visitors", pages, **result)

    def _help(self) -> str:
        can = [self.say(f"can_{tool}") for tool in TOOLS if tool in self.lookups.offered]
        return bullets(self.say, "help", can) if can else self.say("off")

    def _sessions(self, **bounds: str) -> list[JsonObject]:
        return objects(self.lookups.get("get_sitzungen", **bounds), "sitzungen")

    def _newest(self) -> str:
        say, found = self.say, self._sessions()
        newest = bullets(say, "sessions", map(self._entry, found[:MAX_LINES]), count=len(found))
        past = say("past") if "future" in self.asked.kinds else ""
        return paragraphs(past, newest, say("name_day"))

    def _entry(self, item: JsonObject) -> str:
        headlines = map(as_text, as_list(item.get("schlagzeilen")))
        return "; ".join([self.say("line", **item), *filter(self._words_in, headlines)])

    def _days(self) -> str:
        asked, say, kinds = self.asked, self.say, self.asked.kinds
        ends = [day for span in asked.spans for day in span]
        bounds = {"von": f"{min(ends)}", "bis": f"{max(ends)}"} if ends else {}
        found = [item for item in self._sessions(**bounds) if self._is_requested(item)]
        found = found[:1] if "latest" in kinds else found
        if self.lookups.incomplete:
            return ""
        if not found:
            said = ", ".join([*asked.labels, *map(say.days, asked.spans)])
            return paragraphs(say("none_there", asked=said), self._newest())
        days = {as_text(item.get("datum")) for item in found}
        claims = self._claims(days) if asked.words or "claims" in kinds else ""
        if len(found) > MAX_IN_FULL:
            first = say("name_day") if kinds & ROWS.keys() else self.needed
            return paragraphs(first, self._listed(found), claims)
        whole = [self.lookups.get("get_sitzungen", slug=as_text(i.get("slug"))) for i in found]
        return paragraphs(*map(self._session, whole), claims)

    def _session(self, session: JsonObject) -> str:
        asked, say, key, points = self.asked, self.say, "summary", objects(session, "in30Sekunden")
        if asked.words:
            self.found |= self._words_in(as_text(session.get("kernthema")))
            key, points = "some_words", self._best(points)
        summary = bullets(say, key, (say("point", **point) for point in points))
        unasked = set[str]() if asked.words else {*ROWS} if self.needed else {"votes"}
        numbers = rows(say, session, asked.kinds & ROWS.keys() or unasked)
        return paragraphs(self.needed, say("line", **session), summary, numbers)

    def _by_words(self) -> str:
        asked, claims, others = self.asked, self._claims(), ""
        if not (asked.verdicts or "claims" in asked.kinds):
            # The sessions are not looked up for a word off topic, since they would be a source.
            known = self.in_scope or self.found
            others = self._listed(self._sessions()) if known else self._help()
        return paragraphs(self.needed, claims, others)

    def _listed(self, found: Sequence[JsonObject]) -> str:
        key, best = ("some_words", self._best(found)) if self.asked.words else ("sessions", found)
        return bullets(self.say, key, map(self._entry, best), count=len(found))

    def _claims(self, days: Collection[str] = ()) -> str:
        """Return the fact-checks with all words, else with most; `days` are ISO dates, or all."""
        say, words, key = self.say, self.asked.words, "claims"
        hits = self._search(words, days)
        if hits:
            self.found.update(words)
        elif len(words) > 1 and self.in_scope and not self.lookups.incomplete:
            apart = {as_text(i.get("url")): i for word in words for i in self._search([word], days)}
            hits, key = self._best(list(apart.values())), "some_claims"
        listed = bullets(say, key, (say("hit", **item) for item in hits[:MAX_LINES]))
        untold = say("untold") if "claims" in self.asked.kinds and not hits else ""
        more = self.more + len(hits[MAX_LINES:])
        return paragraphs(listed, untold, say("more", count=more) if more else "")

    def _search(self, words: Sequence[Word], days: Collection[str]) -> list[JsonObject]:
        """Return the fact-checks with all of the words, while searches are left."""
        found, short = dict[str, JsonObject](), [word for word in words if word.is_short]
        queries = map(" ".join, product(*(word.forms for word in words)))
        verdicts = sorted(self.asked.verdicts) or [""]
        for query, verdict in islice(product(queries, verdicts), self.queries):
            self.queries -= 1
            result = self.lookups.get("search_claims", query=query, bewertung=verdict)
            for item in objects(result, "claims"):
                if all(word.within(full_text(item)) for word in short):  # found within others, too
                    found[as_text(item.get("url"))] = item
            left = result.get("weitereTreffer")
            self.more = max(self.more, left if isinstance(left, int) and not short else 0)
        return [i for i in found.values() if not days or as_text(i.get("sitzungDatum")) in days]

    def _words_in(self, text: str) -> set[Word]:
        return {word for word in self.asked.words if word.within(text)}

    def _best(self, items: Sequence[JsonObject]) -> list[JsonObject]:
        """Return the items with the most words, and note these words as found."""
        words = [self._words_in(full_text(item)) for item in items]
        most = max(map(len, words), default=0)
        self.found.update(*(some for some in words if len(some) == most))
        return [i for i, some in zip(items, words, strict=True) if some and len(some) == most]

    def _is_requested(self, item: JsonObject) -> bool:
        day, number = as_text(item.get("datum")), as_text(item.get("slug")).split("-")[:2]
        in_time = (f"{first}" <= day <= f"{last}" for first, last in self.asked.spans)
        named = (label in ("/".join(number), number[-1]) for label in self.asked.labels)
        return any(in_time) >= bool(self.asked.spans) and any(named) >= bool(self.asked.labels)
