"""Buttons of the views say in `data-action` what they do, so that one listener finds them all."""

import re
from dataclasses import replace

import pytest
from tabloop.agent.displays import Chart, Picture, Series
from tabloop.core.pricing import Price
from tabloop.payments.channels import Channel, Withdrawal
from tabloop.ui.answer_state import ToolStep
from tabloop.ui.channels import Deposits
from tabloop.ui.charts import chart_html
from tabloop.ui.html import Html
from tabloop.ui.image_card import CardState, card_html
from tabloop.ui.payment import WalletState, wallet_html
from tabloop.ui.pictures import picture_html
from tabloop.ui.problems import Problem, problem_html
from tabloop.ui.steps import FIRST_CHARACTERS, step_html
from tabloop.ui.strings import load_strings

EN = load_strings("en")
CHART = Chart("bars", "Visits", "Page", ("/",), (Series("Visits", (1,)),), "visits")
LONG = ToolStep("call-1", "f", state="ok", result="x" * (FIRST_CHARACTERS + 1))
PRICE = Price(70_000, "eip155:10", "0x1", "A seller")
DEPOSIT = Channel("0x2", "eip155:10", "0x3", 900, 5, withdrawal=Withdrawal(5, 0))
DEPOSITS = Deposits([replace(DEPOSIT, withdrawal=None), DEPOSIT], now=1)
CONNECTED = WalletState(account="0x" + "1" * 40, deposits=DEPOSITS)
TWO = (("a", "First"), ("b", "Second"))
PICTURE = Picture("https://i.example/1.png", "a cat", 1024, 1024)


@pytest.mark.parametrize(
    ("html", "actions"),
    [
        (chart_html(EN, CHART), ["chart-table", "chart-csv"]),
        (step_html(EN, LONG), ["show-all"]),
        (picture_html(EN, PICTURE), ["picture-download"]),
        (problem_html(EN, Problem("No.", actions=("try-again",))), ["try-again"]),
        (
            card_html(EN, CardState("a cat", "1024x1024", PRICE), longest=9),
            ["card-confirm", "card-cancel", "card-again"],
        ),
        (wallet_html(EN, WalletState()), ["wallet-connect"]),
        (
            wallet_html(EN, WalletState(wallets=TWO, connecting="a")),
            ["wallet-choose"] * 2 + ["wallet-cancel"],
        ),
        (
            wallet_html(EN, CONNECTED),
            [
                f"wallet-{it}"
                for it in ("disconnect", "refund", "announce", "refund", "finish", "save")
            ],
        ),
    ],
)
def test_every_button_says_what_it_does(html: Html, actions: list[str]) -> None:
    buttons = re.findall(r"<button[^>]*>", str(html))
    assert [re.findall(r'data-action="([^"]*)"', button) for button in buttons] == [
        [action] for action in actions
    ]


def test_an_action_carries_the_id_of_its_target() -> None:
    assert 'data-action="chart-csv" data-value="3"' in str(chart_html(EN, CHART, index=3))
    choice = str(wallet_html(EN, WalletState(wallets=TWO)))
    assert 'data-action="wallet-choose" data-value="b"' in choice
    download = 'data-action="picture-download"'
    assert download in str(picture_html(EN, PICTURE))
