"""A tool that the page has never heard of is shown as well as its own, in both languages.

Rule: all that is shown of it stands in this file; no locale and no other module knows it.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tabloop.agent.presentation import Line, Lines, Presentation, counted, readable
from tabloop.agent.tools import Source, ToolOutput, tool
from tabloop.contrib.scripted import ScriptedModel
from tabloop.core.phrases import Phrase
from tabloop.ui.answer_state import ToolStep
from tabloop.ui.approval_card import approval_html
from tabloop.ui.capabilities import capabilities_of
from tabloop.ui.export import ExportedAnswer, as_markdown
from tabloop.ui.sources import sources_html
from tabloop.ui.status import status_line
from tabloop.ui.steps import step_html
from tabloop.ui.strings import Strings, load_strings
from tabloop.ui.tool_words import step_summary, step_title

from tests.unit.fakes import Answers, calls, says
from tests.unit.shown import shown_of

APP = Path(__file__).resolve().parents[2] / "app"
EN, DE = load_strings("en"), load_strings("de")
TRAINS = Presentation(
    title=Phrase("departures", "Abfahrten"),
    step=(
        Phrase("departures from {station} on {day}", "Abfahrten ab {station} am {day}"),
        Phrase("departures from {station}", "Abfahrten ab {station}"),
    ),
    summary=counted("trains", Phrase(("{n} train", "{n} trains"), ("{n} Zug", "{n} Züge"))),
    capability=Phrase("Look up trains", "Züge nachschlagen"),
    attribution=Phrase("Railway, open data", "Bahn, offene Daten"),
)


@tool(source="railway", needs_approval=True, presentation=TRAINS)
async def list_departures(station: str, day: str | None = None) -> ToolOutput:
    """Departures of one station."""
    source = Source("https://railway.example/", "Timetable")
    return ToolOutput({"trains": [f"{station} {day}"]}, sources=(source,))


@tool(source="railway", read_only=False, presentation=Presentation(working="Selling you a ticket"))
async def buy_ticket() -> int:
    """Buy a ticket."""
    return 1


IN_ENGLISH = {
    "step": "departures from Ulm on 9 September 2026",
    "status": "Looking up: departures from Ulm on 9 September 2026",
    "summary": "1 train",
    "capability": "Look up trains",
    "source": "Railway, open data",
    "card": "<p>departures <code>list_departures</code></p>",
}
IN_GERMAN = {
    "step": "Abfahrten ab Ulm am 9. September 2026",
    "status": "Schlägt nach: Abfahrten ab Ulm am 9. September 2026",
    "summary": "1 Zug",
    "capability": "Züge nachschlagen",
    "source": "Bahn, offene Daten",
    "card": "<p>Abfahrten <code>list_departures</code></p>",
}


@pytest.mark.parametrize(("strings", "words"), [(EN, IN_ENGLISH), (DE, IN_GERMAN)])
async def test_a_new_tool_is_shown_without_a_change_elsewhere(
    strings: Strings, words: dict[str, str]
) -> None:
    model = ScriptedModel(
        calls("list_departures", station="Ulm", day="2026-09-09"), says("There is one.")
    )
    running, state = await shown_of(model, [list_departures], Answers())
    assert status_line(strings, running, 4) == words["status"]
    [step] = state.steps
    html = str(step_html(strings, step))
    assert f'<span class="what">{words["step"]}</span>' in html
    assert f"</span>{words['summary']} · " in html
    region = str(sources_html(strings, state.sources, state.text))
    assert f'<p class="note">{words["source"]}</p>' in region
    assert words["card"] in str(approval_html(strings, list_departures, {"station": "Ulm"}))
    [capability] = capabilities_of(strings, [list_departures, buy_ticket])
    assert (capability.name, capability.label) == ("railway", words["capability"])
    exported = as_markdown(strings, [ExportedAnswer("When?", state)], "2026-09-10")
    assert f"- {words['step']} (`list_departures`)" in exported
    assert f"- [Timetable](<https://railway.example/>) ({words['source']})" in exported


@pytest.mark.parametrize(
    "name", ["get_sitzungen", "search_claims", "generate_image", "get_analytics"]
)
def test_the_page_knows_none_of_its_own_tools_by_name(name: str) -> None:
    package = APP / "tabloop"
    files = [
        package / "main.py",
        *(package / "ui").glob("*.py"),
        *(package / "browser").glob("*.py"),
        *(APP / "locales").glob("*.json"),
    ]
    assert [path.name for path in files if name in path.read_text("utf-8")] == []


async def test_a_tool_that_is_no_lookup_says_what_it_does_while_it_runs() -> None:
    running, _ = await shown_of(ScriptedModel(calls("buy_ticket"), says("Sold.")), [buy_ticket])
    assert status_line(EN, running, 4) == "Selling you a ticket"


async def test_a_name_that_no_tool_has_is_shown_as_words() -> None:
    _, state = await shown_of(ScriptedModel(calls("find_bus"), says("None.")), [buy_ticket])
    assert step_title(EN, state.steps[0]) == "Find bus"


def fails(_given: Mapping[str, Any]) -> Line:
    raise TypeError


def gives(line: object) -> Any:
    """A description that a tool's author got wrong."""

    def describe(_given: Mapping[str, Any]) -> object:
        return line

    return describe


@pytest.mark.parametrize(
    ("step", "arguments", "title"),
    [
        ("weather in {city}", {"city": "Ulm"}, "weather in Ulm"),
        ("weather in {city}", {"city": 4_000}, "weather in 4,000"),
        ("weather at {degrees}°", {"degrees": 48.4}, "weather at 48.4°"),
        ("weather in {city}", {}, "Weather"),
        ("weather in {city}", {"city": " "}, "Weather"),
        ("weather in {city}", {"city": None}, "Weather"),
        ("weather in {city}", {"city": ["Ulm"]}, "Weather"),
        ("weather in {city}", {"city": True}, "Weather"),
        ("weather in {city", {"city": "Ulm"}, "Weather"),
        ("weather in {}", {"city": "Ulm"}, "Weather"),
        ("weather in {city.name}", {"city": "Ulm"}, "Weather"),
        (("{day}", "{city}"), {"city": "Ulm"}, "Ulm"),
        ("weather in {city[0].x}", {"city": "Ulm"}, "Weather"),
        ("weather in {city[x]}", {"city": "Ulm"}, "Weather"),
        ("weather in {city}", {"city": "{0} {city.__class__}"}, "weather in {0} {city.__class__}"),
        ("weather in {city}", {"city": "9" * 5_000}, "weather in " + "9" * 79 + "…"),
        ("weather in {city}", {"city": 10**5_000}, "Weather"),
        ("weather at {city}°", {"city": float("inf")}, "Weather"),
        ("weather at {city}°", {"city": float("nan")}, "Weather"),
        ("weather in {city}", {"city": "2026-02-31"}, "weather in 2026-02-31"),
        ("weather in {city}", {"city": "\u202emlU\U000e0041"}, "weather in mlU"),
        ("weather in {city}", {"city": "\u200b" * 9}, "Weather"),
        (fails, {"city": "Ulm"}, "Weather"),
        (gives(None), {"city": "Ulm"}, "Weather"),
        (gives("weather"), {"city": "Ulm"}, "Weather"),
        (gives(("weather", None)), {"city": "Ulm"}, "Weather"),
        ("", {"city": "Ulm"}, "Weather"),
    ],
)
def test_a_step_that_cannot_be_described_has_the_title(
    step: Lines, arguments: dict[str, object], title: str
) -> None:
    weather = Presentation(title="Weather", step=step)
    assert step_title(EN, ToolStep("a", "get_weather", weather, arguments=arguments)) == title


def test_a_summary_counts_a_list_or_takes_a_number() -> None:
    describe = counted("trains", "{n} trains")
    assert describe({"trains": ["a", "b"]}) == Line("{n} trains", {"n": 2})
    assert describe({"trains": 3}) == Line("{n} trains", {"n": 3})
    assert describe({"trains": "many"}) == describe({}) == Line("{n} trains", {})


def test_numbers_are_written_as_the_language_writes_them() -> None:
    weather = Presentation(summary="{celsius} °C")
    step = ToolStep("a", "get_weather", weather)
    assert step_summary(EN, step, {"celsius": 7.5}) == "7.5 °C"
    assert step_summary(DE, step, {"celsius": 7.5}) == "7,5 °C"
    assert step_summary(DE, step, {"celsius": 1234}) == "1.234 °C"
    assert step_summary(DE, step, {"kelvin": 1234}) == ""
    assert step_summary(DE, step, [7.5]) == ""


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("get_weather", "Get weather"),
        ("getWeather", "Get weather"),
        ("days-until", "Days until"),
        ("weather", "Weather"),
        ("HTTP", "HTTP"),
        ("__", ""),
    ],
)
def test_names_in_code_are_made_readable(name: str, words: str) -> None:
    assert readable(name) == words
