"""The owner's signature: asked for once, reused for a while, and for nobody else."""

import asyncio
import base64
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import pytest
from tabloop.agent.errors import ToolError
from tabloop.agent.messages import ToolCall
from tabloop.agent.tools import Tool, ToolOutput
from tabloop.contrib.scripted import ScriptedModel
from tabloop.core.errors import AgentError
from tabloop.core.http import HttpResponse, TransportError
from tabloop.tools.analytics.owners import OwnersTools
from tabloop.tools.analytics.sign_in import Token

from tests.unit.fake_transport import FakeTransport, answer
from tests.unit.fakes import calling, calls, play, result_of, says

OWNER, OTHER_OWNER, STRANGER = ("0x" + letter * 20 for letter in ("aB", "cD", "eF"))
OWNERS = (OWNER.lower(), OTHER_OWNER.upper().replace("X", "x"))
URL = "https://numbers.test/api"
START = 1_789_000_000.0
STATS: dict[str, Any] = {"site": "s", "from": "2026-09-01", "to": "2026-09-14", "days": {}}
FINE, REFUSED = answer(STATS), answer({"error": "no"}, 401)


class WalletSays(AgentError):
    """What the wallet's side raises."""


@dataclass
class FakeWallet:
    """A wallet with a person: `prompts` are the texts shown, `takes` how long (by the clock)."""

    account: str = OWNER
    says: str = ""
    now: float = START
    takes: float = 0
    gate: asyncio.Event | None = None
    then: Callable[[], None] = lambda: None
    prompts: list[str] = field(default_factory=list[str])

    async def sign_text(self, text: str, account: str) -> str:
        self.prompts.append(text)
        if self.gate:
            await self.gate.wait()
        await asyncio.sleep(0)
        self.now += self.takes
        self.then()
        if self.says:
            raise WalletSays(self.says)
        return f"{account} signed {text}"


@dataclass
class Site:
    """An owner's page: what it offers now, and what reaches the service."""

    wallet: FakeWallet = field(default_factory=FakeWallet)
    answers: Sequence[HttpResponse | Exception] = (FINE,)
    url: str = URL

    def __post_init__(self) -> None:
        self.http = FakeTransport(list(self.answers))
        self.owners = OwnersTools(
            self.http, self.url, OWNERS, self.wallet, clock=lambda: self.wallet.now
        )

    async def ask(self) -> dict[str, Any]:
        [tool] = self.owners.now()
        return await run(tool)

    def switch(self, account: str) -> None:
        self.wallet.account = account
        self.owners.account_changed()

    @property
    def shown(self) -> list[dict[str, str]]:
        """What the service was shown, request by request."""
        tokens = [
            one.headers["Authorization"].removeprefix("Bearer ") for one in self.http.requests
        ]
        return [json.loads(base64.b64decode(token, validate=True)) for token in tokens]


async def run(tool: Tool) -> dict[str, Any]:
    return cast("dict[str, Any]", cast("ToolOutput", await tool.run(tool.validate({}))).result)


async def failing(site: Site) -> ToolError:
    with pytest.raises(ToolError) as raised:
        await site.ask()
    return raised.value


async def test_the_token_is_what_the_service_asks_for() -> None:
    site = Site()
    await site.ask()
    message = f"analytics-api:{int(START)}"
    signature = f"{OWNER} signed {message}"
    assert site.shown == [{"address": OWNER, "signature": signature, "message": message}]
    assert site.http.requests[0].url == f"{URL}/stats"
    assert site.http.requests[0].method == "GET"
    assert not site.http.requests[0].follow_redirects  # a redirect would take it to another origin
    assert site.wallet.prompts == [message]


async def test_only_an_owners_account_is_offered_the_tool() -> None:
    site = Site()
    names: list[list[str]] = []
    for account in ("", STRANGER, OWNER, OTHER_OWNER, OWNER.lower(), STRANGER, ""):
        site.switch(account)
        names.append([tool.name for tool in site.owners.now()])
    assert names == [[], [], ["get_analytics"], ["get_analytics"], ["get_analytics"], [], []]
    assert Site(url="").owners.now() == ()
    assert site.wallet.prompts == []


async def test_calls_that_run_together_wait_for_one_prompt() -> None:
    site = Site()
    each = (ToolCall(one, "get_analytics", f'{{"range":"{one}"}}') for one in ("30d", "90d", "1y"))
    model = ScriptedModel(calling(*each), says("Done."))
    await play(model, site.owners.now())
    assert len(site.wallet.prompts) == 1
    assert len(site.http.requests) == 3
    assert [result_of(message)["status"] for message in model.asked[1][-3:]] == ["ok"] * 3


@pytest.mark.parametrize(("later", "prompts"), [(0, 1), (239, 1), (240, 2), (-1, 2)])
async def test_a_signature_is_reused_for_four_minutes(later: float, prompts: int) -> None:
    site = Site()
    await site.ask()
    site.wallet.now += later
    await site.ask()
    assert len(site.wallet.prompts) == prompts


async def test_the_four_minutes_begin_with_the_message_not_with_the_signature() -> None:
    site = Site(FakeWallet(takes=200))
    await site.ask()
    site.wallet.now += 39
    await site.ask()
    assert len(site.wallet.prompts) == 1
    site.wallet.now += 1
    await site.ask()
    assert len(site.wallet.prompts) == 2


async def test_a_signature_that_came_too_late_is_not_sent() -> None:
    site = Site(FakeWallet(takes=300))
    error = await failing(site)
    assert (error.code, site.http.requests) == ("fetch_failed", [])
    assert "too late" in error.reason


async def test_a_declined_signature_is_told_apart_and_asked_again_by_the_next_question() -> None:
    site = Site(FakeWallet(says="declined"))
    model = ScriptedModel(calls("get_analytics"), says("Then not."))
    await play(model, site.owners.now())
    assert result_of(model.asked[1][-1])["status"] == "user_declined"
    assert model.offered[1] == []  # withdrawn, so that a model cannot ask again and again
    assert site.http.requests == []
    site.wallet.says = ""
    assert (await site.ask())["totalHits"] == 0
    assert len(site.wallet.prompts) == 2


@pytest.mark.parametrize("code", ["wallet_locked", "account_changed", "wallet_failed"])
async def test_a_wallet_that_cannot_sign_is_a_failed_fetch_with_its_reason(code: str) -> None:
    site = Site(FakeWallet(says=code))
    error = await failing(site)
    assert error.code == "fetch_failed"
    assert code in error.reason
    assert site.http.requests == []


async def test_a_token_is_never_used_for_another_account() -> None:
    site = Site()
    await site.ask()
    site.switch(OTHER_OWNER)
    await site.ask()
    site.switch(OWNER)
    await site.ask()
    assert [one["address"] for one in site.shown] == [OWNER, OTHER_OWNER, OWNER]
    assert len(site.wallet.prompts) == 3  # a switch of account forgets the signature


async def test_a_visit_of_another_account_ends_what_was_signed() -> None:
    site = Site()
    await site.ask()
    site.switch("")
    site.switch(OWNER)
    await site.ask()
    assert len(site.wallet.prompts) == 2


async def test_a_switch_of_account_without_an_event_is_noticed() -> None:
    site = Site()
    await site.ask()
    site.wallet.account = OTHER_OWNER
    await site.ask()
    assert [one["address"] for one in site.shown] == [OWNER, OTHER_OWNER]


async def test_a_late_signature_of_the_previous_account_causes_no_further_prompt() -> None:
    gate = asyncio.Event()
    site = Site(FakeWallet(gate=gate))
    before = asyncio.ensure_future(site.ask())
    await asyncio.sleep(0.01)
    site.switch(OTHER_OWNER)
    site.wallet.gate = None
    await site.ask()
    gate.set()
    with pytest.raises(ToolError, match="another account"):
        await before
    await site.ask()
    assert len(site.wallet.prompts) == 2
    assert {one["address"] for one in site.shown} == {OTHER_OWNER}


async def test_a_switch_while_the_wallet_asks_sends_nothing() -> None:
    site = Site()
    site.wallet.then = lambda: site.switch(OTHER_OWNER)
    error = await failing(site)
    assert (error.code, site.http.requests) == ("fetch_failed", [])
    site.wallet.then = lambda: None
    await site.ask()
    assert [one["address"] for one in site.shown] == [OTHER_OWNER]


@pytest.mark.parametrize("account", [STRANGER, ""])
async def test_a_run_that_outlives_the_owner_asks_nobody(account: str) -> None:
    site = Site()
    [tool] = site.owners.now()
    site.switch(account)
    with pytest.raises(ToolError, match="No owner") as raised:
        await run(tool)
    assert raised.value.code == "fetch_failed"
    assert site.wallet.prompts == []
    assert site.http.requests == []


async def test_a_young_token_that_is_refused_costs_no_second_prompt() -> None:
    site = Site(answers=(FINE, REFUSED, FINE))
    await site.ask()
    site.wallet.now += 179
    assert "clock" in (await failing(site)).reason
    assert len(site.wallet.prompts) == 1
    await site.ask()  # the next question signs anew
    assert len(site.wallet.prompts) == 2


async def test_a_token_near_its_end_that_is_refused_is_signed_anew_once() -> None:
    site = Site(answers=(FINE, REFUSED, FINE))
    await site.ask()
    site.wallet.now += 180
    assert (await site.ask())["totalHits"] == 0
    assert len(site.wallet.prompts) == 2
    site = Site(answers=(FINE, REFUSED))
    await site.ask()
    site.wallet.now += 180
    assert (await failing(site)).code == "fetch_failed"
    assert len(site.wallet.prompts) == 2


async def test_calls_that_are_refused_together_wait_for_one_new_prompt() -> None:
    site = Site(answers=(FINE, REFUSED, REFUSED, FINE))
    await site.ask()
    site.wallet.now += 200
    await asyncio.gather(site.ask(), site.ask())
    assert len(site.wallet.prompts) == 2


async def test_a_stop_leaves_the_prompt_to_the_next_question() -> None:
    site = Site(FakeWallet(gate=asyncio.Event()))
    first = asyncio.ensure_future(site.ask())
    await asyncio.sleep(0.01)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    second = asyncio.ensure_future(site.ask())
    await asyncio.sleep(0)
    assert site.wallet.gate
    site.wallet.gate.set()
    await second
    assert len(site.wallet.prompts) == 1
    assert len(site.http.requests) == 1


async def test_a_declined_prompt_that_nobody_waits_for_raises_nothing() -> None:
    site = Site(FakeWallet(gate=asyncio.Event(), says="declined"))
    only = asyncio.ensure_future(site.ask())
    await asyncio.sleep(0)
    only.cancel()
    await asyncio.sleep(0)
    faults: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: faults.append(context))
    assert site.wallet.gate
    site.wallet.gate.set()
    await asyncio.sleep(0.01)
    assert faults == []


async def test_a_host_that_does_not_answer_is_named() -> None:
    site = Site(answers=(TransportError("unreachable", "numbers.test"),))
    error = await failing(site)
    assert (error.code, error.reason) == (
        "fetch_failed",
        "numbers.test gave no answer (unreachable).",
    )


def test_a_token_does_not_print_its_secret() -> None:
    assert "c2VjcmV0" not in repr(Token(OWNER, 1, "c2VjcmV0"))
