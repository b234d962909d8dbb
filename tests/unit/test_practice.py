"""The practice model in conversation: it looks things up like a model, and never plays one."""

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tabloop.agent.errors import ToolError
from tabloop.agent.events import Event, RunFinished, ToolCallResult
from tabloop.agent.loop import Agent
from tabloop.agent.messages import Message, ToolMessage, UserMessage
from tabloop.agent.ports import Approved, Approver
from tabloop.agent.tools import Tool, ToolOutput, tool
from tabloop.searching.practice import PracticeModel, practice_turn
from tabloop.searching.practice_dates import Days, find_days, long_date, missing_day
from tabloop.searching.practice_search import search_words
from tabloop.searching.practice_words import intent_of, language_of, picture_prompt
from tabloop.tools.bundestakt.api import BundestaktApi
from tabloop.tools.bundestakt.tool import bundestakt_tools

from tests.unit.fake_transport import FakeTransport, answer
from tests.unit.fakes import declines

TODAY = date(2026, 9, 16)  # a Wednesday
NOW = datetime(2026, 9, 16, 12, tzinfo=UTC)
URL = "https://bundestakt.test"


def session(day: str, topic: str) -> dict[str, object]:
    return {
        "slug": f"21-{day}",
        "url": f"{URL}/sitzung/21-{day}",
        "datum": day,
        "kernthema": topic,
        "in30Sekunden": [{"titel": f"Streit um {topic}", "text": "Es wurde laut."}],
        "zahlen": {
            "anzahlReden": 93,
            "anzahlZwischenrufe": 632,
            "sitzungsdauerMinuten": 541,
            "abstimmungen": [
                {
                    "titel": "Antrag",
                    "ergebnis": "abgelehnt",
                    "zahlen": {"ja": 200, "nein": 300},
                    "stimmverhalten": [
                        {"votum": "ja", "fraktion": "Die Küste"},
                        {"votum": "nein", "fraktion": "FfZ"},
                        {"votum": "nein", "fraktion": "SFP"},
                    ],
                }
            ],
            "redezeitJeFraktion": [
                {"fraktion": "SFP", "minuten": 180, "anzahlReden": 20},
                {"fraktion": "FfZ", "minuten": 147, "anzahlReden": 24},
            ],
            "zwischenrufeJeFraktion": [
                {"fraktion": "FfZ", "anzahl": 337},
                {"fraktion": "Die Küste", "anzahl": 92},
            ],
        },
    }


SESSIONS = {
    "sitzungen": [
        session("2026-09-10", "Wohngeld"),
        session("2026-09-09", "Haushalt 2027"),
        session("2026-09-08", "Energiepreise"),
        session("2026-07-10", "Heizungsgesetz"),
    ]
}
CLAIMS = {
    "claims": [
        {
            "aussage": "Deutschland verliert jeden Monat 12 000 Arbeitsplätze in der Industrie.",
            "sprecher": "Ada Muster",
            "fraktion": "Die Küste",
            "bewertung": "irrefuehrend",
            "sitzungDatum": "2026-09-09",
            "url": f"{URL}/sitzung/21#claim-1",
            "begruendung": "Es sind 9 000.",
        }
    ]
}


def record(sitzungen: object = SESSIONS, claims: object = CLAIMS) -> tuple[Tool, ...]:
    list_api = BundestaktApi(FakeTransport([answer(sitzungen)]), URL)
    claims_api = BundestaktApi(FakeTransport([answer(claims)]), URL)
    return bundestakt_tools(list_api)[0], bundestakt_tools(claims_api)[1]


class Chat:
    """A conversation: each question is one run, as on the page."""

    def __init__(self, *tools: Tool, approver: Approver | None = None) -> None:
        self.agent = Agent(PracticeModel(lambda: NOW), tools, approver=approver)
        self.messages: list[Message] = []
        self.calls: list[tuple[str, Any]] = []

    async def ask(self, question: str) -> str:
        self.messages.append(UserMessage(question))
        events = [event async for event in self.agent.run(self.messages)]
        self.calls = calls_in(events)
        last = events[-1]
        assert isinstance(last, RunFinished)
        assert last.outcome == "stop"
        return last.text


def calls_in(events: Sequence[Event]) -> list[tuple[str, Any]]:
    """Tool and arguments as they were given, without those left out."""
    return [
        (event.name, {k: v for k, v in (event.arguments or {}).items() if v is not None})
        for event in events
        if isinstance(event, ToolCallResult)
    ]


# --- sessions ------------------------------------------------------------------------------------


async def test_it_lists_then_opens_then_answers_with_headline_and_link() -> None:
    chat = Chat(*record())
    text = await chat.ask("What did the Bundestag debate on 9 September 2026?")
    assert chat.calls == [
        ("get_sitzungen", {"von": "2026-09-09", "bis": "2026-09-09"}),
        ("get_sitzungen", {"slug": "21-2026-09-09"}),
    ]
    assert "**Haushalt 2027**" in text
    assert f"({URL}/sitzung/21-2026-09-09)" in text
    assert "9 September 2026" in text
    assert "93 speeches" in text
    assert "Antrag: **rejected**" in text
    assert "not an official record" in text


async def test_a_german_question_gets_a_german_answer() -> None:
    text = await Chat(*record()).ask(
        "Worüber hat der Bundestag letzte Woche am Dienstag debattiert?"
    )
    assert text.startswith("Am **8. September 2026**")
    assert "kein amtliches Dokument" in text


async def test_a_day_without_a_session_is_said_and_the_nearest_are_offered() -> None:
    chat = Chat(*record())
    text = await chat.ask("What happened in the Bundestag on 1 September?")
    assert [arguments for _, arguments in chat.calls] == [
        {"von": "2026-09-01", "bis": "2026-09-01"},
        {},
    ]
    assert "no session of the Bundestag for 1 September 2026" in text
    assert "10 July 2026: [Heizungsgesetz]" in text
    assert "8 September 2026: [Energiepreise]" in text
    assert "Wohngeld" not in text


async def test_two_sessions_are_opened_together_and_more_are_told_by_headline() -> None:
    chat = Chat(*record())
    both = await chat.ask("What did the Bundestag debate on 9 and 10 September?")
    assert len(chat.calls) == 3
    assert "Haushalt 2027" in both
    assert "Wohngeld" in both
    week = await chat.ask("And last week?")
    assert "3 sessions" in week
    assert len(chat.calls) == 1


async def test_a_topic_finds_its_session_and_no_topic_the_newest() -> None:
    chat = Chat(*record())
    assert "Heizungsgesetz" in await chat.ask("Wann wurde über das Heizungsgesetz abgestimmt?")
    assert "Wohngeld" in await chat.ask("What was the last session about?")


async def test_what_was_found_by_a_word_says_by_which_and_in_which_headline() -> None:
    beside = session("2026-09-01", "Haushalt")
    beside["in30Sekunden"] = [{"titel": "Zuschuss zur Rente steigt", "text": ""}]
    pensions = [session(f"2026-08-0{day}", "Rente") for day in (1, 2)]
    chat = Chat(*record({"sitzungen": [beside, *pensions, session("2026-07-01", "Strom")]}))
    text = await chat.ask("What did they debate about pensions?")
    assert "has *Rente* in one" in text
    assert "3 sessions" in text
    assert "Strom" not in text
    assert f"({URL}/sitzung/21-2026-09-01); Zuschuss zur Rente steigt" in text


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What did the Bundestag debate about unicorns?", "No headline has *unicorns*"),
        ("Was wurde im Bundestag zu Einhörnern gesagt?", "Keine Schlagzeile enthält *Einhörnern*"),
        ("What was debated about pensions in the Bundestag in September?", "*Rente*"),
    ],
)
async def test_a_matter_in_no_headline_is_said_before_a_session_that_is_not_about_it(
    question: str, said: str
) -> None:
    assert said in (await Chat(*record()).ask(question)).split("\n")[0]


@pytest.mark.parametrize(
    "question",
    ["What was the last session about?", "Worüber hat der Bundestag zuletzt debattiert?"],
)
async def test_where_no_matter_is_asked_for_none_is_missed(question: str) -> None:
    assert "eadline" not in await Chat(*record()).ask(question)


async def test_a_question_may_lean_on_the_one_before() -> None:
    chat = Chat(*record())
    await chat.ask("What did the Bundestag debate on 9 September 2026?")
    assert "Energiepreise" in await chat.ask("And on 8 September?")
    assert "Energiepreise" in await chat.ask("Tell me more")


async def test_an_empty_record_is_said() -> None:
    assert "no session at all" in await Chat(*record({"sitzungen": []})).ask("Bundestag yesterday?")


NEWEST: list[tuple[str, dict[str, str]]] = [
    ("get_sitzungen", {}),
    ("get_sitzungen", {"slug": "21-2026-09-10"}),
]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Which groups interrupted most in the latest session?", "**FfZ**, with 337 of 632"),
        (
            "Wer hat in der letzten Sitzung am häufigsten dazwischengerufen?",
            "**FfZ** mit 337 von 632",
        ),
        ("Who interrupted least?", "**Die Küste**, with 92 of 632"),
        ("Wer hat am längsten geredet?", "**SFP** mit 180 min"),
        ("Which group spoke longest?", "**SFP**, with 180 min"),
        ("How many speeches were there?", "**FfZ**, with 24 of 93"),
        (
            "Wie wurde abgestimmt?",
            "**abgelehnt** · ja: 200 \u2013 Die Küste · nein: 300 \u2013 FfZ, SFP",
        ),
        ("How did they vote in the last session?", "**rejected** · yes: 200 \u2013 Die Küste"),
    ],
)
async def test_numbers_of_the_latest_session_are_told_with_its_link(
    question: str, told: str
) -> None:
    chat = Chat(*record())
    text = await chat.ask(question)
    assert chat.calls == NEWEST
    assert told in text
    assert f"({URL}/sitzung/21-2026-09-10)" in text


async def test_numbers_of_a_day_are_those_of_its_session_and_many_are_only_listed() -> None:
    chat = Chat(*record())
    text = await chat.ask("Who interrupted most on 8 September?")
    assert "session of **8 September 2026**: **FfZ**" in text
    assert "- Die Küste: 92" in text
    assert "session of **9 September 2026**: **FfZ**" in await chat.ask("And on 9 September?")
    assert "ask about one of these days" in await chat.ask("Who interrupted most last week?")


async def test_numbers_that_the_record_does_not_have_are_not_made_up() -> None:
    bare = {"slug": "s", "datum": "2026-09-09", "zahlen": {"anzahlZwischenrufe": 632}}
    chat = Chat(*record({"sitzungen": [bare]}))
    text = await chat.ask("Who interrupted most?")
    assert "does not say that by group" in text
    assert "632" in text
    assert "keine Abstimmung verzeichnet" in await chat.ask("Wie wurde abgestimmt?")
    assert "nicht nach Fraktionen" in await chat.ask("Wer hat am längsten geredet?")


async def test_what_leans_on_nothing_but_older_questions_is_not_guessed() -> None:
    chat = Chat(*record())
    await chat.ask("What did the Bundestag debate on 9 September 2026?")
    await chat.ask("Is it true that Germany loses jobs in industry?")
    text = await chat.ask("Tell me more about it")
    assert chat.calls == []
    assert "cannot follow what that refers to" in text
    assert "Name the day" in text
    assert "What did the Bundestag debate" in text
    text = await chat.ask("Erzähl mir mehr darüber")
    assert chat.calls == []
    assert "kann nicht folgen" in text


async def test_more_is_told_of_what_the_last_answer_was_about() -> None:
    chat = Chat(*record())
    await chat.ask("What did the Bundestag debate on 8 September 2026?")
    assert "**FfZ**" in await chat.ask("And who interrupted most?")
    assert chat.calls == [("get_sitzungen", {"slug": "21-2026-09-08"})]
    assert "Streit um Energiepreise" in await chat.ask("Tell me more about it")
    assert chat.calls == [("get_sitzungen", {"slug": "21-2026-09-08"})]
    assert "10 September 2026" in await chat.ask("And who spoke longest in the latest session?")
    assert "Heizungsgesetz" in await chat.ask("And what about the Heizungsgesetz?")
    assert "cannot follow" in await chat.ask("And the unicorns there, Bundestag?")


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("31 February 2026?", "There is no 31 February 2026"),
        ("What did the Bundestag debate on 31 September?", "There is no 31 September in"),
        (
            "Was wurde am 31. Februar 2026 beraten?",
            "Den 31. Februar 2026 gibt es im Kalender nicht",
        ),
        ("Was hat der Bundestag am 31.2.2026 beraten?", "Den 31. Februar 2026 gibt es"),
    ],
)
async def test_a_day_that_does_not_exist_is_said_and_not_looked_up(
    question: str, said: str
) -> None:
    chat = Chat(*record())
    assert said in await chat.ask(question)
    assert chat.calls == []


async def test_of_one_session_it_is_said_that_it_is_one_and_two_are_offered_where_there_are() -> (
    None
):
    one = Chat(*record({"sitzungen": [session("2026-09-10", "Wohngeld")]}))
    assert "The nearest one is:" in await one.ask("What did the Bundestag debate on 1 May 2026?")
    chat = Chat(*record())
    text = await chat.ask("What did the Bundestag debate on 12 September 2026?")
    assert "The nearest ones are:" in text
    assert "Haushalt 2027" in text
    assert "Wohngeld" in text
    assert "Energiepreise" not in text


# --- claims --------------------------------------------------------------------------------------


async def test_a_claim_is_answered_with_verdict_speaker_quotation_and_link() -> None:
    chat = Chat(*record())
    text = await chat.ask("Is it true that Germany loses 12 000 jobs in industry every month?")
    assert chat.calls[0][0] == "search_claims"
    assert "**Verdict: misleading.** Ada Muster (Die Küste)" in text
    assert "> Deutschland verliert" in text
    assert f"({URL}/sitzung/21#claim-1)" in text


async def test_a_german_claim_is_searched_with_fewer_words_until_something_is_found() -> None:
    chat = Chat(*record())
    text = await chat.ask("Stimmt es, dass Deutschland Industriearbeit und Arbeitsplätze verliert?")
    queries = [arguments["query"] for _, arguments in chat.calls]
    assert len(queries) > 1
    assert all(len(b.split()) < len(a.split()) for a, b in pairwise(queries))
    assert "irreführend" in text or "Gesucht habe ich" in text


async def test_what_was_searched_in_vain_is_said_within_four_hops() -> None:
    chat = Chat(*record(claims={"claims": []}))
    text = await chat.ask("Stimmt es, dass Quallen fliegende Untertassen regelmäßig überholen?")
    assert len(chat.calls) == 3
    assert "nichts" in text
    assert "Untertassen" in text


async def test_a_date_in_a_claim_is_not_searched_for() -> None:
    chat = Chat(*record())
    await chat.ask("Is it true what was said about jobs on 9 September 2026?")
    assert chat.calls == [("search_claims", {"query": "Arbeitsplätze"})]


@pytest.mark.parametrize("question", ["Is it true that?", "Is it true?", "Stimmt das?"])
async def test_without_a_statement_it_asks_for_one(question: str) -> None:
    chat = Chat(*record())
    text = await chat.ask(question)
    assert chat.calls == []
    assert "Which statement" in text or "Welche Aussage" in text


@pytest.mark.parametrize(
    "question",
    [
        "Is it true that Germany loses 12,000 industrial jobs every month?",
        "Is it true that Germany loses 12.000 jobs a month?",
        "Stimmt es, dass die Industrie jeden Monat 12 000 Arbeitsplätze verliert?",
        "Stimmt es, dass Deutschland 12000 Arbeitsplätze verliert?",
    ],
)
async def test_a_number_and_an_adjective_hit_in_any_spelling(question: str) -> None:
    chat = Chat(*record())
    text = await chat.ask(question)
    assert "Ada Muster" in text
    assert len(chat.calls) == 1


async def test_a_list_by_verdict_is_asked_for_by_verdict() -> None:
    chat = Chat(*record())
    await chat.ask("Which statements were misleading?")
    assert chat.calls == [("search_claims", {"bewertung": "irrefuehrend"})]


# --- pictures and visitors -----------------------------------------------------------------------


@tool(paid=True, needs_approval=True, read_only=False)
async def generate_image(prompt: str, size: str = "1024x1024") -> ToolOutput:
    """Draw."""
    return ToolOutput({"prompt": prompt, "size": size, "x_nft": {"status": "mint_failed"}})


@tool()
async def get_analytics(
    range: str = "30d",  # noqa: A002 -- the name is agreed
) -> dict[str, object]:
    """Count."""
    pages = [{"path": "/blog", "hits": 40}]
    window = {"from": "2026-08-16", "to": "2026-09-14", "range": range}
    buckets = [{"label": "2026-08", "hits": 320}, {"label": "2026-09", "hits": 800}]
    counted = {"totalHits": 1120, "topPages": pages, "buckets": buckets}
    return {**window, **counted, "hasHistoric": True}


class Yes(Approver):
    """Somebody who agrees to everything."""

    async def decide(self, tool: Tool, arguments: Mapping[str, Any]) -> Approved:
        return Approved(arguments)


async def test_a_picture_is_asked_for_and_told_with_the_final_prompt() -> None:
    class Edits(Approver):
        async def decide(self, tool: Tool, arguments: Mapping[str, Any]) -> Approved:
            return Approved({**arguments, "prompt": "a dog"})

    chat = Chat(generate_image, approver=Edits())
    text = await chat.ask("Please draw me a wide picture of a cat.")
    assert chat.calls == [("generate_image", {"prompt": "a dog", "size": "1792x1024"})]
    assert "*a dog*" in text
    assert "minting its NFT failed" in text


async def test_a_declined_picture_is_not_claimed() -> None:
    text = await Chat(generate_image, approver=declines()).ask("Zeichne eine Katze")
    assert "abgelehnt" in text
    assert "Hier ist das Bild" not in text


@pytest.mark.parametrize(
    ("question", "lost"),
    [
        ("How many visitors did the site have yesterday?", "I did not understand that"),
        ("Wie viele Besucher hatte die Seite?", "habe das nicht verstanden"),
    ],
)
async def test_who_is_no_owner_hears_nothing_of_an_owners_tool(question: str, lost: str) -> None:
    chat = Chat(*record())
    text = await chat.ask(question)
    assert lost in text
    assert chat.calls == []
    assert not re.search(r"(?i)owner|betreiber|visitor|besuch|analytics", text)


async def test_more_of_a_picture_is_not_a_second_picture() -> None:
    chat = Chat(generate_image, approver=declines())
    await chat.ask("Draw a cat")
    assert "cannot follow" in await chat.ask("Tell me more about it")
    assert chat.calls == []


async def test_only_what_is_on_offer_is_advised() -> None:
    without = await Chat(*record()).ask("Hello")
    assert "wallet" not in without
    assert "Draw" not in without
    assert "visitors" not in without
    assert "interrupted most" in without
    both = await Chat(generate_image, get_analytics).ask("Hello")
    assert "Connect a wallet" in both
    assert "How many visitors" in both
    assert "Is it true" not in both
    assert "No tool" in await Chat().ask("Hello")


async def test_a_picture_that_failed_is_not_called_a_lookup() -> None:
    @tool()
    async def generate_image(prompt: str, size: str) -> ToolOutput:
        """Draw."""
        raise ToolError("generation_failed", "Out of paint.")

    text = await Chat(generate_image).ask("Draw a cat")
    assert text.startswith("There is no picture")
    assert "`generation_failed`: Out of paint." in text


@pytest.mark.parametrize(
    ("status", "first", "first_german", "free"),
    [
        ("payment_refused", "No picture was made", "Es wurde kein Bild gemacht", False),
        ("user_declined", "You declined", "Sie haben abgelehnt", True),
        ("wrong_network", "No picture was made", "Es wurde kein Bild gemacht", False),
        ("generation_failed", "There is no picture", "Es gibt kein Bild", False),
        ("interrupted", "There is no picture", "Es gibt kein Bild", False),
        ("invalid_response", "There is no picture", "Es gibt kein Bild", False),
    ],
)
async def test_why_there_is_no_picture_is_said_in_words_before_the_code(
    status: Any, first: str, first_german: str, free: bool
) -> None:
    @tool()
    async def generate_image(prompt: str, size: str) -> ToolOutput:
        """Draw."""
        raise ToolError(status, "No payment.")

    chat = Chat(generate_image)
    for question, words, nothing_paid in (
        ("Draw a cat", first, "nothing was paid"),
        ("Zeichne eine Katze", first_german, "nichts dafür bezahlt"),
    ):
        text = await chat.ask(question)
        assert text.startswith(words)
        assert (nothing_paid in text) == free
        assert ("wallet" in text.lower()) != free
        assert text.endswith(f"`{status}`: No payment.)")


@pytest.mark.parametrize(
    ("question", "prompt"),
    [
        ("Draw it again in blue", "a red cat, in blue"),
        ("Please draw it again, but with a hat.", "a red cat, with a hat"),
        ("Paint that in blue", "a red cat, in blue"),
        ("Draw the same picture again", "a red cat"),
        ("Draw another one", "a red cat"),
        ("Draw again", "a red cat"),
        ("Zeichne es nochmal in Blau", "a red cat, in Blau"),
        ("Mal das bitte noch einmal mit Hut", "a red cat, mit Hut"),
        ("Draw that dog", "that dog"),
        ("Draw her dog", "her dog"),
    ],
)
async def test_it_is_the_picture_before_and_without_one_it_is_asked_what_to_draw(
    question: str, prompt: str
) -> None:
    chat = Chat(generate_image, approver=Yes())
    if "a red cat" in prompt:
        text = await chat.ask(question)
        assert chat.calls == []
        assert "What shall the picture show?" in text or "Was soll auf dem Bild" in text
    await chat.ask("Draw a wide picture of a red cat")
    await chat.ask(question)
    assert [arguments["prompt"] for _, arguments in chat.calls] == [prompt]


async def test_it_is_no_older_picture_unless_that_is_wanted_again() -> None:
    chat = Chat(*record(), generate_image, approver=Yes())
    await chat.ask("Draw a wide picture of a cat")
    await chat.ask("What did the Bundestag debate on 9 September 2026?")
    assert "What shall the picture show?" in await chat.ask("Draw it")
    await chat.ask("Draw it again")
    assert chat.calls == [("generate_image", {"prompt": "a cat", "size": "1792x1024"})]


async def test_a_picture_of_nothing_is_not_paid_for() -> None:
    chat = Chat(generate_image, approver=Yes())
    assert "What shall the picture show?" in await chat.ask("Draw me a picture")
    assert chat.calls == []


async def test_visitors_are_told_with_the_change_of_counting() -> None:
    chat = Chat(get_analytics)
    text = await chat.ask("How many visitors did the page have this year?")
    assert chat.calls == [("get_analytics", {"range": "1y"})]
    assert "**1,120** visits" in text
    assert "The busiest month was September 2026, with 800." in text
    assert "`/blog`: 40" in text
    assert "not comparable" in text


@pytest.mark.parametrize(
    ("question", "chosen"),
    [
        ("How many visitors did the site have in the last 90 days?", "90d"),
        ("Wie viele Besucher hatte die Seite in den letzten drei Monaten?", "90d"),
        ("Wie viele Besucher hatten wir dieses Jahr?", "1y"),
        ("How many people visited the site in the last 12 months?", "1y"),
        ("Wie viele Zugriffe hatte die Website?", "30d"),
        ("Welche Seiten waren die meistbesuchten diesen Monat?", "30d"),
        ("How many visits were there this month?", "30d"),
    ],
)
async def test_visitors_are_asked_for_with_the_time_that_is_meant(
    question: str, chosen: str
) -> None:
    chat = Chat(*record(), get_analytics)
    await chat.ask(question)
    assert chat.calls == [("get_analytics", {"range": chosen})]


async def test_a_site_without_visits_has_no_busiest_day() -> None:
    @tool()
    async def get_analytics() -> dict[str, object]:
        """Count."""
        return {"from": "2026-09-13", "to": "2026-09-14", "range": "30d", "totalHits": 0,
                "topPages": [], "buckets": [{"label": "2026-09-13", "hits": 0}]}  # fmt: skip

    text = await Chat(get_analytics).ask("How many visitors did the site have?")
    assert text == "From 13 September 2026 to 14 September 2026 the site had **0** visits."


async def test_a_signature_that_was_declined_leaves_no_numbers() -> None:
    @tool()
    async def get_analytics() -> dict[str, object]:
        """Count."""
        raise ToolError("user_declined", "No.")

    assert "declined the signature" in await Chat(get_analytics).ask("How many visitors?")
    assert "Unterschrift" in await Chat(get_analytics).ask("Wie viele Besucher hatten wir?")


# --- honesty -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Hello", "scripted **practice model**, not a language model"),
        ("Schreib mir bitte ein Gedicht über den Herbst", "kein Sprachmodell"),
    ],
)
async def test_what_it_does_not_understand_it_says_and_what_it_is(
    question: str, words: str
) -> None:
    chat = Chat(*record())
    assert words in await chat.ask(question)
    assert chat.calls == []


async def test_a_failed_lookup_is_said_with_its_reason_and_the_chat_goes_on() -> None:
    chat = Chat(record(sitzungen="<html>")[0], record()[1])
    text = await chat.ask("What did the Bundestag debate yesterday?")
    assert "could not look that up" in text
    assert "bundestakt.test" in text
    assert "misleading" in await chat.ask("Is it true that Germany loses jobs in industry?")


async def test_a_tool_that_is_not_offered_is_not_called() -> None:
    chat = Chat()
    assert "not on offer" in await chat.ask("What did the Bundestag debate yesterday?")
    assert "nicht angeboten" in await chat.ask("Zeichne mir bitte eine Katze")


@pytest.mark.parametrize("status", ["interrupted", "tool_error", "budget_exhausted"])
async def test_no_result_is_never_told_as_one(status: Any) -> None:
    @tool()
    async def get_sitzungen(von: str = "", bis: str = "", slug: str = "") -> str:
        """Broken."""
        raise ToolError(status, "No.")

    text = await Chat(get_sitzungen).ask("What did the Bundestag debate yesterday?")
    assert "interrupted" in text if status == "interrupted" else f"`{status}`: No." in text


def test_going_on_takes_up_the_question_before() -> None:
    asked = [UserMessage("Draw a cat"), UserMessage("Please go on.")]
    turn = practice_turn(asked, {"generate_image"}, TODAY)
    assert json.loads(turn.tool_calls[0].arguments)["prompt"] == "a cat"


ODD_RESULTS = st.sampled_from(
    [
        "",
        "null",
        "[1]",
        '{"status":"ok"}',
        '{"sitzungen":[{"slug":1},null]}',
        '{"claims":[{"bewertung":[]}],"weitereTreffer":"1.5"}',
        '{"zahlen":{"abstimmungen":[1]},"in30Sekunden":{"titel":null}}',
        '{"topPages":{"path":2},"totalHits":null}',
        '{"status":7}',
    ]
)
QUESTIONS = st.text(max_size=20) | st.sampled_from(
    ["Bundestag yesterday?", "Is it true?", "Draw a cat", "How many visitors?", "Mehr", "go on"]
)


@given(QUESTIONS, st.lists(ODD_RESULTS, max_size=3))
def test_no_question_and_no_result_stops_it(question: str, results: list[str]) -> None:
    messages: list[Message] = [UserMessage("Bundestag?"), UserMessage(question)]
    offered = {"get_sitzungen", "search_claims", "generate_image", "get_analytics"}
    for result in results:
        turn = practice_turn(messages, offered, TODAY)
        assert turn.tool_calls or turn.content
        messages.append(turn)
        messages += [ToolMessage(call.id, result) for call in turn.tool_calls]
    last = practice_turn(messages, offered, TODAY)
    assert last.tool_calls or last.content


def test_no_question_at_all_is_answered_too() -> None:
    assert practice_turn([], (), TODAY).content


async def test_the_same_conversation_gets_the_same_answer() -> None:
    question = "What did the Bundestag debate on 9 September 2026?"
    first, second = await asyncio.gather(*(Chat(*record()).ask(question) for _ in range(2)))
    assert first == second


# --- dates and words -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "von", "bis"),
    [
        ("on 9 September 2026", "2026-09-09", "2026-09-09"),
        ("9 September?", "2026-09-09", "2026-09-09"),
        ("September 9th, 2025", "2025-09-09", "2025-09-09"),
        ("the 9th of September", "2026-09-09", "2026-09-09"),
        ("2026-09-09", "2026-09-09", "2026-09-09"),
        ("am 09.09.2026", "2026-09-09", "2026-09-09"),
        ("am 9.9.", "2026-09-09", "2026-09-09"),
        ("Am 9. September", "2026-09-09", "2026-09-09"),
        ("am 10.\u00a0Ma\u0308rz 2026", "2026-03-10", "2026-03-10"),
        ("10 December", "2025-12-10", "2025-12-10"),
        ("last Tuesday", "2026-09-15", "2026-09-15"),
        ("letzten Dienstag", "2026-09-15", "2026-09-15"),
        ("on Wednesday", "2026-09-16", "2026-09-16"),
        ("last Wednesday", "2026-09-09", "2026-09-09"),
        ("Tuesday last week", "2026-09-08", "2026-09-08"),
        ("yesterday", "2026-09-15", "2026-09-15"),
        ("gestern", "2026-09-15", "2026-09-15"),
        ("vorgestern", "2026-09-14", "2026-09-14"),
        ("heute", "2026-09-16", "2026-09-16"),
        ("letzte Woche", "2026-09-07", "2026-09-13"),
        ("this week", "2026-09-14", "2026-09-16"),
        ("im September", "2026-09-01", "2026-09-30"),
        ("in May 2026", "2026-05-01", "2026-05-31"),
        ("8. und 9. September", "2026-09-08", "2026-09-09"),
        ("from 8 to 10 September 2026", "2026-09-08", "2026-09-10"),
        ("between 2026-09-08 and 2026-09-10", "2026-09-08", "2026-09-10"),
    ],
)
def test_days_are_recognised_as_a_person_writes_them(text: str, von: str, bis: str) -> None:
    found = find_days(f"What happened {text}?", TODAY)
    assert found == Days(date.fromisoformat(von), date.fromisoformat(bis))


@pytest.mark.parametrize(
    "text", ["31 September", "it may be 2,7 million", "Drucksache 21/92", "12 000 jobs", "at 9.30"]
)
def test_what_is_no_day_is_not_taken_for_one(text: str) -> None:
    assert find_days(text, TODAY) is None


def test_29_february_is_the_latest_one_that_was() -> None:
    assert find_days("on 29 February", TODAY) == Days(date(2024, 2, 29), date(2024, 2, 29))


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("45 October 2026", "45 October 2026"),
        ("2026-02-30", "30 February 2026"),
        ("from 28 to 31 September 2026", "31 September 2026"),
        ("13.13.2026", "13.13.2026"),
        ("at 9.30. or 40.1.", ""),
        ("29 February", ""),
        ("28 February 2026", ""),
        ("12 000 may", ""),
    ],
)
def test_a_day_that_no_calendar_has_is_told_from_what_is_none(text: str, missing: str) -> None:
    assert missing_day(text, "en") == missing


def test_a_date_is_written_as_the_language_has_it() -> None:
    assert long_date("2026-09-09", "en") == "9 September 2026"
    assert long_date("2026-03-09", "de") == "9. März 2026"
    assert long_date("soon", "en") == "soon"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What did they debate?", "en"),
        ("Was wurde beraten?", "de"),
        ("Bürgergeld", "de"),
        ("Bundestag 2026", "en"),
    ],
)
def test_the_language_is_heard_from_the_words(text: str, language: str) -> None:
    assert language_of([text]) == language


def test_a_bare_word_takes_the_conversations_language() -> None:
    assert language_of(["Bundestag?", "Was wurde beraten?"]) == "de"


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("Is it true that rents rise?", "claims"),
        ("Stimmt es, dass die Mieten steigen?", "claims"),
        ("Mach mir ein Bild vom Reichstag", "picture"),
        ("Wie viele Besucher hatte die Seite?", "visitors"),
        ("Wer sprach am längsten im Bundestag?", "session"),
        ("Was hat der Bundestag denn mal beschlossen?", "session"),
        ("Wie viele Stimmen bekam der Antrag im Bundestag?", "session"),
        ("What did the Bundestag decide about traffic?", "session"),
        ("Kannst du mir eine Katze malen?", "picture"),
        ("Was sagte die Ministerin zur Rente?", "claims"),
        ("What is the meaning of life?", None),
    ],
)
def test_what_is_wanted_is_heard_from_the_words(text: str, intent: str | None) -> None:
    assert intent_of(text) == intent


def test_only_the_words_of_the_matter_are_searched_for() -> None:
    assert search_words("Is it true that Germany takes many refugees?", "en") == [
        "Deutschland",
        "Flüchtling",
    ]
    assert search_words("Is it true that every third bridge is broken?", "en") == [
        "dritte",
        "Brücke",
    ]
    assert search_words("Is it true that 1 in 3 municipalities spend 2.7 billion?", "en") == [
        "dritte",
        "Kommune",
        "2,7",
        "Milliarde",
    ]
    assert search_words("Stimmt es, dass 12 000 Lehrer fehlen?", "de")[0] == "12.000"
    assert search_words("Stimmt es, dass die Mieten um 2,7 Prozent steigen?", "de") == [
        "Mieten",
        "2,7",
        "Prozent",
        "steigen",
    ]


@pytest.mark.parametrize(
    ("wish", "prompt"),
    [
        ("Draw a cat", "a cat"),
        ("Can you please draw me a picture of the Reichstag?", "the Reichstag"),
        ("Zeichne bitte ein Bild von einer Katze!", "einer Katze"),
        ("Zeichne eine Katze", "eine Katze"),
    ],
)
def test_the_prompt_is_what_is_to_be_seen(wish: str, prompt: str) -> None:
    assert picture_prompt(wish) == prompt
