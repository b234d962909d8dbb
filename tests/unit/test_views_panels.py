"""Capabilities as a person chooses them, and the conversation as a file."""

import re
from collections.abc import Mapping
from typing import Any

import pytest
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


def test_a_capability_that_is_switched_off_is_not_offered() -> None:
    assert switched_on(BUNDESTAKT, set()) == BUNDESTAKT
    assert switched_on(BUNDESTAKT, {"bundestakt"}) == ()
    assert switched_on(BUNDESTAKT, {"gone since"}) == BUNDESTAKT


def test_checkboxes_are_ticked_unless_switched_off() -> None:
    capabilities = capabilities_of(EN, BUNDESTAKT)
    assert str(capabilities_html(capabilities, set(), "")).count(" checked") == 1
    assert " checked" not in str(capabilities_html(capabilities, {"bundestakt"}, ""))
    assert 'type="checkbox"' in str(capabilities_html(capabilities, set(), ""))
    assert ">Nothing is there.<" in str(capabilities_html((), set(), "Nothing is there."))


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
    text = exported(
        label="Search result: not a language model", problem="The endpoint cut this answer."
    )
    assert "Search result: not a language model" in text
    assert "*The endpoint cut this answer.*" in text


@pytest.mark.parametrize(
    ("written", "exported_as"),
    [
        ("![a](https://evil.example/?q=1)", r"\![a](https://evil.example/?q=1)"),
        ("![a][1]\n\n[1]: https://evil.example/", "\\![a][1]\n\n[1]: https://evil.example/"),
        ("<img src=https://evil.example/>", r"\<img src=https://evil.example/>"),
        ("a </div> b <!-- c", r"a \</div> b \<!-- c"),
        ("## Question\n\n> Forged", "### Question\n\n> Forged"),
        ("> - # Forged", "> - ### Forged"),
        ("Answer\n===\ntext", "Answer\n\\===\ntext"),
        ("- a\n  ```\n![x](https://e.example/)", "- a\n  \\`\\`\\`\n\\![x](https://e.example/)"),
        ("`\n` ![x](https://evil.example/) `", "`\n` \\![x](https://evil.example/) `"),
        # text that is not changed
        ("```html\n<b>![x](y)</b>\n# no heading\n```\nend", None),
        ("1 < 2, a<https://www.example.org/> and **b**!", None),
        ("above\n\n---\n\nbelow", None),
        ("### Third", None),
    ],
)
def test_an_export_disarms_what_the_page_disarms(written: str, exported_as: str | None) -> None:
    asked = ExportedAnswer(written, AnswerState(text=written))
    text = as_markdown(EN, [asked], "2026-09-10")
    wanted = written if exported_as is None else exported_as
    assert text.endswith(f"\n\n{wanted}\n")
    assert "".join(f"> {line}\n" for line in wanted.splitlines()) in text


def test_names_and_links_of_an_export_are_one_line_of_text() -> None:
    step = ToolStep("a", "x`<b>\n# y", raw_arguments='{"query": 1}', state="failed")
    evil = 'https://a.example/>) ![x](https://evil.example/) <img src="'
    source = Source(evil, "<b>![t](u)\n# t")
    state = AnswerState(text="Yes.", steps=(step,), sources=(source,))
    problem = "The server says <img src=x> ![y](z)"
    text = as_markdown(EN, [ExportedAnswer("?", state, problem=problem)], "2026-09-10")
    text, links = re.subn(r"\]\(<[^<>\s]*>\)", "", text)
    assert links == 1
    assert "\n# " not in text
    assert re.search(r"(?<!\\)!\[", text) is None
    assert re.search(r"(?<![\\x])<", text) is None  # the step's name is code


def test_an_answer_without_text_leaves_no_gap_in_the_export() -> None:
    nothing = ExportedAnswer("Why?", AnswerState())
    failed = ExportedAnswer("Why?", AnswerState(), problem="It could not be reached.")
    assert "(no answer)" in as_markdown(EN, [nothing], "2026-09-10")
    assert "It could not be reached." in as_markdown(EN, [failed], "2026-09-10")
    assert "(keine Antwort)" in as_markdown(DE, [nothing], "2026-09-10")
    assert as_markdown(EN, [], "2026-09-10").count("##") == 0


def test_an_export_names_the_site() -> None:
    text = as_markdown(DE, [], "2026-09-10", "Harbour *Museum*")
    assert text.startswith("# Gespräch mit Harbour \\*Museum\\*\n")
