"""The loop in pages of somebody's own, as docs/loop.md has them, in a real browser."""

import json
import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import DIST
from tests.standins.faults import Reply
from tests.standins.servers import Running, running_standins

GUIDE = DIST.parent / "docs" / "loop.md"
CACHE = DIST.parent / ".cache"
NPM = DIST.parent / "app" / "js" / "node_modules"


@pytest.fixture
def own_page(tmp_path: Path, standins: Running) -> Path:
    """`dist/` with `own.html` beside it; only its two addresses are the stand-ins'."""
    pages = re.findall(r"```html\n(<!doctype html>.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    [code] = [page for page in pages if "urllib" in page]
    assert code.count("\n") < 30
    code = code.replace("http://localhost:11434/v1", standins.proxy.url)
    code = code.replace("https://www.bundestakt.de", standins.bundestakt.url)
    code = code.replace("qwen3", "tabloop-search")
    folder = Path(shutil.copytree(DIST, tmp_path / "dist"))
    (folder / "own.html").write_text(code, "utf-8")
    return folder


def test_the_loop_runs_alone_with_a_tool_written_with_urllib(
    page: Page, standins: Running, own_page: Path
) -> None:
    function = {"name": "count_sessions", "arguments": "{}"}
    call = {"id": "abcdefgh1", "type": "function", "function": function}
    turns = ({"content": None, "tool_calls": [call]}, {"content": "Twenty-one."})
    for turn in turns:
        choice = {"message": {"role": "assistant", **turn}, "finish_reason": "stop"}
        standins.proxy.behave(Reply({"choices": [choice]}))
    with running_standins(own_page) as own:
        page.goto(f"{own.page_url}own.html")
        expect(page.locator("body")).to_contain_text("RunFinished")
    body = page.locator("body")
    expect(body).to_contain_text('"sessions":21')
    expect(body).to_contain_text("Twenty-one.")


@pytest.fixture
def stock_page(tmp_path: Path, standins: Running) -> Path:
    """The example page of `dist/`, with PyScript and Pyodide as npm ships them instead of a CDN.

    A package index is not asked: the wheels that it would give are named beside ours.
    """
    code = (DIST / "examples" / "loop.html").read_text("utf-8")
    [wheel] = DIST.glob("*.whl")
    assert f'"../{wheel.name}"' in code
    folder = tmp_path / "stock"
    shutil.copytree(CACHE / "wheels", folder / "wheels")
    shutil.copytree(NPM / "@pyscript" / "core" / "dist", folder / "pyscript")
    shutil.copytree(NPM / "pyodide", folder / "pyodide")
    shutil.copy(wheel, folder)
    for name in ("index.html", "pyscript.toml"):  # what every site of the stand-ins has
        (folder / name).touch()
    needed = sorted((folder / "wheels").iterdir())
    wheels = ", ".join(json.dumps(f"../wheels/{path.name}") for path in needed)
    addresses = {
        r"https://cdn\.jsdelivr\.net/npm/@pyscript/core@[\d.]+/dist/": "../pyscript/",
        r"https://cdn\.jsdelivr\.net/pyodide/v[\d.]+/full/": "../pyodide/",
        r'"packages": \[': f'"packages_cache": "passthrough", "packages": [{wheels}, ',
        "http://localhost:11434/v1": standins.proxy.url,
    }
    for pattern, local in addresses.items():
        code, count = re.subn(pattern, local, code)
        assert count == 1
    (folder / "examples").mkdir()
    (folder / "examples" / "loop.html").write_text(code, "utf-8")
    return folder


def test_a_page_with_stock_pyscript_takes_the_wheel(
    page: Page, standins: Running, stock_page: Path
) -> None:
    function = {"name": "page_title", "arguments": "{}"}
    call = {"id": "abcdefgh1", "type": "function", "function": function}
    turns = ({"content": None, "tool_calls": [call]}, {"content": "It is an example."})
    for turn in turns:
        choice = {"message": {"role": "assistant", **turn}, "finish_reason": "stop"}
        standins.proxy.behave(Reply({"choices": [choice]}))
    with running_standins(stock_page) as own:
        page.goto(f"{own.page_url}examples/loop.html")
        expect(page.get_by_role("status")).to_have_text("It is an example.")
    assert "An agent in a page" in json.dumps(standins.proxy.requests[-1].json)
