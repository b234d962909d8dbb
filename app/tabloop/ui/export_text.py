"""Texts of others as Markdown that another program will show.

Rule: what the page disarms stays disarmed there: no image loads, no raw HTML, no heading that looks
like one of the export's own. Where that is in doubt, a backslash too many is shown.
"""

import re

__all__ = ["MARKDOWN", "address", "disarmed", "label", "plain"]

MARKDOWN = str.maketrans({character: f"\\{character}" for character in "\\|`*_[]<>~"})
_ADDRESS = str.maketrans({character: f"%{ord(character):02X}" for character in "<>\\"})
# Only a fence at a line's very beginning is one whatever stands around it.
_FENCE = re.compile(r"(`{3,})[^`]*$|(~{3,})")
_LIVE = re.compile(r"!(?=\[)|<(?!https?:|mailto:)(?=[a-z/!?])", re.IGNORECASE)
_HEADING = re.compile(r"^( {0,3}(?:(?:>|[-*+]|[0-9]{1,9}[.)]) *)*)#{1,2}(?=\s|$)")
_UNDERLINE = re.compile(r"(?:[ >]*)(=+|-+)\s*$")


def disarmed(text: str) -> str:
    """Return Markdown that loads nothing, has no HTML, and whose headings begin at level three."""
    lines, fence, before = list[str](), "", ""
    for line in text.splitlines():
        if fence:
            if re.fullmatch(rf" {{0,3}}{fence}+\s*", line):
                fence = ""
        elif opened := _FENCE.match(line):
            fence = opened[1] or opened[2]
        else:
            line = _LIVE.sub(r"\\\g<0>", _HEADING.sub(r"\1###", line))  # noqa: PLW2901 -- step by step
            if before and (under := _UNDERLINE.match(line)):
                line = f"{line[: under.start(1)]}\\{line[under.start(1) :]}"  # noqa: PLW2901 -- step by step
        before = line.strip(" >")
        lines.append(line)
    return "\n".join(lines)


def plain(text: str) -> str:
    """Return a text that is shown as it is, on one line."""
    return " ".join(text.split()).translate(MARKDOWN).replace("![", "\\![")


def label(text: str) -> str:
    """Return the text of a link."""
    return plain(text.replace("[", "(").replace("]", ")"))


def address(url: str) -> str:
    """Return an address as it stands between angle brackets."""
    return "".join(url.split()).translate(_ADDRESS)
