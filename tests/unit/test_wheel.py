"""The wheel in dist: complete, installable by its own record, and used without a checkout."""

import base64
import re
import subprocess
import sys
import zipfile
from hashlib import sha256
from importlib.metadata import Distribution
from io import BytesIO
from pathlib import Path

import pytest
import tabloop
from tabloop.core.data import data_text, script_expression

from app.build.wheel import wheel

USED = """
import asyncio, tabloop
from tabloop.core.data import data_text
from tabloop.ui.strings import load_strings

@tabloop.tool
async def double(n: int) -> int:
    "Double a number."
    return 2 * n

model = tabloop.ScriptedModel(tabloop.calls("double", n=2), "Four.")
print(tabloop.__version__, tabloop.__file__)
print(asyncio.run(tabloop.Agent(model, [double]).answer("Twice two?")))
print(bool(load_strings("de")), bool(data_text("prompts/system.md")))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    name, data = wheel()
    assert name == f"tabloop-{tabloop.__version__}-py3-none-any.whl"
    folder = tmp_path_factory.mktemp("site")
    zipfile.ZipFile(BytesIO(data)).extractall(folder)
    return folder


def test_a_program_uses_the_installed_wheel_and_its_data(installed: Path) -> None:
    paths = {"PYTHONPATH": str(installed), "PATH": ""}
    command = [sys.executable, "-BP", "-W", "error", "-c", USED]
    done = subprocess.run(
        command, cwd=installed, env=paths, capture_output=True, text=True, check=False
    )
    assert not done.stderr
    package = installed / "tabloop" / "__init__.py"
    assert done.stdout.splitlines() == [f"{tabloop.__version__} {package}", "Four.", "True True"]


def test_its_metadata_names_what_it_needs_and_every_file_with_its_hash(installed: Path) -> None:
    [info] = installed.glob("*.dist-info")
    found = Distribution.at(info)
    assert found.metadata["Name"] == "tabloop"
    assert found.metadata.get_all("Provides-Extra") == ["http", "page"]
    needs = found.requires or []
    assert any(one.startswith("pydantic>=") for one in needs)
    assert "pyodide-http>=0.2; extra == 'page'" in needs
    files = found.files or []
    assert {str(one) for one in files} == {
        path.relative_to(installed).as_posix() for path in installed.rglob("*") if path.is_file()
    }
    for one in files:
        if one.hash:
            digest = sha256(Path(str(one.locate())).read_bytes()).digest()
            assert one.hash.value == base64.urlsafe_b64encode(digest).decode().rstrip("=")
    assert [str(one) for one in files if not one.hash] == [f"{info.name}/RECORD"]
    assert "tabloop/py.typed" in map(str, files)
    assert not [one for one in files if str(one).startswith("app/")]


def test_the_bridge_in_it_is_one_expression_with_all_functions_that_python_calls() -> None:
    module = data_text("js/bridge.js")
    assert not re.findall(r"^(?:import|export (?:default|\{|\*))", module, re.MULTILINE)
    expression = script_expression("js/bridge.js")
    assert "\nexport " not in expression
    assert "import.meta" not in expression
    bridge = (Path(tabloop.__file__).parent / "browser" / "bridge.py").read_text("utf-8")
    declared = bridge.partition("class Bridge(")[2].partition("class BridgeFault")[0]
    called = set(re.findall(r"def (\w+)\(self", declared))
    returned = expression.rpartition("return {")[2]
    assert called <= set(re.findall(r"\w+", returned))


def test_the_same_sources_give_the_same_bytes() -> None:
    assert wheel() == wheel()
