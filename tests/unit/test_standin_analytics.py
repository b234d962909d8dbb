"""The analytics stand-in accepts the same signatures as the real service, and no others."""

import base64
import json
from collections.abc import AsyncIterator
from datetime import date, timedelta
from typing import Any

import aiohttp
import pytest

from tests.standins.analytics import Analytics
from tests.standins.sample_visits import COVERED, visits

OWNER, STRANGER = "0x" + "aB" * 20, "0x" + "cD" * 20
pytestmark = pytest.mark.real_time

NOW = 1_789_000_000


async def recover(message: str, signature: str) -> str:
    signer, _, text = signature.partition(" signed ")
    return signer if text == message else ""


@pytest.fixture
async def service() -> AsyncIterator[Analytics]:
    standin = Analytics((OWNER.lower(),), recover)
    standin.clock = lambda: NOW
    await standin.start()
    yield standin
    await standin.stop()


def token(address: str = OWNER, at: int = NOW, purpose: str = "analytics-api", **other: Any) -> str:
    message = f"{purpose}:{at}"
    shown = {"address": address, "signature": f"{address} signed {message}", "message": message}
    return "Bearer " + base64.b64encode(json.dumps({**shown, **other}).encode()).decode()


async def get(service: Analytics, authorization: str) -> tuple[int, dict[str, Any]]:
    headers = {"Authorization": authorization} if authorization else {}
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"{service.url}/stats", headers=headers) as response,
    ):
        return response.status, await response.json()


@pytest.mark.parametrize("at", [NOW, NOW - 300, NOW + 60])
async def test_a_signature_of_the_owner_is_accepted_for_five_minutes(
    service: Analytics, at: int
) -> None:
    status, document = await get(service, token(at=at))
    assert status == 200
    assert document["to"] == service.last.isoformat()
    assert len(document["days"]) > 365


@pytest.mark.parametrize(
    "authorization",
    [
        "",
        "Bearer",
        "Bearer bm9uZQ==",
        "Bearer ÿ",
        token().replace("Bearer", "Basic"),
        token(at=NOW - 301),
        token(at=NOW + 61),
        token(purpose="login"),
        token(STRANGER),
        token(signature=f"{STRANGER} signed analytics-api:{NOW}"),
        token(signature=f"{OWNER} signed analytics-api:{NOW - 1}"),
        token(signature=7),
    ],
)
async def test_any_other_signature_is_refused(service: Analytics, authorization: str) -> None:
    status, document = await get(service, authorization)
    assert (status, list(document)) == (401, ["error"])


async def test_without_a_way_to_verify_the_signer_everybody_is_refused(service: Analytics) -> None:
    service.recover = None
    assert (await get(service, token()))[0] == 401


def test_the_sample_has_a_rhythm_a_burst_two_eras_and_silent_days() -> None:
    last = date(2026, 9, 14)
    days = visits(last)
    assert days == visits(last)
    assert COVERED - 20 < len(days) < COVERED
    sums = [0] * 7
    for day, counted in days.items():
        sums[date.fromisoformat(day).weekday()] += counted["hits"]
        assert counted["hits"] == sum(counted["pages"].values()) > 0
    assert min(sums[:5]) > 1.2 * max(sums[5:])
    most = max(days, key=lambda day: days[day]["hits"])
    assert last - date.fromisoformat(most) <= timedelta(days=60)
    eras = [days[day]["source"] for day in sorted(days)]
    assert eras == sorted(eras, reverse=True)
    assert set(eras) == {"umami", "beacon"}
