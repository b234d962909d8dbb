"""The README's tool, as it stands there, is one that the model can call."""

import re
from pathlib import Path
from types import ModuleType

import pytest
from tabloop.agent.errors import ToolError
from tabloop.agent.tools import Tool, ToolOutput, check_definitions
from tabloop.ui.answer_state import charts_of
from tabloop.ui.charts import charts_html
from tabloop.ui.strings import LANGUAGES, load_strings

README = Path(__file__).resolve().parents[2] / "README.md"


@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_tool_of_the_readme_can_be_called_and_draws(language: str) -> None:
    [code] = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    module = ModuleType("weather")
    exec(code, module.__dict__)
    [weather] = module.weather_tools()
    assert isinstance(weather, Tool)
    check_definitions([weather])
    output = await weather.run(weather.validate({"city": "Berlin", "day": "2026-11-30"}))
    assert isinstance(output, ToolOutput)
    assert output.result == {"celsius": 7}
    html = charts_html(load_strings(language), [charts_of(output.display)], number=1)
    assert "<h3>Temperature</h3>" in html
    assert "Berlin: 7 °C." in html
    assert "celsius</th>" in html
    with pytest.raises(ToolError, match="Only Berlin"):
        await weather.run(weather.validate({"city": "Rome"}))
