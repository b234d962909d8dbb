"""Characters that nobody sees, in texts that a person is asked to agree to.

Rule: what has no shape of its own, or turns the text around it, is written out or taken out, so
that what runs is what stands there.
"""

import json
import re
import unicodedata

__all__ = ["as_it_looks", "is_unseen", "upright", "without_unseen", "written_out"]

# controls, formats (bidi marks, zero width), separators of lines, and what has no meaning agreed
_UNSEEN = ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp")
_BLANK_LETTERS = "\u115f\u1160\u2800\u3164\uffa0"
# marks without a shape; two sets of them are selectors, and a row of those can carry any text
_BLANK_MARKS = ("\u034f", "\u17b4", "\u17b5", "\u180b", "\u180c", "\u180d", "\u180f")
_SELECTORS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))
# they turn text after them, or let it read backwards; an element's `dir` does what is needed
_TURNING = dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)))
_JOINERS = "\u200c\u200d"
_JOINED_LETTERS = range(0x0600, 0x1C00)  # of scripts from Arabic to Balinese, which need joiners
_EMOJI = ("So", "Sk")
_KEYCAP = "\u20e3"


def is_unseen(sign: str) -> bool:
    """Whether a character shows nothing, or changes how others are shown."""
    return (
        unicodedata.category(sign) in _UNSEEN
        or sign in _BLANK_LETTERS
        or sign in _BLANK_MARKS
        or any(ord(sign) in selectors for selectors in _SELECTORS)
    )


def upright(text: str) -> str:
    """Return the text without what turns other text; marks of a single sign stay."""
    return text if text.isascii() else text.translate(_TURNING)


def written_out(text: str) -> str:
    """Return JSON that reads as it is: each such character but a line break is its escape."""
    return "".join(
        json.dumps(sign)[1:-1] if sign != "\n" and is_unseen(sign) else sign for sign in text
    )


def without_unseen(text: str) -> str:
    """Return the text without them; line breaks stay, and so do parts of emoji and of letters.

    In any other place a joiner or a selector would be a sign that nobody can see.
    """
    if text.isascii() and text.isprintable():
        return text
    kept = [""]
    for sign, after in zip(text, (*text[1:], ""), strict=True):
        if sign == "\n" or not is_unseen(sign):
            kept.append(sign)
        elif sign == "\t":
            kept.append(" ")
        elif sign in _JOINERS:
            if _takes_joiner(kept[-1]) and _takes_joiner(after):
                kept.append(sign)
        elif sign == "\ufe0f" and (_is_emoji(kept[-1]) or after == _KEYCAP):
            kept.append(sign)
    return "".join(kept)


def _takes_joiner(sign: str) -> bool:
    return bool(sign) and (ord(sign) in _JOINED_LETTERS or sign == "\ufe0f" or _is_emoji(sign))


def _is_emoji(sign: str) -> bool:
    return sign > "\u2000" and unicodedata.category(sign) in _EMOJI


def as_it_looks(text: str) -> str:
    """Return the same without room in which a part of the text would be out of sight."""
    lines = [" ".join(line.split()) for line in without_unseen(text).split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
