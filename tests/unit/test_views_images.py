"""The card and the picture, as a person reads them."""

import re
from collections.abc import Mapping
from typing import Any

import pytest
from tabloop.agent.displays import NoPicture, Picture
from tabloop.agent.events import (
    ApprovalDecided,
    ApprovalRequested,
    Event,
    RunFinished,
    RunStarted,
    StepStarted,
    ToolCallArgs,
    ToolCallResult,
    ToolCallStart,
)
from tabloop.agent.presentation import PLAIN, Presentation
from tabloop.agent.tools import Tool
from tabloop.core.phrases import Phrase
from tabloop.core.pricing import Price, PriceError, PriceErrorCode
from tabloop.payments.errors import OfferRefused, PaymentError, Refusal
from tabloop.tools.images.words import PICTURE as PICTURE_TOOL
from tabloop.ui.answer_state import AnswerState, reduce
from tabloop.ui.approval_card import approval_html
from tabloop.ui.export import ExportedAnswer, as_markdown
from tabloop.ui.image_card import (
    CardState,
    card_html,
    confirm_label,
    price_html,
    remark,
)
from tabloop.ui.image_progress import Progress, progress_html, stages_html
from tabloop.ui.money import usdc
from tabloop.ui.pictures import (
    caption,
    file_name,
    has_only_pictures,
    outcome_html,
    picture_html,
    remembered_text,
)
from tabloop.ui.status import status_line
from tabloop.ui.steps import step_html
from tabloop.ui.strings import load_strings

EN, DE = load_strings("en"), load_strings("de")
PAYEE = "0x" + "ab" * 20
PAID = Price(70_000, "eip155:10", PAYEE, "Brush & co")
FREE = Price(0, seller="Practice")
CARD = CardState("a cat", "1024x1024", PAID)
PICTURE = Picture("https://i.example/1.png?a=1&b=2", 'a "red" <cat>', 1792, 1024, "brush")


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (70_000, "0.07 USDC"),
        (500_000, "0.50 USDC"),
        (1, "0.000001 USDC"),
        (1_234_000_000, "1,234.00 USDC"),
        (0, "0.00 USDC"),
    ],
)
def test_amounts_are_whole_millionths_written_out(amount: int, text: str) -> None:
    assert usdc(EN, amount) == text


def test_german_amounts_have_a_comma() -> None:
    assert usdc(DE, 1_234_070_000) == "1.234,07\u00a0USDC"


@pytest.mark.parametrize(
    ("state", "may"),
    [
        (CARD, True),
        (CardState("a cat", "1024x1024", FREE), True),
        (CardState(" \n", "1024x1024", PAID), False),
        (CardState("a cat", "1024x1024"), False),
        (CardState("a cat", "1024x1024", PriceError("no_price", "h")), False),
    ],
)
def test_generate_needs_a_prompt_and_a_price(state: CardState, may: bool) -> None:
    assert state.can_confirm is may


def test_the_prompt_that_runs_is_the_text_shown_on_the_card() -> None:
    state = CardState(" a dog\n", "1792x1024", PAID)
    assert state.arguments == {"prompt": "a dog", "size": "1792x1024"}


@pytest.mark.parametrize(
    ("given", "runs"),
    [
        ("a cat\U000e0061\U000e0062\U000e0063", "a cat"),
        ("a\ufe01\ufe02\U000e0101 c\u200ba\u2060t\u3164", "a cat"),
        ("\u202ea cat", "a cat"),
        ("a cat" + "\n" * 120 + "on fire", "a cat\n\non fire"),
        ("a cat" + " \u3000" * 3_000 + "on fire", "a cat on fire"),
        ("a\u200d\u200c\u200d\u200ccat", "acat"),
        ("\u2764\ufe0f\u200d\U0001f525 \U0001f469\u200d\U0001f692", None),  # emoji of several parts
        (
            "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
            None,
        ),  # a Persian word with its joiner
        ("Zw\u00f6lf\n\nKatzen", None),
    ],
)
def test_invisible_characters_of_a_prompt_are_removed_before_it_is_shown(
    given: str, runs: str | None
) -> None:
    state = CardState.asked({"prompt": given, "size": "1024x1024"})
    assert state.prompt == state.arguments["prompt"] == (given if runs is None else runs)


def test_invisible_characters_of_pasted_text_are_removed() -> None:
    assert CardState("a cat\U000e0061", "1024x1024", PAID).arguments["prompt"] == "a cat"
    assert not CardState("\u200b\u3164", "1024x1024", PAID).can_confirm


def test_the_card_holds_what_the_contract_names() -> None:
    html = str(card_html(EN, CardState("\n<b>&", "1792x1024", PAID), longest=4000))
    assert '<label for="card-prompt">Prompt</label>' in html
    assert 'maxlength="4000"' in html
    assert ">\n\n&lt;b&gt;&amp;</textarea>" in html  # HTML drops the first line break
    assert 'value="1792x1024" data-part="size" checked' in html
    assert 'role="radiogroup"' in html
    assert ">Generate for 0.07 USDC</button>" in html
    assert ">Cancel</button>" in html
    assert "<form" not in html
    assert "autofocus" not in html


def test_price_network_and_recipient_stand_there_as_they_were_sent() -> None:
    html = str(price_html(EN, PAID))
    assert "0.07 USDC" in html
    assert "OP Mainnet" in html
    assert PAYEE in html
    assert "Brush &amp; co" in html
    assert "eip155:137" in str(price_html(EN, Price(1, "eip155:137", PAYEE)))


def test_before_there_is_a_price_the_button_names_none() -> None:
    assert confirm_label(EN, None) == "Generate"
    assert confirm_label(EN, PriceError("no_price", "h")) == "Generate"
    assert confirm_label(EN, FREE).startswith("Generate")
    assert "Asking" in str(price_html(EN, None))
    assert "Free" in str(price_html(EN, FREE))


@pytest.mark.parametrize("code", ["unreachable", "no_price", "unreadable"])
def test_a_price_that_cannot_be_read_is_said(code: PriceErrorCode) -> None:
    assert "images.example" in str(price_html(EN, PriceError(code, "images.example")))


def test_a_price_that_would_be_refused_is_said_with_both_amounts() -> None:
    why = OfferRefused([Refusal("amount", "1.00", "0.10")], host="images.example")
    html = str(price_html(EN, PriceError("refused", "images.example", cause=why)))
    for part in ("images.example", "1.00 USDC", "0.10", "Nothing was signed"):
        assert part in html


def test_the_remark_says_what_is_missing_or_what_else_comes() -> None:
    assert "NFT" in remark(EN, CARD)
    assert "no payer" in remark(EN, CardState("a cat", "1024x1024", FREE))
    assert remark(EN, CardState(" ", "1024x1024", PAID)) == EN("card.empty")


def test_while_it_is_made_there_is_nothing_to_press() -> None:
    state = CardState("<i>cat", "1792x1024", PAID)
    html = str(progress_html(EN, state, Progress("signing", 70_000)))
    assert "<button" not in html
    assert "&lt;i&gt;cat" in html
    assert "Signing" in html


def states(progress: Progress) -> list[tuple[str, str, str]]:
    """The stages as (name, state, text)."""
    items = re.findall(
        r'<li data-stage="(\w+)" data-state="(\w+)".*?</li>', html := str(stages_html(EN, progress))
    )
    texts = [re.sub(r"<.*?>|✓", "", item) for item in html.split("</li>")]
    return [(*item, text) for item, text in zip(items, texts, strict=False)]


def test_the_stages_say_what_is_done_and_what_is_to_come() -> None:
    assert states(Progress("signing", 70_000, seconds=9)) == [
        ("signing", "now", "Signing: your wallet asks you"),
        ("paid", "next", "Pay 0.07 USDC"),
        ("generating", "next", "Generate"),
    ]
    assert states(Progress("generating", 70_000, seconds=1)) == [
        ("signing", "done", "Signed"),
        ("paid", "done", "Payment sent: 0.07 USDC"),
        ("generating", "now", "Generating · 1 second"),
    ]
    assert states(Progress("generating", seconds=61)) == [
        ("generating", "now", "Generating · 61 seconds")
    ]
    [*_, (_, _, text)] = states(Progress("generating", 70_000, again=True))
    assert text == "Asking again, with the same payment"


def test_a_picture_has_its_prompt_as_alt_and_ways_to_keep_it() -> None:
    html = str(picture_html(EN, PICTURE))
    assert 'alt="a &quot;red&quot; &lt;cat&gt;"' in html
    assert html.count('href="https://i.example/1.png?a=1&amp;b=2"') == 2
    assert 'width="1792" height="1024"' in html
    assert "Download" in html
    assert "NFT" not in html


def test_a_failed_mint_is_said() -> None:
    html = str(picture_html(EN, Picture("https://i.example/1", "a", 1, 1, mint_failed=True)))
    assert "could not be minted" in html
    assert "yours" in html


@pytest.mark.parametrize(
    ("url", "prompt", "media_type", "name"),
    [
        ("https://i.example/1", "A red cat!", "image/jpeg; q=1", "a-red-cat.jpg"),
        ("https://i.example/1.WEBP", "Ein Bär", "", "ein-bär.webp"),
        ("https://i.example/1.exe", "../../etc", "text/html", "etc.png"),
        ("https://i.example/1", "🐈", "image/svg+xml", "picture.svg"),
        ("https://i.example/1", "a" * 80, "image/png", "a" * 48 + ".png"),
    ],
)
def test_a_file_is_named_after_the_prompt(
    url: str, prompt: str, media_type: str, name: str
) -> None:
    assert file_name(url, prompt, media_type) == name


# --- no picture ----------------------------------------------------------------------------------

ROSE = OfferRefused([Refusal("price_rose", "0.09", "0.07")], host="i.example")


@pytest.mark.parametrize(
    ("outcome", "parts"),
    [
        (NoPicture("i.example", error=ROSE), ("0.09 USDC", "0.07 USDC", "Nothing was signed")),
        (NoPicture("i.example"), ("i.example gave no answer",)),
        (NoPicture("i.example", 503, "no <paint>"), ("HTTP 503", "no &lt;paint&gt;")),
        (NoPicture("i.example", 200, max_cost=70_000), ("without one", "up to 0.07 USDC")),
        (NoPicture("i.example", error=PaymentError("not_connected")), ("no wallet is connected",)),
        (
            NoPicture("i.example", error=PaymentError("answer_lost", maybe_charged=70_000)),
            ("up to 0.07 USDC",),
        ),
    ],
)
def test_a_failed_picture_says_why(outcome: NoPicture, parts: tuple[str, ...]) -> None:
    html = str(outcome_html(EN, outcome))
    assert 'role="alert"' in html
    for part in ("There is no picture", *parts):
        assert part in html


def test_declining_in_the_wallet_shows_no_alert() -> None:
    html = str(outcome_html(EN, NoPicture("i.example", error=PaymentError("declined"))))
    assert "You declined" in html
    assert "alert" not in html


def test_without_a_wallet_one_can_be_connected_right_there() -> None:
    html = str(outcome_html(EN, NoPicture("i.example", error=PaymentError("not_connected"))))
    assert 'data-action="connect"' in html
    assert "data-action" not in str(outcome_html(EN, NoPicture("i.example", error=ROSE)))
    assert "<figure" in str(outcome_html(EN, PICTURE))


# --- the card of any other tool ------------------------------------------------------------------


def named(name: str, presentation: Presentation = PLAIN) -> Tool:
    async def run(_arguments: Mapping[str, Any]) -> object:
        return None

    return Tool(name, "Sends.", {}, dict, run, presentation=presentation)


def test_a_card_names_the_tool_for_people_and_as_the_model_calls_it() -> None:
    letter = Presentation(title=Phrase("Letter & stamp", "Brief & Marke"))
    assert "<p>Brief &amp; Marke <code>send</code></p>" in str(
        approval_html(DE, named("send", letter), {})
    )
    assert "<p>Send letter <code>send_letter</code></p>" in str(
        approval_html(EN, named("send_letter"), {})
    )


def test_a_call_stands_on_its_card_as_it_would_run() -> None:
    html = str(approval_html(EN, named("send<b>"), {"to": "Jörg <i>", "text": "a\nb"}))
    assert "send&lt;b&gt;" in html
    assert "&quot;to&quot;: &quot;Jörg &lt;i&gt;&quot;" in html
    assert ">Allow</button>" in html
    assert ">Cancel</button>" in html
    assert "<textarea" not in html
    assert "nothing" in str(approval_html(EN, named("send"), {}))


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("\u202emoc.knab-ym@ecila", r"\u202emoc.knab-ym@ecila"),  # reverses the text after it
        ("1\u200b00", r"1\u200b00"),
        ("a\u2028b", r"a\u2028b"),
        ("\u3164", r"\u3164"),  # a letter that has no visible shape
        ("\x7f", r"\u007f"),
        ("\U000e0041", r"\udb40\udc41"),  # a tag character: invisible letters
        ("a\ufe01\U000e0101", r"a\ufe01\udb40\udd01"),  # selectors, which can carry any text
        ("Zwölf Größen, 東京, 😀", "Zwölf Größen, 東京, 😀"),
    ],
)
def test_the_arguments_that_run_are_the_ones_shown_on_the_card(given: str, shown: str) -> None:
    assert f"&quot;{shown}&quot;" in str(approval_html(EN, named("send"), {"to": given}))


# --- in an answer --------------------------------------------------------------------------------

ARGUMENTS = {"prompt": "a cat", "size": "1024x1024"}
ASKED: tuple[Event, ...] = (
    RunStarted(),
    StepStarted(1),
    ToolCallStart("c1", "generate_image", PICTURE_TOOL),
    ToolCallArgs("c1", '{"prompt": "a cat"}'),
    ApprovalRequested("c1", "generate_image", ARGUMENTS),
)
YES = ApprovalDecided("c1", approved=True, arguments=ARGUMENTS)
NO = ApprovalDecided("c1", approved=False, arguments=ARGUMENTS)
MADE = ToolCallResult("c1", "generate_image", "ok", "{}", ARGUMENTS, display=PICTURE)


def after(*events: Event) -> AnswerState:
    state = AnswerState()
    for event in (*ASKED, *events):
        state = reduce(state, event)
    return state


def test_the_status_line_says_what_is_waited_for() -> None:
    assert status_line(EN, after(), 4).startswith("Waiting for you")
    assert status_line(EN, after(YES), 4) == "Making the picture"
    assert "Making" not in status_line(EN, after(NO), 4)
    ended = after(YES, MADE, RunFinished("stop", "There."))
    assert status_line(EN, ended, 4) == "Answered, with a picture"


def test_a_step_that_waits_for_a_decision_says_so() -> None:
    assert "waiting for you" in str(step_html(EN, after().steps[0]))
    assert 'data-state="running"' in str(step_html(EN, after().steps[0]))
    assert "waiting" not in str(step_html(EN, after(YES).steps[0]))
    assert "waiting" not in str(step_html(EN, after(RunFinished("stopped")).steps[0]))


def test_a_picture_without_text_counts_as_an_answer() -> None:
    state = after(YES, MADE, RunFinished("stop", " "))
    assert has_only_pictures(state)
    assert status_line(EN, state, 4) == "Answered, with a picture"
    assert caption(EN)
    assert 'a "red" <cat>' in remembered_text(EN, state)
    assert not has_only_pictures(after(YES, MADE, RunFinished("stop", "There.")))
    assert not has_only_pictures(after(YES, MADE, RunFinished("length")))
    assert not has_only_pictures(after(YES, MADE))


def test_whatever_the_model_says_no_picture_is_shown_after_a_refusal() -> None:
    declined = ToolCallResult("c1", "generate_image", "user_declined", "{}", ARGUMENTS)
    state = after(NO, declined, RunFinished("stop", "![it](https://evil.example/1.png) Done!"))
    assert state.pictures == ()
    assert state.steps[0].state == "declined"


def test_pictures_go_into_the_export_as_links() -> None:
    state = after(YES, MADE, RunFinished("stop", "There."))
    text = as_markdown(EN, [ExportedAnswer("Draw!", state)], "2026-09-09")
    assert "Picture: [" in text
    assert "(<https://i.example/1.png?a=1&b=2>)" in text
