"""What is said about prices before anything is paid."""

from dataclasses import dataclass, replace

import pytest
from tabloop.agent.errors import ModelError, ModelErrorCode
from tabloop.agent.events import RunFinished
from tabloop.payments.errors import PaymentError
from tabloop.ui.announced import Announced, announced_prices
from tabloop.ui.answer_state import AnswerState, reduce
from tabloop.ui.offer import offer_html
from tabloop.ui.payment import WalletState, wallet_html
from tabloop.ui.problems import problem_of
from tabloop.ui.status import status_kind, status_line
from tabloop.ui.strings import load_strings

EN, DE = load_strings("en"), load_strings("de")
ANNOUNCED = Announced("0.01", "0.04", "0.50", steps=4)
ACCOUNT = "0x1563915e194D8CfBA1943570603F7606A3115508"


@dataclass(frozen=True)
class Prices:
    """Settings of a site owner."""

    max_per_message: str = "0.01"
    max_deposit: str = "1.00"
    max_per_session: str = "2.00"


def test_the_price_of_a_question_is_that_of_all_its_steps_and_the_deposit_is_named() -> None:
    announced = announced_prices(Prices(), 4)
    assert announced == ANNOUNCED
    before = str(wallet_html(EN, WalletState(announced=announced)))
    for said in ("0.04 USDC per question", "up to 4 steps", "deposit of 0.50 USDC", "take back"):
        assert said in before
    german = str(wallet_html(DE, WalletState(announced=announced)))
    for said in ("0,04 USDC je Frage", "bis zu 4 Schritten", "0,50 USDC", "zurückholen"):
        assert said in german


def test_what_is_announced_is_never_more_than_the_owner_allows() -> None:
    few = announced_prices(Prices(max_deposit="0.20", max_per_session="0.03"), 4)
    assert (few.per_question, few.deposit) == ("0.03", "0.20")
    single = announced_prices(Prices(), 1)
    assert "step" not in str(wallet_html(EN, WalletState(announced=single)))


def test_the_deposit_is_named_until_there_is_a_channel() -> None:
    state = WalletState(account=ACCOUNT, announced=ANNOUNCED, channel="0.49")
    assert 'data-fact="deposit"' not in str(wallet_html(EN, state))
    new = replace(state, channel="")
    assert '<dd data-fact="deposit">0.50 USDC</dd>' in str(wallet_html(EN, new))
    assert '<dd data-fact="perQuestion">0.04 USDC</dd>' in str(wallet_html(EN, new))


def test_a_first_visit_gets_ways_to_go_on_and_no_alert() -> None:
    facts = {"asked": "0.002", "pay_to": "0x" + "ab" * 20, "network": "eip155:10"}
    error = PaymentError("not_connected", host="paid.example", facts=facts)
    html = str(offer_html(EN, error, ANNOUNCED))
    assert "1 USDC is worth 1 US dollar" in html  # beside the first price that is shown
    for said in ("at most 0.008 USDC", "deposit of 0.50 USDC", "0x" + "ab" * 20, "OP Mainnet"):
        assert said in html  # the endpoint asks for less than is allowed
    assert html.count("<button") == html.count('class="small"') == 3  # none stands out
    assert "alert" not in html
    german = str(offer_html(DE, PaymentError("not_connected"), ANNOUNCED))
    assert "höchstens 0,04 USDC" in german.replace("\u00a0", " ")
    assert "Gezahlt" not in german  # nobody was named


def test_the_status_of_an_offer_is_calm() -> None:
    ended = RunFinished("error", error=PaymentError("not_connected"))
    state = reduce(AnswerState(), ended)
    assert (status_line(EN, state, 4), status_kind(state)) == ("Your choice: how to go on", "ok")
    declined = reduce(AnswerState(), RunFinished("error", error=PaymentError("rejected")))
    assert status_kind(declined) == "problem"


@pytest.mark.parametrize("code", ["unreachable", "timeout", "server_error"])
def test_where_the_endpoint_cannot_be_reached_search_is_offered_too(code: ModelErrorCode) -> None:
    ended = RunFinished("error", error=ModelError(code, host="down.example"))
    problem = problem_of(EN, ended, has_text=False, hops=4, model="m")
    assert problem
    assert problem.actions == ("try-again", "search")
