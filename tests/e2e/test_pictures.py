"""Pictures and the card that waits.

Rule: every test ends with as many requests at the image service as presses that confirmed one.
"""

import base64
import json
from collections.abc import Iterator
from typing import Literal

import pytest
from playwright.sync_api import expect

from tests.e2e.accessibility import check_accessibility
from tests.e2e.chat_page import ChatPage
from tests.e2e.picture_card import (
    PROMPT,
    WISH,
    Card,
    calls,
    check_can_continue,
    says,
    tool_results,
)
from tests.standins.faults import Delay, Hang, Reply
from tests.standins.generations import KEY, REFUSED, Generations

PAYEE = "0x" + "ab" * 20


@pytest.fixture
def card(warm_chat: ChatPage) -> Iterator[Card]:
    """The card of a page with an empty conversation; pictures take no time."""
    warm_chat.standins.images.seconds = 0
    card = Card(warm_chat)
    yield card
    card.check()


# --- one decision --------------------------------------------------------------------------------


def test_a_confirmed_picture_appears_with_its_prompt_and_the_model_gets_no_address(
    card: Card,
) -> None:
    article = card.request_picture()
    expect(card.prompt).to_have_value(PROMPT)
    expect(card.sizes.get_by_role("radio", name="Wide")).to_be_checked()
    expect(card.region).to_contain_text("Free")
    expect(card.region).to_contain_text("NFT")
    expect(card.chat.status).to_contain_text("Waiting for you")
    step = card.chat.steps(article)
    expect(step).to_have_attribute("data-state", "running")
    expect(step).to_contain_text("waiting for you")
    card.confirm()
    card.chat.wait_for_end()
    image = article.get_by_role("img", name=PROMPT)
    expect(image).to_be_visible()
    assert image.evaluate("image => image.decode().then(() => image.naturalWidth)") == 1792
    expect(article.get_by_role("link", name="Full size")).to_have_attribute(
        "href", image.get_attribute("src") or ""
    )
    expect(card.region).to_have_count(0)
    expect(card.chat.steps(article)).to_have_attribute("data-state", "ok")
    expect(card.chat.status).to_contain_text("with a picture")
    [result] = tool_results(card.chat)
    assert result == {"status": "ok", "prompt": PROMPT, "size": "1792x1024"}
    assert card.images.url not in json.dumps(card.chat.sent(-1))
    check_can_continue(card.chat)


def test_after_an_edit_the_model_reads_what_was_made(card: Card) -> None:
    article = card.request_picture()
    card.prompt.fill("a red dog")
    card.sizes.get_by_role("radio", name="Square").check()
    expect(card.generate).to_be_enabled()
    card.confirm()
    card.chat.wait_for_end()
    expect(article.get_by_role("img", name="a red dog")).to_be_visible()
    assert card.images.ordered[0].json["prompt"] == "a red dog"
    assert card.images.ordered[0].json["size"] == "1024x1024"
    [result] = tool_results(card.chat)
    assert result["prompt"] == "a red dog"
    expect(article.locator('[data-part="text"]')).to_contain_text("a red dog")


def test_a_cancelled_picture_is_never_made(card: Card) -> None:
    article = card.request_picture()
    card.cancel.click()
    card.chat.wait_for_end()
    expect(card.region).to_have_count(0)
    expect(card.chat.steps(article)).to_have_attribute("data-state", "declined")
    assert tool_results(card.chat)[0]["status"] == "user_declined"
    check_can_continue(card.chat)


@pytest.mark.parametrize(("first", "made"), [("confirm", 1), ("cancel", 0)])
def test_of_two_presses_at_the_same_moment_the_first_counts(
    card: Card, first: str, made: int
) -> None:
    article = card.request_picture()
    card.region.evaluate(
        """(card, first) => {
          const buttons = ['confirm', 'cancel'].map(
            (name) => card.querySelector(`[data-action="card-${name}"]`));
          if (first === 'cancel') buttons.reverse();
          buttons.concat(buttons).forEach((button) => button.click());
        }""",
        first,
    )
    card.confirmed = made
    card.chat.wait_for_end()
    expect(article.get_by_role("img")).to_have_count(made)


def test_confirm_and_cancel_within_50_ms(card: Card) -> None:
    article = card.request_picture()
    card.images.seconds = 0.3
    card.region.evaluate(
        """card => {
          const cancel = card.querySelector('[data-action="card-cancel"]');
          card.querySelector('[data-action="card-confirm"]').click();
          setTimeout(() => cancel.click(), 30);
        }"""
    )
    card.confirmed = 1
    card.chat.wait_for_end()
    expect(article.get_by_role("img")).to_have_count(1)


def test_a_double_press_makes_one_picture(card: Card) -> None:
    article = card.request_picture()
    card.generate.dblclick()
    card.confirmed = 1
    card.chat.wait_for_end()
    expect(article.get_by_role("img")).to_have_count(1)


def test_holding_enter_presses_a_button_once(card: Card) -> None:
    article = card.request_picture()
    keyboard = card.chat.page.keyboard
    card.chat.composer.focus()
    for _ in range(5):  # held in the composer, so it must not press a button of the card
        keyboard.down("Enter")
    keyboard.up("Enter")
    expect(card.generate).to_be_enabled()
    assert card.images.ordered == []
    card.generate.focus()
    for _ in range(5):
        keyboard.down("Enter")
    keyboard.up("Enter")
    card.confirmed = 1
    card.chat.wait_for_end()
    expect(article.get_by_role("img")).to_have_count(1)
    expect(card.chat.questions).to_have_count(1)


def test_two_cards_of_one_hop_are_asked_one_after_the_other(card: Card) -> None:
    card.chat.standins.proxy.behave(calls("a cat", "a dog"), says("Two."))
    article = card.request_picture()
    expect(card.prompt).to_have_value("a cat")
    card.confirm()
    expect(card.prompt).to_have_value("a dog")
    expect(card.region).to_have_count(1)
    card.cancel.click()
    card.chat.wait_for_end()
    assert [item["status"] for item in tool_results(card.chat)] == ["ok", "user_declined"]
    expect(article.get_by_role("img")).to_have_count(1)


def test_the_second_half_of_a_double_press_does_not_confirm_the_next_card(card: Card) -> None:
    card.chat.standins.proxy.behave(calls("a cat", "a dog"), says("One."))
    card.request_picture()
    card.cancel.dblclick()
    expect(card.prompt).to_have_value("a dog")
    expect(card.generate).to_be_enabled()
    card.confirm()
    card.chat.wait_for_end()
    assert [item["status"] for item in tool_results(card.chat)] == ["user_declined", "ok"]


# --- ends from outside ---------------------------------------------------------------------------


def test_stop_closes_the_card(card: Card) -> None:
    article = card.request_picture()
    card.chat.stop.click()
    card.chat.wait_for_end()
    expect(card.region).to_have_count(0)
    expect(card.chat.steps(article)).to_have_attribute("data-state", "interrupted")
    check_can_continue(card.chat)


def test_stop_while_a_picture_is_made_ends_the_wait(card: Card) -> None:
    card.images.behave(Hang(), path="/")
    article = card.request_picture()
    card.confirm()
    expect(card.region).to_contain_text("Generating")
    expect(card.region).to_contain_text("second")
    expect(card.region.get_by_role("button")).to_have_count(0)
    card.chat.stop.click()
    card.chat.wait_for_end()
    expect(card.region).to_have_count(0)
    expect(card.chat.steps(article)).to_have_attribute("data-state", "interrupted")
    card.images.wait_until(lambda: card.images.ordered[0].state == "aborted")
    check_can_continue(card.chat)


def test_a_new_chat_asks_first_and_then_closes_the_card(card: Card) -> None:
    card.request_picture()
    new_chat = card.chat.page.get_by_role("button", name="New chat")
    new_chat.click()
    card.chat.page.get_by_role("button", name="Keep it").click()
    expect(card.generate).to_be_enabled()
    new_chat.click()
    card.chat.page.get_by_role("button", name="Discard it").click()
    expect(card.chat.log.locator("article")).to_have_count(0)
    check_can_continue(card.chat)


def test_after_a_reload_there_is_no_card_and_nothing_was_made(card: Card) -> None:
    card.request_picture()
    card.chat.page.reload(wait_until="domcontentloaded")
    card.chat.wait_until("ready")
    expect(card.region).to_have_count(0)
    check_can_continue(card.chat)


# --- the person who waits ------------------------------------------------------------------------


def test_the_card_takes_no_focus_and_the_composer_says_why_it_does_not_send(card: Card) -> None:
    card.chat.record_status()
    card.request_picture()
    expect(card.chat.composer).to_be_focused()
    card.chat.page.keyboard.type("and then?")
    expect(card.chat.composer).to_have_value("and then?")
    card.chat.page.keyboard.press("Enter")
    expect(card.chat.questions).to_have_count(1)
    expect(card.chat.page.locator("#hint")).to_contain_text("the card first")
    assert sum("Waiting for you" in line for line in card.chat.said) == 1
    card.cancel.click()
    card.chat.wait_for_end()
    expect(card.chat.composer).to_have_value("and then?")
    expect(card.chat.page.locator("#hint")).not_to_contain_text("the card first")
    card.chat.composer.fill("")


def test_without_a_prompt_there_is_nothing_to_generate(card: Card) -> None:
    card.request_picture()
    card.prompt.fill("  ")
    expect(card.generate).to_be_disabled()
    expect(card.region).to_contain_text("Write what the picture should show")
    card.prompt.press("Enter")
    card.prompt.fill("a fox")
    expect(card.generate).to_be_enabled()
    card.cancel.click()
    card.chat.wait_for_end()


def test_the_card_works_by_keyboard_alone(card: Card) -> None:
    article = card.request_picture()
    page = card.chat.page
    page.keyboard.press("Shift+Tab")
    expect(card.cancel).to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(card.generate).to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(card.sizes.get_by_role("radio", name="Wide")).to_be_focused()
    card.images.behave(Delay(1), path="/openapi.json")  # the price is requested again
    page.keyboard.press("ArrowLeft")
    expect(card.generate).to_be_disabled()
    expect(card.sizes.get_by_role("radio", name="Square")).to_be_checked()
    page.keyboard.press("Shift+Tab")
    expect(card.prompt).to_be_focused()
    page.keyboard.press("End")
    page.keyboard.type(" at night")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(card.generate).to_be_focused()  # Tab stops here even while it is disabled
    expect(card.generate).to_be_enabled()
    page.keyboard.press("Enter")
    card.confirmed = 1
    expect(card.chat.composer).to_be_focused()  # the button is gone, the focus is not lost
    card.chat.wait_for_end()
    expect(article.get_by_role("img", name=f"{PROMPT} at night")).to_be_visible()


def test_a_long_prompt_can_be_scrolled_to_its_end(card: Card) -> None:
    prompt = "a very long line of cats, " * 120
    card.chat.standins.proxy.behave(calls(prompt), says("No."))
    card.request_picture()
    inside = card.prompt.evaluate("field => [field.scrollHeight, field.clientHeight]")
    assert inside[0] > inside[1]
    assert card.prompt.evaluate(
        "field => { field.scrollTop = 1e6; return field.scrollTop + field.clientHeight"
        " >= field.scrollHeight - 1; }"
    )
    card.cancel.click()
    card.chat.wait_for_end()


# --- the price -----------------------------------------------------------------------------------


def paid(amount: str) -> tuple[Reply, Reply]:
    """What a paid service says of itself, and the 402 that names its price."""
    offer: dict[str, object] = {
        "scheme": "exact",
        "network": "eip155:10",
        "amount": amount,
        "asset": "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85",
        "payTo": PAYEE,
        "maxTimeoutSeconds": 60,
        "extra": {"name": "USD Coin", "version": "2"},
    }
    document = json.dumps({"x402Version": 2, "resource": {}, "accepts": [offer]})
    header = {"PAYMENT-REQUIRED": base64.b64encode(document.encode()).decode()}
    described = Reply({"x-service-type": "images/v1", "info": {"title": "Brush & co"}})
    return described, Reply({"error": "payment required"}, status=402, headers=header)


def test_the_price_on_the_card_is_the_one_of_the_live_402(card: Card) -> None:
    described, challenge = paid("70000")
    card.chat.expected.append("402")
    card.images.behave(described, path="/openapi.json", always=True)
    card.images.behave(challenge, path="/", always=True)
    article = card.request_picture()
    expect(card.generate).to_have_accessible_name("Generate for 0.07 USDC")
    expect(card.region).to_contain_text("OP Mainnet")
    expect(card.region).to_contain_text(PAYEE)
    expect(card.region).to_contain_text("also mints an NFT")
    assert PROMPT not in str([request.body for request in card.images.requests])
    card.generate.click()  # nobody pays here, so the service refuses, and makes nothing
    card.chat.wait_for_end()
    assert tool_results(card.chat)[0]["status"] == "payment_refused"
    expect(card.chat.steps(article)).to_have_attribute("data-state", "failed")
    expect(card.chat.problem(article)).to_contain_text("no wallet is connected")
    expect(article.get_by_role("img")).to_have_count(0)


def test_without_a_readable_price_nothing_can_be_confirmed_until_it_is_there(card: Card) -> None:
    card.chat.expected += ["500", "400"]
    card.images.behave(Reply({}, status=500), path="/openapi.json")
    card.chat.ask(WISH)
    expect(card.region).to_contain_text("did not name a price")
    expect(card.generate).to_be_disabled()
    card.region.get_by_role("button", name="Ask again").click()
    expect(card.generate).to_be_enabled()
    card.confirm()
    card.chat.wait_for_end()


def test_a_price_above_the_owners_limit_is_refused(card: Card) -> None:
    described, challenge = paid("1000000")
    card.chat.expected.append("402")
    card.images.behave(described, path="/openapi.json")
    card.images.behave(challenge, path="/")
    card.chat.ask(WISH)
    expect(card.region).to_contain_text("It wants 1.00 USDC, and at most 0.10 are allowed.")
    expect(card.generate).to_be_disabled()
    card.cancel.click()
    card.chat.wait_for_end()


# --- what came of it -----------------------------------------------------------------------------


def test_a_failure_of_the_service_is_told_and_shown(card: Card) -> None:
    card.chat.expected.append("503")
    card.images.behave(Reply({"error": "out of paint"}, status=503), path="/")
    article = card.request_picture()
    card.confirm()
    card.chat.wait_for_end()
    expect(card.chat.steps(article)).to_have_attribute("data-state", "failed")
    [result] = tool_results(card.chat)
    assert result["status"] == "generation_failed"
    assert "out of paint" in result["reason"]
    expect(card.chat.problem(article)).to_contain_text("There is no picture")
    expect(card.chat.problem(article)).to_contain_text("out of paint")
    expect(card.chat.problem(article)).not_to_contain_text("cost")
    check_can_continue(card.chat)


def test_a_picture_that_does_not_load_leaves_its_address(card: Card) -> None:
    card.chat.expected.append("404")
    gone = f"{card.images.url}/pictures/999.svg"
    card.images.behave(Reply({"created": 1, "data": [{"url": gone}]}), path="/")
    article = card.request_picture()
    card.confirm()
    card.chat.wait_for_end()
    expect(article).to_contain_text("does not load")
    expect(article.get_by_role("link", name=PROMPT)).to_have_attribute("href", gone)
    expect(article.get_by_role("img")).to_have_count(0)


def test_a_failed_mint_is_said_beside_the_picture(card: Card) -> None:
    card.images.behave(
        Reply(
            {
                "created": 1,
                "data": [{"url": f"{card.images.url}/none.svg"}],
                "x_nft": {"status": "mint_failed", "reason": "gas"},
            }
        ),
        path="/",
    )
    drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
    card.images.behave(Reply(drawing, content_type="image/svg+xml"), path="/none.svg")
    article = card.request_picture()
    card.confirm()
    card.chat.wait_for_end()
    expect(article.get_by_role("figure")).to_contain_text("could not be minted")
    expect(article.get_by_role("img", name=PROMPT)).to_be_visible()


def test_a_model_that_says_nothing_to_a_picture_leaves_a_caption(card: Card) -> None:
    card.chat.standins.proxy.behave(calls(PROMPT), says(" "))
    article = card.request_picture()
    card.confirm()
    card.chat.wait_for_end()
    expect(article).to_contain_text("Here is the picture you confirmed.")
    expect(card.chat.problem(article)).to_have_count(0)
    expect(card.chat.status).to_contain_text("with a picture")
    check_can_continue(card.chat)
    assert PROMPT in json.dumps(card.chat.sent(-1)["messages"])


def test_whatever_the_model_says_the_page_shows_what_happened(card: Card) -> None:
    lie = f"Done! ![{PROMPT}]({card.images.url}/pictures/1.svg)"
    card.chat.standins.proxy.behave(calls(PROMPT), says(lie))
    article = card.request_picture()
    card.cancel.click()
    card.chat.wait_for_end()
    expect(article.get_by_role("img")).to_have_count(0)
    expect(card.chat.steps(article)).to_have_attribute("data-state", "declined")
    expect(card.chat.steps(article)).to_contain_text("declined")


def test_a_picture_can_be_kept(card: Card) -> None:
    article = card.request_picture()
    card.confirm()
    card.chat.wait_for_end()
    with card.chat.page.expect_download() as download:
        article.get_by_role("button", name="Download").click()
    assert download.value.suggested_filename == "a-cat-on-the-reichstag.svg"
    assert "PRACTICE DRAWING" in download.value.path().read_text("utf-8")


# --- the look ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1280, "light")])
def test_axe_finds_nothing_on_the_card_and_nothing_is_wider_than_the_screen(
    card: Card, width: int, scheme: Literal["dark", "light"]
) -> None:
    page = card.chat.page
    usual = page.viewport_size
    page.set_viewport_size({"width": width, "height": 740})
    described, challenge = paid("70000")
    card.chat.expected.append("402")
    card.images.behave(described, path="/openapi.json")
    card.images.behave(challenge, path="/")
    card.request_picture()
    check_accessibility(card.chat.page, scheme)
    card.cancel.click()
    card.chat.wait_for_end()
    card.images.seconds = 1e9
    card.request_picture()
    card.confirm()
    check_accessibility(card.chat.page, scheme)
    card.images.seconds = 0
    card.chat.wait_for_end()
    check_accessibility(card.chat.page, scheme)
    page.emulate_media(color_scheme="light")
    assert usual
    page.set_viewport_size(usual)


# --- a service that takes a key ------------------------------------------------------------------


def test_a_picture_by_a_persons_own_key(card: Card) -> None:
    """The person chooses a service of another kind, whose price nobody knows beforehand."""
    chat, service = card.chat, Generations()
    chat.standins.run(service.start())
    group = chat.page.get_by_role("group", name="Picture service")
    group.get_by_text("Picture service").click()
    try:
        group.get_by_label("Address").fill(f"{service.url}/v1")
        group.get_by_label("Model").fill("gpt-image-1")
        group.get_by_label("Key").fill("wrong")
        article = card.request_picture()
        expect(card.region).to_contain_text("Not known: billed to your key")
        expect(card.sizes.get_by_role("radio", name="Wide, 1536")).to_be_checked()
        card.region.get_by_role("button", name="Generate, price not known").click()
        chat.expected.append("401")
        expect(article.get_by_role("alert")).to_contain_text("did not accept the key")
        chat.wait_for_end()

        group.get_by_label("Key").fill(KEY)
        article = card.request_picture()
        card.generate.click()
        chat.wait_for_end()
        image = article.get_by_role("img", name=PROMPT)
        assert image.evaluate("image => image.decode().then(() => image.naturalWidth)") == 1536
        with chat.page.expect_popup() as opened:
            article.get_by_role("button", name="Full size").click()
        expect(opened.value.locator("img")).to_be_visible()
        opened.value.close()
        with chat.page.expect_download() as downloaded:
            article.get_by_role("button", name="Download").click()
        assert downloaded.value.suggested_filename == "a-cat-on-the-reichstag.png"
        assert tool_results(chat)[0]["size"] == "1536x1024"
        assert "base64" not in json.dumps(chat.sent(-1))

        article = card.request_picture()
        card.prompt.fill(REFUSED)
        card.generate.click()
        chat.expected.append("400")
        expect(article.get_by_role("alert")).to_contain_text("content filter")
        chat.wait_for_end()
        assert len(service.made) == 1
    finally:
        group.get_by_label("Address").fill("")
        group.get_by_label("Model").fill("")
        group.get_by_label("Key").fill("")
        group.get_by_text("Picture service").click()
        chat.standins.run(service.stop())
