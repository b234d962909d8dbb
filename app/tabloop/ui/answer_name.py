"""The name of an answer. Rule: a screen reader's user knows which question it answers."""

from tabloop.ui.strings import Strings
from tabloop.ui.unseen import without_unseen

__all__ = ["answer_name"]

LONGEST = 100  # characters of the question


def answer_name(strings: Strings, question: str) -> str:
    """Return "Answer to: ..." with the beginning of the question."""
    line = " ".join(without_unseen(question).split())
    asked = line if len(line) <= LONGEST else line[: LONGEST - 1].rstrip() + "…"
    return strings("answer.to", question=asked)
