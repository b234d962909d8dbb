"""How an answer came about: what the rows, the drawing, the table and the messages say of a run."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from xml.etree import ElementTree

from tabloop.agent.events import (
    Event,
    ModelWaiting,
    ReasoningMessageContent,
    RunFinished,
    RunStarted,
    StepFinished,
    StepStarted,
    TextMessageContent,
    TextMessageStart,
    ToolCallResult,
)
from tabloop.agent.loop import Agent
from tabloop.agent.messages import AssistantMessage, ImagePart, SystemMessage, ToolCall, UserMessage
from tabloop.agent.ports import Approver, Declined, ModelReply
from tabloop.agent.presentation import Presentation
from tabloop.agent.recording import Moment, Recording
from tabloop.agent.tools import tool
from tabloop.contrib.run_drawing import draw_run
from tabloop.core.phrases import Phrase
from tabloop.core.pricing import Cost
from tabloop.ui.answer_state import AnswerState
from tabloop.ui.export import ExportedAnswer, as_markdown
from tabloop.ui.run import Run
from tabloop.ui.run_drawing import run_svg
from tabloop.ui.run_panel import run_html
from tabloop.ui.run_reader import read_run
from tabloop.ui.run_table import run_markdown, run_table
from tabloop.ui.strings import load_strings

from tests.unit.fakes import Answers, ScriptedModel, calling, calls, play, says

EN, DE = load_strings("en"), load_strings("de")
WEATHER = Presentation(
    title="weather",
    step="weather in {city}",
    summary="{celsius} °C",
    service=Phrase("Weather service", "Wetterdienst"),
)


@tool(presentation=WEATHER)
async def weather(city: str) -> dict[str, int]:
    """Today's weather."""
    if city == "Atlantis":
        raise RuntimeError
    return {"celsius": 7}


@tool(needs_approval=True, paid=True, read_only=False)
async def paint(prompt: str) -> str:
    """Paint a picture."""
    return prompt


TOOLS = [weather, paint]


def recorded(events: Sequence[Event], cost: Cost | None = None) -> tuple[Moment, ...]:
    """Record events, one each second."""
    seconds = count(100)
    recording = Recording(clock=lambda: float(next(seconds)))
    for event in events:
        recording.add(event)
    return tuple(replace(m, cost=cost) if cost else m for m in recording.moments)


async def run_of(*turns: ModelReply, approver: Approver | None = None, text: str = "go") -> Run:
    messages = [SystemMessage("Be brief."), UserMessage(text)]
    model = ScriptedModel(*turns)
    events = await play(model, TOOLS, messages=list(messages), approver=approver)
    return read_run(EN, recorded(events), model="a-model")


def said(run: Run) -> list[str]:
    """Return each row with its direction."""
    signs = {True: "<-", False: "->"}
    return [
        f"{signs[row.inward]} {run.lanes[row.lane]}: {row.text}" if row.lane else row.text
        for row in run.rows
    ]


async def test_a_lookup_goes_to_the_model_to_the_service_and_back() -> None:
    run = await run_of(calls("weather", city="Bonn"), says("It rains."))
    assert run.lanes == ("This page", "a-model", "Weather service")
    assert said(run) == [
        "-> a-model: Request 1: 2 messages",
        "<- a-model: Reply: asks for 1 tool call",
        "-> Weather service: Weather in Bonn",
        "<- Weather service: 7 °C",
        "-> a-model: Request 2: 4 messages",
        "<- a-model: Reply: the answer",
        "Answered",
    ]
    arguments, result = run.rows[2].size, run.rows[3].size
    assert (arguments, result) == (len('{"city": "Bonn"}'), len('{"status":"ok","celsius":7}'))
    assert run.rows[0].size == len(run.bodies[0])
    assert [row.tokens for row in run.rows if row.tokens] == [12, 12]
    assert run.summary.startswith("2 requests to the model · 1 tool call · ")


async def test_durations_are_since_what_is_answered() -> None:
    run = await run_of(calls("weather", city="Bonn"), says("It rains."))
    request, reply, call, result = run.rows[:4]
    assert reply.took == reply.at - request.at
    assert result.took == result.at - call.at


async def test_what_did_not_leave_the_page_has_no_arrow() -> None:
    answers = Answers([Declined()])
    run = await run_of(
        calling(ToolCall("a", "nothing", "{}"), ToolCall("b", "paint", '{"prompt": "a cat"}')),
        says("Then not."),
        approver=answers,
    )
    assert run.lanes == ("This page", "a-model")
    rows = said(run)
    assert "You are asked: Paint" in rows
    assert "You declined: Paint" in rows
    skipped = [row for row in run.rows if row.text.startswith("Not run: ")]
    assert len(skipped) == 2
    assert all(row.failed for row in skipped)


async def test_an_approved_call_leaves_when_the_person_has_agreed() -> None:
    run = await run_of(calls("paint", prompt="a cat"), says("Done."), approver=Answers())
    rows = said(run)
    assert rows[2:5] == ["You are asked: Paint", "You agreed: Paint", "-> Paint: Paint"]


async def test_a_failed_call_says_so_in_words() -> None:
    run = await run_of(calls("weather", city="Atlantis"), says("No."))
    failed = next(row for row in run.rows if row.failed)
    assert failed.inward
    assert failed.text.startswith("failed")
    assert "Not offered again: weather" in said(run)
    assert f"✗ {failed.text}" in run_svg(EN, run).markup


def test_a_run_that_was_stopped_has_no_complete_reply() -> None:
    text = (TextMessageStart("t"), TextMessageContent("t", "It "), TextMessageContent("t", "is"))
    events = (RunStarted(), StepStarted(1), ModelWaiting(5), ModelWaiting(2), *text)
    run = read_run(EN, recorded((*events, RunFinished("stopped"))))
    assert said(run) == [
        "-> Model: Request 1",
        "The endpoint asks for a pause",
        "<- Model: No complete reply",
        "You stopped it",
    ]
    assert run.bodies == ()


def test_reasoning_counts_as_a_part_of_the_reply() -> None:
    pieces = (ReasoningMessageContent("t", "Hm"), ReasoningMessageContent("t", "m. "))
    events = (StepStarted(1), *pieces, TextMessageContent("t", "Yes."), StepFinished(1))
    moments = recorded(events)
    assert len(moments) == 4
    assert read_run(EN, moments).rows[-1].size == len("Hmm. Yes.")


def test_the_pieces_of_a_text_are_one_event() -> None:
    pieces = [TextMessageContent("t", piece) for piece in ("It ", "ra", "ins")]
    first, *others = recorded([*pieces, RunFinished("stop")])
    assert first.event == TextMessageContent("t", "It rains")
    assert [moment.at for moment in others] == [1.0]  # the clock is read for events only


async def test_each_payment_is_counted_once_and_beside_what_was_paid() -> None:
    both = (ToolCall("a", "weather", '{"city": "Bonn"}'), ToolCall("b", "paint", '{"prompt": "x"}'))
    events = await play(ScriptedModel(calling(*both), says("x")), TOOLS, approver=Answers())
    moments = [*recorded(events)]
    results = [m for m in moments if isinstance(m.event, ToolCallResult)]
    moments = [replace(m, cost=Cost(100 + 7_000 * (m.at >= results[0].at), 0, 1)) for m in moments]
    run = read_run(EN, moments)
    assert {row.text: row.cost.charged for row in run.rows if row.cost.charged} == {
        "Reply: asks for 2 tool calls": 100,
        "Result": 7_000,
    }
    assert "0.0071 USDC" in run.summary
    assert "0.007" in run_table(EN, run).markup


async def test_the_drawing_is_well_formed_and_has_no_foreign_markup() -> None:
    run = await run_of(calls("weather", city="<b onclick=x>"), says("x"))
    svg = run_svg(EN, run).markup
    root = ElementTree.fromstring(svg)
    assert root.get("role") == "img"
    assert run.summary in str(root.get("aria-label"))
    assert not [node for node in root.iter() if node.tag.endswith("}b")]
    assert "<b onclick=x>" in "".join(root.itertext())


async def test_long_names_have_a_short_form_for_narrow_windows() -> None:
    events = await play(ScriptedModel(says("x")))
    svg = run_svg(EN, read_run(EN, recorded(events), model="m" * 60)).markup
    shown = re.findall(r">(m+…)<", svg)
    assert [len(name) for name in shown] == [20, 32]


async def test_the_table_has_no_empty_column_and_all_rows() -> None:
    run = await run_of(says("x"))
    table = run_table(EN, run).markup
    assert "USDC" not in table
    assert table.count("<tr>") == len(run.rows) + 1
    assert "This page → a-model" in table
    assert "a-model → This page" in table


async def test_messages_are_shown_as_they_were_sent_without_signatures() -> None:
    signed = AssistantMessage(
        "",
        (ToolCall("a", "weather", '{"city": "Bonn"}'),),
        echo='{"host": "", "message": {"s": "SIGNED"}}',
    )
    run = await run_of(ModelReply(signed, "tool_calls"), says("x"), text="<script>")
    panel = run_html(EN, run, number=3).markup
    assert "&lt;script&gt;" in panel
    assert "<script>" not in panel
    assert "SIGNED" not in panel
    assert "The 4 messages of request 2, as sent" in panel
    assert panel.count("Be brief.") == 1  # what request 1 has sent already is not repeated
    assert "First the 2 messages of the request before, then:" in panel
    assert panel.count("Tools offered to the model") == 2  # once a caption, once its block's name
    assert 'id="run-3-table"' in panel


async def test_a_picture_in_a_message_is_only_begun() -> None:
    picture = ImagePart.of_bytes(b"x" * 9_000)
    messages = [UserMessage("What is it?", (picture,))]
    events = await play(ScriptedModel(says("A cross.")), messages=[*messages])
    run = read_run(EN, recorded(events))
    assert (run.rows[0].size or 0) > 9_000
    panel = run_html(EN, run, number=1).markup
    assert "data:image/png;base64," in panel
    assert len(panel) < 9_000


async def test_search_mode_sends_no_messages() -> None:
    events = await play(ScriptedModel(says("x")))
    run = read_run(EN, recorded(events), model="a-model", searching=True)
    assert run.lanes[1] == "Search in this page"
    assert [row.size for row in run.rows] == [None, None, None]
    assert "Search mode sends no messages to a model." in run_html(EN, run, number=1).markup


async def test_the_export_has_the_run_as_a_table() -> None:
    run = await run_of(calls("weather", city="Bonn|Köln"), says("It rains."))
    answer = ExportedAnswer("?", AnswerState(text="It rains."), run=run_markdown(EN, run))
    text = as_markdown(EN, [answer], "2026-09-09")
    assert "**How this answer came about**" in text
    assert r"Weather in Bonn\|Köln" in text
    header, rule, *rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == len(run.rows)
    assert {line.replace(r"\|", "").count("|") for line in (header, rule, *rows)} == {7}


def test_a_recording_knows_when_each_text_began_and_what_was_paid_by_then() -> None:
    seconds, paid = iter([100.0, 101.5, 103.0]), iter([Cost(), Cost(charged=5), Cost(charged=7)])
    recording = Recording(lambda: next(paid), lambda: next(seconds))
    started, ended = RunStarted(), RunFinished("stop")
    said = [TextMessageContent("t", piece) for piece in ("It ", "rains", ".")]
    recording.add(started)
    for event in said[:2]:
        recording.add(event)
    assert recording.moments[-1].event == TextMessageContent("t", "It rains")
    recording.add(ended)
    assert recording.moments == (
        Moment(0.0, started),
        Moment(1.5, TextMessageContent("t", "It rains"), Cost(charged=5)),
        Moment(3.0, ended, Cost(charged=7)),
    )


async def test_anybodys_events_can_be_drawn_in_both_languages() -> None:
    recording = Recording()
    async for event in Agent(ScriptedModel(says("x"))).run([UserMessage("?")]):
        recording.add(event)
    assert "Request 1: 1 message" in draw_run(recording.moments)
    assert "Anfrage 1: 1 Nachricht" in draw_run(recording.moments, language="de")
    assert draw_run(()).startswith("<svg")


async def test_a_shortened_conversation_is_told() -> None:
    run = await run_of(ModelReply(AssistantMessage("x"), notes=("shortened",)))
    assert EN("problem.shortened") in said(run)


def test_a_run_that_goes_on_is_one_drawing() -> None:
    ended = RunFinished("max_iterations")
    again = (RunStarted(), StepStarted(1), ended)
    run = read_run(DE, recorded((*again, *again)))
    assert said(run)[3] == "Fortgesetzt"
    assert said(run)[4] == "-> Modell: Anfrage 2"
    assert json.dumps(said(run)).count("verbraucht") == 2
