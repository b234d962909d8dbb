r"""Characters that a server cut in two: "\ud83d" ends one event, "\ude00" begins the next.

Rule: halves that meet are one character, any other half becomes U+FFFD. Until they meet, a half is
kept as a private character, since Python cannot write a lone surrogate.
"""

import re

__all__ = ["SplitCharacters", "marked_halves", "whole_characters"]

FIRST = 0x10F800  # the private character for U+D800; the others follow it
SURROGATES = 0xD800
_ESCAPED = re.compile(r"\\(?:u([dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL)
_HIGH, _LOW = "[\U0010f800-\U0010fbff]", "[\U0010fc00-\U0010ffff]"
_HALVES = re.compile(f"{_HIGH}{_LOW}|{_HIGH}|{_LOW}")


def marked_halves(json_text: str) -> str:
    """Return JSON text whose escaped surrogates are the private characters."""

    def mark(escape: re.Match[str]) -> str:
        return chr(FIRST + int(escape[1], 16) - SURROGATES) if escape[1] else escape[0]

    return _ESCAPED.sub(mark, json_text)


def whole_characters(text: str) -> str:
    """Return the text with its halves joined or replaced."""
    return _HALVES.sub(_joined, text)


class SplitCharacters:
    """Joins halves in a text that comes in pieces."""

    def __init__(self) -> None:
        self._half = ""

    def feed(self, piece: str) -> str:
        """Return what is whole; a half at the end waits for the next piece."""
        text = self._half + piece
        self._half = text[-1:] if re.match(_HIGH, text[-1:]) else ""
        return whole_characters(text.removesuffix(self._half))


def _joined(halves: re.Match[str]) -> str:
    numbers = [ord(half) - FIRST for half in halves[0]]
    if len(numbers) == 1:
        return "\ufffd"
    return chr(0x10000 + (numbers[0] << 10) + numbers[1] - 0x400)
