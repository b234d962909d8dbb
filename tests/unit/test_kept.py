"""A conversation that survives a reload of its tab."""

from dataclasses import replace

import pytest
from tabloop.agent.conversation import Conversation, Exchange
from tabloop.agent.displays import Chart, Note, Picture, Series
from tabloop.agent.tools import Source
from tabloop.core.phrases import Phrase
from tabloop.core.pricing import Cost
from tabloop.tools.bundestakt.words import SESSIONS
from tabloop.ui.answer_state import AnswerState, ToolStep
from tabloop.ui.kept import Kept, KeptAnswer, as_text, from_text, kept_steps, restored

CHART = Chart(
    "bars",
    Phrase("Interjections", "Zwischenrufe"),
    "Group",
    ("A", Phrase("B", "C")),
    (Series("n", (1.5, None)),),
    Phrase(("one", "many"), ("eins", "viele")),
    notes=(Note("more", 2),),
)
PICTURE = Picture("https://i.example/a.png", "a cat", 1024, 1024)
STATE = AnswerState(
    "done",
    steps=(
        ToolStep("a", "get_sitzungen", SESSIONS, "ok", '{"x":1}', {"x": 1}, "{}", (CHART,), "Hm."),
        ToolStep("b", "generate_image", state="ok", display=PICTURE),
        ToolStep("c", "search_claims", state="running"),
    ),
    text="Größe.",
    sources=(Source("https://a.example/", "A", Phrase("Licence", "Lizenz")),),
)
ANSWER = KeptAnswer(
    "Why?", "Größe.", True, False, "m", "", Cost(1, 2, 3), Cost(), kept_steps(STATE), STATE.sources
)
KEPT = Kept((ANSWER,), (Exchange("Why?", "Größe."),), "Why?", answered=True, draft="and")


def test_what_is_kept_is_read_back_exactly() -> None:
    assert from_text(as_text(KEPT)) == KEPT


def test_an_answer_looks_as_before_and_nothing_runs_on() -> None:
    read = from_text(as_text(KEPT))
    assert read
    state = restored(read.answers[0], {"get_sitzungen": SESSIONS})
    assert (state.text, state.sources, state.charts) == ("Größe.", STATE.sources, ((CHART,),))
    assert state.pictures == (PICTURE,)
    assert state.steps[0] == replace(STATE.steps[0])
    assert state.steps[2].state == "interrupted"
    assert state.running_step is None
    assert state.phase == "done"


def test_who_answered_is_kept_and_older_text_may_lack_it() -> None:
    mine = replace(KEPT, answers=(replace(ANSWER, on_device=True, by="large-1 at llm.example"),))
    text = as_text(mine)
    assert from_text(text) == mine
    older = text.replace(',"on_device":true,"by":"large-1 at llm.example"', "")
    assert older != text
    assert from_text(older) == KEPT


def test_text_of_another_version_is_no_conversation() -> None:
    for text in ("", "{", "[]", '{"answers": [{}]}', as_text(KEPT).replace('"bars"', '"pie"')):
        assert from_text(text) is None


@pytest.mark.parametrize("field", ["charged", "uncertain", "payments"])
@pytest.mark.parametrize("damaged", ["-1", "NaN", "-Infinity", '"1"', "1.0", "true", "null", "[]"])
@pytest.mark.parametrize("place", ["cost", "earlier"])
def test_a_cost_that_is_none_is_damage(field: str, damaged: str, place: str) -> None:
    paid = replace(KEPT, answers=(replace(ANSWER, **{place: Cost(**{field: 7})}),))
    assert from_text(as_text(paid)) == paid
    assert from_text(as_text(paid).replace(f'"{field}":7', f'"{field}":{damaged}')) is None


def test_a_restored_conversation_goes_on() -> None:
    conversation = Conversation()
    conversation.restore(KEPT.exchanges, KEPT.question, answered=KEPT.answered)
    again = conversation.retry("system")
    assert [message.content for message in again] == ["system", "Why?"]
    conversation.restore(KEPT.exchanges, "failed", answered=False)
    again = conversation.retry("system")
    assert [m.content for m in again] == ["system", "Why?", "Größe.", "failed"]


def test_the_content_of_a_picture_is_not_kept() -> None:
    picture = replace(PICTURE, url="data:image/png;base64,AAAA")
    steps = kept_steps(replace(STATE, steps=(replace(STATE.steps[1], display=picture),)))
    assert steps[0].picture == replace(PICTURE, url="")
