"""The quality questions: what they expect is possible, and answers are scored right."""

import json
from collections import Counter
from collections.abc import Mapping

import pytest
from tabloop.agent.errors import ModelError, ToolError
from tabloop.agent.messages import AssistantMessage, SystemMessage, UserMessage
from tabloop.agent.results import success
from tabloop.agent.tools import ToolOutput
from tabloop.contrib.scripted import ScriptedModel
from tabloop.contrib.scripted import calls as calling

from tests.quality.asking import ask, ask_all
from tests.quality.questions import LANGUAGES, Question, questions, sampled
from tests.quality.record import tools_for
from tests.quality.scoring import Outcome, language_of, says, score
from tests.quality.table import table

ALL = questions()
BY_ID = {question.id: question for question in ALL}
DAY = BY_ID["yesterday-en"]
WITH_TOOL = [question for question in ALL if question.tool]
ANSWERED = {"von": "2026-11-26", "bis": "2026-11-26", "slug": None}
GOOD = "On that day the main topic was climate adaptation and the floods."


async def read(question: Question, arguments: Mapping[str, str]) -> tuple[str, ToolOutput]:
    """The result of a call as the model reads it; it fails where the schema refuses it."""
    [tool] = [tool for tool in tools_for(question) if tool.name == question.tool]
    output = await tool.run(tool.validate(arguments))
    assert isinstance(output, ToolOutput)
    return success(output).content, output


def test_there_are_sixty_in_both_languages_with_all_kinds_and_names_of_their_own() -> None:
    assert len(ALL) == len(BY_ID) == 60
    for code in LANGUAGES:
        kinds = Counter(question.kind for question in ALL if question.language == code)
        assert sum(kinds.values()) >= 25
        assert min(kinds.values()) >= 1
        assert len(kinds) == 8


@pytest.mark.parametrize("question", WITH_TOOL, ids=lambda question: question.id)
async def test_the_expected_call_passes_the_schema_and_returns_the_facts(
    question: Question,
) -> None:
    if question.tool == "generate_image":  # the person declines it
        [tool] = [tool for tool in tools_for(question) if tool.name == question.tool]
        assert tool.validate({"prompt": question.ask})["prompt"] == question.ask
        return
    found, output = await read(question, question.whole_call)
    cited = bool(output.sources)
    if question.then:
        found += (await read(question, question.then))[0]
    assert cited == question.sources
    assert question.in_record == bool(question.facts and question.sources)
    if question.in_record:
        assert [fact for fact in question.facts if not says(found, fact)] == []
    # the example of a call is itself a right one
    outcome = Outcome("", question.tool, question.whole_call, cited)
    right = score(question, outcome).right
    assert right["tool"]
    assert right["sources"]
    assert right.get("arguments", True)


def test_questions_without_a_tool_expect_no_sources() -> None:
    assert not [question.id for question in ALL if not question.tool and question.sources]


async def test_an_answer_by_the_expected_way_is_right_in_all_points() -> None:
    model = ScriptedModel(calling("get_sitzungen", von="2026-11-26", bis="2026-11-26"), GOOD)
    [scored] = [one async for one in ask_all(model, [DAY])]
    assert set(scored.right) == {"tool", "arguments", "facts", "language", "sources"}
    assert all(scored.right.values())
    first = model.asked[0]
    assert "Friday, 2026-11-27" in str(first[0])
    assert model.offered[0] == ["get_sitzungen", "search_claims", "generate_image"]


async def test_a_declined_picture_is_asked_for_and_never_made() -> None:
    model = ScriptedModel(calling("generate_image", prompt="A lighthouse"), "You declined it.")
    outcome = await ask(model, BY_ID["draw-en"])
    assert (outcome.tool, outcome.sources) == ("generate_image", 0)
    assert all(score(BY_ID["draw-en"], outcome).right.values())


async def test_earlier_questions_are_sent_and_pages_of_a_site_are_searched() -> None:
    model = ScriptedModel("In three words: Familien und Kinder.")
    await ask(model, BY_ID["follow-repeat-de"])
    kinds = [type(message) for message in model.asked[0]]
    assert kinds == [SystemMessage, UserMessage, AssistantMessage, UserMessage]
    model = ScriptedModel(calling("search_site", query="fog horn"), "At noon on Sundays.")
    outcome = await ask(model, BY_ID["fog-horn-en"])
    assert outcome.sources
    assert model.offered[0] == ["search_site", "get_page"]


async def test_an_error_of_the_model_is_an_outcome_in_which_nothing_is_right() -> None:
    outcome = await ask(ScriptedModel(ModelError("unreachable")), BY_ID["thanks-en"])
    assert outcome.problem == "unreachable"
    assert not any(score(BY_ID["thanks-en"], outcome).right.values())


@pytest.mark.parametrize(
    ("changed", "wrong"),
    [
        ({"tool": ""}, {"tool", "arguments"}),
        ({"tool": "search_claims"}, {"tool", "arguments"}),
        ({"arguments": None}, {"arguments"}),
        ({"arguments": {"von": "2026-11-26"}}, {"arguments"}),
        ({"arguments": {"von": "2025-11-26", "bis": "2026-11-26"}}, {"arguments"}),
        ({"arguments": {**ANSWERED, "slug": "21-114"}}, {"arguments"}),
        ({"text": "The topic of the day was pensions."}, {"facts"}),
        ({"text": "Es ging um Klimaanpassung und Hochwasser."}, {"language"}),
        ({"text": ""}, {"facts", "language"}),
        ({"sources": 0}, {"sources"}),
        ({}, set[str]()),
    ],
)
def test_each_mistake_is_counted_where_it_was_made(
    changed: dict[str, object], wrong: set[str]
) -> None:
    given = {"text": GOOD, "tool": "get_sitzungen", "arguments": ANSWERED, "sources": 1, **changed}
    right = score(DAY, Outcome(**given)).right  # type: ignore[arg-type]  # pyright: ignore -- each outcome in turn
    assert {name for name, value in right.items() if not value} == wrong


@pytest.mark.parametrize(
    ("text", "fact", "there"),
    [
        ("1,193 Zwischenrufe", "1193", True),
        ("1.193 Zwischenrufe", "1193", True),
        ("11193", "1193", False),
        ("1930", "193", False),
        ("am 9. Oktober", "2026-10-09", True),
        ("on October 9th", "2026-10-09", True),
        ("am 09.10.2026", "2026-10-09", True),
        ("on 19 October", "2026-10-09", False),
        ("Väter", "vaeter", True),
        ("industrial", "Industrie|industr", True),
        ("whales", "Industrie|industr", False),
    ],
)
def test_a_fact_is_found_in_any_spelling_and_not_inside_other_numbers(
    text: str, fact: str, there: bool
) -> None:
    assert says(text, fact) is there


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Der Bundestag debattierte über die Brücken.", "de"),
        ("The Bundestag debated the bridges.", "en"),
        ("42", ""),
    ],
)
def test_the_language_is_told_by_common_words(text: str, code: str) -> None:
    assert language_of(text) == code


def test_a_sample_is_always_the_same_and_has_both_languages_and_all_kinds() -> None:
    chosen = sampled(ALL, 16)
    assert chosen == sampled(ALL, 16)
    assert len({(question.kind, question.language) for question in chosen}) == 16
    assert len(sampled(ALL, 99)) == 60


def test_the_table_counts_by_language_and_in_sum_with_seconds_and_tokens() -> None:
    german = BY_ID["yesterday-de"]
    good = Outcome(GOOD, "get_sitzungen", ANSWERED, 1, seconds=2.0, tokens=100)
    bad = Outcome("", seconds=4.0, tokens=50, problem="timeout")
    lines = table([score(DAY, good), score(german, bad)]).splitlines()
    rows = {line.split()[0]: line.split()[1:] for line in lines[1:]}
    assert rows["en"] == ["1/1", "1/1", "1/1", "1/1", "1/1", "2.0", "100"]
    assert rows["de"] == ["0/1", "0/1", "0/1", "0/1", "0/1", "4.0", "50"]
    assert rows["all"] == ["1/2", "1/2", "1/2", "1/2", "1/2", "3.0", "75"]
    assert lines[-1].split() == ["yesterday-de", "timeout"]
    json.dumps(good.arguments)  # so that `--json` can print it


def test_an_argument_that_the_schema_refuses_is_found_before_a_model_is_asked() -> None:
    [tool] = [tool for tool in tools_for(DAY) if tool.name == DAY.tool]
    with pytest.raises(ToolError):
        tool.validate({"von": "yesterday"})
