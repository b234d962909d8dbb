"""The README's "use the loop on its own", as it stands there, in a real browser."""

import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import DIST
from tests.standins.faults import Reply
from tests.standins.servers import Running, running_standins

README = DIST.parent / "README.md"


@pytest.fixture
def own_page(tmp_path: Path, standins: Running) -> Path:
    """`dist/` with the README's page beside it; only its two addresses are the stand-ins'."""
    [code] = re.findall(r"```html\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
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
