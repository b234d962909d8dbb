"""Visitor numbers: the owner signs once; nobody else is offered or told of the tool."""

import base64
import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import cast

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.e2e.paid_page import NEEDS_PAID_SERVER, PaidPage
from tests.standins.paid_servers import OWNER
from tests.standins.servers import Running

DIST = Path(__file__).resolve().parents[2] / "dist"
QUESTION = "How many visitors did the site have in the last 90 days?"
SIGNING = "it shows that the numbers are yours"

pytestmark = NEEDS_PAID_SERVER


class SitePage(PaidPage):
    """The page of a site with visitor numbers; the wallet's first account is the owner's."""

    @property
    def capability(self) -> Locator:
        group = self.page.get_by_role("group", name="What I can do")
        return group.get_by_role("checkbox", name="visitor numbers")

    def disconnect(self) -> None:
        self.page.get_by_role("button", name="Disconnect").click()
        expect(self.page.get_by_role("button", name="Connect wallet").first).to_be_visible()

    @property
    def signed_texts(self) -> list[str]:
        texts = "w.signed.filter((one) => one.primaryType === 'text').map((one) => one.message)"
        return cast("list[str]", self.wallet(texts))

    @property
    def offered(self) -> list[set[str]]:
        """The tools in each request to the model."""
        bodies = [request.json for request in self.paid.gate.requests if request.body]
        return [{tool["function"]["name"] for tool in body["tools"]} for body in bodies]


@pytest.fixture(scope="module")
def started(browser: Browser, shop: Running) -> Iterator[SitePage]:
    context = browser.new_context(locale="en-GB", timezone_id="Europe/Berlin")
    yield cast("SitePage", SitePage(context.new_page(), shop).open())
    context.close()


@pytest.fixture
def site(started: SitePage) -> Iterator[SitePage]:
    """The started page with nothing asked, and the owner's account chosen in its wallet."""
    started.reset()
    started.expected += ["status of 402", "status of 401"]  # Chromium logs this error itself
    started.wallet("w.tell.account(0)")
    started.wallet("w.signed.length = 0")
    started.paid.gate.requests.clear()
    started.paid.analytics.requests.clear()
    yield started
    started.wallet("Object.assign(w, { slow: 0, declines: 0 })")
    if started.page.get_by_role("button", name="Disconnect").count():
        started.disconnect()
    started.check_console()


def hits(site: SitePage, days: int) -> int:
    service = site.paid.analytics
    window = [(service.last - timedelta(days=ago)).isoformat() for ago in range(days)]
    return sum(service.days[day]["hits"] for day in window if day in service.days)


def test_a_visitor_without_a_wallet_never_sees_the_tool(site: SitePage) -> None:
    expect(
        site.page.get_by_role("group", name="What I can do").get_by_role("checkbox")
    ).to_have_count(2)
    article = site.ask_and_wait(QUESTION)
    expect(site.ways(article)).to_contain_text("no wallet is connected")
    assert site.offered == [{"get_sitzungen", "search_claims", "generate_image"}]
    assert site.paid.analytics.requests == []


def test_the_owner_signs_once_and_asks_twice(site: SitePage) -> None:
    expect(site.capability).to_have_count(0)
    site.connect()
    expect(site.capability).to_be_checked()
    article = site.ask_and_wait(QUESTION)
    [step] = site.steps(article).all()
    expect(step).to_have_attribute("data-state", "ok")
    expect(step).to_contain_text("visits of the last 90 days")
    expect(step).to_contain_text(f"{hits(site, 90):,} visits")
    expect(article).to_contain_text(f"the site had {hits(site, 90):,} visits")
    assert len(site.signed_texts) == 1
    again = site.ask_and_wait("And how many visitors this year?")
    expect(again).to_contain_text("not comparable")
    assert len(site.signed_texts) == 1
    _check_the_token_stays_inside(site)


def _check_the_token_stays_inside(site: SitePage) -> None:
    service = site.paid.analytics
    assert [request.status for request in service.requests] == [200, 200]
    tokens = {
        request.headers["authorization"].removeprefix("Bearer ") for request in service.requests
    }
    [token] = tokens
    elsewhere = [
        *(f"{r.path}{r.query}{r.headers}{r.body!r}" for r in site.paid.gate.requests),
        site.page.content(),
        json.dumps(site.page.evaluate("Object.entries(localStorage)")),
    ]
    assert not [text for text in elsewhere if token in text or "analytics-api:" in text]
    shown = json.loads(base64.b64decode(token))
    assert shown["message"] == site.signed_texts[0]
    # the service verifies the signer and the message
    assert _signer(site, shown["message"], shown["signature"]) == OWNER
    assert _signer(site, "analytics-api:1", shown["signature"]) != OWNER
    assert _signer(site, shown["message"], "0x12") == ""


def _signer(site: SitePage, message: str, signature: str) -> str:
    asked = {"message": message, "signature": signature}
    return site.standins.run(site.paid.paid_server.ask("recover", asked))["address"]


def test_the_status_line_says_why_the_wallet_asks_and_declining_shows_no_alert(
    site: SitePage,
) -> None:
    site.connect()
    site.ask_and_wait("Hello")  # opens the channel, so that one prompt is left
    site.wallet("Object.assign(w, { slow: 1e9, declines: 1 })")
    article = site.ask(QUESTION)
    expect(site.status).to_contain_text(SIGNING)
    site.wallet("w.slow = 0")
    site.wait_for_end()
    expect(site.status).not_to_contain_text(SIGNING)
    [step] = site.steps(article).all()
    expect(step).to_have_attribute("data-state", "declined")
    expect(article).to_contain_text("There is no result, because that was declined or failed")
    expect(site.page.get_by_role("alert")).to_have_count(0)
    assert site.paid.analytics.requests == []


def test_another_account_takes_the_tool_away_at_once(site: SitePage) -> None:
    site.connect()
    expect(site.capability).to_be_visible()
    site.wallet("w.tell.account(1)")
    expect(site.capability).to_have_count(0)
    article = site.ask_and_wait(QUESTION)
    expect(article).to_contain_text("This is a search in the record")
    expect(article).not_to_contain_text("visitors")
    assert all("get_analytics" not in names for names in site.offered)
    assert site.paid.analytics.requests == []
    site.wallet("w.tell.account(0)")
    expect(site.capability).to_be_visible()
    site.disconnect()
    expect(site.capability).to_have_count(0)
