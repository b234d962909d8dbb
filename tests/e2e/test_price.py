"""What a question can cost is said before, and what it has cost below its answer."""

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect
from tabloop.core.money import to_micro, to_usdc

from tests.e2e.paid_page import NEEDS_PAID_SERVER, PaidPage
from tests.e2e.picture_card import calls_tool
from tests.standins.faults import Reply, Truncate
from tests.unit.paying import answers

DIST = Path(__file__).resolve().parents[2] / "dist"
STANDIN = Path(__file__).with_name("language_model.js")
QUESTION = "What did the Bundestag debate on 9 September 2026?"
SMALL = "Hello"

pytestmark = NEEDS_PAID_SERVER


def cost(article: Locator) -> Locator:
    return article.locator('[data-part="cost"]')


def test_the_panel_names_the_price_of_a_question_and_the_deposit(paid_page: PaidPage) -> None:
    expect(paid_page.panel).to_contain_text("at most 0.04 USDC per question")
    expect(paid_page.panel).to_contain_text("deposit of 0.50 USDC")
    paid_page.connect()
    expect(paid_page.fact("perQuestion")).to_have_text("0.04 USDC")
    expect(paid_page.fact("deposit")).to_have_text("0.50 USDC")
    assert paid_page.prompts == []
    paid_page.ask_and_wait(SMALL)
    expect(paid_page.fact("deposit")).to_have_count(0)


def test_the_cost_below_each_answer_is_the_sum_of_its_receipts(paid_page: PaidPage) -> None:
    paid_page.connect()
    paid_page.ask_and_wait(SMALL)
    before = paid_page.charged()
    paid_page.ask_and_wait(QUESTION)
    first, second = paid_page.answers.nth(1), paid_page.answers.nth(2)
    several_hops = paid_page.charged() - before
    expect(cost(first)).to_have_text(f"Cost: {to_usdc(several_hops)} USDC.")
    paid_page.ask_and_wait(SMALL)
    one_hop = paid_page.charged() - before - several_hops
    assert 0 < one_hop < several_hops
    expect(cost(second)).to_have_text(f"Cost: {to_usdc(one_hop)} USDC.")
    expect(cost(first)).to_have_text(f"Cost: {to_usdc(several_hops)} USDC.")
    expect(second).to_contain_text("Another try: up to 0.04 USDC.")
    expect(first).not_to_contain_text("Another try")
    paid_page.try_again()
    again = paid_page.charged() - before - several_hops - one_hop
    expect(cost(second)).to_have_text(
        f"Cost: {to_usdc(again)} USDC. Earlier tries: {to_usdc(one_hop)} USDC."
    )
    paid_page.page.get_by_role("button", name="Edit question").click()
    paid_page.composer.press("Enter")
    paid_page.wait_for_end()
    expect(cost(paid_page.answers.last)).to_contain_text(
        f"Earlier tries: {to_usdc(one_hop + again)} USDC."
    )


def charged(article: Locator) -> int:
    """Return what an answer has cost for certain, in millionths."""
    return to_micro(cost(article).inner_text().removeprefix("Cost: ").split(" ")[0])


def test_what_is_uncertain_is_said_and_agrees_with_the_panel(paid_page: PaidPage) -> None:
    paid_page.connect()
    before, uncertain = paid_page.micro("spent"), paid_page.micro("uncertain")
    first = paid_page.ask_and_wait(SMALL)
    expect(cost(first)).to_contain_text("Cost: 0.0")
    before += charged(first)
    paid_page.expected.append("ERR_")
    paid_page.paid.gate.after_paying.append(Truncate(after=1))
    article = paid_page.ask_and_wait(SMALL)
    expect(cost(article)).to_have_text("Cost: up to 0.01 USDC uncertain.")
    paid_page.try_again()
    expect(cost(article)).to_contain_text("Cost: 0.0")
    spent = before + charged(article)
    expect(paid_page.fact("spent")).to_have_text(f"{to_usdc(spent)} USDC")
    unclear = paid_page.micro("uncertain") - uncertain
    said = f"Cost: {to_usdc(charged(article))} USDC"
    more = f", up to {to_usdc(unclear)} USDC uncertain" if unclear else ""
    expect(cost(article)).to_have_text(f"{said}{more}.")


def test_a_question_costs_no_more_than_was_announced_whatever_the_endpoint_answers(
    paid_page: PaidPage,
) -> None:
    paid_page.connect()
    paid_page.paid_server("charge", {"amount": 10_000})
    # a reply that announces calls and has none is asked for again, which costs another time
    again = Reply({"choices": [{"message": {"content": None}, "finish_reason": "tool_calls"}]})
    receipt = answers("10000").headers
    replies = [
        replace(reply, headers=receipt) for reply in (again, calls_tool("get_sitzungen", {}))
    ]
    paid_page.paid.gate.answered_by += replies * 4
    article = paid_page.ask_and_wait(QUESTION)
    expect(paid_page.problem(article)).to_contain_text("One question may cost at most 0.04 USDC.")
    expect(cost(article)).to_have_text("Cost: 0.04 USDC.")
    assert paid_page.charged() == 40_000
    paid_page.paid.gate.answered_by.clear()
    paid_page.paid_server("charge", {"amount": None})
    paid_page.try_again()
    expect(paid_page.problem(article)).to_have_count(0)


def test_an_answer_for_which_nothing_was_asked_has_no_cost(paid_page: PaidPage) -> None:
    button = paid_page.page.locator("#searching")
    button.click()
    article = paid_page.ask_and_wait(QUESTION)
    button.click()
    expect(article.get_by_role("button", name="Try again")).to_be_visible()
    expect(cost(article)).to_have_count(0)
    expect(article).not_to_contain_text("Another try")


def test_the_first_question_gets_three_ways_of_equal_weight(paid_page: PaidPage) -> None:
    article = paid_page.ask_and_wait(SMALL)
    offer = paid_page.ways(article)
    expect(offer).to_contain_text("at most 0.04 USDC for this question")
    expect(offer).to_contain_text("deposit of 0.50 USDC")
    expect(offer).to_contain_text(paid_page.paid.paid_server.facts["payTo"])
    expect(paid_page.status).to_have_text("Your choice: how to go on")
    assert paid_page.alerts == []
    heights = offer.get_by_role("listitem").evaluate_all("all => all.map((e) => e.offsetHeight)")
    classes = offer.get_by_role("button").evaluate_all("all => all.map((e) => e.className)")
    assert (len(heights), len(set(heights)), len(set(classes))) == (3, 1, 1)
    offer.get_by_role("button", name="Use my own key").click()
    expect(paid_page.page.get_by_role("textbox", name="Address")).to_be_focused()
    offer.get_by_role("button", name="Search instead").click()
    paid_page.wait_for_end()
    expect(article).to_contain_text("Search result: not a language model")
    expect(offer).to_have_count(0)
    paid_page.page.get_by_role("button", name="Back to your model").click()


def test_this_computers_model_answers_until_a_wallet_is_connected(paid_page: PaidPage) -> None:
    page = paid_page.page
    if not page.evaluate("'LanguageModel' in window"):
        pytest.skip("this Chromium has no LanguageModel, so the page looks for none")
    page.evaluate("() => { window.realModel = window.LanguageModel }")
    page.evaluate(STANDIN.read_text("utf-8"))
    try:
        page.evaluate('testModel.steps = [\'{"answer": "Free of charge."}\']')
        article = paid_page.ask_and_wait(SMALL)
        expect(article).to_contain_text("Runs on your computer")
        expect(article).to_contain_text("Free of charge.")
        expect(cost(article)).to_have_count(0)
        who = page.get_by_role("group", name="Who answers")
        expect(who).to_contain_text("The model of this computer answers")
        paid_page.connect()
        expect(who).not_to_contain_text("The model of this computer answers")
        article = paid_page.ask_and_wait(SMALL)
        expect(cost(article)).to_contain_text("Cost: 0.0")
    finally:
        page.evaluate("() => { window.LanguageModel = window.realModel }")


def test_the_german_offer(paid_page: PaidPage, browser: Browser) -> None:
    context = browser.new_context(locale="de-DE", viewport={"width": 320, "height": 640})
    page = PaidPage(context.new_page(), paid_page.standins)
    page.open()
    page.page.locator("#message").fill("Hallo")
    page.page.keyboard.press("Enter")
    offer = page.page.get_by_role("region", name="So geht es weiter")
    expect(offer).to_contain_text("höchstens 0,04")
    expect(offer.get_by_role("button")).to_have_text(
        ["Wallet verbinden", "Stattdessen suchen", "Eigenen Schlüssel verwenden"]
    )
    offer.get_by_role("button", name="Eigenen Schlüssel verwenden").click()
    expect(page.page.get_by_role("textbox", name="Adresse")).to_be_focused()
    assert page.page.evaluate("document.documentElement.scrollWidth") <= 320
    context.close()
