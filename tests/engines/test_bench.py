"""The bench in its shortest form. It proves only that it works: no time is tested."""

import json
from pathlib import Path

import pytest

from tests.bench.__main__ import main
from tests.engines.driver import Driver

ROOT = Path(__file__).resolve().parents[2]
FIGURES = {
    "page: cold start",
    "page: warm start",
    "page: requests before ready",
    "loop: one hop of 10",
    "loop: three tools of 100 ms",
    "search_claims in 886 KB, later",
    "loop: the last of 200 runs",
    "typing while 20 KB stream, p95",
}


def test_it_measures_a_start(engine: Driver, capsys: pytest.CaptureFixture[str]) -> None:
    if engine.engine != "chromium":
        pytest.skip("one engine proves it, and each start takes seconds")
    npm = ROOT / "app" / "js" / "node_modules" / "pyodide"
    assert main(["--dist", str(ROOT / "dist"), "--npm", str(npm), "--runs", "1", "--json"]) == 0
    made = {row["name"]: row for row in json.loads(capsys.readouterr().out)["chromium"]}
    assert made.keys() >= FIGURES
    assert made["page: cold start"]["baseline"] == "stock"
