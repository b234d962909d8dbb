"""What is remembered between runs: questions and closing sentences."""

from tabloop.agent.conversation import NO_ANSWER, Conversation, Exchange
from tabloop.agent.events import RunFinished
from tabloop.agent.history import INTERRUPTED
from tabloop.agent.loop import Agent
from tabloop.agent.messages import (
    AssistantMessage,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from tabloop.agent.strategies import max_iterations
from tabloop.agent.tools import tool
from tabloop.contrib.scripted import ScriptedModel

from tests.unit.fakes import calls, says


@tool()
async def look(n: int = 0) -> int:
    """Look."""
    return n


async def run(conversation: Conversation, model: ScriptedModel, question: str = "") -> RunFinished:
    messages = conversation.ask(question, "Be brief.") if question else conversation.go_on()
    agent = Agent(model, [look], strategy=max_iterations(1 if len(model.steps) == 1 else 4))
    ended = [event async for event in agent.run(messages)][-1]
    assert isinstance(ended, RunFinished)
    conversation.finish(ended)
    return ended


async def test_a_new_question_sends_questions_and_answers_but_no_tool_messages() -> None:
    conversation = Conversation()
    await run(conversation, ScriptedModel(calls("look"), says("Blue.")), "Colour?")
    model = ScriptedModel(says("Old."))
    await run(conversation, model, "Age?")
    assert model.asked == [
        (
            SystemMessage("Be brief."),
            UserMessage("Colour?"),
            AssistantMessage("Blue."),
            UserMessage("Age?"),
        )
    ]
    assert conversation.exchanges == (Exchange("Colour?", "Blue."), Exchange("Age?", "Old."))


async def test_going_on_keeps_the_whole_run_and_gives_a_new_allowance() -> None:
    conversation = Conversation()
    ended = await run(conversation, ScriptedModel(calls("look", "a")), "Colour?")
    assert ended.outcome == "max_iterations"
    model = ScriptedModel(calls("look", "b", n=2), says("Blue."))
    assert (await run(conversation, model)).outcome == "stop"
    assert [type(message).__name__ for message in model.asked[0]] == [
        "SystemMessage",
        "UserMessage",
        "AssistantMessage",
        "ToolMessage",
    ]
    assert conversation.exchanges == (Exchange("Colour?", "Blue."),)


async def test_going_on_after_a_crash_answers_open_calls() -> None:
    conversation = Conversation()
    messages = conversation.ask("Colour?", "Be brief.")
    messages.append(AssistantMessage(None, (ToolCall("a", "look"),)))
    model = ScriptedModel(says("Blue."))
    await run(conversation, model)
    assert model.asked[0][-1] == ToolMessage("a", INTERRUPTED.content)


def test_a_run_that_failed_without_text_is_not_remembered() -> None:
    conversation = Conversation()
    conversation.ask("Colour?", "")
    conversation.finish(RunFinished("error"), " \n")
    assert conversation.exchanges == ()


def test_a_stopped_or_truncated_answer_is_remembered_as_far_as_it_was_shown() -> None:
    conversation = Conversation()
    conversation.ask("Colour?", "")
    conversation.finish(RunFinished("stopped"), "It is bl")
    conversation.ask("Age?", "")
    conversation.finish(RunFinished("max_iterations"))
    conversation.ask("Size?", "")
    conversation.finish(RunFinished("error"), "About tw")
    assert conversation.exchanges == (
        Exchange("Colour?", "It is bl"),
        Exchange("Age?", NO_ANSWER),
        Exchange("Size?", "About tw"),
    )


def test_asking_again_replaces_the_old_answer() -> None:
    conversation = Conversation()
    conversation.ask("Colour?", "")
    conversation.finish(RunFinished("length", text="Bl"))
    messages = conversation.retry("s")
    assert messages == [SystemMessage("s"), UserMessage("Colour?")]
    conversation.finish(RunFinished("stop", text="Blue."))
    assert conversation.exchanges == (Exchange("Colour?", "Blue."),)


def test_asking_again_after_a_failure_does_not_touch_what_was_before() -> None:
    conversation = Conversation()
    conversation.ask("Colour?", "")
    conversation.finish(RunFinished("stop", text="Blue."))
    conversation.ask("Age?", "")
    conversation.finish(RunFinished("error"))
    conversation.retry("")
    assert conversation.exchanges == (Exchange("Colour?", "Blue."),)


def test_a_conversation_knows_whether_its_last_question_has_an_answer() -> None:
    conversation = Conversation()
    assert (conversation.question, conversation.answered) == ("", False)
    conversation.ask("Colour?", "")
    assert (conversation.question, conversation.answered) == ("Colour?", False)
    conversation.finish(RunFinished("stop", text="Blue."))
    assert conversation.answered is True
    conversation.retract()
    assert (conversation.exchanges, conversation.answered) == ((), False)
    kept = [Exchange("Age?", "Old.")]
    for exchanges, answered in ((kept, True), (kept, False), ([], True)):
        conversation.restore(exchanges, "Age?", answered=answered)
        assert conversation.question == "Age?"
        assert conversation.answered is (answered and bool(exchanges))
    conversation.restore(kept, "Age?", answered=True)
    assert conversation.retry("s") == [SystemMessage("s"), UserMessage("Age?")]


def test_one_question_is_remembered_once() -> None:
    conversation = Conversation()
    conversation.ask("Colour?", "")
    conversation.finish(RunFinished("stop", text="Blue."))
    conversation.finish(RunFinished("stop", text="Blue."))
    assert conversation.exchanges == (Exchange("Colour?", "Blue."),)


def test_a_new_conversation_remembers_nothing() -> None:
    conversation = Conversation()
    conversation.ask("Colour?", "")
    conversation.finish(RunFinished("stop", text="Blue."))
    conversation.forget()
    assert conversation.exchanges == ()
    assert conversation.ask("Age?", "s") == [SystemMessage("s"), UserMessage("Age?")]
