"""Thinking that a model wrote into its text. It is neither shown nor sent back.

Rule: what stands between thinking tags is hidden, where the first begins a line; tags in a sentence
and tags in code are the answer's own words; a finished answer is never hidden as a whole; and text
that comes in pieces is read as if it had come whole.
"""

import re
from dataclasses import dataclass

from tabloop.endpoint.code_marks import span_end

__all__ = ["Shown", "VisibleText", "without_thinking"]

_NAMES = ("think", "thinking", "thought", "reasoning")
_CHANNEL_MARKS = ("start", "channel", "message", "end", "return", "call")  # gpt-oss's own format
_TOKEN = re.compile(
    rf"(?P<code>`+)|<(?P<close>/?)(?:{'|'.join(_NAMES)})>|\[(?P<end>/?)THINK\]|◁(?P<kimi>/?)think▷"
    rf"|<\|(?P<channel>{'|'.join(_CHANNEL_MARKS)})\|>",
    re.IGNORECASE,
)
_TAGS = (
    *(f"<{slash}{name}>" for slash in ("", "/") for name in _NAMES),
    *(f"{left}{slash}think{right}" for slash in ("", "/") for left, right in ("[]", "◁▷")),
    *(f"<|{name}|>" for name in _CHANNEL_MARKS),
)
_LONGEST_TAG = max(map(len, _TAGS))


@dataclass(frozen=True, slots=True)
class Shown:
    """Text for the person. `anew`: all that was shown before it was thinking."""

    text: str = ""
    anew: bool = False


class VisibleText:
    """Reads text as it comes. `opened`: the chat template has opened the block in the prompt.

    A closing tag without an opening one makes all before it thinking.
    """

    def __init__(self, *, opened: bool = False) -> None:
        self._held = ""  # not decided yet: a tag may begin here, or a piece of code
        self._hides = "prompt" if opened else ""  # what has begun it: prompt, tag, header, channel
        self._tag_seen = opened
        self._named_in_prose = False  # an opening tag inside a sentence: so is its closing one
        self._channels = False
        self._fence = ""
        self._blank_line = True  # nothing stands in this line yet
        self._shown: list[str] = []
        self._hidden: list[str] = []
        self._anew = False
        self._behind: list[str] | None = None  # text behind a closing tag in a fence

    def feed(self, piece: str) -> Shown:
        """Return what can be shown now."""
        return self._read(self._held + piece, last=False)

    def close(self, *, finished: bool = False) -> Shown:
        """Return what was held back.

        `finished`: the model says that this is all. Then hidden text is the answer itself where a
        tag was never closed, or where nothing follows a closing tag that nobody had opened.
        """
        shown = self._read(self._held, last=True)
        if not finished:
            return shown
        if self._fence and not self._tag_seen and "".join(self._behind or []).strip():
            return Shown("".join(self._behind or []), anew=True)  # the fence was thinking's
        taken_back = self._anew and not "".join(self._shown).strip()
        if self._hides or taken_back:
            return Shown(shown.text + "".join(self._hidden), shown.anew)
        return shown

    def _read(self, text: str, *, last: bool) -> Shown:
        before = len(self._shown)
        position = at = 0
        anew, until = False, -1
        while token := _TOKEN.search(text, at):
            at, begin = token.end(), token.start()
            if token["code"]:
                end = at if self._hides else self._code_end(text, position, token, last=last)
                if end is None:
                    until = begin
                    break
                at = end
                continue
            keeps, takes_back = self._turn(token, text, position)
            if keeps:
                if self._fence and _closes(token) and self._behind is None:
                    self._put(text[position:at])
                    self._behind, position = [], at
                continue
            self._put(text[position:begin])
            if takes_back:
                self._hidden, self._shown, before, anew = self._shown, [], 0, True
            self._change(token)
            self._blank_line, position = True, at
        if until < 0:
            until = len(text) if last else _begin_of_tag(text, max(position, at))
        self._put(text[position:until])
        self._blank_line = self._begins_line(text, position, until)
        self._held = text[until:]
        self._anew |= anew
        return Shown("".join(self._shown[before:]), anew)

    def _turn(self, token: re.Match[str], text: str, position: int) -> tuple[bool, bool]:
        """Return whether this tag is a part of the text around it, and whether it takes it back."""
        begins = self._begins_line(text, position, token.start())
        if name := token["channel"]:
            return not self._is_channel_mark(name.lower(), begins=begins), False
        closes = _closes(token)
        if self._hides:
            return not closes or self._hides not in ("prompt", "tag"), False
        if self._fence:
            return True, False
        if not closes:
            self._named_in_prose |= not begins
            return not begins, False
        takes_back = not self._tag_seen and not self._named_in_prose
        self._named_in_prose = False
        return not takes_back, takes_back

    def _change(self, token: re.Match[str]) -> None:
        """Go on behind a tag that is none of the text's words."""
        self._tag_seen = True
        name = (token["channel"] or "").lower()
        if name in ("start", "channel"):
            if self._hides != "header":
                self._hides, self._hidden = "header", []
        elif name == "message":
            header = "".join(self._hidden)
            # the model speaks to itself there, or to a tool; else this is for the person
            self._hides = "channel" if "analysis" in header or " to=" in header else ""
            self._hidden, self._channels = [], True
        elif name or _closes(token):
            self._hides = ""
        else:
            self._hides, self._hidden = "tag", []

    def _is_channel_mark(self, name: str, *, begins: bool) -> bool:
        if self._fence or self._hides in ("tag", "prompt"):
            return False
        if name in ("start", "channel"):
            return begins or self._channels or self._hides == "header"
        if name == "message":
            return self._hides == "header"
        return self._channels and self._hides != "header"

    def _code_end(self, text: str, position: int, mark: re.Match[str], *, last: bool) -> int | None:
        """Return where to read on behind a code mark, `None` where more text has to decide."""
        run, end = mark[0], mark.end()
        if end == len(text) and not last:
            return None
        if len(run) >= 3 and self._begins_line(text, position, mark.start()):
            if self._fence:
                if len(run) >= len(self._fence):
                    self._fence, self._behind = "", None
                return end
            line_end = text.find("\n", end)
            if line_end < 0 and not last:
                return None
            if "`" not in text[end : line_end if line_end >= 0 else len(text)]:
                self._fence = run
                return end
        return end if self._fence else span_end(text, end, len(run), last=last)

    def _begins_line(self, text: str, position: int, place: int) -> bool:
        """Whether only blanks stand between the line's begin, or the last tag, and this place."""
        start = text.rfind("\n", position, place) + 1 or position
        inside = start > position or position > 0
        return not text[start:place].strip() and (inside or self._blank_line)

    def _put(self, text: str) -> None:
        if not text:
            return
        (self._hidden if self._hides else self._shown).append(text)
        if self._behind is not None:
            self._behind.append(text)


def without_thinking(text: str, *, opened: bool = False, finished: bool = False) -> str:
    """Return the visible part of a whole text; see `VisibleText`."""
    reader = VisibleText(opened=opened)
    first, rest = reader.feed(text), reader.close(finished=finished)
    return (rest.text if rest.anew else first.text + rest.text).strip()


def _closes(token: re.Match[str]) -> bool:
    return bool(token["close"] or token["end"] or token["kimi"])


def _begin_of_tag(text: str, start: int) -> int:
    """Return where the beginning of a tag stands at the end of the text."""
    for place in range(max(start, len(text) - _LONGEST_TAG + 1), len(text)):
        tail = text[place:].lower()
        if tail[0] in "<[◁" and any(tag.startswith(tail) for tag in _TAGS):
            return place
    return len(text)
