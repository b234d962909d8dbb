"""The table of networks is correct, and no other file repeats its facts."""

import json
from pathlib import Path

import pytest
from tabloop.core.money import DECIMALS
from tabloop.core.networks import NETWORKS, network_name
from tabloop.settings import SettingsError, read_settings
from tabloop.ui.start_problems import settings_sentence
from tabloop.ui.strings import load_strings

ROOT = Path(__file__).resolve().parents[2]
# Circle's own list: https://developers.circle.com/stablecoins/usdc-contract-addresses
USDC = {
    "eip155:10": "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85",
    "eip155:8453": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
}


def test_the_tokens_are_native_usdc_in_millionths() -> None:
    assert {network.id: network.usdc.address for network in NETWORKS.values()} == USDC
    assert {network.usdc.decimals for network in NETWORKS.values()} == {DECIMALS}
    assert {network.usdc.domain for network in NETWORKS.values()} == {("USD Coin", "2")}


def test_a_network_without_a_row_is_shown_as_it_was_sent() -> None:
    assert (network_name("eip155:8453"), network_name("eip155:1")) == ("Base", "eip155:1")


def test_no_other_file_of_the_app_names_a_network() -> None:
    table = json.loads((ROOT / "app" / "tabloop" / "core" / "networks.json").read_text("utf-8"))
    facts = [*table, *(row["usdc"]["address"] for row in table.values())]
    facts += [row[key] for row in table.values() for key in ("explorer", "rpc")]
    places = ("tabloop/**/*.py", "tabloop/**/*.json", "js/*.js", "locales/*.json", "build/*.py")
    for path in (path for place in places for path in (ROOT / "app").glob(place)):
        text = path.read_text("utf-8").lower()
        assert path.name == "networks.json" or not [it for it in facts if it.lower() in text], path


@pytest.mark.parametrize("language", ["en", "de"])
def test_an_unknown_network_in_the_settings_is_refused_with_the_known_ones(
    language: str,
) -> None:
    settings = (ROOT / "pyscript.toml").read_text("utf-8")
    with pytest.raises(SettingsError) as wrong:
        read_settings(settings.replace('["eip155:10", "eip155:8453"]', '["eip155:1"]'))
    sentence = settings_sentence(load_strings(language), wrong.value)
    assert '"eip155:10", "eip155:8453"' in sentence
