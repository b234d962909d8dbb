"""app/js/bridge.js under Node: whatever a browser throws, Python can see it as an error."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from app.build.environment import node

SCRIPT = Path(__file__).with_name("bridge_cases.mjs")


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    done = subprocess.run([node()[0], SCRIPT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def error(kind: str, host: str, detail: str) -> dict[str, object]:
    return {"seen": True, "name": "BridgeError", "kind": kind, "host": host, "detail": detail}


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ("dead", error("network", "llm.example:8443", "Load failed")),
        ("gone", error("missing", "a.example", "HTTP 404")),
        ("module_gone", error("missing", "", "HTTP 404")),
        ("module", error("broken", "", "1")),
        ("wallet", error("4001", "", "User rejected")),
        ("wallet_text", error("failed", "", "no")),
        ("wallet_nothing", error("failed", "", "")),
        ("wallet_cursed", error("failed", "", "an error that cannot be read")),
        ("wallet_sync", error("TypeError", "", "Load failed")),
        ("wallet_fine", {"value": 7}),
        ("empty", {"value": None}),
        ("pieces", [[65], None]),
        ("storage", [None, False, False]),
        ("storage_null", [None, False, False]),
        ("clipboard", False),
    ],
)
def test_a_failed_fetch_of_the_browser_becomes_our_error(
    results: dict[str, Any], case: str, expected: object
) -> None:
    assert results[case] == expected


def test_a_body_that_breaks_off_becomes_our_error(results: dict[str, Any]) -> None:
    headers = [["constructor", "x"], ["x-cost", "7"]]
    assert results["reset"]["head"] == {"status": 200, "headers": headers}
    assert results["reset"]["read"] == error("cut_off", "llm.example:8443", "Load failed")


def test_a_redirect_is_named_by_a_request_that_carries_nothing(results: dict[str, Any]) -> None:
    redirected = results["redirected"]
    assert redirected["told"] == error("redirected", "a.example", "https://b.example")
    assert redirected["asked"] == [
        ["https://a.example/v1?key=x"],
        ["https://a.example/v1", None, None],
    ]


def test_a_request_that_can_never_be_sent_has_its_own_error(results: dict[str, Any]) -> None:
    invalid = results["invalid"]
    assert (invalid["seen"], invalid["kind"], invalid["host"]) == (True, "invalid", "a.example")
