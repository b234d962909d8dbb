"""From events to what one answer looks like: state, status line, steps, sources."""

import json
from collections.abc import Iterable
from itertools import product
from typing import get_args

import pytest
from tabloop.agent.errors import ErrorStatus
from tabloop.agent.events import (
    ApprovalDecided,
    ApprovalRequested,
    Event,
    Outcome,
    ReasoningMessageContent,
    RunFinished,
    RunStarted,
    Status,
    StepFinished,
    StepStarted,
    TextMessageContent,
    TextMessageEnd,
    TextMessageStart,
    ToolCallArgs,
    ToolCallEnd,
    ToolCallProgress,
    ToolCallResult,
    ToolCallStart,
    ToolWithdrawn,
)
from tabloop.agent.presentation import PLAIN
from tabloop.agent.tools import Source
from tabloop.tools.analytics.words import VISITS
from tabloop.tools.bundestakt.words import CLAIMS, SESSIONS
from tabloop.ui.answer_name import answer_name
from tabloop.ui.answer_state import AnswerState, ToolStep, reduce
from tabloop.ui.sources import SHOWN, sources_html
from tabloop.ui.status import StatusKind, status_kind, status_line
from tabloop.ui.steps import FIRST_CHARACTERS, reasoning_html, step_html, steps_frame
from tabloop.ui.strings import load_strings
from tabloop.ui.tool_words import step_title

EN, DE = load_strings("en"), load_strings("de")
PAGE = Source("https://www.bundestakt.de/sitzung/1", "Session 1", SESSIONS.attribution)
TOOLS = {"get_sitzungen": SESSIONS, "search_claims": CLAIMS, "get_analytics": VISITS}


def after(*events: Event, state: AnswerState | None = None) -> AnswerState:
    now = state or AnswerState()
    for event in events:
        now = reduce(now, event)
    return now


def call(call_id: str, name: str = "get_sitzungen", arguments: str = "{}") -> Iterable[Event]:
    yield ToolCallStart(call_id, name, TOOLS.get(name, PLAIN))
    yield ToolCallArgs(call_id, arguments)
    yield ToolCallEnd(call_id)


def result(call_id: str, status: Status = "ok", *sources: Source) -> ToolCallResult:
    content = json.dumps({"status": status})
    return ToolCallResult(call_id, "get_sitzungen", status, content, {}, None, sources)


def said(text: str) -> Iterable[Event]:
    yield TextMessageStart("text1")
    yield TextMessageContent("text1", text)
    yield TextMessageEnd("text1")


def test_the_view_of_a_complete_run() -> None:
    state = after(
        RunStarted(),
        StepStarted(1),
        StepFinished(1),
        *call("a", arguments='{"von":"2026-09-09","bis":"2026-09-09"}'),
        result("a", "ok", PAGE),
        StepStarted(2),
        *said("It was about money."),
        RunFinished("stop", text="It was about money."),
    )
    assert state.phase == "done"
    assert [(step.name, step.state) for step in state.steps] == [("get_sitzungen", "ok")]
    assert state.text == "It was about money."
    assert state.sources == (PAGE,)
    assert status_line(EN, state, 4) == "Answered, with 1 source"
    assert status_line(DE, state, 4) == "Beantwortet, mit 1 Quelle"


def test_the_status_line_follows_the_run() -> None:
    state = after(RunStarted(), StepStarted(2))
    assert status_line(EN, state, 4) == "Thinking (hop 2 of 4)"
    state = after(*call("a", arguments='{"slug":"21-92-2026-09-09"}'), state=state)
    assert status_line(EN, state, 4) == "Looking up: session of 9 September 2026, in full"
    assert status_line(DE, state, 4) == "Schlägt nach: Sitzung vom 9. September 2026, vollständig"
    waiting = after(ApprovalRequested("a", "get_sitzungen", {}), state=state)
    assert status_line(EN, waiting, 4).startswith("Waiting for you")
    decided = after(ApprovalDecided("a", True, {}), state=waiting)
    assert status_line(EN, decided, 4).startswith("Looking up")
    state = after(result("a"), ToolWithdrawn("get_sitzungen", "fetch_failed"), state=decided)
    assert status_line(EN, state, 4) == "Thinking (hop 2 of 4)"
    state = after(TextMessageStart("text2"), state=state)
    assert status_line(EN, state, 4) == "Writing (hop 2 of 4)"


@pytest.mark.parametrize(
    ("outcome", "text", "line", "kind"),
    [
        ("stop", "Yes.", "Answered", "ok"),
        ("stop", "  ", "There is a problem", "problem"),
        ("stopped", "", "Stopped", "ok"),
        ("max_iterations", "", "Not finished: the limit of 4 steps is reached", "problem"),
        ("length", "Half an", "There is a problem", "problem"),
        ("error", "", "There is a problem", "problem"),
    ],
)
def test_the_view_says_how_a_run_ended(
    outcome: Outcome, text: str, line: str, kind: StatusKind
) -> None:
    state = after(RunFinished(outcome, text=text))
    assert status_line(EN, state, 4) == line
    assert status_kind(state) == kind
    assert status_kind(after(RunStarted())) == "running"


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("ok", "ok"),
        ("not_found", "failed"),
        ("fetch_failed", "failed"),
        ("invalid_arguments", "failed"),
        ("unknown_tool", "failed"),
        ("tool_error", "failed"),
        ("user_declined", "declined"),
        ("interrupted", "interrupted"),
        ("budget_exhausted", "skipped"),
        ("repeated_call", "skipped"),
        ("max_tokens", "skipped"),
    ],
)
def test_each_step_says_how_its_call_ended(status: Status, state: str) -> None:
    step = after(*call("a"), result("a", status)).steps[0]
    assert step.state == state
    html = str(step_html(EN, step))
    assert f'data-state="{state}"' in html
    assert EN(f"state.{state}") in html  # said in words, not by colour alone


def test_results_find_their_own_call_whatever_the_order() -> None:
    state = after(*call("a"), *call("b"), result("b"), result("a", "not_found"))
    assert [step.state for step in state.steps] == ["failed", "ok"]


def test_only_results_that_succeeded_are_sources_and_each_once() -> None:
    other = Source("https://example.org/", "Other", "Example, public domain")
    script = Source("javascript:alert(1)", "Bad")
    state = after(
        *call("a"),
        result("a", "ok", PAGE, PAGE, script),
        *call("b"),
        result("b", "fetch_failed", other),
        *call("c"),
        result("c", "ok", PAGE, other),
    )
    assert state.sources == (PAGE, other)


def test_a_source_is_attributed_as_its_tool_says_unless_it_says_so_itself() -> None:
    plain, own = Source("https://a.example/", "A"), Source("https://b.example/", "B", "B, CC0")
    state = after(*call("a"), result("a", "ok", plain, own))
    assert [source.attribution for source in state.sources] == [SESSIONS.attribution, "B, CC0"]
    html = str(sources_html(DE, state.sources, ""))
    assert '<p class="note">Bundestakt, Lizenz CC BY 4.0; B, CC0</p>' in html


def test_text_before_a_call_is_not_shown_as_the_answer() -> None:
    state = after(*said("Let me look."), *call("a"), *call("b"))
    assert state.text == ""
    assert [step.aside for step in state.steps] == ["Let me look.", ""]
    assert "Let me look." in str(step_html(EN, state.steps[0]))


def test_a_stopped_run_keeps_what_was_written_and_leaves_no_step_open() -> None:
    state = after(*call("a"), *said("Half of"), RunFinished("stopped"))
    assert state.text == "Half of"
    assert state.steps[0].state == "interrupted"
    assert state.running_step is None


def test_going_on_keeps_the_steps() -> None:
    state = after(*call("a"), result("a"), RunFinished("max_iterations"))
    state = after(RunStarted(), StepStarted(1), *call("b"), result("b"), state=state)
    assert [step.call_id for step in state.steps] == ["a", "b"]
    assert state.ended is None


def test_a_step_says_how_far_its_tool_is_until_it_is_done() -> None:
    state = after(*call("a"), ToolCallProgress("a", "page 2 of <9>"))
    assert '<span class="fact">page 2 of &lt;9&gt;</span>' in str(step_html(EN, state.steps[0]))
    state = after(result("a"), state=state)
    assert "page 2" not in str(step_html(EN, state.steps[0]))


def test_reasoning_is_shown_only_to_who_opens_it() -> None:
    first, later = (
        ReasoningMessageContent("t1", "Two "),
        ReasoningMessageContent("t1", "<and> two."),
    )
    state = after(StepStarted(1), first, later, *call("a"), result("a"), StepStarted(2))
    state = after(ReasoningMessageContent("t2", "Four."), RunFinished("stop", "4"), state=state)
    assert state.text == "4"
    html = str(reasoning_html(DE, state.reasoning))
    assert "<details><summary>" in html
    assert "Was das Modell dachte" in html
    assert "Two &lt;and&gt; two.\n\nFour." in html
    assert str(reasoning_html(EN, " \n")) == ""


def test_arguments_that_come_in_pieces_are_joined() -> None:
    state = after(ToolCallStart("a", "x"), ToolCallArgs("a", '{"q":'), ToolCallArgs("a", '"y"}'))
    assert state.steps[0].raw_arguments == '{"q":"y"}'


@pytest.mark.parametrize(
    ("name", "arguments", "title"),
    [
        ("get_sitzungen", {}, "list of sessions"),
        ("get_sitzungen", {"slug": None, "von": None}, "list of sessions"),
        ("get_sitzungen", {"von": "2026-09-09"}, "list of sessions since 9 September 2026"),
        ("get_sitzungen", {"bis": "2026-09-09"}, "list of sessions until 9 September 2026"),
        (
            "get_sitzungen",
            {"von": "2026-09-07", "bis": "2026-09-13"},
            "list of sessions from 7 September 2026 to 13 September 2026",
        ),
        ("get_sitzungen", {"slug": "something"}, "session something, in full"),
        ("search_claims", {"query": "Miete"}, "fact-checked statements on “Miete”"),
        ("search_claims", {"fraktion": "SPD"}, "fact-checked statements on “SPD”"),
        ("search_claims", {}, "fact-checked statements"),
        ("get_analytics", {}, "visits of the last 30 days"),
        ("get_analytics", {"range": "90d"}, "visits of the last 90 days"),
        ("get_analytics", {"range": "1y"}, "visits of the last year"),
        ("get_analytics", {"range": "for ever"}, "visits of this site"),
        ("make_coffee", {}, "Make coffee"),
        ("makeCoffee", {}, "Make coffee"),
        ("___", {}, "___"),
    ],
)
def test_each_step_has_its_title(name: str, arguments: dict[str, object], title: str) -> None:
    assert step_title(EN, ToolStep("a", name, TOOLS.get(name, PLAIN), arguments=arguments)) == title


def test_a_long_title_is_shortened() -> None:
    endless = ToolStep("a", "search_claims", CLAIMS, arguments={"query": "x " * 999})
    assert len(step_title(EN, endless)) < 130
    assert len(step_title(EN, ToolStep("a", "x" * 999))) <= 80


def test_arguments_that_are_no_object_are_shown_as_written() -> None:
    for written in ("[1, 2", "[1]", "null"):
        step = ToolStep("a", "get_sitzungen", SESSIONS, raw_arguments=written)
        assert step_title(EN, step) == "list of sessions"
        assert written in str(step_html(EN, step))


def test_all_text_from_outside_is_escaped() -> None:
    evil = '<img src=x onerror="alert(1)">'
    step = ToolStep("a", evil, state="failed", raw_arguments=evil, result=evil, aside=evil)
    assert "<img" not in str(step_html(EN, step))
    source = Source('https://example.org/"><img src=x>', evil)
    assert "<img" not in str(sources_html(EN, [source], ""))


def test_sizes_are_bytes_as_the_model_gets_them() -> None:
    content = json.dumps({"status": "ok", "text": "Größe"}, ensure_ascii=False)
    html = str(step_html(DE, ToolStep("a", "get_sitzungen", SESSIONS, state="ok", result=content)))
    assert f"{len(content.encode())} Byte" in html
    assert "Größe" in html


@pytest.mark.parametrize(
    ("name", "result", "fact"),
    [
        ("get_sitzungen", {"sitzungen": [1, 2, 3]}, "3 sessions · "),
        ("search_claims", {"claims": [1]}, "1 statement · "),
        ("get_analytics", {"totalHits": 1234}, "1,234 visits · "),
        ("get_analytics", {"totalHits": 0}, "0 visits · "),
        ("get_analytics", {"totalHits": None}, ""),
        ("get_analytics", {"totalHits": 1.5}, ""),
        ("get_sitzungen", {"slug": "21-92"}, ""),
        ("get_sitzungen", ["no", "object"], ""),
        ("search_claims", {"claims": "many"}, ""),
        ("days_until", {"claims": [1]}, ""),
    ],
)
def test_each_step_says_how_many_results_it_has(name: str, result: object, fact: str) -> None:
    content = json.dumps(result)
    html = str(
        step_html(EN, ToolStep("a", name, TOOLS.get(name, PLAIN), state="ok", result=content))
    )
    assert f"done, </span>{fact}{len(content)} bytes<" in html


def test_long_results_are_cut_until_somebody_wants_all() -> None:
    content = json.dumps({"status": "ok", "rows": list(range(2_000))})
    step = ToolStep("a", "get_sitzungen", SESSIONS, state="ok", result=content)
    short, whole = str(step_html(EN, step)), str(step_html(EN, step, whole=True))
    assert len(short) < FIRST_CHARACTERS * 2
    assert 'data-action="show-all"' in short
    assert "1999" not in short
    assert 'data-action="show-all"' not in whole
    assert "1999" in whole


def test_a_step_without_a_result_says_so() -> None:
    html = str(step_html(EN, ToolStep("a", "get_sitzungen", SESSIONS, arguments={})))
    assert "no result yet" in html
    assert "nothing" in html


def test_steps_are_a_named_group() -> None:
    assert 'role="group" aria-label="Steps"' in str(steps_frame(EN))
    assert 'aria-label="Schritte"' in str(steps_frame(DE))


def test_sources_name_their_licence_and_their_answer() -> None:
    first = str(sources_html(EN, [PAGE], ""))
    assert '<section class="sources" aria-label="Sources">' in first
    assert "CC BY 4.0" in first
    assert 'rel="noopener noreferrer"' in first
    assert 'aria-label="Sources (2)"' in str(sources_html(EN, [PAGE], "", 2))
    assert "CC BY" not in str(sources_html(EN, [Source("https://example.org", "")], ""))
    assert str(sources_html(EN, [], "")) == ""


def test_sources_that_the_answer_links_come_first() -> None:
    many = [Source(f"https://example.org/{n}/", f"Page {n}") for n in range(9)]
    html = str(sources_html(EN, many, "See https://example.org/7/ and more."))
    assert html.index("Page 7") < html.index("<details>") < html.index("Page 0")
    assert "8 more" in html
    uncited = str(sources_html(EN, many, ""))
    assert f"{9 - SHOWN} more" in uncited
    assert "<details>" not in str(sources_html(EN, many[:SHOWN], ""))
    assert "<details>" not in str(sources_html(EN, many[: SHOWN + 1], ""))  # no "1 more"


def test_sources_have_their_date_in_words() -> None:
    source = Source("https://example.org/1", "Bundestag 21/92 2026-09-09: Industrie, 2026-13-45")
    shown = str(sources_html(DE, [source], ""))
    assert "Bundestag 21/92 9. September 2026: Industrie, 2026-13-45<" in shown


@pytest.mark.parametrize(
    ("status", "reason", "words"),
    [
        ("fetch_failed", "a.example answered with status 401.", "hat den Zugang verweigert"),
        ("fetch_failed", "a.example answered with status 503.", "gibt es eine Störung"),
        ("fetch_failed", "a.example answered with status 429.", "keine weiteren Anfragen"),
        ("fetch_failed", "a.example answered with status 418.", "nicht angenommen"),
        ("fetch_failed", "a.example gave no answer (blocked).", "hat nicht geantwortet"),
        ("unknown_tool", "There is no tool x.", "ein Werkzeug, das es nicht gibt"),
        ("status of another tool", "Whatever.", "fehlgeschlagen<"),
    ],
)
def test_a_step_says_in_words_why_it_failed(status: str, reason: str, words: str) -> None:
    content = json.dumps({"status": status, "reason": reason})
    step = ToolStep("a", "get_sitzungen", SESSIONS, state="failed", result=content)
    line = str(step_html(DE, step)).partition("</summary>")[0]
    assert words in line
    assert "Byte" not in line
    assert f"{len(content)} Byte" in str(step_html(DE, step))  # one press away


def test_every_failure_has_its_words_in_both_languages() -> None:
    for strings, status in product((EN, DE), get_args(ErrorStatus)):
        result = json.dumps({"status": status})
        step = ToolStep("a", "x", state="skipped", result=result)
        assert status not in str(step_html(strings, step)).partition("</summary>")[0]


def test_an_answer_has_the_name_of_its_question() -> None:
    assert answer_name(EN, "Who\n spoke?") == "Answer to: Who spoke?"
    assert len(answer_name(DE, "x" * 5_000)) < 130
