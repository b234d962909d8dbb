"""The browser's own language model: the same loop and tools, in a small context."""

import json
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field
from tabloop import Agent, UserMessage, max_iterations, tool
from tabloop.agent.errors import ModelError
from tabloop.agent.events import RunFinished, TextMessageContent, TextMessageStart, ToolCallResult
from tabloop.agent.limits import MAX_REPLY
from tabloop.agent.messages import AssistantMessage, Message, SystemMessage
from tabloop.agent.ports import ModelRequest
from tabloop.agent.stop import Stop
from tabloop.agent.tools import Tool
from tabloop.ondevice.model import OnDeviceModel
from tabloop.ondevice.ports import PromptError
from tabloop.ondevice.prompts import constraint, cut, one_domain
from tabloop.ondevice.replies import AnswerText, BadReply, read_reply

from tests.unit.fake_device import FakeBrowser, Step

SYSTEM = SystemMessage("You are helpful.")


@tool(source="weather", brief='Weather of a city. Example: {"name": "weather"}')
async def weather(city: Annotated[str, Field(min_length=2)]) -> dict[str, Any]:
    """Weather of one city. It has a long description that a small model need not read."""
    return {"city": city, "text": "rain " * 200, "days": [{"n": n} for n in range(40)]}


@tool(source="weather")
async def warnings() -> str:
    """Warnings of storms. Only for this country."""
    return "none"


@tool(source="pictures")
async def draw(what: str) -> str:
    """Draw a picture of a thing."""
    return what


def answers(text: str) -> str:
    return json.dumps({"answer": text})


def calls(name: str, **arguments: object) -> str:
    return json.dumps({"calls": [{"name": name, "arguments": arguments}]})


async def run(
    browser: FakeBrowser, *messages: Message, tools: tuple[Tool, ...] = (weather,), **more: Any
) -> list[Any]:
    """Return the events of a run; every scripted reply must have been asked for."""
    history: list[Message] = [SYSTEM, *(messages or (UserMessage("Umbrella in Berlin?"),))]
    agent = Agent(OnDeviceModel(browser, **more), tools, strategy=max_iterations(4))
    events = [event async for event in agent.run(history)]
    assert not browser.steps
    return events


def ended(events: list[Any]) -> RunFinished:
    assert isinstance(events[-1], RunFinished)
    return events[-1]


def error_of(events: list[Any]) -> ModelError:
    error = ended(events).error
    assert isinstance(error, ModelError)
    return error


def text_of(events: list[Any]) -> str:
    """The text as a person sees it grow: a new start replaces what was there."""
    text = ""
    for event in events:
        text = "" if isinstance(event, TextMessageStart) else text
        text += event.delta if isinstance(event, TextMessageContent) else ""
    return text


async def test_a_call_and_its_result_stay_in_one_session() -> None:
    browser = FakeBrowser(calls("weather", city="Berlin"), answers("Rain."))
    events = await run(browser)
    assert ended(events).text == text_of(events) == "Rain."
    assert [p.role for p in browser.asked[1]] == ["user"]
    assert browser.asked[1][0].content.startswith('Result of weather: {"status":"ok"')
    assert len(browser.sessions) == 2  # one with the instructions, one for the run
    assert browser.open == 1


async def test_the_next_question_reads_the_instructions_from_the_kept_session() -> None:
    browser = FakeBrowser(answers("One."), answers("Two."))
    model = OnDeviceModel(browser)
    agent = Agent(model, (weather,))
    first: list[Message] = [SYSTEM, UserMessage("1?")]
    await agent.answer(first)
    await agent.answer([*first, UserMessage("2?")])
    assert [p.content for p in browser.asked[1]] == ["1?", '{"answer":"One."}', "2?"]
    assert browser.sessions[2].read[0] == browser.sessions[0].read[0]
    model.close()
    assert browser.open == 0


async def test_tools_are_told_in_few_words_and_with_an_example() -> None:
    browser = FakeBrowser(answers("Hi."))
    await run(browser, tools=(weather, warnings))
    assert "You are helpful." in browser.instructions()
    assert '- weather(city): Weather of a city. Example: {"name"' in browser.instructions()
    assert "- warnings(): Warnings of storms.\n" in browser.instructions() + "\n"
    assert "long description" not in browser.instructions()


async def test_the_text_grows_with_each_piece() -> None:
    browser = FakeBrowser(answers('Größe "A" 😀\nEnd'), piece=1)
    events = await run(browser)
    deltas = [e.delta for e in events if isinstance(e, TextMessageContent)]
    assert len(deltas) > 10
    assert "".join(deltas) == 'Größe "A" 😀\nEnd'


@given(st.text(), st.integers(1, 7), st.booleans())
def test_growing_json_gives_the_text_of_the_whole(text: str, piece: int, escaped: bool) -> None:
    written = json.dumps({"answer": text}, ensure_ascii=escaped)
    growing = AnswerText()
    grown = "".join(growing.feed(written[n : n + piece]) for n in range(0, len(written), piece))
    plain = text.encode("utf-8", "replace").decode()
    assert grown.encode("utf-8", "replace").decode() == plain or "\ufffd" in grown
    assert growing.ended


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ('```json\n{"answer": "Fenced."}\n```', "Fenced."),
        ('Sure:\n```\n{"answer": "Fenced."}\n```\nDone.', "Fenced."),
        ('{"answer": "Trailing."} and more', "Trailing."),
        ('{"answer": "A\nreal line"}', "A\nreal line"),
        ("Just prose.", "Just prose."),
    ],
)
async def test_an_answer_is_read_in_whatever_form(written: str, text: str) -> None:
    events = await run(FakeBrowser(written))
    assert ended(events).text == text


async def test_a_call_in_a_fence_or_without_its_list_runs() -> None:
    browser = FakeBrowser(
        '```json\n{"calls": [{"name": "weather", "arguments": {"city": "Bonn"}}]}\n```',
        '{"name": "weather", "arguments": "{\\"city\\": \\"Kiel\\"}"}',
        answers("Both."),
    )
    events = await run(browser)
    results = [e for e in events if isinstance(e, ToolCallResult)]
    assert [(r.status, (r.arguments or {})["city"]) for r in results] == [
        ("ok", "Bonn"),
        ("ok", "Kiel"),
    ]


async def test_an_answer_beside_a_call_is_no_answer_yet_and_one_call_runs_per_hop() -> None:
    both = {
        "answer": "I look.",
        "calls": [{"name": "weather", "arguments": {"city": c}} for c in ("Bonn", "Kiel")],
    }
    events = await run(FakeBrowser(json.dumps(both), answers("Done.")))
    assert len([e for e in events if isinstance(e, ToolCallResult)]) == 1
    assert ended(events).text == "Done."


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ('{"answer": nothing}', "It is no valid JSON."),
        ('{"thought": "hm"}', 'It has neither "answer" nor "calls".'),
        (calls("wether", city="Bonn"), "There is no tool 'wether'. The tools are: weather."),
        (calls("weather", city="B"), "The arguments of weather are wrong: city"),
        ('{"calls": [{"name": "weather", "arguments": "[1"}]}', "are no JSON object"),
        (PromptError("SyntaxError"), "It did not fit the schema."),
    ],
)
async def test_a_reply_that_cannot_be_used_is_repaired_once(bad: Step, reason: str) -> None:
    browser = FakeBrowser(bad, answers("Better."))
    events = await run(browser)
    assert reason in browser.asked[1][0].content
    assert ended(events).text == text_of(events) == "Better."
    assert not [e for e in events if isinstance(e, ToolCallResult)]


async def test_after_two_bad_replies_the_run_ends_and_two_bad_calls_are_for_the_loop() -> None:
    error = error_of(await run(FakeBrowser("{", "{")))
    # the page would show our words to the model as if the model had said them
    assert (error.code, error.detail) == ("device_reply", "")
    events = await run(FakeBrowser(calls("weather"), calls("weather"), answers("Sorry.")))
    [result] = [e for e in events if isinstance(e, ToolCallResult)]
    assert result.status == "invalid_arguments"
    assert ended(events).text == "Sorry."


async def test_an_answer_that_breaks_off_stays_and_is_called_incomplete() -> None:
    events = await run(FakeBrowser('{"answer": "Half of'))
    assert (ended(events).outcome, ended(events).text) == ("length", "Half of")


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("AbortError", "device_lost"),
        ("NotReadableError", "device_filtered"),
        ("UnknownError", "device_failed"),
        ("NotSupportedError", "device_language"),
    ],
)
async def test_an_error_after_half_a_sentence_keeps_it(kind: str, code: str) -> None:
    browser = FakeBrowser(('{"answer": "Half a', PromptError(kind, "words")))
    events = await run(browser)
    error = error_of(events)
    assert (error.code, error.detail, text_of(events)) == (code, "words", "Half a")
    assert browser.open == (0 if kind == "AbortError" else 1)


@pytest.mark.parametrize("kind", ["NotSupportedError", "TypeError"])
async def test_a_schema_that_the_browser_does_not_support_is_left_out(kind: str) -> None:
    browser = FakeBrowser(PromptError(kind), answers("One."), answers("Two."))
    agent = Agent(OnDeviceModel(browser), (weather,))
    assert await agent.answer("?") == "One."
    assert await agent.answer("?") == "Two."
    assert [given is None for given in browser.constraints] == [False, True, True]


async def test_a_session_that_the_browser_ended_between_two_questions_is_opened_again() -> None:
    browser = FakeBrowser(answers("One."), answers("Two."))
    agent = Agent(OnDeviceModel(browser), (weather,))
    await agent.answer("?")
    browser.sessions[0].destroy()
    assert await agent.answer("?") == "Two."


async def test_stop_aborts_the_reply_and_gives_the_session_back() -> None:
    browser = FakeBrowser(answers("A long answer that is never read to its end."))
    agent, stop = Agent(OnDeviceModel(browser), (weather,)), Stop()
    events: list[Any] = []
    async for event in agent.run([SYSTEM, UserMessage("?")], stop):
        events.append(event)
        if isinstance(event, TextMessageContent):
            stop.press()
    assert ended(events).outcome == "stopped"
    assert (browser.aborted, browser.open) == (1, 1)


async def test_what_does_not_fit_is_left_out_and_said() -> None:
    long = [UserMessage("old " * 100), AssistantMessage("answer " * 100)]
    browser = FakeBrowser(answers("New."), context=2_500)
    events = await run(browser, *long, *long, UserMessage("new?"), tools=())
    assert ended(events).notes == ("shortened",)
    assert [prompt.content[:6] for prompt in browser.asked[0]] == ["old ol", '{"answ', "new?"]


async def test_what_was_left_out_before_a_lookup_is_said_at_the_answer() -> None:
    old = [UserMessage("old " * 150), AssistantMessage("answer " * 100)]
    browser = FakeBrowser(calls("warnings"), answers("None."), context=2_000)
    events = await run(browser, *old, UserMessage("now?"), tools=(warnings,))
    assert (ended(events).text, ended(events).notes) == ("None.", ("shortened",))
    assert len(browser.asked[1]) == 1  # the session has gone on


async def test_a_session_that_has_no_room_for_the_next_result_begins_anew() -> None:
    browser = FakeBrowser(*[calls("weather", city="Kiel")] * 2, answers("Wet."), context=3_200)
    events = await run(browser, UserMessage("now?"))
    assert ended(events).text == "Wet."
    assert [prompt.content[:6] for prompt in browser.asked[2]] == [
        "now?",
        '{"call',
        "Result",
        '{"call',
        "Result",
    ]
    assert ended(events).notes == ("results_cut",)


async def test_instructions_of_a_middleware_are_read_in_their_place() -> None:
    browser = FakeBrowser(answers("Yes."))
    await run(browser, UserMessage("now?"), SystemMessage("Be brief."))
    assert [prompt.content for prompt in browser.asked[0]] == ["now?", "Be brief."]


async def test_an_error_while_a_session_is_opened_is_told() -> None:
    browser = FakeBrowser()
    browser.fails = [PromptError("NotAllowedError", "no")]
    assert error_of(await run(browser)).code == "device_failed"
    browser.fails = [PromptError("InvalidStateError")] * 2
    assert error_of(await run(browser)).code == "device_lost"


async def test_a_long_result_is_cut_to_the_context_before_an_old_question_goes() -> None:
    browser = FakeBrowser(calls("weather", city="Berlin"), answers("Rain."), context=2_000)
    events = await run(browser, UserMessage("Old?"), AssistantMessage("Old."), UserMessage("Now?"))
    assert ended(events).notes == ("results_cut",)
    assert [p.content for p in browser.asked[1]][:1] == ["Old?"]
    shown = browser.asked[1][-1].content
    assert "Only a part of the result" in shown
    assert len(shown) < 1_000
    assert browser.open == 1


async def test_what_can_never_fit_is_refused_with_a_sentence() -> None:
    assert error_of(await run(FakeBrowser(context=300))).code == "device_too_long"
    events = await run(FakeBrowser(context=1_200), UserMessage("long " * 400), tools=())
    assert error_of(events).code == "device_too_long"


async def test_an_overflow_that_the_browser_handled_itself_is_said() -> None:
    browser = FakeBrowser(answers("One."))
    model = OnDeviceModel(browser)
    parts: list[Any] = []
    async for part in model.reply(ModelRequest((SYSTEM, UserMessage("?")))):
        browser.sessions[-1].overflowed = True
        parts.append(part)
    assert parts[-1].notes == ("shortened",)


async def test_an_unlimited_context_has_room_for_all() -> None:
    browser = FakeBrowser(answers("One."), context=float("inf"))
    assert not ended(await run(browser, UserMessage("long " * 9_000))).notes


async def test_tools_of_one_domain_are_offered_when_all_are_too_large() -> None:
    browser = FakeBrowser(answers("Rain."), context=1_000)
    await run(browser, UserMessage("Draw a picture!"), tools=(weather, warnings, draw))
    assert "- draw(what)" in browser.instructions()
    assert "weather(" not in browser.instructions()
    names = json.dumps(browser.constraints[0])
    assert "draw" in names
    assert "weather" not in names


def test_the_domain_of_the_last_call_stays() -> None:
    asked = UserMessage("Draw the weather")
    tools = (draw, weather, warnings)
    call = read_reply(calls("weather", city="Bonn"), AnswerText(), tools)[0]
    assert one_domain(tools, [asked]) == (draw,)
    assert one_domain(tools, [asked, call]) == (weather, warnings)
    assert one_domain((), [asked]) == ()


async def test_day_words_become_dates_before_the_model_reads_them() -> None:
    def dated(text: str) -> str:
        return f"{text} (2026-09-08)"

    browser = FakeBrowser(answers("Rain."))
    await run(browser, UserMessage("Yesterday?"), dated=dated)
    assert browser.asked[0][-1].content == "Yesterday? (2026-09-08)"


def test_one_schema_has_an_answer_or_one_call() -> None:
    answer, with_calls = constraint((weather, draw))["anyOf"]
    assert answer["required"] == ["answer"]
    one = with_calls["properties"]["calls"]
    assert (one["minItems"], one["maxItems"]) == (1, 1)
    assert [item["properties"]["name"]["enum"] for item in one["items"]["anyOf"]] == [
        ["weather"],
        ["draw"],
    ]
    assert constraint(()) == answer


def test_a_cut_result_keeps_addresses_whole() -> None:
    url = "https://example.org/" + "x" * 200
    content = json.dumps({"status": "ok", "hits": [{"url": url, "text": "word " * 99}] * 30})
    shown = json.loads(cut(content, 2_000))
    assert shown["hits"][0]["url"] == url
    assert shown["status"] == "ok"
    assert cut("no JSON " * 99, 100).startswith("no JSON") or len(cut("no JSON " * 99, 100)) <= 100


@given(st.text(max_size=60))
def test_any_reply_is_a_message_or_a_reason(written: str) -> None:
    answer = AnswerText()
    answer.feed(written)
    try:
        message, _ = read_reply(written, answer, (weather,))
    except BadReply:
        return
    assert message.content is not None or message.tool_calls


async def test_a_reply_without_an_end_is_aborted_and_called_so() -> None:
    endless = '{"answer": "' + "again and " * 200_000
    browser = FakeBrowser(endless, piece=100_000)
    events = await run(browser)
    assert (ended(events).outcome, ended(events).notes) == ("length", ("endless",))
    assert MAX_REPLY <= len(ended(events).text) < len(endless)
    assert ended(events).text == text_of(events)
    assert (browser.aborted, browser.open) == (1, 1)


async def test_prose_without_an_end_is_no_whole_answer() -> None:
    events = await run(FakeBrowser("again and " * 200_000, piece=100_000))
    assert (ended(events).outcome, ended(events).notes) == ("length", ("endless",))


async def test_what_follows_a_whole_answer_or_call_without_an_end_does_not_matter() -> None:
    spaces = " " * 2_000_000
    browser = FakeBrowser(calls("warnings") + spaces, answers("None.") + spaces, piece=100_000)
    events = await run(browser, tools=(warnings,))
    assert (ended(events).outcome, ended(events).text) == ("stop", "None.")
    assert ended(events).notes == ()
    assert browser.aborted == 2


@pytest.mark.parametrize("odd", [None, 7, b"bytes", {"text": "x"}])
async def test_pieces_that_are_no_text_are_a_reply_that_cannot_be_read(odd: object) -> None:
    half: Step = ['{"answer": "Half', odd]
    events = await run(FakeBrowser([odd], half))
    assert (error_of(events).code, error_of(events).detail) == ("device_reply", "")
    assert text_of(events) == "Half"
    events = await run(FakeBrowser(half, answers("Whole.")))
    assert ended(events).text == text_of(events) == "Whole."
