"""An answer's buttons, and an answer for the clipboard."""

from tabloop.agent.tools import Source
from tabloop.ui.actions import actions_html
from tabloop.ui.answer_state import AnswerState
from tabloop.ui.copying import copied_sources, copied_text
from tabloop.ui.strings import load_strings

EN, DE = load_strings("en"), load_strings("de")
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
    assert (copied_text(EN, state), str(copied_sources(EN, state))) == ("Yes.\n", "")
