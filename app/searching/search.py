"""The answer to one question. Rule: no day and no word that was asked for is dropped silently."""

import re
from collections.abc import Callable, Sequence
from itertools import islice, product

from app.models.json_reading import JsonObject, as_object, as_text
from app.searching.answers import bullets, entry, headlines, hit, paragraphs, points, rows, visits
from app.searching.lookups import Lookups, objects
from app.searching.reading import ROWS, Question, Word
from app.searching.words import OTHERS, Phrases

__all__ = ["Search"]

OPENED, SHOWN, FORMS = 2, 5, 4  # sessions shown whole, lines of a list, queries for the same words
SCOPE = frozenset({"record", "claims", "check", "votes", "speaking", "interjections"})
INVENTED = r"\(Beispiel\)|\bBeispieldaten:"  # how invented data marks itself
PICTURE, VISITS = "generate_image", "get_analytics"


class Search:
    """One question with what was looked up for it so far."""

    def __init__(self, asked: Question, lookups: Lookups) -> None:
        self.asked, self.lookups, self.say = asked, lookups, Phrases(asked.language)
        self.in_scope = bool(asked.spans or asked.labels or asked.kinds & SCOPE)
        self.evidence: list[str] = []  # texts of what is shown
        self.searched = False

    def answer(self) -> str:
        """Return the answer; it counts when no call is missing."""
        say, asked, lookups, body = self.say, self.asked, self.lookups, self._body()
        forms = [f"*{form}*" for word in asked.words for form in word.forms if self.searched]
        left = [word.written for word in asked.words if not word.within("\n".join(self.evidence))]
        unused = [*asked.unused, *(left if self.evidence or not self.searched else ())]
        record = "](http" in body
        return paragraphs(
            say("no_memory") if "leans" in asked.kinds else "",
            *map(self._failed, lookups.failures),
            say("off") if lookups.off and not lookups.failures else "",
            body,
            say("searched", words=", ".join(forms)) if forms else "",
            say("unused", words=", ".join(f"*{word}*" for word in unused)) if unused else "",
            say("invented") if record and re.search(INVENTED, lookups.text) else "",
            say("source") if record else "",
        )

    def _body(self) -> str:
        asked, kinds, say = self.asked, self.asked.kinds, self.say
        if asked.unread:
            return say("unread", day=asked.unread)
        for kind, answer in (("picture", self._picture), ("visitors", self._visitors)):
            if kind in kinds:
                return answer()
        if "future" in kinds:
            return self._newest(say("past"))
        if asked.spans or asked.labels or "latest" in kinds:
            return self._days()
        if asked.words or asked.verdicts or "claims" in kinds:
            return self._matter()
        needed = paragraphs(say("needs"), say("needs_day")) if kinds & ROWS else ""
        return needed or (self._newest("") if "record" in kinds else self._help())

    def _help(self) -> str:
        tools = ("get_sitzungen", "search_claims", PICTURE, VISITS)
        can = [self.say(f"can_{tool}") for tool in tools if tool in self.lookups.offered]
        return bullets(self.say("help"), can) or self.say("off")

    def _failed(self, result: JsonObject) -> str:
        status, reason = as_text(result.get("status")), as_text(result.get("reason"))
        key = "user_declined" if status == "user_declined" else "failed"
        picture = "picture_" if "picture" in self.asked.kinds else ""
        return self.say(picture + key, status=status, reason=reason)

    def _sessions(self, **bounds: str) -> list[JsonObject]:
        return objects(self.lookups.get("get_sitzungen", **bounds), "sitzungen")

    def _list(self, title: str, entries: Sequence[JsonObject]) -> str:
        return bullets(title, [entry(self.say, item, self.asked.words) for item in entries])

    def _newest(self, first: str) -> str:
        newest = self._list(self.say("newest"), self._sessions()[:SHOWN])
        return paragraphs(first, newest, self.say("name_day"))

    def _days(self) -> str:
        asked = self.asked
        ends = sorted(day.isoformat() for span in asked.spans for day in span)
        bounds = {"von": ends[0], "bis": ends[-1]} if ends and not asked.labels else {}
        listed = self._sessions(**bounds)[: None if ends or asked.labels else 1]
        found = [item for item in listed if self._asked_for(item)]
        claims = self._claims() if asked.words or asked.verdicts else ""
        if self.lookups.unsure:
            return claims
        if not found:
            return self._none_there(ends)
        if len(found) > OPENED:
            told = self._with_words(found) if asked.words else self._list("", found)
            return paragraphs(told, claims, self.say("needs_day") if asked.kinds & ROWS else "")
        slugs = [as_text(item.get("slug")) for item in found]
        whole = [self.lookups.get("get_sitzungen", slug=slug) for slug in slugs]
        return paragraphs(*(self._session(item) for item in whole if item), claims)

    def _none_there(self, ends: Sequence[str]) -> str:
        if not ends:
            return self._newest(self.say("no_label", label=", ".join(self.asked.labels)))
        later = [item for item in self._sessions() if as_text(item.get("datum")) > ends[-1]]
        before = [item for item in self._sessions() if as_text(item.get("datum")) < ends[0]]
        days = dict.fromkeys((self.say.day(ends[0]), self.say.day(ends[-1])))
        none = self.say("none_on", days=" - ".join(days))
        return self._list(none, [*later[-1:], *before[:1]]) or none

    def _session(self, session: JsonObject) -> str:
        asked, say, kinds = self.asked, self.say, self.asked.kinds
        parts = [say("session", entry=entry(say, session))]
        if kinds & ROWS:
            parts += [say("needs")] if "reading" in kinds else []
            parts += [rows(say, session, kinds & ROWS - {"reading"} or ROWS)]
        if asked.words:
            told = points(session, asked.words)
            self.evidence += told
            parts += [bullets(say("points"), told or [say("none")])]
        elif "claims" in kinds and not asked.verdicts:
            parts += [say("claims_by_day")]
        elif not kinds & ROWS:
            parts += [bullets("", points(session, ())), rows(say, session, {"votes"})]
        return paragraphs(*parts)

    def _matter(self) -> str:
        """Search for words or verdicts without a day."""
        asked, claims = self.asked, self._claims()
        only_claims = asked.verdicts or asked.kinds & {"claims", "check"}
        listed = "" if only_claims else self._with_words(self._sessions())
        if asked.words and not self.evidence and not self.in_scope and not self.lookups.failures:
            return self._help()
        return paragraphs(self.say("needs") if "reading" in asked.kinds else "", listed, claims)

    def _with_words(self, entries: Sequence[JsonObject]) -> str:
        if self.lookups.unsure:
            return ""
        found = self._best(entries, lambda item: "; ".join(headlines(item)))[: 2 * SHOWN]
        self.evidence += ["; ".join(headlines(item)) for item in found]
        title = self.say("with_words")
        return self._list(title, found) or bullets(title, [self.say("none")])

    def _claims(self) -> str:
        """Return the fact-checks with the words and verdicts, from the days that are named."""
        asked, say, words = self.asked, self.say, self.asked.words
        hits, more = self._hits([words])
        whole = bool(hits)  # the reasons in a result are cut: the search saw more of them
        if not hits and len(words) > 1 and self.in_scope and not self.lookups.unsure:
            hits, more = self._hits([[word] for word in words])
        found = [item for item in hits if self._in_time(item, "sitzungDatum")]
        found = found if whole else self._best(found, _statement)
        if self.lookups.unsure:
            return ""
        self.evidence += map(_statement, found)
        self.evidence += [form for word in words if whole and found for form in word.forms]
        listed = [hit(say, item) for item in found[:SHOWN]]
        more += 0 if asked.spans else len(found) - len(listed)
        rest = say("unsorted" if asked.spans else "more", count=more) if more else ""
        return paragraphs(
            bullets(say("claims"), listed or [say("none")]), "" if listed else say("untrue"), rest
        )

    def _hits(self, searches: Sequence[Sequence[Word]]) -> tuple[list[JsonObject], int]:
        """Return what the searches found, each once, and at least how many more there are."""
        found, more, self.searched = dict[str, JsonObject](), 0, True
        for words in searches:
            forms = islice(product(*(word.forms for word in words)), FORMS)
            for query, verdict in product(map(" ".join, forms), self.asked.verdicts or ("",)):
                result = self.lookups.get("search_claims", query=query, bewertung=verdict)
                found |= {as_text(item.get("url")): item for item in objects(result, "claims")}
                left = result.get("weitereTreffer")
                more = max(more, left) if isinstance(left, int) else more
        return list(found.values()), more

    def _best(
        self, items: Sequence[JsonObject], text: Callable[[JsonObject], str]
    ) -> list[JsonObject]:
        """Return the items with all of the words; in a question of ours, else those with most."""
        counts = [sum(word.within(text(item)) for word in self.asked.words) for item in items]
        best = max(counts, default=0)
        enough = best >= (1 if self.in_scope else len(self.asked.words))
        return [item for item, n in zip(items, counts, strict=True) if n == best and enough]

    def _asked_for(self, item: JsonObject) -> bool:
        term, number, *_ = [*as_text(item.get("slug")).split("-"), "", ""]
        labelled = {number, f"{term}/{number}"} & {*self.asked.labels}
        return self._in_time(item, "datum") and bool(labelled or not self.asked.labels)

    def _in_time(self, item: JsonObject, key: str) -> bool:
        day, spans = as_text(item.get(key)), self.asked.spans
        return not spans or any(a.isoformat() <= day <= b.isoformat() for a, b in spans)

    def _picture(self) -> str:
        prompt, say = self.asked.text, self.say
        if not prompt or OTHERS["again"].search(prompt):
            return say("what_to_draw")
        size = "1792x1024" if "wide" in self.asked.kinds else "1024x1024"
        result = self.lookups.get(PICTURE, prompt=prompt, size=size)
        made = (as_text(result.get("prompt")) or prompt).replace("`", "'")
        nft = as_text(as_object(result.get("x_nft")).get("status")) or as_text(result.get("mint"))
        failed = say("mint_failed") if "failed" in nft else ""
        return paragraphs(say("picture", prompt=made), failed) if result else ""

    def _visitors(self) -> str:
        """Tell an owner; who is none need not know that there is such a tool."""
        if VISITS not in self.lookups.offered and not self.lookups.text:
            return self._help()
        times = (time for time in ("90d", "1y") if OTHERS[time].search(self.asked.text))
        result = self.lookups.get(VISITS, range=next(times, "30d"))
        return visits(self.say, result) if result else ""


def _statement(item: JsonObject) -> str:
    return f"{as_text(item.get('aussage'))} {as_text(item.get('begruendung'))}"
