"""Parts reasoning that a model wrote into its text from what it wrote for the person.

Rule: text between reasoning tags is hidden if the first tag begins a line; tags in a sentence or in
code are normal text; a finished answer is never hidden completely; and text in pieces gives the
same result as the whole text.
"""

import re
from dataclasses import dataclass

from tabloop.endpoint.code_marks import opens_fence, span_end

__all__ = ["MAX_MARKS", "VisiblePart", "VisibleText", "split_reasoning", "without_reasoning"]

MAX_MARKS = 64  # backticks that are read as one run, so that a longer one is not held back
_NAMES = ("think", "thinking", "thought", "reasoning")
_CHANNEL_MARKS = ("start", "channel", "message", "end", "return", "call")  # gpt-oss's own format
_TOKEN = re.compile(
    rf"(?P<code>`{{1,{MAX_MARKS}}})|<(?P<close>/?)(?:{'|'.join(_NAMES)})>|\[(?P<end>/?)THINK\]|◁(?P<kimi>/?)think▷"
    rf"|<\|(?P<channel>{'|'.join(_CHANNEL_MARKS)})\|>",
    re.IGNORECASE,
)
_TAGS = (
    *(f"<{slash}{name}>" for slash in ("", "/") for name in _NAMES),
    *(f"{left}{slash}think{right}" for slash in ("", "/") for left, right in ("[]", "◁▷")),
    *(f"<|{name}|>" for name in _CHANNEL_MARKS),
)
_BEGINS = {tag[:end] for tag in _TAGS for end in range(1, len(tag))}
_LONGEST_BEGIN = max(map(len, _BEGINS))
_OPENING = re.compile(rf"(?:{'|'.join(map(re.escape, _BEGINS))})\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class VisiblePart:
    """Text for the person. `replaces`: all text that was shown before it was reasoning.

    `reasoning` is the reasoning of this part, and of what it replaces.
    """

    text: str = ""
    replaces: bool = False
    reasoning: str = ""


class VisibleText:
    """Reads text as it arrives. `opened`: the opening tag is in the prompt, by the chat template.

    All text before a closing tag without an opening one is reasoning.
    """

    def __init__(self, *, opened: bool = False) -> None:
        self._held = ""  # not decided yet: a tag or inline code may begin here
        self._hidden_by = "prompt" if opened else ""  # or "tag", "header", "channel"
        self._tag_seen = opened
        self._untouched = opened  # nothing came yet that shows whether the prompt has the tag
        self._tag_in_sentence = False  # an opening tag was: then its closing tag is, too
        self._channels = False
        self._fence = ""
        self._blank_line = True  # only white space since the line's start or the last tag
        self._shown: list[str] = []
        self._hidden: list[str] = []
        self._reasoning: list[str] = []  # that was not given out yet
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
        position = at = 0  # all before `position` is decided, all before `at` is searched
        replaces = False
        while token := _TOKEN.search(text, at):
            begin = token.start()
            self._note_line(text[at:begin])
            if self._untouched:
                self._decide_opened(token, text[position:begin])
            if token["code"]:
                end = token.end() if self._hidden_by else self._code_end(text, token, last=last)
                if end is None:
                    until = begin
                    break
                self._note_line(text[begin:end])
                at = end
                continue
            at = token.end()
            is_text, hides_earlier = self._classify(token)
            if is_text:
                self._blank_line = False
                if self._fence and _closes(token) and self._after_tag is None:
                    self._append(text[position:at])
                    self._after_tag, position, self._blank_line = [], at, True
                continue
            self._append(text[position:begin])
            if hides_earlier:
                self._hidden, self._shown, before, replaces = self._shown, [], 0, True
                self._reasoning += self._hidden
            self._apply(token)
            position, self._blank_line = at, True
        else:  # all tokens are decided
            until = len(text) if last else _start_of_tag(text, at)
            self._note_line(text[at:until])
        self._append(text[position:until])
        self._held = text[until:]
        self._replaced |= replaces
        reasoning, self._reasoning = "".join(self._reasoning), []
        return VisiblePart("".join(self._shown[before:]), replaces, reasoning)

    def _decide_opened(self, token: re.Match[str], before: str) -> None:
        """Take back that the prompt has the opening tag, if the reply itself begins with one."""
        self._untouched = False
        if not before.strip() and not token["code"] and not _closes(token):
            self._hidden_by, self._tag_seen = "", False

    def _classify(self, token: re.Match[str]) -> tuple[bool, bool]:
        """Return whether this tag is normal text, and whether it hides all text before it."""
        begins = self._blank_line
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

    def _code_end(self, text: str, mark: re.Match[str], *, last: bool) -> int | None:
        """Return where to continue after backticks; `None` if more text is needed to decide."""
        run, end = mark[0], mark.end()
        if end == len(text) and len(run) < MAX_MARKS and not last:
            return None
        if self._blank_line and run.startswith("```"):
            if self._fence:
                if len(run) >= len(self._fence):
                    self._fence, self._after_tag = "", None
                return end
            opens = opens_fence(text, end, last=last)
            if opens is None:
                return None
            if opens:
                self._fence = run
                return end
        return end if self._fence else span_end(text, end, len(run), last=last)

    def _note_line(self, text: str) -> None:
        """Note whether only white space stands between the line's start and the end of this."""
        _, line_end, line = text.rpartition("\n")
        self._blank_line = (self._blank_line or bool(line_end)) and not line.strip()

    def _append(self, text: str) -> None:
        if not text:
            return
        self._untouched = self._untouched and not text.strip()
        (self._hidden if self._hidden_by else self._shown).append(text)
        if self._hidden_by and self._hidden_by != "header":
            self._reasoning.append(text)
        if self._after_tag is not None:
            self._after_tag.append(text)


def split_reasoning(text: str, *, opened: bool = False, finished: bool = False) -> tuple[str, str]:
    """Return the visible part of a whole text and the reasoning in it; see `VisibleText`."""
    reader = VisibleText(opened=opened)
    first, rest = reader.feed(text), reader.close(finished=finished)
    visible = (rest.text if rest.replaces else first.text + rest.text).strip()
    reasoning = (first.reasoning + rest.reasoning).strip()
    return visible, "" if reasoning in visible else reasoning  # it may be shown as the answer


def without_reasoning(text: str, *, opened: bool = False, finished: bool = False) -> str:
    """Return the visible part of a whole text."""
    return split_reasoning(text, opened=opened, finished=finished)[0]


def _closes(token: re.Match[str]) -> bool:
    return bool(token["close"] or token["end"] or token["kimi"])


def _start_of_tag(text: str, start: int) -> int:
    """Return the index at which an incomplete tag at the end of the text begins."""
    tail = _OPENING.search(text, max(start, len(text) - _LONGEST_BEGIN))
    return tail.start() if tail else len(text)
