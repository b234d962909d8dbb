"""The programs of README and docs/tools.md run as they stand there; the tool reads as ours do."""

import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from aiohttp import web
from tabloop.agent.definitions import check_definitions
from tabloop.agent.tools import Tool
from tabloop.contrib.scripted import ScriptedModel
from tabloop.ui.capabilities import capabilities_of
from tabloop.ui.charts import charts_html
from tabloop.ui.sources import sources_html
from tabloop.ui.status import status_line
from tabloop.ui.steps import step_html
from tabloop.ui.strings import LANGUAGES, Strings, load_strings

from tests.unit.fakes import calls, says
from tests.unit.shown import shown_of

ROOT = Path(__file__).resolve().parents[2]


def example(file: str) -> ModuleType:
    """The one Python example of a file, as a module."""
    [code] = re.findall(r"```python\n(.*?)```", (ROOT / file).read_text("utf-8"), re.DOTALL)
    module = ModuleType("example")
    exec(code, module.__dict__)
    return module


@pytest.fixture(params=LANGUAGES)
def strings(request: pytest.FixtureRequest) -> Strings:
    return load_strings(request.param)


@pytest.fixture
def weather() -> Tool:
    module = example("docs/tools.md")
    [made] = module.weather_tools()
    assert isinstance(made, Tool)
    check_definitions([made])
    return made


async def test_the_tool_of_the_guide_can_be_called_and_is_shown(
    weather: Tool, strings: Strings
) -> None:
    model = ScriptedModel(calls("get_weather", city="Berlin"), says("Cold."))
    running, state = await shown_of(model, [weather])
    looking = strings("status.lookingUp", what="Weather in Berlin")
    assert status_line(strings, running, 4) == looking
    [step] = state.steps
    html = str(step_html(strings, step))
    assert 'data-tool="get_weather" data-state="ok"' in html
    assert '<span class="what">Weather in Berlin</span>' in html
    assert "</span>7 °C · " in html
    assert [one.label for one in capabilities_of(strings, [weather])] == ["Look up the weather"]
    sources = str(sources_html(strings, state.sources, state.text))
    assert '<p class="note">weather.example, CC0</p>' in sources
    figure = str(charts_html(strings, state.charts, number=1))
    assert "<h3>Temperature</h3>" in figure
    assert "Berlin: 7 °C." in figure
    assert "celsius</th>" in figure


async def test_an_error_of_the_tool_of_the_guide_reaches_model_and_person(
    weather: Tool, strings: Strings
) -> None:
    model = ScriptedModel(calls("get_weather", city="Rome"), says("I do not know."))
    _, state = await shown_of(model, [weather])
    [step] = state.steps
    assert "Only Berlin is known." in (step.result or "")
    assert '<span class="what">Weather in Rome</span>' in str(step_html(strings, step))
    assert state.sources == ()


@pytest.mark.real_time
async def test_its_program_for_cpython_asks_a_model_and_prints_the_answer(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked: list[Any] = []

    async def chat(request: web.Request) -> web.Response:
        body = await request.json()
        asked.append(body)
        call = {"id": "a", "function": {"name": "multiply", "arguments": '{"a":1234,"b":5678}'}}
        first = {"role": "assistant", "content": None, "tool_calls": [call]}
        last = {"role": "assistant", "content": "It is " + body["messages"][-1]["content"]}
        message = first if len(asked) == 1 else last
        return web.json_response({"choices": [{"index": 0, "message": message}]})

    app = web.Application()
    app.router.add_post("/v1/chat/completions", chat)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        await example("README.md").main(f"{site.name}/v1", "any")
    finally:
        await runner.cleanup()
    assert capsys.readouterr().out == 'It is {"status":"ok","result":7006652}\n'
    assert asked[0]["tools"][0]["function"]["name"] == "multiply"


def test_the_guide_names_the_attributes_of_the_element() -> None:
    script = (ROOT / "app" / "js" / "embed.js").read_text("utf-8")
    guide = (ROOT / "docs" / "site.md").read_text("utf-8")
    [table] = re.findall(r"\| attribute \|.*?\n\n", guide, re.DOTALL)
    named = re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)
    assert sorted(named) == sorted(set(re.findall(r"this\.getAttribute\('(\w+)'\)", script)))
