"""An answer's buttons, and an answer for the clipboard."""

from tabloop.agent.tools import Source
from tabloop.core.pricing import Cost
from tabloop.ui.actions import actions_html, cost_text
from tabloop.ui.answer_state import AnswerState
from tabloop.ui.copying import copied_sources, copied_text
from tabloop.ui.strings import load_strings

EN, DE = load_strings("en"), load_strings("de")
NOTHING = Cost()
LICENCE = "Bundestakt, licence CC BY 4.0"
PAGES = (
    Source("https://a.example/1", "Session [1]", LICENCE),
    Source("https://a.example/2>", "Session <b>2</b>", LICENCE),
)


def test_an_older_answer_can_be_copied_but_not_tried_again() -> None:
    older = str(actions_html(EN, text=True, again=False, too_long=False))
    assert "Copy answer" in older
    assert "Try again" not in older
    nothing_said = str(actions_html(DE, text=False, again=True, too_long=False))
    assert "kopieren" not in nothing_said
    assert "Noch einmal versuchen" in nothing_said


def test_a_copied_answer_has_each_source_as_a_link_and_the_licence_once() -> None:
    text = copied_text(EN, AnswerState(text="Yes.\n", sources=PAGES))
    assert text.startswith("Yes.\n\nSources:\n\n- [Session (1)](<https://a.example/1>)\n")
    assert text.count(LICENCE) == 1
    html = str(copied_sources(EN, AnswerState(sources=PAGES)))
    assert '<a href="https://a.example/1">Session [1]</a>' in html
    assert "<b>" not in html
    assert html.count(LICENCE) == 1


def test_an_answer_without_sources_is_copied_as_it_is() -> None:
    state = AnswerState(text="Yes.\n")
    assert (copied_text(EN, state), str(copied_sources(EN, state))) == ("Yes.", "")


def test_what_an_answer_has_cost_is_said_only_if_something_was_asked() -> None:
    def said(*given: int, earlier: Cost = NOTHING) -> str:
        return cost_text(EN, Cost(*given), earlier)

    assert said(0, 0, 0) == ""
    assert said(3100, 0, 1) == "Cost: 0.0031 USDC."
    assert said(0, 0, 1) == "Cost: 0.00 USDC."
    assert said(0, 10_000, 1) == "Cost: up to 0.01 USDC uncertain."
    assert said(3100, 10_000, 2) == "Cost: 0.0031 USDC, up to 0.01 USDC uncertain."
    again = said(3100, 0, 1, earlier=Cost(2000, 0, 1))
    assert again == "Cost: 0.0031 USDC. Earlier tries: 0.002 USDC."
    german = cost_text(DE, Cost(3100, 10_000, 2), NOTHING).replace("\u00a0", " ")
    assert german == "Kosten: 0,0031 USDC, bis zu 0,01 USDC ungewiss."


def test_another_try_says_what_it_may_cost() -> None:
    html = str(actions_html(EN, text=True, again=True, too_long=False, may_cost="0.04"))
    assert "Another try: up to 0.04 USDC." in html
    assert "Another try" not in str(actions_html(EN, text=True, again=True, too_long=False))
