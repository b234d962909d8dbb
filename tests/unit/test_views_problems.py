"""Sentences for what goes wrong: who failed, what helps, and whether trying again makes sense."""

from typing import get_args

import pytest
from tabloop.agent.errors import ModelError, ModelErrorCode, SetupError
from tabloop.agent.events import Outcome, RunFinished
from tabloop.endpoint.check import CheckStep, Owner
from tabloop.ui.endpoint import (
    SEARCH,
    address_refusal,
    address_remark,
    check_html,
    owner_line,
)
from tabloop.ui.page_notice import notice_html
from tabloop.ui.problems import Problem, problem_html, problem_of
from tabloop.ui.strings import LANGUAGES, Strings, load_strings

from tests.standins.llm_proxy import SEARCH as STANDIN

EN = load_strings("en")
HOST = "llm.example:8443"


def problem(ended: RunFinished, *, text: bool = False, strings: Strings = EN) -> Problem | None:
    return problem_of(strings, ended, has_text=text, hops=4, model="small-1")


def of_error(error: Exception, strings: Strings = EN) -> Problem:
    found = problem(RunFinished("error", error=error), strings=strings)
    assert found is not None
    return found


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("code", get_args(ModelErrorCode))
def test_each_error_of_an_endpoint_names_its_host(code: ModelErrorCode, language: str) -> None:
    error = ModelError(code, host=HOST, status=418, detail="short and stout")
    found = of_error(error, load_strings(language))
    # the browser's own model has no host
    assert HOST in found.sentence or code.startswith("device_")
    assert found.words == "short and stout"
    assert "{" not in found.sentence


@pytest.mark.parametrize("code", get_args(ModelErrorCode))
def test_trying_again_is_offered_where_it_can_help(code: ModelErrorCode) -> None:
    assert "try-again" in of_error(ModelError(code, host=HOST)).actions
    hopeless = of_error(ModelError(code, host=HOST, retryable=False)).actions
    mended_by_hand = {"unauthorized", "quota_used_up", "model_not_found", "address_not_found"}
    mended_by_hand |= {"bad_request", "bad_key", "not_json", "redirected"}
    assert ("try-again" in hopeless) is (code in mended_by_hand | {"payment_required"})


def test_facts_that_help_are_in_the_sentence() -> None:
    assert "small-1" in of_error(ModelError("model_not_found", host=HOST)).sentence
    assert "(HTTP 503)" in of_error(ModelError("server_error", host=HOST, status=503)).sentence
    assert "HTTP" not in of_error(ModelError("server_error", host=HOST)).sentence
    assert "The model" in of_error(ModelError("cut_off")).sentence


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        ({"again_at": "2026-09-09T14:05", "today": "yes"}, "makes sense from 14:05 on."),
        ({"again_at": "2026-09-10T09:00"}, "makes sense from 10 September 2026, 09:00 on."),
        ({}, "Wait a little"),
    ],
)
def test_a_long_pause_names_its_end(facts: dict[str, str], sentence: str) -> None:
    error = ModelError("rate_limited", host=HOST, facts={"retry_after": "9", **facts})
    assert sentence in of_error(error).sentence


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        ({"key": "Key"}, "or the key is wrong"),
        ({"key": "NoKey"}, "or it wants a key"),
        ({}, "(CORS)."),
    ],
)
def test_a_host_without_an_answer_may_hide_that_it_refused_the_key(
    facts: dict[str, str], sentence: str
) -> None:
    assert sentence in of_error(ModelError("unreachable", host=HOST, facts=facts)).sentence


def test_a_key_that_cannot_be_sent_is_named_with_its_place() -> None:
    error = ModelError("bad_key", host=HOST, facts={"sign": "U+200B", "place": "5"})
    assert "U+200B, at place 5" in of_error(error).sentence


def test_an_answer_without_tools_says_so() -> None:
    found = problem(
        RunFinished("stop", text="Hi.", notes=("shortened", "without_tools")), text=True
    )
    assert found is not None
    assert found.kind == "notice"
    assert "left out" in found.sentence
    assert "“small-1” or its server cannot use tools" in found.sentence


def test_a_gateway_that_refuses_everybody_says_nothing_of_a_key() -> None:
    refused = of_error(ModelError("unauthorized", host=HOST, status=403)).sentence
    assert "refused the request (HTTP 403)" in refused
    assert "did not accept the key" not in refused
    wrong_key = of_error(ModelError("unauthorized", host=HOST, status=401)).sentence
    assert "did not accept the key" in wrong_key


def test_where_money_is_wanted_search_mode_is_offered() -> None:
    assert "search" in of_error(ModelError("payment_required", host=HOST)).actions


def test_an_internal_error_says_that_the_conversation_is_kept() -> None:
    found = of_error(ZeroDivisionError("division by zero"))
    assert "still here" in found.sentence
    assert found.words == "ZeroDivisionError: division by zero"
    assert found.actions == ("try-again",)


UNSEEN = ("\u200b\u2060", "\U000e0041\U000e0042", " \u00a0\u3000\t", "\u3164\n\n\u200d")


@pytest.mark.parametrize("words", UNSEEN)
def test_a_message_of_which_nothing_is_seen_is_no_message(words: str) -> None:
    error = ModelError("server_error", host=HOST, detail=words)
    assert "<q>" not in str(problem_html(EN, of_error(error)))
    checked = str(check_html(EN, [CheckStep("Model", error)], model="small-1"))
    assert "“" not in checked
    error = ModelError("server_error", detail=f"{words}Full.{words}")
    shown = str(problem_html(EN, of_error(error)))
    assert "<q>Full.</q>" in shown


def test_a_reply_without_an_end_is_not_said_to_be_cut_by_the_model() -> None:
    found = problem(RunFinished("length", text="again", notes=("endless",)), text=True)
    assert found is not None
    assert "did not stop writing" in found.sentence
    assert found.actions == ("try-again",)


def test_tools_that_do_not_fit_are_explained_in_their_own_words() -> None:
    assert of_error(SetupError("too many tools")).words == "too many tools"


@pytest.mark.parametrize(
    ("outcome", "text", "actions"),
    [
        ("stop", True, None),
        ("stop", False, ("try-again",)),
        ("length", True, ("try-again",)),
        ("content_filter", False, ("try-again",)),
        ("max_iterations", False, ("go-on",)),
        ("halted", False, ("go-on",)),
        ("aborted", False, ("try-again",)),
        ("stopped", False, ("try-again",)),
        ("error", False, ("try-again",)),
    ],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_each_outcome_of_a_run_has_its_sentence(
    outcome: Outcome, text: bool, actions: tuple[str, ...] | None, language: str
) -> None:
    strings = load_strings(language)
    ended = RunFinished(outcome, reason="the budget is spent", error=None)
    found = problem(ended, text=text, strings=strings)
    assert (found and found.actions) == actions
    html = str(problem_html(strings, found))
    for action in actions or ():
        assert f'data-action="{action}"' in html


def test_an_answer_with_a_lost_part_says_so_and_offers_another_try() -> None:
    found = problem(RunFinished("stop", text="Yes.", notes=("shortened", "damaged")), text=True)
    assert found is not None
    assert "lost on the way" in found.sentence
    assert found.actions == ("try-again",)


def test_an_answer_without_the_oldest_messages_says_so() -> None:
    found = problem(RunFinished("stop", text="Yes.", notes=("shortened",)), text=True)
    assert found is not None
    assert found.kind == "notice"
    assert "oldest" in found.sentence


def test_the_limit_is_said_with_its_number() -> None:
    found = problem(RunFinished("max_iterations"))
    assert found is not None
    assert "All 4 steps" in found.sentence


def test_the_reason_of_a_middleware_is_said() -> None:
    found = problem(RunFinished("aborted", reason="the budget is spent"))
    assert found is not None
    assert "the budget is spent" in found.sentence


def test_an_older_problem_is_shown_but_not_announced_as_an_alert() -> None:
    failed = Problem("The model is down.", "502", ("try-again",))
    html = str(problem_html(EN, failed, past=True))
    assert "The model is down." in html
    assert "alert" not in html
    assert "<button" not in html


def test_a_problem_is_an_alert_but_an_action_of_the_person_is_not() -> None:
    assert 'role="alert"' in str(problem_html(EN, problem(RunFinished("stop"))))
    stopped = str(problem_html(EN, problem(RunFinished("stopped"))))
    assert "alert" not in stopped
    assert "You stopped this answer." in stopped
    assert str(problem_html(EN, None)) == ""


def test_text_of_a_service_is_quoted_and_escaped() -> None:
    html = str(problem_html(EN, Problem("It failed.", words="<script>alert(1)</script>")))
    assert "<q>&lt;script&gt;" in html
    assert "<script" not in html
    assert "<script" not in str(notice_html(EN, RuntimeError("<script>")))


def test_the_page_says_who_runs_the_endpoint() -> None:
    assert owner_line(EN, None).startswith("Who runs it is not known")
    assert owner_line(EN, Owner("Ada's models")) == "You are talking to Ada's models"
    noted = owner_line(EN, Owner("Ada's models (small)", "ada@example.org"))
    assert noted == "You are talking to Ada's models (small). Contact: ada@example.org"
    assert "https://" in address_remark(EN)
    assert address_remark(EN) in address_refusal(EN)
    assert (
        SEARCH == STANDIN
    )  # both names must be equal, so that search mode is never taken for a language model


def test_a_check_names_the_step_that_failed_and_why() -> None:
    error = ModelError("bad_request", host=HOST, status=400, detail="no <tools>", retryable=False)
    steps = [CheckStep("Reachable"), CheckStep("Model"), CheckStep("Tools", error)]
    html = str(check_html(EN, steps, model="small-1"))
    assert html.count('data-state="ok"') == 2
    assert html.count('data-state="failed"') == 1
    assert "refused the request (HTTP 400)." in html
    assert "tools: " not in html
    assert "no &lt;tools&gt;" in html
    later = str(check_html(EN, steps, model="small-1", needed=False))
    assert 'data-state="failed"' not in later
    assert "Visitors start with search" in later
    paid = str(check_html(EN, [CheckStep("Model", paid=True)], model="small-1"))
    assert "asks to be paid first" in paid
    assert 'data-state="paid"' in paid  # it did not reply, so it gets no tick
