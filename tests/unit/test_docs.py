"""docs/loop.md: its programs are the files beside it, and every block in it runs as it stands."""

import ast
import inspect
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import CodeType
from typing import Any

import pytest
import tabloop
from aiohttp import web
from pydantic import BaseModel
from tabloop import ModelReply, ScriptedModel, calls, tool
from tabloop.agent.messages import AssistantMessage
from tabloop.agent.middleware import CallContext, RunContext, Skip
from tabloop.agent.strategies import LoopState
from tabloop.contrib.scripted import Step

from docs.examples import trip
from docs.examples.test_trip import test_a_seat_is_booked_once_the_person_agrees

__all__ = ["test_a_seat_is_booked_once_the_person_agrees"]  # it runs here, too

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (DOCS / "loop.md").read_text("utf-8")

# What the model says in each section, and what is printed there.
SCRIPTS: Mapping[str, tuple[Sequence[Step], str]] = {
    "A run and its events": ([calls("multiply", a=2, b=3), "Six."], "[multiply: ok]\nSix.[stop]"),
    "Tools": ([], ""),
    "Strategies": ([calls("multiply", a=2, b=3), "Six."], "Six."),
    "Middleware": ([calls("multiply", a=0, b=3), "Zero."], "2 hops, 1 calls\nZero."),
    "Structured answers": ([calls("multiply", a=2, b=3), calls("final_answer", value=6)], "6"),
    "Pictures": (["A dot."], "A dot."),
    "An agent as a tool": (
        [calls("ask_expert", task="2*3"), calls("multiply", a=2, b=3), "6", "Six."],
        "Six.",
    ),
}


@tool
async def multiply(a: int, b: int) -> dict[str, int]:
    """Multiply two whole numbers."""
    return {"product": a * b}


def sections() -> dict[str, list[str]]:
    """The Python blocks below each heading, without the whole programs."""
    found: dict[str, list[str]] = {}
    for part in TEXT.split("\n## ")[1:]:
        title, _, body = part.partition("\n")
        blocks = re.findall(r"```python\n(.*?)```", body, re.DOTALL)
        found[title] = [block for block in blocks if not block.startswith('"""')]
    return {title: blocks for title, blocks in found.items() if blocks}


def test_every_block_is_run() -> None:
    assert sections().keys() == SCRIPTS.keys()


@pytest.mark.parametrize("title", SCRIPTS)
async def test_the_blocks_of_a_section_run(title: str, capsys: pytest.CaptureFixture[str]) -> None:
    steps, printed = SCRIPTS[title]
    model = ScriptedModel(*steps)
    names: dict[str, Any] = {name: getattr(tabloop, name) for name in tabloop.__all__}
    names |= {
        one.__name__: one for one in (BaseModel, CallContext, LoopState, RunContext, Skip)
    } | {"model": model, "multiply": multiply}
    for block in sections()[title]:
        code = compile(block, title, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        await run(code, names)
    model.finish()
    assert capsys.readouterr().out.strip() == printed


async def run(code: CodeType, names: dict[str, Any]) -> None:
    result = eval(code, names)
    if inspect.isawaitable(result):
        await result


@pytest.mark.parametrize("name", ["trip.py", "test_trip.py", "loop.html"])
def test_the_programs_in_the_text_are_the_files(name: str) -> None:
    assert f"{(DOCS / 'examples' / name).read_text('utf-8')}```" in TEXT


@pytest.mark.real_time
async def test_the_program_for_cpython_runs_over_http(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[ModelReply] = [
        calls("get_weather", town="Mainz"),
        calls("book_train", town="Mainz"),
        calls("final_answer", town="Mainz", ticket="Mainz-1", reason="The sun shines."),
    ]
    questions: list[str] = []

    def answers(question: str) -> str:
        questions.append(question)
        return "y"

    async def chat(request: web.Request) -> web.Response:
        message: AssistantMessage = steps.pop(0).message
        [call] = message.tool_calls
        function = {"name": call.name, "arguments": call.arguments}
        said = {"role": "assistant", "content": None, "tool_calls": [{"function": function}]}
        return web.json_response({"choices": [{"index": 0, "message": said}]})

    monkeypatch.setattr("builtins.input", answers)
    app = web.Application()
    app.router.add_post("/v1/chat/completions", chat)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        await trip.main(f"{site.name}/v1", "any")
    finally:
        await runner.cleanup()
    assert questions == ["book_train {'town': 'Mainz', 'seats': 1} [y/N] "]
    assert capsys.readouterr().out == (
        '{"town":"Mainz","ticket":"Mainz-1","reason":"The sun shines."}\n'
    )
