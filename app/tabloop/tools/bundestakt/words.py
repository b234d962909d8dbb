"""Texts about Bundestakt's tools and charts, in both languages."""

import re
from collections.abc import Mapping
from typing import Any

from tabloop.agent.presentation import Line, Presentation, counted
from tabloop.core.phrases import Phrase

__all__ = ["CLAIMS", "CLAIMS_BRIEF", "SESSIONS", "SESSIONS_BRIEF", "VERDICT_NAMES"]

SESSIONS_BRIEF = (
    "Sessions of the German Bundestag. Without slug: the list, from day von to day bis. With a slug"
    " of the list: the whole session. Example for one day: "
    '{"name": "get_sitzungen", "arguments": {"von": "2026-09-09", "bis": "2026-09-09"}}'
)
CLAIMS_BRIEF = (
    "Fact-checked statements from the Bundestag, found by one to three German words. Example: "
    '{"name": "search_claims", "arguments": {"query": "Strompreis"}}'
)

CAPABILITY = Phrase(
    "Look up the Bundestag’s sessions and fact-checks",
    "Sitzungen und Faktenchecks des Bundestags nachschlagen",
)
ATTRIBUTION = Phrase("Bundestakt, licence CC BY 4.0", "Bundestakt, Lizenz CC BY 4.0")

SESSION_LIST = Phrase("list of sessions", "Liste der Sitzungen")
SESSION_LIST_DAY = Phrase("list of sessions on {von}", "Liste der Sitzungen am {von}")
SESSION_LIST_RANGE = Phrase(
    "list of sessions from {von} to {bis}", "Liste der Sitzungen von {von} bis {bis}"
)
SESSION_LIST_FROM = Phrase("list of sessions since {von}", "Liste der Sitzungen seit {von}")
SESSION_LIST_UNTIL = Phrase("list of sessions until {bis}", "Liste der Sitzungen bis {bis}")
SESSION = Phrase("session {slug}, in full", "Sitzung {slug}, vollständig")
SESSION_OF = Phrase("session of {date}, in full", "Sitzung vom {date}, vollständig")

_DATED_SLUG = re.compile(r"\d+-\d+-(\d{4}-\d{2}-\d{2})")


def _session_step(given: Mapping[str, Any]) -> Line:
    slug, von, bis = given.get("slug"), given.get("von"), given.get("bis")
    if slug:
        dated = _DATED_SLUG.fullmatch(slug)
        return Line(SESSION_OF, {"date": dated[1]}) if dated else Line(SESSION, given)
    if von and bis:
        return Line(SESSION_LIST_DAY if von == bis else SESSION_LIST_RANGE, given)
    if von or bis:
        return Line(SESSION_LIST_FROM if von else SESSION_LIST_UNTIL, given)
    return Line(SESSION_LIST, {})


SESSIONS = Presentation(
    title=SESSION_LIST,
    step=_session_step,
    summary=counted(
        "sitzungen",
        Phrase(("{n} session", "{n} sessions"), ("{n} Sitzung", "{n} Sitzungen")),
    ),
    capability=CAPABILITY,
    attribution=ATTRIBUTION,
    service="Bundestakt",
)
CLAIMS = Presentation(
    title=Phrase("fact-checked statements", "geprüfte Aussagen"),
    step=(
        Phrase("fact-checked statements on “{query}”", "geprüfte Aussagen zu „{query}“"),
        Phrase("fact-checked statements on “{fraktion}”", "geprüfte Aussagen zu „{fraktion}“"),
    ),
    summary=counted(
        "claims",
        Phrase(("{n} statement", "{n} statements"), ("{n} Aussage", "{n} Aussagen")),
    ),
    capability=CAPABILITY,
    attribution=ATTRIBUTION,
    service="Bundestakt",
)

# Charts of a session
SPEAKING_TIME = Phrase("Speaking time by party", "Redezeit nach Fraktion")
MINUTES = Phrase("minutes", "Minuten")
INTERRUPTIONS = Phrase("Interjections by party", "Zwischenrufe nach Fraktion")
INTERJECTIONS = Phrase("interjections", "Zwischenrufe")
PARTY = Phrase("Party", "Fraktion")
OFFICE_ROWS = Phrase(
    "Some rows are offices, such as a minister's: their numbers are not counted under a party.",
    "Manche Zeilen sind Ämter, etwa das einer Ministerin: Ihre Zahlen zählen nicht bei einer "
    "Fraktion.",
)
VOTES = Phrase("Results of votes", "Ergebnisse der Abstimmungen")
VOTE = Phrase("Vote", "Abstimmung")
VOTES_CAST = Phrase("votes cast", "abgegebene Stimmen")
YES = Phrase("yes", "ja")
NO = Phrase("no", "nein")
ABSTAINED = Phrase("abstained", "enthalten")
NOT_COUNTED = Phrase(
    (
        "One vote of the session is left out: the record has no count of it.",
        "{n} votes of the session are left out: the record has no count of them.",
    ),
    (
        "Eine Abstimmung der Sitzung fehlt hier: Für sie nennt die Quelle keine Auszählung.",
        "{n} Abstimmungen der Sitzung fehlen hier: Für sie nennt die Quelle keine Auszählung.",
    ),
)

# The chart of verdicts
VERDICTS = Phrase("Verdicts by party", "Bewertungen nach Fraktion")
STATEMENTS = Phrase("statements", "Aussagen")
VERDICT_NAMES: Mapping[str, Phrase] = {  # in the order of Bundestakt's scale
    "belegt": Phrase("supported", "belegt"),
    "teilweise": Phrase("partly supported", "teilweise belegt"),
    "irrefuehrend": Phrase("misleading", "irreführend"),
    "falsch": Phrase("false", "falsch"),
    "unbelegbar": Phrase("not verifiable", "nicht belegbar"),
}
OTHER_VERDICT = Phrase("other verdict", "andere Bewertung")
OFFICES = Phrase("Offices (ministers and others)", "Ämter (Ministerien und andere)")
NO_PARTY = Phrase("Party not named", "Ohne Angabe")
ALL_STATEMENTS = Phrase(
    "All {n} matching statements are counted, more than the model was given.",
    "Gezählt sind alle {n} passenden Aussagen, mehr als das Modell bekommen hat.",
)
OFFICES_NOTE = Phrase(
    "Who spoke in an office, such as a minister, is counted under offices and not under a party.",
    "Wer in einem Amt gesprochen hat, etwa dem einer Ministerin, zählt bei den Ämtern und nicht "
    "bei einer Fraktion.",
)

# by title of a chart: parts of folded words with which a question asks for it
ASKED_BY: Mapping[Phrase, tuple[str, ...]] = {
    SPEAKING_TIME: (
        *("redezeit", "gesproch", "sprach", "geredet", "redete", "spoke", "speak", "talked"),
        *("am laengsten", "longest"),
    ),
    INTERRUPTIONS: (*("zwischenr", "dazwischen", "unterbr", "interrupt", "interject", "heckl"),),
    VOTES: ("abstimm", "abgestimmt", "stimmte", "vote", "voting"),
    VERDICTS: (
        *("aussage", "behaupt", "faktencheck", "geprueft", "claim", "statement", "fact-check"),
        *("falsch", "false", "irrefuehr", "misleading"),
    ),
}
