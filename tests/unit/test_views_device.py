"""The browser's own model on the page: its size is named, and a problem says what would help."""

from dataclasses import replace
from datetime import date
from typing import get_args

import pytest
from tabloop.ui.dated import dated
from tabloop.ui.device_model import (
    Device,
    Problem,
    device_label,
    place_html,
    problem_of_error,
    progress_text,
    way_html,
)
from tabloop.ui.strings import LANGUAGES, load_strings
from tabloop.ui.who_answers import by_line, who_line

EN, DE = load_strings("en"), load_strings("de")
WEDNESDAY = date(2026, 9, 9)
THERE = Device(known=True, there=True)


def test_the_size_is_named_unless_it_is_there() -> None:
    assert "(about 4 GB)" in device_label(EN, Device(), on=False)
    assert "GB" not in device_label(EN, THERE, on=False)
    assert "Stop using" in device_label(EN, THERE, on=True)
    offered = way_html(DE, Device(known=True))
    assert "etwa 4 GB" in str(offered)
    assert 'data-action="own-model"' in str(offered)
    assert "GB" not in str(way_html(DE, THERE))


@pytest.mark.parametrize("problem", ["unavailable", "policyFrame", "policySite"])
def test_what_cannot_be_used_here_is_no_way_to_go_on(problem: Problem) -> None:
    assert way_html(EN, Device(known=True, problem=problem)) is None
    assert way_html(EN, Device()) is None  # nobody has asked the browser yet


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("problem", get_args(Problem))
def test_a_problem_names_a_remedy_and_search_mode(problem: Problem, language: str) -> None:
    strings = load_strings(language)
    html = str(place_html(strings, Device(problem=problem, words="a < b")))
    unseen = str(place_html(strings, Device(problem=problem, words="\u200b \u3000")))
    assert unseen == str(place_html(strings, Device(problem=problem)))
    assert 'role="alert"' in html
    assert strings("device.searchStays") in html
    assert "a &lt; b" in html
    assert "{" not in html


@pytest.mark.parametrize(
    ("kind", "words", "problem"),
    [
        ("QuotaExceededError", "", "space"),
        ("NotAllowedError", "The device does not have enough space for it", "space"),
        ("NotAllowedError", "", "refused"),
        ("NetworkError", "", "network"),
        ("AbortError", "", "stopped"),
        ("NotSupportedError", "", "unavailable"),
        ("OperationError", "", "failed"),
    ],
)
def test_an_error_of_the_browser_is_a_problem(kind: str, words: str, problem: Problem) -> None:
    assert problem_of_error(kind, words) == problem


def test_progress_is_told_in_percent_and_bytes() -> None:
    loading = replace(Device(known=True), loading=0.305)
    html = str(place_html(DE, loading))
    assert 'value="30"' in html
    assert "30 %, etwa 1,2 von 4 GB" in html
    assert progress_text(EN, 0.0) == "0 %, about 0.0 of 4 GB"
    assert progress_text(EN, 1.0) == "Loaded. It is being started."
    assert not place_html(EN, THERE)


def test_the_line_says_who_answers_and_who_is_paid() -> None:
    def line(*, key: bool = False, account: bool = False, charges: bool = False) -> str:
        return who_line(
            EN,
            url="https://llm.example/v1",
            model="large-1",
            key=key,
            account=account,
            charges=charges,
        )

    assert line() == "large-1 at llm.example answers."
    assert line(key=True, charges=True) == "large-1 at llm.example answers, with your own key."
    assert line(charges=True, account=True).endswith("paid by your wallet.")
    assert "No wallet is connected" in line(charges=True)
    searching = who_line(
        EN,
        url="http://localhost:1",
        model="tabloop-search",
        key=False,
        account=False,
        charges=False,
    )
    assert "Search mode" in searching
    mine = by_line(EN, url="https://llm.example/v1", model="large-1", key=True)
    assert mine == "large-1 at llm.example, with your key"


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("What was debated yesterday?", "2026-09-08"),
        ("Was wurde am letzten Dienstag debattiert?", "2026-09-08"),
        ("Und letzte Woche?", "2026-08-31 to 2026-09-06"),
        ("Was war am 3. September?", "2026-09-03"),
    ],
)
def test_day_words_of_a_question_become_dates(question: str, meant: str) -> None:
    assert dated(question, WEDNESDAY) == f"{question}\n(That means: {meant})"


@pytest.mark.parametrize("question", ["Hello?", "What was on 2026-09-08?", "⟦0⟧ and ⟦9⟧", ""])
def test_a_question_without_day_words_stays_as_it_is(question: str) -> None:
    assert dated(question, WEDNESDAY) == question
