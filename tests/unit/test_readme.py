"""The README's tool, as it stands there, is one that the model can call and a person can read."""

import re
from pathlib import Path
from types import ModuleType

import pytest
from tabloop.agent.definitions import check_definitions
from tabloop.agent.tools import Tool
from tabloop.ui.capabilities import capabilities_of
from tabloop.ui.charts import charts_html
from tabloop.ui.sources import sources_html
from tabloop.ui.status import status_line
from tabloop.ui.steps import step_html
from tabloop.ui.strings import LANGUAGES, Strings, load_strings

from tests.unit.fakes import ScriptedModel, calls, says
from tests.unit.shown import shown_of

README = Path(__file__).resolve().parents[2] / "README.md"


@pytest.fixture(params=LANGUAGES)
def strings(request: pytest.FixtureRequest) -> Strings:
    return load_strings(request.param)


@pytest.fixture
def weather() -> Tool:
    [code] = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    module = ModuleType("weather")
    exec(code, module.__dict__)
    [made] = module.weather_tools()
    assert isinstance(made, Tool)
    check_definitions([made])
    return made


async def test_it_can_be_called_and_is_shown_as_well_as_ours(
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


async def test_what_it_refuses_is_told_and_shown(weather: Tool, strings: Strings) -> None:
    model = ScriptedModel(calls("get_weather", city="Rome"), says("I do not know."))
    _, state = await shown_of(model, [weather])
    [step] = state.steps
    assert "Only Berlin is known." in (step.result or "")
    assert '<span class="what">Weather in Rome</span>' in str(step_html(strings, step))
    assert state.sources == ()
