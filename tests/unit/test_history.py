"""Repair: afterwards every call has exactly one result, right behind it, in call order."""

from tabloop.agent.history import INTERRUPTED, CheckedHistory, repair
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


def test_a_checked_history_is_repaired_wherever_it_was_changed_since() -> None:
    checked = CheckedHistory()
    history: list[Message] = [ASK, TWO, A, B, ANSWER]
    checked.repair(history)
    history += [MORE, TWO]  # only these are new
    checked.repair(history)
    assert history == [ASK, TWO, A, B, ANSWER, MORE, TWO, OPEN_A, OPEN_B]
    del history[3]  # a result that was there before
    checked.repair(history)
    assert history == [ASK, TWO, A, OPEN_B, ANSWER, MORE, TWO, OPEN_A, OPEN_B]
    assert checked.call_ids(history) == {"a", "b"}


def test_a_result_after_a_checked_history_is_dropped_like_any_other() -> None:
    checked = CheckedHistory()
    history: list[Message] = [ASK, TWO, A, B]
    checked.repair(history)
    history += [ToolMessage("a", "{}"), MORE]
    checked.repair(history)
    assert history == [ASK, TWO, A, B, MORE]


def test_ids_of_another_conversation_do_not_count() -> None:
    checked = CheckedHistory()
    checked.repair([ASK, TWO, A, B])
    other: list[Message] = [MORE, AssistantMessage(None, (ToolCall("c", "t"),))]
    assert checked.call_ids(other) == {"c"}
    checked.repair(other)
    assert checked.call_ids(other) == {"c"}


class Counted(AssistantMessage):
    """Counts how often its calls are read."""

    reads = 0

    def __getattribute__(self, name: str) -> object:
        if name == "tool_calls":
            Counted.reads += 1
        return super().__getattribute__(name)


def test_what_was_checked_is_not_read_again() -> None:
    checked = CheckedHistory()
    history: list[Message] = [ASK, Counted("done")]
    checked.repair(history)
    before = Counted.reads
    history.append(MORE)
    checked.repair(history)
    checked.call_ids(history)
    assert Counted.reads == before
