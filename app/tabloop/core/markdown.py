"""Texts of others in sentences of our own that are Markdown. Rule: they stay text on one line.

Else a record could write a heading or a paragraph that looks like one of ours.
"""

import re
from collections.abc import Mapping

__all__ = ["escaped", "filled"]

_PLACE = re.compile(r"(`|\]\(|)\{(\w+)\}")
_TEXT = {ord(sign): f"\\{sign}" for sign in "\\`*_[]<>~|#"}
_ADDRESS = {ord(sign): f"%{ord(sign):02X}" for sign in " \\()<>"}
_ESCAPES = {"": _TEXT, "](": _ADDRESS, "`": {ord("`"): "'"}}  # by what stands before the place


def escaped(text: str) -> str:
    """Return the text on one line, so that Markdown shows it as it is."""
    return " ".join(text.split()).translate(_TEXT)


def filled(sentence: str, texts: Mapping[str, str]) -> str:
    """Return Markdown with its places such as "{url}" filled; a missing text is blank.

    A place behind a backquote is code, one behind "](" is an address.
    """

    def put(place: re.Match[str]) -> str:
        text = " ".join(texts.get(place[2], "").split())
        return place[1] + text.translate(_ESCAPES[place[1]])

    return _PLACE.sub(put, sentence)
