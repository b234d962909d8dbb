"""Thinking that a model wrote into its text. It is neither shown nor sent back.

Rule: what stands between thinking tags is hidden; tags inside code are the answer's own words; and
text that comes in pieces is read as if it had come whole.
"""

import re
from dataclasses import dataclass

__all__ = ["Shown", "VisibleText", "without_thinking"]

_TOKEN = re.compile(
    r"(?P<code>```|`)|<(?P<close>/?)(?:think|thinking|thought)>|\[(?P<end>/?)THINK\]",
    re.IGNORECASE,
)
_TAGS = (
    *(f"<{slash}{name}>" for slash in ("", "/") for name in ("think", "thinking", "thought")),
    "[think]",
    "[/think]",
)
_LONGEST_TAG = max(map(len, _TAGS))


@dataclass(frozen=True, slots=True)
class Shown:
    """Text for the person. `anew`: all that was shown before it was thinking."""

    text: str = ""
    anew: bool = False


class VisibleText:
    """Reads text as it comes. `opened`: the chat template has opened the block in the prompt.

    A closing tag without an opening one makes all before it thinking. An opening tag that is never
    closed hides the rest: the reply was cut.
    """

    def __init__(self, *, opened: bool = False) -> None:
        self._held = ""  # not decided yet: a tag may begin here, or a piece of code
        self._hidden = opened
        self._tag_seen = opened
        self._code = ""

    def feed(self, piece: str) -> Shown:
        """Return what can be shown now."""
        return self._read(self._held + piece, last=False)

    def close(self) -> Shown:
        """Return what was held back."""
        return self._read(self._held, last=True)

    def _read(self, text: str, *, last: bool) -> Shown:
        shown: list[str] = []
        position, anew, until = 0, False, len(text)
        for token in _TOKEN.finditer(text):
            mark = token["code"]
            if mark and not self._hidden:
                code = self._code_after(mark, text, token.end(), last=last)
                if code is None:
                    until = token.start()
                    break
                self._code = code
            elif mark or self._code:
                continue
            elif token["close"] or token["end"]:
                if self._hidden or not self._tag_seen:
                    if not self._hidden:
                        shown.clear()
                        anew = True
                    self._hidden, self._tag_seen, position = False, True, token.end()
            elif not self._hidden:
                shown.append(text[position : token.start()])
                self._hidden = self._tag_seen = True
        else:
            until = len(text) if last else _begin_of_tag(text, position)
        if not self._hidden:
            shown.append(text[position:until])
        self._held = text[until:]
        return Shown("".join(shown), anew)

    def _code_after(self, mark: str, text: str, end: int, *, last: bool) -> str | None:
        """Return which code mark is open behind this one, `None` where more text has to decide.

        A lone backtick in a line opens nothing.
        """
        if mark == "`" and not last and not text[end:].strip("`"):
            return None  # it may become ```
        if self._code:
            return "" if mark == self._code else self._code
        if mark == "```":
            return mark
        closing, line_end = text.find("`", end), text.find("\n", end)
        if closing < 0 and line_end < 0 and not last:
            return None
        return mark if closing >= 0 and not 0 <= line_end < closing else ""


def without_thinking(text: str) -> str:
    """Return the visible part of a whole text."""
    if "<" not in text and "[" not in text:
        return text.strip()
    reader = VisibleText()
    first, rest = reader.feed(text), reader.close()
    return (rest.text if rest.anew else first.text + rest.text).strip()


def _begin_of_tag(text: str, start: int) -> int:
    """Return where the beginning of a tag, or of a code mark, stands at the end of the text."""
    for place in range(max(start, len(text) - _LONGEST_TAG + 1), len(text)):
        tail = text[place:].lower()
        if tail[0] in "<[" and any(tag.startswith(tail) for tag in _TAGS):
            return place
    return len(text)
