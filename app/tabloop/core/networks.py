"""The networks for payments, each with its USDC: one table for Python and JavaScript.

Rule: `networks.json` is the only list. It has Circle's native USDC; bridged tokens with the same
symbol are other contracts.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from tabloop.core.data import data_text

__all__ = ["COLLECTOR", "ESCROW", "NETWORKS", "Network", "Token", "network_name"]

# x402's contracts for channels have these addresses on every chain: a deposit is shown as a payment
# to the first one, which passes it on to the second one
COLLECTOR = "0x4020806089470a89826cB9fB1f4059150b550004"
ESCROW = "0x4020074e9dF2ce1deE5A9C1b5c3f541D02a10003"


@dataclass(frozen=True, slots=True)
class Token:
    """A token's contract. Signatures are valid only in its EIP-712 `domain` (name, version)."""

    address: str
    decimals: int
    domain: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Network:
    """A chain: `id` is CAIP-2 (`eip155:` and the chain's number), `explorer` and `rpc` are URLs.

    `others` has tokens by name that are not paid with, so that a refusal can name them.
    """

    id: str
    name: str
    explorer: str
    rpc: str
    usdc: Token
    others: Mapping[str, str] = field(default_factory=dict[str, str])


def network_name(network_id: str) -> str:
    """Return a network's name for people, or its id if it is not in the table."""
    network = NETWORKS.get(network_id)
    return network.name if network else network_id


def _read() -> Mapping[str, Network]:
    table: dict[str, Network] = {}
    for network_id, row in json.loads(data_text("core/networks.json")).items():
        usdc = row["usdc"]
        domain = (usdc["domain"]["name"], usdc["domain"]["version"])
        token = Token(usdc["address"], usdc["decimals"], domain)
        table[network_id] = Network(
            network_id, row["name"], row["explorer"], row["rpc"], token, row.get("others", {})
        )
    return table


NETWORKS: Mapping[str, Network] = _read()
