"""HTML and XML of indexes as text. Rule: the text is data; it is never shown as HTML."""

import re

__all__ = ["plain"]

_TAG = re.compile(r"<[^<>]*>")
_ENTITIES = {"lt": "<", "gt": ">", "quot": '"', "apos": "'", "amp": "&", "nbsp": " "}
_ENTITY = re.compile(rf"&(?:({'|'.join(_ENTITIES)})|#(x?)([0-9a-f]{{1,6}}));", re.IGNORECASE)


def plain(text: str) -> str:
    """Return the text without tags, with its characters for entities and single spaces."""
    if "<" not in text and "&" not in text:
        return text
    return " ".join(_ENTITY.sub(_character, _TAG.sub(" ", text)).split())


def _character(found: re.Match[str]) -> str:
    name, hexadecimal, digits = found.groups()
    if name:
        return _ENTITIES[name.lower()]
    try:
        return chr(int(digits, 16 if hexadecimal else 10))
    except ValueError:  # no digits of this kind, or no character with this number
        return found[0]
