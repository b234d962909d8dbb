"""What of a model's text is reasoning, however the text is cut into pieces."""

from collections.abc import Callable

import pytest
from tabloop.core.json_text import JsonObject
from tabloop.endpoint.call_accumulator import CallAccumulator
from tabloop.endpoint.code_marks import opens_fence, span_end
from tabloop.endpoint.reasoning import (
    MAX_MARKS,
    VisiblePart,
    VisibleText,
    split_reasoning,
    without_reasoning,
)

from tests.unit.step_counter import work

FINISHED = [
    # reasoning
    ("<think>Hm.</think>Hi.", "Hi."),
    ("Hm.</reasoning>Hi.", "Hi."),
    ("  <thinking>Hm.</thinking>\n\nHi.", "Hi."),
    ("Hm.\n<think>Hm.</think>Hi.", "Hm.\nHi."),
    ("<|channel|>analysis<|message|>Hm.<|end|>Hi.", "Hi."),
    ("<|channel|>final<|message|>Hi.<|channel|>analysis<|message|>Hm.<|end|>", "Hi."),
    ("<|channel|>final<|message|>Hi.<|end|> <|return|>", "Hi."),
    # in a sentence, in code, in a block: plain text
    ("The tag <think> opens and </think> closes.", "The tag <think> opens and </think> closes."),
    ("Use <think> and </think><think> both.", "Use <think> and </think><think> both."),
    ("Write `</think>` here.", "Write `</think>` here."),
    ("Write ``a ` </think>`` here.", "Write ``a ` </think>`` here."),
    ("```\n</think>\n```\nHi.", "```\n</think>\n```\nHi."),
    ("````\n```\n<think>\n````\nHi.", "````\n```\n<think>\n````\nHi."),
    ("<think>Hm.</think>Hi\n```\nx</think>y", "Hi\n```\nx</think>y"),
    # three backticks that open no block: in a sentence, or with more of them in the line
    ("Say ```\n<think>Hm.</think>Hi.", "Say ```\nHi."),
    ("```a``` <think> b\n<think>Hm.</think>Hi.", "```a``` <think> b\nHi."),
    # two backticks do not open a block
    ("``\n<think>Hm.</think>Hi.", "``\nHi."),
    # a block that reasoning opened and never closed
    ("Hm\n```\ncode</think>Hi.", "Hi."),
    # never closed, or nothing after it: then it is the answer
    ("<think>Hi.", "Hi."),
    ("Hi.</think>", "Hi."),
    # no tags
    ("a < b, <thin, <|end and [TH", "a < b, <thin, <|end and [TH"),
]


def shown(text: str, size: int) -> str:
    reader, seen = VisibleText(), ""
    parts = [reader.feed(text[at : at + size]) for at in range(0, len(text), size)]
    for part in [*parts, reader.close(finished=True)]:
        seen = part.text if part.replaces else seen + part.text
    return seen.strip()


@pytest.mark.parametrize(("text", "seen"), FINISHED)
def test_only_reasoning_is_hidden_however_the_text_is_cut(text: str, seen: str) -> None:
    assert without_reasoning(text, finished=True) == seen
    for size in (1, 2, 3, 5, 7, 11, 13):
        assert shown(text, size) == seen


@pytest.mark.parametrize(
    ("text", "visible", "reasoning"),
    [
        ("<think>One.</think>Hi.", "Hi.", "One."),
        ("One.</think>Hi.", "Hi.", "One."),
        ("<think>Hi.", "Hi.", ""),  # shown as the answer, so it is no reasoning
        ("Hi.", "Hi.", ""),
    ],
)
def test_what_is_hidden_is_the_reasoning_in_its_order(
    text: str, visible: str, reasoning: str
) -> None:
    assert split_reasoning(text, finished=True) == (visible, reasoning)


@pytest.mark.parametrize(
    ("text", "visible"),
    [
        ("Hm.</think>Hi.", "Hi."),
        ("<think>Hm.</think>Hi.", "Hi."),
        (" \n<think>Hm.</think>Hi.", "Hi."),
        ("</think>Hi.", "Hi."),
        ("Hm. <think> Hm.</think>Hi.", "Hi."),
        ("`a` <think> Hm.</think>Hi.", "Hi."),
        ("<|channel|><|message|>Hi.", "Hi."),
    ],
)
def test_where_the_prompt_opens_the_reasoning_a_reply_may_open_it_again(
    text: str, visible: str
) -> None:
    assert without_reasoning(text, opened=True, finished=True) == visible


@pytest.mark.parametrize(
    ("text", "last", "end"),
    [
        ("a` b", False, 2),
        ("a`", False, None),  # a further backtick would make it another mark
        ("a`", True, 2),
        ("a`\n", False, 2),
        ("a``\n", False, 0),
        ("a\n`", False, 0),
        ("a", True, 0),
        ("a", False, None),
        ("a" * 1999 + "`", False, 2000),
        ("a" * 2000 + "`", False, 0),
        ("a" * 1999, False, None),
    ],
)
def test_inline_code_ends_in_its_line(text: str, last: bool, end: int | None) -> None:
    assert span_end(text, 0, 1, last=last) == end
    assert span_end(f"`{text}", 1, 1, last=last) == (None if end is None else end + 1)


@pytest.mark.parametrize(
    ("text", "last", "opens"),
    [
        ("python", False, None),
        ("python", True, True),
        ("python\n", False, True),
        ("a`\n", False, False),
        ("a`", True, False),
        ("a`", False, None),
        ("a\n`", False, True),
        ("a" * 2000, False, True),
        ("a" * 1999, False, None),
    ],
)
def test_a_block_begins_with_a_line_without_further_backticks(
    text: str, last: bool, opens: bool | None
) -> None:
    assert opens_fence(f"```{text}", 3, last=last) is opens


def test_text_is_held_back_only_while_a_tag_may_begin_there() -> None:
    reader = VisibleText()
    assert reader.feed("a </reasoning") == VisiblePart("a ")
    assert reader.feed("s> b") == VisiblePart("</reasonings> b")
    assert reader.feed(" and so on") == VisiblePart(" and so on")
    assert reader.feed(" `code` too") == VisiblePart(" `code` too")
    assert reader.feed("\n" + "`" * MAX_MARKS) == VisiblePart("\n")
    assert reader.feed("\n") == VisiblePart("`" * MAX_MARKS + "\n")


# --- the work grows as the text does -----------------------------------------------------------


def in_pieces(text: str) -> Callable[[], object]:
    return lambda: shown(text, 40)


def whole(text: str) -> Callable[[], object]:
    return lambda: without_reasoning(text, finished=True)


@pytest.mark.parametrize("read", [whole, in_pieces])
@pytest.mark.parametrize(
    "unit",
    [
        "<think>",
        "</think>",
        "a <think> ",
        "x</think>\n",
        "<|channel|>",
        "<|start|>a<|message|>",
        "`",
        "```",
        "` ",
        "```a\n",
        "a `b` ",
        "[THINK]",
        "<",
        " ",
        "\n",
        "```" + "x" * 50,
    ],
)
def test_twice_the_text_is_at_most_a_little_more_than_twice_the_work(
    read: Callable[[str], Callable[[], object]], unit: str
) -> None:
    text = unit * (8000 // len(unit))
    assert work(read(text * 2)) < 2.2 * work(read(text))


def adding(pieces: int, calls: int, keys: str) -> Callable[[], object]:
    def add() -> None:
        reader = CallAccumulator()
        for at in range(pieces):
            item: JsonObject = {"id": f"call{at % calls}", "index": at % calls}
            function: JsonObject = {"name": "look", "arguments": '{"a":{}' if at < calls else "{}"}
            item = {key: value for key, value in item.items() if key in keys}
            if "name" not in keys:
                function = {"arguments": function["arguments"]}
            reader.add({**item, "function": dict(function)})
        reader.calls()

    return add


@pytest.mark.parametrize("keys", ["id", "id name", "index", "index name", "name", ""])
@pytest.mark.parametrize("share", [0, 0.5, 1])
def test_twice_the_pieces_of_calls_are_at_most_a_little_more_than_twice_the_work(
    keys: str, share: float
) -> None:
    def measured(pieces: int) -> int:
        return work(adding(pieces, int(share * pieces) or 1, keys))

    assert measured(400) < 2.2 * measured(200)


@pytest.mark.parametrize(
    "text",
    [
        "<think>Hm.</think>It did.",
        "\n\n[THINK]Hm.[/THINK]It did.",
        "<think>\nIt did.",
        "<|channel|>analysis<|message|>Hm.<|end|>"
        "<|start|>assistant<|channel|>final<|message|>It did.",
    ],
)
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_a_reply_with_an_opening_tag_of_its_own_is_read_by_it(text: str, size: int) -> None:
    """An earlier reply of this endpoint had only the closing tag."""
    reader = VisibleText(opened=True)
    shown = ""
    parts = [reader.feed(text[at : at + size]) for at in range(0, len(text), size)]
    for part in (*parts, reader.close(finished=True)):
        shown = part.text if part.replaces else shown + part.text
    assert shown.strip() == "It did."


def in_letters(text: str, *, opened: bool) -> str:
    reader, shown = VisibleText(opened=opened), ""
    for part in (*map(reader.feed, text), reader.close(finished=True)):
        shown = part.text if part.replaces else shown + part.text
    return shown


@pytest.mark.parametrize(
    ("text", "opened", "seen"),
    [
        # in reasoning, marks of another format are words of it
        ("Hm.\n<|channel|>final<|message|>No.</think>It did.", True, "It did."),
        # the fence was part of the reasoning
        ("```\nHm.</think>It did.", False, "It did."),
        # a finished answer is never hidden completely
        ("It did.</think> \n", False, "It did."),
    ],
)
def test_the_end_of_a_reply_that_came_in_letters(text: str, opened: bool, seen: str) -> None:
    assert in_letters(text, opened=opened).strip() == seen
