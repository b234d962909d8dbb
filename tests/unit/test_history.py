"""Repair: afterwards every call has exactly one result, right behind it, in call order."""

from tabloop.agent.history import INTERRUPTED, repair
from tabloop.agent.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage

ASK, MORE, ANSWER = UserMessage("go"), UserMessage("more"), AssistantMessage("done")
TWO = AssistantMessage(None, (ToolCall("a", "t"), ToolCall("b", "t")))
A, B = ToolMessage("a", '{"n":1}'), ToolMessage("b", '{"n":2}')
OPEN_A, OPEN_B = (ToolMessage(call_id, INTERRUPTED.content) for call_id in "ab")


def repaired(*messages: Message) -> list[Message]:
    history = list(messages)
    repair(history)
    again = list(history)
    repair(again)
    assert again == history, "a second repair changes nothing"
    return history


def test_a_complete_history_is_not_changed() -> None:
    whole = [ASK, TWO, A, B, ANSWER, MORE]
    assert repaired(*whole) == whole
    assert repaired() == []


def test_an_open_call_is_answered_with_interrupted() -> None:
    assert repaired(ASK, TWO) == [ASK, TWO, OPEN_A, OPEN_B]
    assert repaired(ASK, TWO, B, MORE) == [ASK, TWO, OPEN_A, B, MORE]


def test_results_are_put_after_their_calls_in_call_order() -> None:
    assert repaired(ASK, TWO, B, A) == [ASK, TWO, A, B]
    assert repaired(ASK, TWO, MORE, A, B) == [ASK, TWO, A, B, MORE]


def test_the_first_of_two_results_for_a_call_is_kept() -> None:
    assert repaired(ASK, TWO, A, ToolMessage("a", "{}"), B) == [ASK, TWO, A, B]


def test_a_result_without_its_call_is_dropped() -> None:
    assert repaired(A, ASK, ANSWER, B) == [ASK, ANSWER]
    assert repaired(ASK, TWO, A, ANSWER, B) == [ASK, TWO, A, OPEN_B, ANSWER]
