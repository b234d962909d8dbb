"""Finds the end of inline Markdown code, in which reasoning tags are plain text.

Rule: the result does not depend on how the text is split into pieces: `None` asks for more text.
"""

import re

__all__ = ["opens_fence", "span_end"]

MAX_LENGTH = 2000  # characters of inline code; text is held back until it ends


def opens_fence(text: str, start: int, *, last: bool) -> bool | None:
    """Return whether three or more backticks before `start` open a block; `None`: needs more text.

    The rest of such a line has no backticks.
    """
    window = text[start : start + MAX_LENGTH]
    line, line_end, _ = window.partition("\n")
    decided = last or bool(line_end) or len(window) == MAX_LENGTH
    return "`" not in line if decided else None


def span_end(text: str, start: int, marks: int, *, last: bool) -> int | None:
    """Return the end of the code that `marks` backticks before `start` may have begun.

    `last` says that no more text follows.

    Returns:
        The index behind the closing backticks; `start` if the line has none, so that there is no
        code; `None` if more text is needed to decide.
    """
    window = text[start : start + MAX_LENGTH]
    line, line_end, _ = window.partition("\n")
    closing = re.search(rf"(?<!`)`{{{marks}}}(?!`)", line)
    decided = last or bool(line_end) or len(window) == MAX_LENGTH
    if closing and (decided or closing.end() < len(line)):
        return start + closing.end()
    return start if decided else None
