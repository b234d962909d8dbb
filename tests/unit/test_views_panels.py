"""Capabilities as a person chooses them, and the conversation as a file."""

from collections.abc import Mapping
from typing import Any

from tabloop.agent.events import RunFinished
from tabloop.agent.presentation import PLAIN, Presentation
from tabloop.agent.tools import Source, Tool
from tabloop.tools.bundestakt.words import CLAIMS, SESSIONS
from tabloop.ui.answer_state import AnswerState, ToolStep
from tabloop.ui.capabilities import capabilities_html, capabilities_of, switched_on
from tabloop.ui.export import ExportedAnswer, as_markdown
from tabloop.ui.strings import load_strings

EN, DE = load_strings("en"), load_strings("de")


def some_tool(name: str, source: str, presentation: Presentation = PLAIN) -> Tool:
    async def run(_arguments: Mapping[str, Any]) -> object:
        return None

    return Tool(name, "What it does.", {}, dict, run, source=source, presentation=presentation)


BUNDESTAKT = (
    some_tool("get_sitzungen", "bundestakt", SESSIONS),
    some_tool("search_claims", "bundestakt", CLAIMS),
)


def test_two_tools_of_one_source_are_one_capability() -> None:
    [capability] = capabilities_of(EN, BUNDESTAKT)
    assert capability.name == "bundestakt"
    assert capability.label != capabilities_of(DE, BUNDESTAKT)[0].label


def test_tools_that_say_nothing_of_themselves_are_shown_by_their_names_made_readable() -> None:
    weather = (some_tool("get_weather", "my weather"), some_tool("get_rain", "my weather"))
    [capability] = capabilities_of(EN, weather)
    assert (capability.name, capability.label) == ("my weather", "Get weather, Get rain")
    assert capabilities_of(DE, [some_tool("days_until", "")])[0].label == "Days until"


def test_what_is_switched_off_is_not_offered() -> None:
    assert switched_on(BUNDESTAKT, set()) == BUNDESTAKT
    assert switched_on(BUNDESTAKT, {"bundestakt"}) == ()
    assert switched_on(BUNDESTAKT, {"gone since"}) == BUNDESTAKT


def test_checkboxes_are_ticked_unless_switched_off() -> None:
    capabilities = capabilities_of(EN, BUNDESTAKT)
    assert str(capabilities_html(capabilities, set())).count(" checked") == 1
    assert " checked" not in str(capabilities_html(capabilities, {"bundestakt"}))
    assert 'type="checkbox"' in str(capabilities_html(capabilities, set()))


def exported(**changes: Any) -> str:
    state = AnswerState(
        text="It was about **money**.",
        steps=(ToolStep("a", "get_sitzungen", SESSIONS, state="ok", arguments={}),),
        sources=(Source("https://www.bundestakt.de/1", "Session [1]", SESSIONS.attribution),),
        ended=RunFinished("stop", text="It was about **money**."),
    )
    answer = ExportedAnswer("What was it about?\nIn short.", state, **changes)
    return as_markdown(EN, [answer], "2026-09-10")


def test_an_export_has_question_answer_steps_and_sources() -> None:
    text = exported()
    assert text.startswith("# Conversation with Tabloop\n\nExported on 10 September 2026\n")
    assert "> What was it about?\n> In short." in text
    assert "It was about **money**." in text
    assert "- list of sessions (`get_sitzungen`): done" in text
    assert "- [Session (1)](<https://www.bundestakt.de/1>) (Bundestakt, licence CC BY 4.0)" in text
    assert "Search result" not in text


def test_an_export_says_who_answered_and_what_went_wrong() -> None:
    text = exported(searching=True, problem="The endpoint cut this answer.")
    assert "Search result: not a language model" in text
    assert "*The endpoint cut this answer.*" in text


def test_an_answer_without_text_is_no_gap() -> None:
    nothing = ExportedAnswer("Why?", AnswerState())
    failed = ExportedAnswer("Why?", AnswerState(), problem="It could not be reached.")
    assert "(no answer)" in as_markdown(EN, [nothing], "2026-09-10")
    assert "It could not be reached." in as_markdown(EN, [failed], "2026-09-10")
    assert "(keine Antwort)" in as_markdown(DE, [nothing], "2026-09-10")
    assert as_markdown(EN, [], "2026-09-10").count("##") == 0
