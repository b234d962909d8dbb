"""What looks like a day and cannot be read as one is asked about: no session is given for it."""

import json
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tabloop.agent.messages import AssistantMessage, Message, ToolMessage, UserMessage
from tabloop.searching.practice import practice_turn
from tabloop.searching.practice_dates import MONTHS, Days, find_days
from tabloop.searching.practice_unread import unread_day

TODAY = date(2026, 9, 16)
TOOLS = {"get_sitzungen", "search_claims", "generate_image"}


def turn_of(*questions: str) -> AssistantMessage:
    messages: list[Message] = [UserMessage(question) for question in questions]
    return practice_turn(messages, TOOLS, TODAY)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (
            "What did the Bundestag debate on 9/10/2026?",
            ("*9/10/2026* can be 9 October 2026 or 10 September 2026", "*2026-10-09*"),
        ),
        (
            "Worüber hat der Bundestag am 9/10/2026 debattiert?",
            ("kann der 9. Oktober 2026 oder der 10. September 2026 sein", "*9. Oktober 2026*"),
        ),
        ("Bundestag 9-10-2026?", ("9 October 2026 or 10 September 2026", "Which day")),
    ],
)
def test_a_day_with_two_readings_is_asked_back_with_both(
    question: str, words: tuple[str, ...]
) -> None:
    turn = turn_of(question)
    assert not turn.tool_calls
    assert all(word in (turn.content or "") for word in words), turn.content


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("13/9/2026", "2026-09-13"),
        ("9/13/2026", "2026-09-13"),
        ("9/13/26", "2026-09-13"),
        ("9/9/2026", "2026-09-09"),
        ("13-9-2026", "2026-09-13"),
        ("2026/09/13", "2026-09-13"),
        ("2026-9-3", "2026-09-03"),
        ("13\u20139\u20132026", "2026-09-13"),
    ],
)
def test_what_has_one_reading_is_read(text: str, day: str) -> None:
    only = date.fromisoformat(day)
    assert find_days(f"Bundestag {text}?", TODAY) == Days(only, only)
    assert unread_day(f"Bundestag {text}?", TODAY) is None


@pytest.mark.parametrize(
    "written",
    [
        "on 9.13.2026", "on 32.9.2026", "on 2026-13-01", "on 2026/13/9", "on the 45th of May",
        "on 45 May", "on May 45th", "on 9 October 20266", "on 20260913", "on the 9th", "am 9.",
        "am 9.10", "on 9/10", "on 9/100/2026", "on 9-Oct-2026", "on 9 10 2026", "in 2019",
        "on the ninth of September", "am neunten September", "3 days ago", "vor zwei Wochen",
        "in the last 3 days", "in KW 37", "last month", "letzten Monat", "tomorrow", "in 09/2026",
        "8.-10.9.2026", "from 8 September to 9/10/2026", "on 8 and 45 September",
    ],
)  # fmt: skip
def test_what_cannot_be_read_leads_to_a_question_back(written: str) -> None:
    turn = turn_of(f"What did the Bundestag debate {written}?")
    assert not turn.tool_calls
    text = turn.content or ""
    assert "Which day do you mean?" in text or "Welchen Tag meinen Sie?" in text


def test_a_follow_up_is_asked_back_as_well() -> None:
    found = '{"sitzungen":[{"slug":"a","datum":"2026-09-09","kernthema":"Rente"}]}'
    first = turn_of("What did the Bundestag debate on 9 September 2026?")
    messages: list[Message] = [
        UserMessage("What did the Bundestag debate on 9 September 2026?"),
        first,
        ToolMessage(first.tool_calls[0].id, found),
        UserMessage("And on the 10th?"),
    ]
    turn = practice_turn(messages, TOOLS, TODAY)
    assert not turn.tool_calls
    assert "*on the 10th*" in (turn.content or "")


def test_a_statement_with_such_a_day_is_not_looked_up_without_it() -> None:
    turn = turn_of("Is it true what was said about jobs on 9/10/2026?")
    assert not turn.tool_calls
    assert "9 October 2026 or 10 September 2026" in (turn.content or "")


@pytest.mark.parametrize(
    "text",
    [
        "Drucksache 21/92", "a 2/3 majority", "at 9.30", "um 9.30 Uhr", "it may be 2,7 million",
        "12 000 jobs", "10.000.000 Euro", "Haushalt 2027", "on the 2nd reading", "12 000 may",
        "the budget of 2027", "9 September 2026", "between 2026-09-08 and 2026-09-10",
        "2026-09-08/2026-09-10", "8.9.-10.9.2026", "last Tuesday", "in May 2026",
    ],
)  # fmt: skip
def test_what_is_no_day_or_was_read_is_not_asked_about(text: str) -> None:
    assert unread_day(f"What happened with {text}?", TODAY) is None


NUMBERS = st.integers(0, 40).map(str) | st.sampled_from(["01", "09", "012", "99"])
YEARS = st.sampled_from(["2026", "2025", "1999", "26", "20266", "2099"])
LONG_YEARS = YEARS.filter(lambda year: len(year) > 2)
SIGNS = st.sampled_from(["/", ".", "-", " / ", ". ", "\u2013", "\uff0f"])
FRAMES = st.sampled_from(
    [
        "What did the Bundestag debate on {}?",
        "Worüber hat der Bundestag am {} debattiert?",
        "Bundestag {}",
        "Who interrupted most on {} in the Bundestag?",
    ]
)


@given(
    st.tuples(NUMBERS, NUMBERS, YEARS) | st.tuples(LONG_YEARS, NUMBERS, NUMBERS),
    SIGNS,
    SIGNS,
    FRAMES,
)
def test_three_numbers_are_the_day_that_is_looked_up_or_nothing_is(
    groups: tuple[str, str, str], first: str, second: str, frame: str
) -> None:
    turn = turn_of(frame.format(f"{groups[0]}{first}{groups[1]}{second}{groups[2]}"))
    for call in turn.tool_calls:
        asked = json.loads(call.arguments)
        assert asked["von"] == asked["bis"], asked
        found = date.fromisoformat(asked["von"])
        assert sorted(int(group) % 2000 for group in groups) == sorted(
            [found.day, found.month, found.year % 2000]
        )


NAMED = [pair for names in MONTHS.values() for pair in enumerate(names.split(), start=1)]
WRITTEN = st.sampled_from(["{n}{end} {m}", "{n}{end} of {m}", "{n}{end}-{m}", "{m} {n}{end}"])


@given(
    st.integers(0, 99),
    st.sampled_from(NAMED),
    st.sampled_from(["", "st", "nd", "rd", "th", "."]),
    WRITTEN,
    st.sampled_from(["", " 2026", ", 2025", " 20266", "2026"]),
)
def test_a_number_and_a_month_are_the_day_that_is_looked_up_or_nothing_is(
    number: int, named: tuple[int, str], ending: str, written: str, year: str
) -> None:
    month, name = named
    day = written.format(n=number, end=ending, m=name)
    turn = turn_of(f"What did the Bundestag debate on {day}{year}?")
    for call in turn.tool_calls:
        asked = json.loads(call.arguments)
        assert asked["von"] == asked["bis"], (day, asked)
        found = date.fromisoformat(asked["von"])
        assert (found.day, found.month) == (number, month)
        assert not year or year.strip(" ,") == str(found.year)
