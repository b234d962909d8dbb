"""Characters that nobody sees, in texts that a person is asked to agree to.

Rule: what has no shape of its own, or turns the text around it, is written out or taken out, so
that what runs is what stands there.
"""

import json
import re
import unicodedata

__all__ = ["as_it_looks", "is_unseen", "without_unseen", "written_out"]

# controls, formats (bidi marks, zero width), separators of lines, and what has no meaning agreed
_UNSEEN = ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp")
_BLANK_LETTERS = "\u115f\u1160\u2800\u3164\uffa0"
# marks without a shape; two sets of them are selectors, and a row of those can carry any text
_BLANK_MARKS = ("\u034f", "\u17b4", "\u17b5", "\u180b", "\u180c", "\u180d", "\u180f")
_SELECTORS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))
_JOINED = re.compile("(?<=[^\\s\u200c\u200d])[\u200c\u200d](?=[^\\s\u200c\u200d])")


def is_unseen(sign: str) -> bool:
    """Whether a character shows nothing, or changes how others are shown."""
    return (
        unicodedata.category(sign) in _UNSEEN
        or sign in _BLANK_LETTERS
        or sign in _BLANK_MARKS
        or any(ord(sign) in selectors for selectors in _SELECTORS)
    )


def written_out(text: str) -> str:
    """Return JSON that reads as it is: each such character but a line break is its escape."""
    return "".join(
        json.dumps(sign)[1:-1] if sign != "\n" and is_unseen(sign) else sign for sign in text
    )


def without_unseen(text: str) -> str:
    """Return the text without them; line breaks stay, and so do parts of emoji and of letters.

    A joiner stays between two characters, and one selector behind one.
    """
    kept: list[str] = []
    for at, sign in enumerate(text):
        if sign == "\n" or not is_unseen(sign):
            kept.append(sign)
        elif sign == "\t":
            kept.append(" ")
        elif _JOINED.match(text, at) or (sign == "\ufe0f" and kept and not is_unseen(kept[-1])):
            kept.append(sign)
    return "".join(kept)


def as_it_looks(text: str) -> str:
    """Return the same without room in which a part of the text would be out of sight."""
    lines = [" ".join(line.split()) for line in without_unseen(text).split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
