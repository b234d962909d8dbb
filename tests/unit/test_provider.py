"""app/js/x402_provider.js under Node: whatever a wallet answers, nothing unchecked is used."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from app.build.environment import node

SCRIPT = Path(__file__).with_name("provider_cases.mjs")
NOT_HEX = "the answer to personal_sign is not hexadecimal"


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    done = subprocess.run([node()[0], SCRIPT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def error(code: str, message: str) -> dict[str, str]:
    return {"name": "WalletError", "code": code, "message": message}


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ("declined", error("4001", "no")),
        ("declined_by_name", error("4001", "no")),
        ("wrapped", error("4902", "no")),
        ("inner", error("-32603", "execution reverted")),
        ("text", error("wallet_failed", "no")),
        ("nothing", error("wallet_failed", "undefined")),
        ("unreadable", error("wallet_failed", "an error that cannot be read")),
    ],
)
def test_an_error_thrown_by_a_wallet_gets_a_code(
    results: dict[str, Any], case: str, expected: object
) -> None:
    assert results[case] == expected


def test_only_hexadecimal_is_a_signature(results: dict[str, Any]) -> None:
    assert results["signature"] == {"value": "0x1F"}
    for case in ("signature_null", "signature_text", "signature_number"):
        assert results[case] == error("wallet_failed", NOT_HEX), case


def test_only_addresses_are_accounts(results: dict[str, Any]) -> None:
    assert results["accounts"] == ["0x" + "aB" * 20]
    assert results["accounts_none"] == [[]] * 7


def test_a_chain_is_a_number_however_a_wallet_writes_it(results: dict[str, Any]) -> None:
    assert results["chains"] == [10, 10, 10]
    assert results["chains_none"] == [True] * 5


def test_a_wallet_that_lets_nobody_listen_is_used_all_the_same(results: dict[str, Any]) -> None:
    assert results["heard"] == ["account"]


def test_a_wallet_gets_one_request_at_a_time(results: dict[str, Any]) -> None:
    assert results["in_turn"] == {"atOnce": 1, "answers": ["first", "second"]}


def test_a_wallet_that_never_answers_holds_up_nothing_but_what_a_person_is_shown(
    results: dict[str, Any],
) -> None:
    assert results["silent"] == ["-32002", "eth_chainId", "personal_sign"]


def test_an_abandoned_request_is_neither_awaited_nor_sent(results: dict[str, Any]) -> None:
    codes = ["not_connected", "not_connected"]
    assert results["abandoned"] == {"codes": codes, "next": "third", "requests": 2}
