"""Texts of others as Markdown that another program will show.

Rule: what the page disarms stays disarmed there: no image loads, no raw HTML, no heading that looks
like one of the export's own. Where that is in doubt, a backslash too many is shown.
"""

import re

from tabloop.core.addresses import is_link
from tabloop.core.markdown import escaped

__all__ = ["disarmed", "label", "link"]

_ADDRESS = str.maketrans({character: f"%{ord(character):02X}" for character in "<>\\"})
# Only a fence at a line's very beginning is one whatever stands around it.
_FENCE = re.compile(r"(`{3,})[^`]*$|(~{3,})")
# An indented one, or one that begins a list's item, may end with its item.
_INDENTED_FENCE = re.compile(
    r"([ \t]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)*)(?:(`{3,})[^`]*$|(~{3,}))"
)
# what a link may lead to, as in app/js/markdown_links.js: no other scheme, no name before the host
_TARGET = r"(?:https?://[^\s/?#@\\()<>]+(?=[/?#)>\s]|$)|mailto:[^\s?&%()<>]+(?=[)>\s]|$))"
LIVE = re.compile(
    rf"(?<!\\)(?P<before>\\*)(?P<sign>!(?=\[)|<(?!{_TARGET})(?=[a-z/!?]))"
    rf"|(?<=\])(?:\((?!\s*<?{_TARGET})|:(?!\s*<?{_TARGET}))",
    re.IGNORECASE,
)
_HEADING = re.compile(r"^([ \t]*(?:(?:>|[-*+]|[0-9]{1,9}[.)])[ \t]*)*)#{1,2}(?=\s|$)")
_UNDERLINE = re.compile(r"(?:[ \t>]*)(=+|-+)\s*$")


def disarmed(text: str, *, headings: bool = False) -> str:
    """Return Markdown that loads nothing, has no HTML, and leads only where the page leads.

    Unless `headings` may stay, they begin at level three. What the text opens ends with it.
    """
    lines, fence, before = list[str](), "", ""
    doubtful: tuple[int, int, str] | None = None  # line, indent and sign of an indented fence
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip(" "))
        if doubtful and indent < doubtful[1] and line.strip():
            _escape_fences(lines, doubtful[0])
            doubtful = None
        if fence:
            if re.fullmatch(rf" {{0,3}}{fence}+\s*", line):
                fence = ""
        elif opened := _FENCE.match(line):
            fence = opened[1] or opened[2]
        else:
            if doubtful:
                if re.fullmatch(rf" {{{doubtful[1]}}}{doubtful[2]}+\s*", line):
                    doubtful = None
            elif opened := _INDENTED_FENCE.match(line):
                doubtful = (len(lines), len(opened[1]), opened[2] or opened[3])
            line = LIVE.sub(_escaped, line)  # noqa: PLW2901 -- step by step
            if not headings:
                line = _lowered(line, before)  # noqa: PLW2901 -- step by step
        before = line.strip(" \t>")
        lines.append(line)
    if doubtful:
        _escape_fences(lines, doubtful[0])
    return "\n".join([*lines, fence] if fence else lines)


def label(text: str) -> str:
    """Return a text on one line and without brackets, for the text of a link."""
    return escaped(text.replace("[", "(").replace("]", ")"))


def link(text: str, url: str) -> str:
    """Return a link, or its text alone if a page would not link this address."""
    address = "".join(url.split()).translate(_ADDRESS)
    return f"[{label(text)}](<{address}>)" if is_link(url) else label(text)


def _escape_fences(lines: list[str], first: int) -> None:
    """Make text of all indented fences from line `first` on: nothing tells where they would end."""
    for index in range(first, len(lines)):
        if opened := _INDENTED_FENCE.match(lines[index]):
            sign = opened[2] or opened[3]
            before = opened[1]
            lines[index] = f"{before}{escaped(sign)}{lines[index][len(before + sign) :]}"


def _escaped(live: re.Match[str]) -> str:
    """Put a backslash before a sign, unless it has one: two would escape each other."""
    before, sign = live["before"] or "", live["sign"] or live[0]
    return live[0] if len(before) % 2 else f"{before}\\{sign}"


def _lowered(line: str, before: str) -> str:
    under = _UNDERLINE.match(line) if before else None
    if under:
        return f"{line[: under.start(1)]}\\{line[under.start(1) :]}"
    return _HEADING.sub(r"\1###", line)
