"""Paying from the tab in each engine: the test wallet signs once, the server charges."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.paid_page import NEEDS_PAID_SERVER
from tests.engines.driver import Driver, poll
from tests.engines.engine_page import EnginePage
from tests.standins.paid_servers import PaidStandins
from tests.standins.servers import WITHOUT_WORKER, Running, in_a_thread

DIST = Path(__file__).resolve().parents[2] / "dist"

pytestmark = NEEDS_PAID_SERVER


@pytest.fixture(scope="session")
def paid_servers() -> Iterator[Running]:
    """A paid endpoint; its site brings the wallet along as an extension would."""
    with in_a_thread(PaidStandins(DIST, settings=WITHOUT_WORKER)) as running:
        yield running


def test_a_message_is_paid_and_what_it_cost_is_shown(engine: Driver, paid_servers: Running) -> None:
    chat = EnginePage(engine, paid_servers)
    chat.open()
    chat.button("Connect wallet").click()
    panel = chat.document.within("#wallet")
    spent = panel.within('[data-fact="spent"]')
    panel.within('[data-fact="account"]').until_text("0x")
    assert spent.text.startswith("0")
    article = chat.ask_and_wait("Hello")
    assert chat.problem(article) == ""
    signed = "return testWallet.signed.map(({ primaryType }) => primaryType)"
    assert engine.evaluate(signed) == ["ReceiveWithAuthorization"]
    poll("an amount", lambda: spent.text.startswith("0.0"))
    assert spent.text != "0.00 USDC"
    chat.ask_and_wait("Hello again")
    assert engine.evaluate(signed) == ["ReceiveWithAuthorization"]
