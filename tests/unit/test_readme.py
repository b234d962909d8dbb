"""The README's tool, as it stands there, is one that the model can call."""

import re
from pathlib import Path
from types import ModuleType

import pytest

from app.agent.errors import ToolError
from app.agent.tools import Tool, ToolOutput, check_definitions

README = Path(__file__).resolve().parents[2] / "README.md"


async def test_the_tool_of_the_readme_can_be_called() -> None:
    [code] = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    module = ModuleType("weather")
    exec(code, module.__dict__)
    [weather] = module.weather_tools()
    assert isinstance(weather, Tool)
    check_definitions([weather])
    output = await weather.run(weather.validate({"city": "Berlin", "day": "2026-11-30"}))
    assert isinstance(output, ToolOutput)
    assert output.result == {"celsius": 7}
    with pytest.raises(ToolError, match="Only Berlin"):
        await weather.run(weather.validate({"city": "Rome"}))
