"""Code inside a line of Markdown, as far as it keeps a tag from being one.

Rule: how much of the text is there makes no difference: undecided is said, not guessed.
"""

import re

__all__ = ["span_end"]

MAX_LENGTH = (
    2000  # characters of code in one line; text is held back, and read again, until it ends
)


def span_end(text: str, start: int, marks: int, *, last: bool) -> int | None:
    """Return the end of the code that so many marks have begun before `start`.

    Without closing marks in the line they begin nothing, and that is `start`. `None`: more text
    has to decide; `last` says that none comes.
    """
    window = text[start : start + MAX_LENGTH]
    line, line_end, _ = window.partition("\n")
    closing = re.search(rf"(?<!`)`{{{marks}}}(?!`)", line)
    decided = last or bool(line_end) or len(window) == MAX_LENGTH
    if closing and (decided or closing.end() < len(line)):
        return start + closing.end()
    return start if decided else None
