"""Search mode of a site without Bundestakt's record: it lists hits, and claims nothing more."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tabloop.agent.loop import Agent
from tabloop.agent.messages import UserMessage
from tabloop.agent.presentation import PLAIN
from tabloop.agent.tools import tool
from tabloop.ui.strings import load_strings
from tabloop.ui.tool_search import ToolSearch

from tests.standins.any_search import AnySearch
from tests.unit.site_pages import ORIGIN, Site

INDEX = "/search/search_index.json"
SEARCHING = Path(__file__).parents[2] / "app" / "tabloop" / "searching"
ROPE = {"location": "rope/", "title": "Rope [new](https://evil.test)", "text": "*Hemp* rope."}


async def answer(site: Site, question: str, language: str = "en") -> str:
    agent = Agent(ToolSearch(load_strings(language)), site.tools)
    return await agent.answer([UserMessage(question)])


def site(*documents: dict[str, str]) -> Site:
    return Site({INDEX: json.dumps({"docs": documents})}, search=INDEX)


async def test_it_lists_what_was_found_as_text_with_its_address() -> None:
    text = await answer(site(ROPE), "Where is *the* rope?")
    assert text.startswith(
        "Passages of this site with words of *Where is \\*the\\* rope*:\n\n- [Rope "
    )
    assert f"](<{ORIGIN}/rope/>): \\*Hemp\\* rope." in text
    assert "](https://evil.test)" not in text
    assert text.endswith("and does not know what they mean.")


async def test_it_says_that_nothing_was_found_in_german() -> None:
    text = await answer(site(ROPE), "Segel?", "de")
    assert text.startswith("Auf keiner Seite dieser Website stehen die Wörter aus *Segel*.")


async def test_it_says_why_the_site_could_not_be_searched() -> None:
    text = await answer(Site({}, search=INDEX), "rope")
    assert text.startswith("This site could not be searched: The search index ")
    assert "status 404" in text


@pytest.mark.parametrize("question", ["rope", ""])
async def test_without_a_tool_or_a_question_it_says_that_there_is_nothing_to_search(
    question: str,
) -> None:
    agent = Agent(ToolSearch(load_strings("en")), site(ROPE).tools[1:] if question else ())
    text = await agent.answer([UserMessage(question)])
    assert text == "There is nothing to search on this page."


async def test_the_stand_in_for_a_model_searches_the_site_if_the_page_has_no_record() -> None:
    tools = [replace(tool, presentation=PLAIN) for tool in site(ROPE).tools]
    question = UserMessage("Wo liegt das Rope?")
    text = await Agent(AnySearch(), tools).answer([question])
    assert text.startswith("Stellen dieser Website mit Wörtern aus *Wo liegt das Rope*:")
    failed = [replace(tool, presentation=PLAIN) for tool in Site({}, search=INDEX).tools]
    text = await Agent(AnySearch(), failed).answer([question])
    assert text.startswith("Diese Website ließ sich nicht durchsuchen: ")


def test_search_mode_for_the_record_has_at_most_700_lines() -> None:
    files = [path for path in SEARCHING.iterdir() if path.suffix in (".py", ".json")]
    assert sum(len(path.read_text("utf-8").splitlines()) for path in files) <= 700


async def test_the_stand_in_knows_a_tool_by_the_title_that_its_name_has() -> None:
    @tool
    async def get_weather(city: str) -> dict[str, str]:
        """Today's weather."""
        return {"city": city}

    text = await Agent(AnySearch(), [get_weather]).answer([UserMessage("Weather: Berlin")])
    assert "- city: Berlin" in text
