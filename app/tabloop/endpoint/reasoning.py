"""Hides reasoning that a model wrote into its text; it is neither shown nor sent back.

Rule: text between reasoning tags is hidden if the first tag begins a line; tags in a sentence or in
code are normal text; a finished answer is never hidden completely; and text in pieces gives the
same result as the whole text.
"""

import re
from dataclasses import dataclass

from tabloop.endpoint.code_marks import span_end

__all__ = ["VisiblePart", "VisibleText", "without_reasoning"]

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
_MAX_TAG = max(map(len, _TAGS))


@dataclass(frozen=True, slots=True)
class VisiblePart:
    """Text for the person. `replaces`: all text that was shown before it was reasoning."""

    text: str = ""
    replaces: bool = False


class VisibleText:
    """Reads text as it arrives. `opened`: the opening tag is in the prompt, by the chat template.

    All text before a closing tag without an opening one is reasoning.
    """

    def __init__(self, *, opened: bool = False) -> None:
        self._held = ""  # not decided yet: a tag or inline code may begin here
        self._hidden_by = "prompt" if opened else ""  # or "tag", "header", "channel"
        self._tag_seen = opened
        self._tag_in_sentence = False  # an opening tag was: then its closing tag is, too
        self._channels = False
        self._fence = ""
        self._blank_line = True  # the line has no text so far
        self._shown: list[str] = []
        self._hidden: list[str] = []
        self._replaced = False
        self._after_tag: list[str] | None = None  # text after a closing tag in a fence

    def feed(self, piece: str) -> VisiblePart:
        """Return what can be shown now."""
        return self._read(self._held + piece, last=False)

    def close(self, *, finished: bool = False) -> VisiblePart:
        """Return the text that was held back.

        `finished`: the model says that its answer is complete. Then hidden text is the answer if
        its tag was never closed, or if nothing follows a closing tag without an opening one.
        """
        shown = self._read(self._held, last=True)
        if not finished:
            return shown
        if self._fence and not self._tag_seen and "".join(self._after_tag or []).strip():
            # the fence was part of the reasoning
            return VisiblePart("".join(self._after_tag or []), replaces=True)
        nothing_left = self._replaced and not "".join(self._shown).strip()
        if self._hidden_by or nothing_left:
            return VisiblePart(shown.text + "".join(self._hidden), shown.replaces)
        return shown

    def _read(self, text: str, *, last: bool) -> VisiblePart:
        before = len(self._shown)
        position = at = 0
        replaces, until = False, -1
        while token := _TOKEN.search(text, at):
            at, begin = token.end(), token.start()
            if token["code"]:
                end = at if self._hidden_by else self._code_end(text, position, token, last=last)
                if end is None:
                    until = begin
                    break
                at = end
                continue
            is_text, hides_earlier = self._classify(token, text, position)
            if is_text:
                if self._fence and _closes(token) and self._after_tag is None:
                    self._append(text[position:at])
                    self._after_tag, position = [], at
                continue
            self._append(text[position:begin])
            if hides_earlier:
                self._hidden, self._shown, before, replaces = self._shown, [], 0, True
            self._apply(token)
            position = at
        if until < 0:
            until = len(text) if last else _start_of_tag(text, max(position, at))
        self._append(text[position:until])
        self._blank_line = self._begins_line(text, position, until)
        self._held = text[until:]
        self._replaced |= replaces
        return VisiblePart("".join(self._shown[before:]), replaces)

    def _classify(self, token: re.Match[str], text: str, position: int) -> tuple[bool, bool]:
        """Return whether this tag is normal text, and whether it hides all text before it."""
        begins = self._begins_line(text, position, token.start())
        if name := token["channel"]:
            return not self._is_channel_mark(name.lower(), begins=begins), False
        closes = _closes(token)
        if self._hidden_by:
            return not closes or self._hidden_by not in ("prompt", "tag"), False
        if self._fence:
            return True, False
        if not closes:
            self._tag_in_sentence |= not begins
            return not begins, False
        hides_earlier = not self._tag_seen and not self._tag_in_sentence
        self._tag_in_sentence = False
        return not hides_earlier, hides_earlier

    def _apply(self, token: re.Match[str]) -> None:
        """Change the state after a tag that is not normal text."""
        self._tag_seen = True
        name = (token["channel"] or "").lower()
        if name in ("start", "channel"):
            if self._hidden_by != "header":
                self._hidden_by, self._hidden = "header", []
        elif name == "message":
            header = "".join(self._hidden)
            # for the model itself or for a tool; all else is for the person
            self._hidden_by = "channel" if "analysis" in header or " to=" in header else ""
            self._hidden, self._channels = [], True
        elif name or _closes(token):
            self._hidden_by = ""
        else:
            self._hidden_by, self._hidden = "tag", []

    def _is_channel_mark(self, name: str, *, begins: bool) -> bool:
        if self._fence or self._hidden_by in ("tag", "prompt"):
            return False
        if name in ("start", "channel"):
            return begins or self._channels or self._hidden_by == "header"
        if name == "message":
            return self._hidden_by == "header"
        return self._channels and self._hidden_by != "header"

    def _code_end(self, text: str, position: int, mark: re.Match[str], *, last: bool) -> int | None:
        """Return where to continue after backticks; `None` if more text is needed to decide."""
        run, end = mark[0], mark.end()
        if end == len(text) and not last:
            return None
        if len(run) >= 3 and self._begins_line(text, position, mark.start()):
            if self._fence:
                if len(run) >= len(self._fence):
                    self._fence, self._after_tag = "", None
                return end
            line_end = text.find("\n", end)
            if line_end < 0 and not last:
                return None
            if "`" not in text[end : line_end if line_end >= 0 else len(text)]:
                self._fence = run
                return end
        return end if self._fence else span_end(text, end, len(run), last=last)

    def _begins_line(self, text: str, position: int, place: int) -> bool:
        """Whether only white space is between the line's start (or the last tag) and this place."""
        start = text.rfind("\n", position, place) + 1 or position
        inside = start > position or position > 0
        return not text[start:place].strip() and (inside or self._blank_line)

    def _append(self, text: str) -> None:
        if not text:
            return
        (self._hidden if self._hidden_by else self._shown).append(text)
        if self._after_tag is not None:
            self._after_tag.append(text)


def without_reasoning(text: str, *, opened: bool = False, finished: bool = False) -> str:
    """Return the visible part of a whole text; see `VisibleText`."""
    reader = VisibleText(opened=opened)
    first, rest = reader.feed(text), reader.close(finished=finished)
    return (rest.text if rest.replaces else first.text + rest.text).strip()


def _closes(token: re.Match[str]) -> bool:
    return bool(token["close"] or token["end"] or token["kimi"])


def _start_of_tag(text: str, start: int) -> int:
    """Return the index at which an incomplete tag at the end of the text begins."""
    for place in range(max(start, len(text) - _MAX_TAG + 1), len(text)):
        tail = text[place:].lower()
        if tail[0] in "<[◁" and any(tag.startswith(tail) for tag in _TAGS):
            return place
    return len(text)
